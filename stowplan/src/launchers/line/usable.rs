//! Which cpus of its nodes a job may use, core by core and NUMA node by NUMA node.

use super::allocation::Allocation;
use super::asked::LineAsked;
use super::granted;
use super::kinds;
use super::refused::LineRefused;
use roaring::RoaringBitmap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::{Names, NodeRange};
use stowplan_engine::table::topologies::TopologyId;

/// Nodes with the same hardware, of which a job may use the same cpus.
#[derive(Clone, PartialEq, Debug)]
pub struct Usable {
    /// The hardware.
    pub topology: TopologyId,
    /// Cpus by OS number.
    pub cpus: RoaringBitmap,
}

/// The nodes of a job, with what may be used of each.
#[derive(Clone, Debug, Default)]
pub struct UsableNodes {
    /// Their names.
    pub names: Names,
    /// The kind of each, as runs that cover all nodes.
    pub runs: Vec<(NodeRange, usize)>,
    /// Distinct kinds.
    pub kinds: Vec<Usable>,
}

impl UsableNodes {
    /// What may be used: all allowed cpus, or of the nodes that `--granted` names only these.
    ///
    /// # Errors
    /// `bad-value` for a broken `--granted`.
    pub fn of(asked: &LineAsked<'_>, allocation: Allocation) -> Result<Self, LineRefused> {
        let granted = match asked.granted {
            None => Vec::new(),
            Some(text) if granted::is_words(text) => granted::read(text)
                .map_err(|why| LineRefused::new("bad-value", format!("--granted {text}: {why}")))?,
            Some(text) => {
                let sentence = format!("--granted {text}: for {} it is NODE=CPUS,…", asked.command);
                return Err(LineRefused::new("bad-value", sentence));
            }
        };
        let mut limits: Vec<(NodeRange, RoaringBitmap)> = Vec::new();
        for (range, cpus) in granted {
            let nodes = allocation.names.find(&range).0;
            limits.extend(nodes.into_iter().map(|nodes| (nodes, cpus.clone())));
        }
        limits.sort_by_key(|(nodes, _)| nodes.first);
        let mut usable = Self::default();
        for &(nodes, topology) in &allocation.nodes {
            let os = asked.hardware.topologies().pus_os(topology);
            let all: RoaringBitmap = os.iter().copied().collect();
            let mut next = nodes.first;
            for (limit, cpus) in &limits {
                let Some(part) = limit.overlap(NodeRange::until(next, nodes.end())) else {
                    continue;
                };
                usable.push(NodeRange::until(next, part.first), topology, all.clone());
                usable.push(part, topology, cpus & &all);
                next = part.end();
            }
            usable.push(NodeRange::until(next, nodes.end()), topology, all);
        }
        usable.names = allocation.names;
        Ok(usable)
    }

    fn push(&mut self, nodes: NodeRange, topology: TopologyId, cpus: RoaringBitmap) {
        if nodes.count == 0 {
            return;
        }
        let kind = Usable { topology, cpus };
        kinds::push(&mut self.kinds, &mut self.runs, nodes, kind);
    }
}

impl Usable {
    /// The usable cpus of each object of a kind that has some, by their lowest OS number.
    #[must_use]
    pub fn objects(&self, asked: &LineAsked<'_>, kind: ObjKind) -> Vec<RoaringBitmap> {
        let topologies = asked.hardware.topologies();
        let kind = match topologies.count(self.topology, kind) {
            0 if kind == ObjKind::Core => ObjKind::Hwthread,
            0 => ObjKind::Machine,
            _ => kind,
        };
        let objects = topologies.objects(self.topology, kind);
        let set = |object| asked.hardware.cpusets().get(topologies.cpuset(object)) & &self.cpus;
        let mut sets: Vec<RoaringBitmap> = objects.map(set).collect();
        sets.retain(|set| !set.is_empty());
        sets.sort_by_key(RoaringBitmap::min);
        sets
    }
}

/// A set of cpus that `word` names, all of which must be among these.
///
/// # Errors
/// `launch-fails`.
pub(crate) fn all_there(
    asked: &LineAsked<'_>,
    word: &str,
    set: &RoaringBitmap,
    all: &RoaringBitmap,
) -> Result<RoaringBitmap, LineRefused> {
    match (set - all).min() {
        None => Ok(set.clone()),
        Some(cpu) => {
            let why = format_args!("{word}: the node has no cpu {cpu} that may be used");
            Err(asked.refused("launch-fails", why))
        }
    }
}
