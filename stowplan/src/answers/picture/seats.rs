//! Where the drawing shows each process of a node: in a core, over several cores, or in the smallest box around its cpus.

use super::shape::Shape;
use super::tree::{Part, Tree};
use crate::answers::gpus::list;
use crate::answers::openmp::answer::Answer;
use crate::answers::openmp::classes::Key;
use crate::answers::openmp::job::JobThreads;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap, HashSet};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Located, Plan};
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use stowplan_engine::table::names::NodeId;

/// Processes that are drawn at most, for all shapes together.
pub(super) const PROCS_MAX: u32 = 1000;

/// Stands for the whole node instead of one of its boxes.
pub(super) const NODE: (usize, usize) = (usize::MAX, usize::MAX);

/// A process of the first node of a shape.
#[derive(Clone, Debug)]
pub(super) struct Proc {
    pub(super) rank: u32,
    pub(super) app: usize,
    pub(super) local: u32,
    /// The text of its title.
    pub(super) title: String,
    /// Its cpus, where it has a part of a core alone.
    pub(super) part: Option<String>,
    /// Whether it is one of the ranks that were chosen.
    pub(super) shown: Shown,
}

/// Whether a process is one of those that were asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shown {
    /// It is, or all are.
    Chosen,
    /// It is another one on the same node.
    Beside,
}

/// Where the processes of a node are drawn.
#[derive(Debug, Default)]
pub(super) struct Seats {
    pub(super) procs: Vec<Proc>,
    /// Processes bound to one core, alone or shared: by leaf.
    pub(super) in_leaf: HashMap<usize, Vec<usize>>,
    /// Processes bound to several cores that no other process has: process, and its leaves.
    pub(super) over: Vec<(usize, Vec<usize>)>,
    /// All other processes, by the leaves of the smallest box around theirs; [`NODE`] if there is none, or if they are not bound.
    pub(super) in_part: HashMap<(usize, usize), Vec<usize>>,
    /// Processes that are not drawn.
    pub(super) more: u64,
    /// Leaves with a process that may run there.
    pub(super) used: HashSet<usize>,
    /// Leaves of which no process may use a cpu.
    pub(super) forbidden: HashSet<usize>,
    /// The threads that run in a leaf alone, as `rank.thread`.
    pub(super) threads: BTreeMap<usize, Vec<(u32, String)>>,
    /// The ranks that are given a GPU, by its visible number.
    pub(super) gpus: BTreeMap<u32, Vec<u32>>,
}

impl Seats {
    /// Notes which threads of a rank run in one leaf alone.
    fn seat_threads(&mut self, rank: u32, answer: &Answer, tree: &Tree) {
        const THREADS_MAX: usize = 1024;
        let Some((_, threads)) = answer.told.first() else {
            return;
        };
        for (thread, _, cpus) in threads.iter().take(THREADS_MAX) {
            let mut leaves =
                (0..tree.leaves.len()).filter(|&leaf| !tree.leaves[leaf].is_disjoint(cpus));
            if let (Some(leaf), None) = (leaves.next(), leaves.next()) {
                self.threads
                    .entry(leaf)
                    .or_default()
                    .push((rank, thread.name()));
            }
        }
    }

    /// `budget`: how many processes are drawn. Cost: these, and the leaves of each distinct cpu set.
    pub(super) fn new(plan: &Plan, shape: &Shape, tree: &Tree, budget: u32) -> Self {
        let mut seats = Self::default();
        let Some(first) = shape.nodes.first() else {
            return seats;
        };
        let node = NodeId::from_row(first.first as usize);
        let asker = Asker {
            plan,
            shape,
            tree,
            node,
            given: plan.tells_gpus().then(|| plan.given_gpus_on(node)),
        };
        let sites = sites(tree);
        let mut leaves_of: HashMap<CpusetId, (Vec<usize>, String)> = HashMap::new();
        let mut places: Vec<Option<CpusetId>> = Vec::new();
        let said = !plan.thread_words().is_empty();
        let mut threads = said.then(|| JobThreads::new(plan, None).ok()).flatten();
        for own in &shape.runs {
            let run = own.of(plan);
            for local in 0..run.procs {
                if seats.procs.len() == budget as usize {
                    break;
                }
                let at = Located {
                    app: own.app,
                    run: own.row,
                    node: first.first - run.nodes.first,
                    local,
                };
                let cpus = plan.patterns().get(run.pattern).place(local).cpus;
                if let Some(set) = cpus {
                    leaves_of
                        .entry(set)
                        .or_insert_with(|| touched(plan, set, &sites));
                }
                let set = cpus.map(|set| (plan.world().cpusets.get(set), &leaves_of[&set]));
                let proc = asker.proc(at, run.own_before + local, set);
                for &gpu in asker.gpus(proc.local) {
                    seats.gpus.entry(gpu).or_default().push(proc.rank);
                }
                if let Some(threads) = &mut threads {
                    let key = Key {
                        app: own.app,
                        topology: shape.topology,
                        cpus,
                    };
                    seats.seat_threads(proc.rank, &threads.answer(key), tree);
                }
                seats.procs.push(proc);
                places.push(cpus);
            }
        }
        seats.more = shape.size() - seats.procs.len() as u64;
        seats.forbidden = forbidden(plan, shape, tree);
        // Also those of processes that are not drawn.
        for &(_, _, cpus) in &shape.procs {
            match cpus {
                None => seats.used.extend(0..tree.leaves.len()),
                Some(set) => {
                    let known = leaves_of.entry(set);
                    let known = known.or_insert_with(|| touched(plan, set, &sites));
                    seats.used.extend(&known.0);
                }
            }
        }
        seats.seat(&places, &leaves_of, tree);
        seats
    }

    /// Decides where each process is drawn. `places`: their cpus; `leaves_of`: the leaves of each set.
    fn seat(
        &mut self,
        places: &[Option<CpusetId>],
        leaves_of: &HashMap<CpusetId, (Vec<usize>, String)>,
        tree: &Tree,
    ) {
        let mut load = vec![0_u32; tree.leaves.len()];
        for set in places.iter().flatten() {
            leaves_of[set].0.iter().for_each(|&leaf| load[leaf] += 1);
        }
        for (number, place) in places.iter().enumerate() {
            let leaves = place.map_or(&[][..], |set| &leaves_of[&set].0);
            match leaves {
                [leaf] => self.in_leaf.entry(*leaf).or_default().push(number),
                [_, ..] if leaves.iter().all(|&leaf| load[leaf] == 1) => {
                    self.over.push((number, leaves.to_vec()));
                }
                _ => {
                    let inner = tree.root.parts.iter().find(|part| around(part, leaves));
                    let part = inner.map_or(NODE, |inner| smallest(inner, leaves));
                    self.in_part.entry(part).or_default().push(number);
                }
            }
        }
    }
}

/// What is asked about the processes of the first node of a shape.
struct Asker<'p> {
    plan: &'p Plan,
    shape: &'p Shape,
    tree: &'p Tree,
    node: NodeId,
    given: Option<GivenGpus>,
}

impl Asker<'_> {
    /// The GPUs of a process.
    fn gpus(&self, local_rank: u32) -> &[u32] {
        let given = self.given.as_ref();
        given.map_or(&[][..], |given| given.of(self.node, local_rank))
    }

    /// A process; `set`: its cpus, with the leaves that they touch and their list.
    fn proc(
        &self,
        at: Located,
        local: u32,
        set: Option<(&RoaringBitmap, &(Vec<usize>, String))>,
    ) -> Proc {
        let rank = self.plan.rank_of(at).0;
        let name = self.plan.world().names.name(self.node);
        let gpus = match self.gpus(local) {
            [] => String::new(),
            gpus => format!(" gpus {}", list(gpus)),
        };
        let is_chosen = |locals: &Vec<u32>| locals.binary_search(&local).is_ok();
        let cpus = set.map_or("-", |(_, known)| known.1.as_str());
        Proc {
            rank,
            app: self.plan.resolved_apps().number(at.app) as usize,
            local,
            part: set.and_then(|(cpus, known)| part(&known.0, cpus, self.tree)),
            shown: match self.shape.chosen.as_ref().is_none_or(is_chosen) {
                true => Shown::Chosen,
                false => Shown::Beside,
            },
            title: format!("{name} rank {rank} cpus {cpus}{gpus}"),
        }
    }
}

/// The leaves of which no process may use a cpu. Cost: the PUs of the node.
fn forbidden(plan: &Plan, shape: &Shape, tree: &Tree) -> HashSet<usize> {
    let world = plan.world();
    let allowed = world.pusets.get(shape.allowed);
    let os = world.topologies.pus_os(shape.topology);
    let free: RoaringBitmap = allowed
        .iter_ones()
        .filter_map(|pu| os.get(pu).copied())
        .collect();
    let leaves = (0..tree.leaves.len()).filter(|&leaf| tree.leaves[leaf].is_disjoint(&free));
    leaves.collect()
}

/// The cpus of a process that has a part of one leaf.
fn part(leaves: &[usize], cpus: &RoaringBitmap, tree: &Tree) -> Option<String> {
    let &[leaf] = leaves else { return None };
    (tree.leaves[leaf] != *cpus).then(|| list_form(cpus))
}

/// The PUs of all leaves, sorted by OS number, each with its leaf.
fn sites(tree: &Tree) -> Vec<(u32, usize)> {
    let leaves = tree.leaves.iter().enumerate();
    let mut sites: Vec<(u32, usize)> = leaves
        .flat_map(|(leaf, pus)| pus.iter().map(move |pu| (pu, leaf)))
        .collect();
    sites.sort_unstable();
    sites
}

/// The leaves that a cpu set touches, and the set in list form. Cost: the set.
fn touched(plan: &Plan, set: CpusetId, sites: &[(u32, usize)]) -> (Vec<usize>, String) {
    let cpus = plan.world().cpusets.get(set);
    let mut touched = Vec::new();
    for pu in cpus {
        let from = sites.partition_point(|&(other, _)| other < pu);
        let here = sites[from..].iter().take_while(|&&(other, _)| other == pu);
        touched.extend(here.map(|&(_, leaf)| leaf));
    }
    touched.sort_unstable();
    touched.dedup();
    (touched, list_form(cpus))
}

/// Whether a box contains all of these leaves (at least one).
fn around(part: &Part, leaves: &[usize]) -> bool {
    let (from, end) = part.leaves;
    !leaves.is_empty() && leaves.iter().all(|leaf| (from..end).contains(leaf))
}

/// The leaves of the smallest box around some leaves.
fn smallest(part: &Part, leaves: &[usize]) -> (usize, usize) {
    let inner = part.parts.iter().find(|part| around(part, leaves));
    inner.map_or(part.leaves, |inner| smallest(inner, leaves))
}
