//! The processes of each node as patterns: nodes of one kind with the same local ranks share one.

use super::binding::Bound;
use super::rounds::Placed;
use crate::launchers::line::{Hardware, LaidApp, LaidProcs, LaidRun, LineRefused};
use std::collections::HashMap;
use stowplan_engine::table::names::{Names, NodeRange};
use stowplan_engine::table::topologies::TopologyId;

/// The most processes of one node that are bound one by one.
const BOUND_MAX: u32 = 1 << 22;

/// What nodes have in common: hardware, and what their ranks are bound to.
pub(crate) struct NodeKind {
    pub(crate) topology: TopologyId,
    /// The most ranks that one of these nodes has.
    pub(crate) ranks: u32,
    pub(crate) bound: Bound,
}

/// What a pattern depends on: the kind of the node, and which local ranks.
type Key = (usize, u32, u32);

/// Makes the patterns of distinct nodes.
pub(crate) struct Patterns<'a> {
    hardware: &'a dyn Hardware,
    kinds: Vec<NodeKind>,
    /// The kind of each node.
    kind_of: Vec<usize>,
    /// GPUs of each process.
    gpus: Option<u32>,
    known: HashMap<Key, usize>,
    /// The last answer.
    last: Option<(Key, usize)>,
    rows: Vec<Vec<LaidProcs>>,
    /// Ranks that earlier programs have on each node.
    before: Vec<u32>,
}

/// The topology of each node.
///
/// # Errors
/// `bad-topology` for a node that has none.
///
/// Cost: the nodes, and a search for each stretch of names.
pub(crate) fn topologies(
    hardware: &dyn Hardware,
    names: &Names,
) -> Result<Vec<TopologyId>, LineRefused> {
    let mut found = Vec::new();
    for (nodes, range) in names.ranges() {
        for (count, topology) in hardware.of_names(&range) {
            found.extend(std::iter::repeat_n(topology, count as usize));
        }
        if found.len() < nodes.end() as usize {
            let name = names_of_first(&range);
            return Err(LineRefused::new(
                "bad-topology",
                format!("node {name} has no topology: --topo gives one"),
            ));
        }
    }
    Ok(found)
}

fn names_of_first(range: &stowplan_engine::table::names::NameRange) -> String {
    crate::launchers::line::names_of(range)
        .next()
        .unwrap_or_default()
}

impl<'a> Patterns<'a> {
    /// No patterns yet, and no ranks on any node.
    pub(crate) fn new(
        hardware: &'a dyn Hardware,
        kinds: Vec<NodeKind>,
        kind_of: Vec<usize>,
        gpus: Option<u32>,
    ) -> Self {
        Self {
            hardware,
            before: vec![0; kind_of.len()],
            kinds,
            kind_of,
            gpus,
            known: HashMap::new(),
            last: None,
            rows: Vec::new(),
        }
    }

    /// The next program, or the next part of one. `number`: the program's in the line.
    ///
    /// # Errors
    /// `job-too-large` when a node has more bound processes than are told apart.
    ///
    /// Cost: its nodes, and the processes of distinct patterns.
    pub(crate) fn app(
        &mut self,
        number: u32,
        program: Vec<String>,
        placed: &Placed,
    ) -> Result<LaidApp, LineRefused> {
        let mut runs: Vec<LaidRun> = Vec::new();
        for own in &placed.nodes {
            let node = own.node as usize;
            let pattern = self.pattern((self.kind_of[node], self.before[node], own.ranks))?;
            self.before[node] += own.ranks;
            let nodes = NodeRange::until(own.node, own.node + 1);
            LaidRun::add(&mut runs, nodes, pattern);
        }
        Ok(LaidApp {
            number,
            program,
            runs,
            order: placed.order.clone(),
        })
    }

    /// The patterns of all programs.
    pub(crate) fn into_rows(self) -> Vec<Vec<LaidProcs>> {
        self.rows
    }

    /// The processes with local ranks from `before` on.
    fn pattern(&mut self, key: Key) -> Result<usize, LineRefused> {
        // Neighbours are mostly alike.
        if let Some((_, row)) = self.last.filter(|(last, _)| *last == key) {
            return Ok(row);
        }
        let row = self.row(key)?;
        self.last = Some((key, row));
        Ok(row)
    }

    fn row(&mut self, key: Key) -> Result<usize, LineRefused> {
        if let Some(&row) = self.known.get(&key) {
            return Ok(row);
        }
        let (kind, before, ranks) = key;
        let kind = &self.kinds[kind];
        let alike = kind.bound.turns() == 1 && self.gpus.is_none();
        if !alike && ranks > BOUND_MAX {
            return Err(LineRefused::new(
                "job-too-large",
                format!(
                    "{ranks} bound processes on one node are more than the {BOUND_MAX} that are told apart"
                ),
            ));
        }
        let mut procs: Vec<LaidProcs> = Vec::new();
        let mut local = before;
        while local < before + ranks {
            let count = if alike { before + ranks - local } else { 1 };
            let gpus = self.gpus.map(|each| self.gpus_of(kind, local, each));
            LaidProcs::add(&mut procs, count, kind.bound.of(local).cloned(), gpus);
            local += count;
        }
        self.rows.push(procs);
        let row = self.rows.len() - 1;
        self.known.insert(key, row);
        Ok(row)
    }

    /// The GPUs of a local rank: `each` devices in their order; those beyond the last are left off.
    fn gpus_of(&self, kind: &NodeKind, local: u32, each: u32) -> Vec<u32> {
        let all = self.hardware.topologies().gpus(kind.topology);
        let first = local.saturating_mul(each) as usize;
        let own = all.iter().skip(first).take(each as usize);
        own.map(|gpu| gpu.visible).collect()
    }
}
