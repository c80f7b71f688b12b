//! Where the ranks of a line are, and what each is bound to.

use super::binding::{Bound, Node};
use super::nodes::{HydraNode, names, nodes};
use super::rank_map;
use super::rounds::{Placed, Rounds, Stretch, placed};
use super::said::{Program, Said, fails, leading_number, read, refuses};
use super::version::{RankMaps, Version};
use crate::line::{Derived, Laid, LaidApp, LaidProcs, LaidRun, LineAsked, LineNote, LineRefused};
use std::collections::{HashMap, VecDeque};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::topologies::TopologyId;
use stowplan_engine::text::hostlist::plain;

/// Where the processes of a line are.
///
/// # Errors
/// `bad-option`, `launcher-refuses`, `launch-fails`, `not-modelled`.
///
/// Cost: the nodes, their distinct hardware and bindings, and the turns of nodes.
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let version = Version::read(asked.version)?;
    let said = read(asked, version)?;
    let (nodes, from) = nodes(asked, &said.global, version)?;
    let slots: Vec<u32> = nodes.iter().map(|node| node.slots).collect();
    let all: u64 = slots.iter().map(|&slots| u64::from(slots)).sum();
    if all == 0 {
        return Err(fails("no host has a slot"));
    }
    let procs = said
        .programs
        .iter()
        .map(|program| procs(program, all))
        .collect::<Result<Vec<u32>, _>>()?;
    let total: u64 = procs.iter().map(|&procs| u64::from(procs)).sum();
    if total > u64::from(RANKS_MAX) {
        return Err(LineRefused::new(
            "job-too-large",
            format!("{total} ranks are asked for, at most {RANKS_MAX} are possible"),
        ));
    }
    let mut notes = Vec::new();
    let (programs, mixed) = match &said.global.rank_map {
        Some(map) => by_map(map, &procs, &slots, version, &mut notes)?,
        None => {
            let mut rounds = Rounds::new(&slots);
            (
                procs.iter().map(|&ranks| rounds.deal(ranks)).collect(),
                false,
            )
        }
    };
    let mut maker = Maker::new(asked, &said, &nodes, version, &programs)?;
    let mut apps = Vec::new();
    for (program, own) in said.programs.iter().zip(&programs) {
        apps.push(maker.app(program, own)?);
    }
    if mixed {
        return Err(LineRefused::new(
            "not-modelled",
            "-rankmap before MPICH 5.0.2: the ranks of several programs are mixed on a node",
        ));
    }
    let derived = derived(asked, &said, from);
    Ok(Laid {
        version: version_name(asked.version),
        derived,
        notes,
        names: names(&nodes)?,
        slots: slot_runs(&slots),
        patterns: maker.patterns,
        apps,
    })
}

fn version_name(asked: Option<&str>) -> String {
    asked.unwrap_or("5.0.2").to_owned()
}

/// The processes of a program: 0, negative or absent means all slots.
fn procs(program: &Program, slots: u64) -> Result<u32, LineRefused> {
    let asked = program.procs.as_deref().map_or(0, leading_number);
    let procs = u64::try_from(asked)
        .ok()
        .filter(|&procs| procs > 0)
        .unwrap_or(slots);
    u32::try_from(procs)
        .ok()
        .filter(|&procs| procs <= RANKS_MAX)
        .ok_or_else(|| {
            LineRefused::new(
                "job-too-large",
                format!("{procs} ranks are asked for, at most {RANKS_MAX} are possible"),
            )
        })
}

/// The ranks by `-rankmap`.
fn by_map(
    map: &str,
    procs: &[u32],
    slots: &[u32],
    version: Version,
    notes: &mut Vec<LineNote>,
) -> Result<(Vec<Placed>, bool), LineRefused> {
    let total: u32 = procs.iter().sum();
    let mut of_rank = rank_map::nodes_of(map, total, slots.len())?;
    let mut mixed = false;
    if !of_rank.contains(&0) {
        notes.push(LineNote {
            class: "rank-map",
            text: format!(
                "-rankmap {map} names no rank for node 0: MPICH aborts then in some runs"
            ),
        });
    }
    if version.rank_map() == RankMaps::CountsOnly {
        let dealt = by_counts(&of_rank, slots)?;
        mixed = is_mixed(&of_rank, &dealt, procs);
        of_rank = dealt;
        notes.push(LineNote {
            class: "rank-map",
            text: "before MPICH 5.0.2 a rank map says only how many ranks each node has".to_owned(),
        });
    }
    let mut next = of_rank.into_iter();
    let of = |&ranks: &u32| {
        let mut stretches: Vec<Stretch> = Vec::new();
        for node in next.by_ref().take(ranks as usize) {
            match stretches.last_mut() {
                Some(last) if last.node == node => last.ranks += 1,
                Some(_) | None => stretches.push(Stretch { node, ranks: 1 }),
            }
        }
        placed(&stretches)
    };
    Ok((procs.iter().map(of).collect(), mixed))
}

/// Whether ranks of several programs are mixed: a node's local ranks run the programs in the order in which the map gave it ranks.
fn is_mixed(of_rank: &[u32], dealt: &[u32], procs: &[u32]) -> bool {
    let program = |rank: usize| {
        let mut end = 0_usize;
        procs.iter().position(|&own| {
            end += own as usize;
            rank < end
        })
    };
    let mut lists: HashMap<u32, VecDeque<Option<usize>>> = HashMap::new();
    for (rank, &node) in of_rank.iter().enumerate() {
        lists.entry(node).or_default().push_back(program(rank));
    }
    procs.len() > 1
        && dealt.iter().enumerate().any(|(rank, node)| {
            let own = lists.get_mut(node).and_then(VecDeque::pop_front);
            own != Some(program(rank))
        })
}

/// Before 5.0.2: the counts of a map; ranks are dealt in rounds over the nodes that have some.
fn by_counts(of_rank: &[u32], slots: &[u32]) -> Result<Vec<u32>, LineRefused> {
    let mut counts = vec![0_u32; slots.len()];
    let mut order = Vec::new();
    for &node in of_rank {
        if counts[node as usize] == 0 {
            order.push(node);
        }
        counts[node as usize] += 1;
    }
    order.sort_unstable();
    let own: Vec<u32> = order.iter().map(|&node| slots[node as usize]).collect();
    let mut left: Vec<u32> = order.iter().map(|&node| counts[node as usize]).collect();
    let mut found = Vec::with_capacity(of_rank.len());
    while found.len() < of_rank.len() {
        for (at, &node) in order.iter().enumerate() {
            if found.len() == of_rank.len() {
                break;
            }
            // Ranks are numbered by the slots of the round: a node that has fewer leaves holes.
            let take = own[at].min(u32::try_from(of_rank.len() - found.len()).unwrap_or(u32::MAX));
            if left[at] < take {
                return Err(fails(
                    "the rank map does not fit the slots: ranks numbered past the job",
                ));
            }
            left[at] -= take;
            found.extend(std::iter::repeat_n(node, take as usize));
        }
    }
    Ok(found)
}

fn slot_runs(slots: &[u32]) -> Vec<(NodeRange, u32)> {
    let mut runs: Vec<(NodeRange, u32)> = Vec::new();
    for (first, &slots) in (0..).zip(slots) {
        match runs.last_mut() {
            Some((nodes, known)) if *known == slots => nodes.count += 1,
            Some(_) | None => runs.push((NodeRange { first, count: 1 }, slots)),
        }
    }
    runs
}

/// What the page says of the line.
fn derived(asked: &LineAsked<'_>, said: &Said, from: String) -> Vec<Derived> {
    let global = &said.global;
    let slots = match &global.per_node {
        Some(each) => format!("-ppn {each}"),
        None => from,
    };
    let bind = match (&global.bind, asked.variable("HYDRA_BINDING")) {
        (Some(bind), _) => (format!("binding {bind}"), "-bind-to".to_owned()),
        (None, Some(bind)) => (format!("binding {bind}"), "HYDRA_BINDING".to_owned()),
        (None, None) => ("unbound".to_owned(), "default".to_owned()),
    };
    vec![
        Derived {
            what: "slots".to_owned(),
            origin: slots,
        },
        Derived {
            what: bind.0,
            origin: bind.1,
        },
    ]
}

/// What a pattern depends on: hardware, binding, and which local ranks.
type Key = (usize, u32, u32);

/// Makes patterns of distinct nodes.
struct Maker<'a> {
    asked: &'a LineAsked<'a>,
    said: &'a Said,
    /// The row of each node's kind.
    kind_of: Vec<usize>,
    /// Kinds of nodes: hardware and binding.
    bounds: Vec<(TopologyId, Bound)>,
    known: HashMap<Key, usize>,
    patterns: Vec<Vec<LaidProcs>>,
    /// Ranks that earlier programs have on each node.
    before: Vec<u32>,
}

impl<'a> Maker<'a> {
    fn new(
        asked: &'a LineAsked<'a>,
        said: &'a Said,
        nodes: &[HydraNode],
        version: Version,
        programs: &[Placed],
    ) -> Result<Self, LineRefused> {
        if said.global.gpu_parts.is_some() {
            return Err(LineRefused::new(
                "not-modelled",
                "-gpu-subdevs-per-proc: which parts the GPUs of a node have is not known",
            ));
        }
        let mut ranks = vec![0_u32; nodes.len()];
        for own in programs.iter().flat_map(|program| &program.nodes) {
            ranks[own.node as usize] += own.ranks;
        }
        let mut kinds: HashMap<(TopologyId, String), (usize, u32)> = HashMap::new();
        let mut kind_of = Vec::with_capacity(nodes.len());
        let bind = said
            .global
            .bind
            .as_deref()
            .or_else(|| asked.variable("HYDRA_BINDING"));
        for (node, &ranks) in nodes.iter().zip(&ranks) {
            let found = asked.hardware.of_names(&plain(&node.name));
            let Some(&(_, topology)) = found.first() else {
                return Err(LineRefused::new(
                    "bad-topology",
                    format!("node {} has no topology: --topo gives one", node.name),
                ));
            };
            let own = node.binding.as_deref().or(bind).unwrap_or("none");
            let next = kinds.len();
            let kind = kinds.entry((topology, own.to_owned())).or_insert((next, 0));
            kind.1 = kind.1.max(ranks);
            kind_of.push(kind.0);
        }
        let map = said
            .global
            .map
            .as_deref()
            .or_else(|| asked.variable("HYDRA_MAPPING"));
        let mut rows: Vec<_> = kinds.into_iter().collect();
        rows.sort_by_key(|(_, (row, _))| *row);
        let mut bounds = Vec::new();
        for ((topology, own), (_, ranks)) in rows {
            let node = Node {
                hardware: asked.hardware,
                topology,
                version,
                ranks,
            };
            // A node without ranks starts nothing that could fail.
            let bound = if ranks == 0 {
                Bound::Free
            } else {
                node.bound(&own, map)?
            };
            bounds.push((topology, bound));
        }
        Ok(Self {
            asked,
            said,
            kind_of,
            bounds,
            known: HashMap::new(),
            patterns: Vec::new(),
            before: vec![0; nodes.len()],
        })
    }

    fn app(&mut self, program: &Program, placed: &Placed) -> Result<LaidApp, LineRefused> {
        let mut runs: Vec<LaidRun> = Vec::new();
        for own in &placed.nodes {
            let node = own.node as usize;
            let pattern = self.pattern((self.kind_of[node], self.before[node], own.ranks))?;
            self.before[node] += own.ranks;
            match runs.last_mut() {
                Some(last) if last.pattern == pattern && last.nodes.end() == own.node => {
                    last.nodes.count += 1;
                }
                Some(_) | None => runs.push(LaidRun {
                    nodes: NodeRange {
                        first: own.node,
                        count: 1,
                    },
                    pattern,
                }),
            }
        }
        Ok(LaidApp {
            program: program.argv.clone(),
            runs,
            order: placed.order.clone(),
        })
    }

    /// The processes with local ranks from `before` on.
    fn pattern(&mut self, key: Key) -> Result<usize, LineRefused> {
        if let Some(&row) = self.known.get(&key) {
            return Ok(row);
        }
        let (kind, before, ranks) = key;
        let gpus = self.gpus()?;
        let (topology, bound) = &self.bounds[kind];
        let all = u32::try_from(self.asked.hardware.topologies().gpus(*topology).len());
        let all = all.unwrap_or(u32::MAX);
        let mut procs: Vec<LaidProcs> = Vec::new();
        let alike = bound.turns() == 1 && gpus.is_none();
        let mut local = before;
        while local < before + ranks {
            let count = if alike { before + ranks - local } else { 1 };
            let own = LaidProcs {
                count,
                object: None,
                cpus: bound.of(local).cloned(),
                gpus: gpus.map(|each| {
                    let first = local.saturating_mul(each);
                    (first..first.saturating_add(each))
                        .filter(|&gpu| gpu < all)
                        .collect()
                }),
            };
            local += count;
            match procs.last_mut() {
                Some(last) if last.cpus == own.cpus && last.gpus == own.gpus => last.count += count,
                Some(_) | None => procs.push(own),
            }
        }
        self.patterns.push(procs);
        let row = self.patterns.len() - 1;
        self.known.insert(key, row);
        Ok(row)
    }

    /// GPUs of each process.
    fn gpus(&self) -> Result<Option<u32>, LineRefused> {
        let Some(text) = &self.said.global.gpus else {
            return Ok(None);
        };
        u32::try_from(leading_number(text))
            .map(Some)
            .map_err(|_| refuses(&format!("-gpus-per-proc {text} is no number of GPUs")))
    }
}
