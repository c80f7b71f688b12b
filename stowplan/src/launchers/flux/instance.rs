//! The nodes of a Flux instance: what R, `--granted` or our own hosts say. Source: `lines/flux/spec.md` 3.

use super::resources::{self, Entry};
use crate::launchers::line::{
    Allocation, LineAsked, LineNote, LineRefused, OurHosts, granted, kinds,
};
use roaring::RoaringBitmap;
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::{NameRange, Names, NodeId, NodeRange};
use stowplan_engine::table::topologies::TopologyId;

/// Nodes with the same hardware, of which the instance has the same.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NodeKind {
    /// The hardware.
    pub(super) topology: TopologyId,
    /// Cores of the instance, by logical number.
    pub(super) cores: RoaringBitmap,
    /// GPUs of the instance, as it numbers them.
    pub(super) gpus: RoaringBitmap,
}

/// The instance.
#[derive(Clone, Debug, Default)]
pub(super) struct Instance {
    /// Its nodes, in the order of their ranks.
    pub(super) names: Names,
    /// The kind of each node, as runs that cover all nodes.
    pub(super) runs: Vec<(NodeRange, usize)>,
    /// Distinct kinds.
    pub(super) kinds: Vec<NodeKind>,
    /// Notes about where the nodes come from.
    pub(super) notes: Vec<LineNote>,
}

impl Instance {
    /// The instance that our words describe. `wanted`: how many nodes the line asks for.
    ///
    /// # Errors
    /// `bad-value` for an R that does not parse; `bad-topology`.
    pub(super) fn of(asked: &LineAsked<'_>, wanted: Option<u32>) -> Result<Self, LineRefused> {
        match asked.granted {
            Some(granted) if granted::is_words(granted) => Self::granted_in_words(asked, granted),
            Some(file) => Self::granted_in_file(asked, file),
            None => Self::whole_nodes(asked, wanted),
        }
    }

    /// Each node with all its cores and GPUs.
    fn whole_nodes(asked: &LineAsked<'_>, wanted: Option<u32>) -> Result<Self, LineRefused> {
        let mut notes = Vec::new();
        let names: Vec<NameRange> = match asked.hosts {
            OurHosts::Said(hosts) => hosts.iter().map(|host| host.names.clone()).collect(),
            OurHosts::Unsaid => {
                let count = wanted.unwrap_or(1);
                notes.push(LineNote {
                    class: "invented-nodes",
                    text: format!(
                        "no hosts are named: {} of the line",
                        counted(u64::from(count), "node")
                    ),
                });
                vec![Allocation::invented(count)]
            }
        };
        let allocation = Allocation::of(&names, asked.hardware)?;
        let mut instance = Self {
            notes,
            ..Self::default()
        };
        for &(nodes, topology) in &allocation.nodes {
            let kind = whole(asked, topology);
            instance.push(nodes, kind);
        }
        instance.names = allocation.names;
        Ok(instance)
    }

    /// `n0=0-7,n1=0-3`.
    fn granted_in_words(asked: &LineAsked<'_>, text: &str) -> Result<Self, LineRefused> {
        let bad = |why: String| LineRefused::new("bad-value", format!("--granted {text}: {why}"));
        let (names, cores): (Vec<_>, Vec<_>) =
            granted::read(text).map_err(bad)?.into_iter().unzip();
        let entry = |(range, cores): (&NameRange, RoaringBitmap)| Entry {
            count: range.count,
            rank: None,
            cores,
            gpus: None,
        };
        let entries = names.iter().zip(cores).map(entry).collect();
        Self::with_entries(asked, &names, entries)
    }

    fn granted_in_file(asked: &LineAsked<'_>, file: &str) -> Result<Self, LineRefused> {
        let refused =
            |why: String| LineRefused::new("bad-value", format!("--granted {file}: {why}"));
        let bytes = match file.trim_start().starts_with('{') {
            true => file.as_bytes().to_vec(),
            false => asked.files.read(file).map_err(refused)?,
        };
        let found = resources::read(&bytes).map_err(refused)?;
        Self::with_entries(asked, &found.names, found.entries)
    }

    /// Nodes with the cores and GPUs of entries, which cover the names in order.
    fn with_entries(
        asked: &LineAsked<'_>,
        names: &[NameRange],
        entries: Vec<Entry>,
    ) -> Result<Self, LineRefused> {
        let allocation = Allocation::of(names, asked.hardware)?;
        let named: u64 = names.iter().map(|range| u64::from(range.count)).sum();
        if named != u64::from(allocation.names.len()) {
            return Err(LineRefused::new(
                "bad-value",
                "--granted: a node is named twice",
            ));
        }
        let mut instance = Self::default();
        let mut nodes = allocation.nodes.iter().copied().peekable();
        let mut first = 0;
        for entry in entries {
            let end = first + entry.count;
            while let Some(&(range, topology)) = nodes.peek() {
                let Some(part) = range.overlap(NodeRange::until(first, end)) else {
                    break;
                };
                let all = whole(asked, topology);
                if let Some(core) = (&entry.cores - &all.cores).min() {
                    let node = allocation.names.name(NodeId::from_row(part.first as usize));
                    let whose = match entry.rank {
                        Some(rank) => {
                            format!("rank {} of R_lite, {node}", rank + (part.first - first))
                        }
                        None => node,
                    };
                    let sentence = format!(
                        "--granted: {whose}: core {core} is beyond the {} of the topology, and what Flux does then is not known",
                        counted(all.cores.len(), "core")
                    );
                    return Err(LineRefused::new("not-modelled", sentence));
                }
                let kind = NodeKind {
                    topology,
                    cores: entry.cores.clone(),
                    gpus: entry.gpus.clone().unwrap_or(all.gpus),
                };
                instance.push(part, kind);
                if range.end() > end {
                    break;
                }
                nodes.next();
            }
            first = end;
        }
        instance.names = allocation.names;
        Ok(instance)
    }

    fn push(&mut self, nodes: NodeRange, kind: NodeKind) {
        kinds::push(&mut self.kinds, &mut self.runs, nodes, kind);
    }

    /// Adds nodes of another instance behind its own.
    ///
    /// # Errors
    /// `job-too-large`: never, as the other instance holds them.
    pub(super) fn add(
        &mut self,
        other: &Self,
        nodes: NodeRange,
        kind: NodeKind,
    ) -> Result<(), LineRefused> {
        let first = self.names.len();
        for (range, names) in other.names.ranges() {
            let Some(part) = range.overlap(nodes) else {
                continue;
            };
            let part = NameRange {
                first: names.first + u64::from(part.first - range.first),
                count: part.count,
                ..names
            };
            let added = self.names.add(&part);
            added.map_err(|many| {
                LineRefused::new("job-too-large", format!("{} nodes", many.asked))
            })?;
        }
        self.push(NodeRange::until(first, self.names.len()), kind);
        Ok(())
    }

    /// Only the nodes of these runs are left.
    pub(super) fn cut(&self, kept: &[NodeRange]) -> Vec<(NodeRange, usize)> {
        let mut runs = Vec::new();
        for &(nodes, kind) in &self.runs {
            let parts = kept.iter().filter_map(|own| own.overlap(nodes));
            runs.extend(parts.map(|part| (part, kind)));
        }
        runs
    }
}

/// All cores and GPUs of a node.
fn whole(asked: &LineAsked<'_>, topology: TopologyId) -> NodeKind {
    let topologies = asked.hardware.topologies();
    let cores = match topologies.count(topology, ObjKind::Core) {
        0 => topologies.count(topology, ObjKind::Hwthread),
        cores => cores,
    };
    let gpus = topologies.gpus(topology).iter().map(|gpu| gpu.visible);
    NodeKind {
        topology,
        cores: (0..cores).collect(),
        gpus: gpus.collect(),
    }
}
