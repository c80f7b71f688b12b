//! Levels of the machine, and which object of each every rank is in, as columns of numbers.

use crate::error::ScoreError;
use crate::limit::RANKS_MAX;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::topologies::TopologyId;

/// Levels below the node, from the largest objects down.
const BELOW: [ObjKind; 4] = [ObjKind::Package, ObjKind::Numa, ObjKind::L3, ObjKind::Core];

/// A process that is in no object, or not looked for yet.
const NONE: u32 = u32::MAX;

/// A level of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Whole nodes.
    Node,
    /// Objects of a kind.
    Kind(ObjKind),
}

impl Level {
    /// The word of answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Kind(kind) => kind.word(),
        }
    }
}

/// Which object of a level each rank is in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Objects {
    /// A number for each object. Shape `[ranks]`.
    pub of_rank: Vec<u32>,
    /// Numbers are below this.
    pub count: u32,
}

/// Where the ranks of a plan are: what the columns of all levels are made from.
pub struct Ranks<'p> {
    plan: &'p Plan,
    /// Numbers of the nodes with ranks, in the order of their first ranks. Shape `[ranks]`.
    pub nodes: Objects,
    /// What is told apart below the node: row of `kinds`. Shape `[ranks]`.
    kind: Vec<u32>,
    /// Distinct topologies with a set of cpus.
    kinds: Vec<(TopologyId, Option<CpusetId>)>,
    /// Shape `[nodes with ranks]`.
    topology: Vec<TopologyId>,
}

impl<'p> Ranks<'p> {
    /// Reads a plan. Cost: its ranks.
    ///
    /// # Errors
    /// `job-too-large` beyond [`RANKS_MAX`] ranks.
    pub fn of(plan: &'p Plan) -> Result<Self, ScoreError> {
        let ranks = plan.ranks();
        if ranks > RANKS_MAX {
            return Err(ScoreError::TooLarge {
                what: "ranks that can be scored",
                found: u64::from(ranks),
                limit: u64::from(RANKS_MAX),
            });
        }
        let table = plan.expand();
        let world = plan.world();
        let mut found = Self {
            plan,
            nodes: Objects {
                of_rank: Vec::with_capacity(ranks as usize),
                count: 0,
            },
            kind: Vec::with_capacity(ranks as usize),
            kinds: Vec::new(),
            topology: Vec::new(),
        };
        let mut nodes = Numbers::new(world.names.len() as usize, ranks);
        let mut known: HashMap<(TopologyId, Option<CpusetId>), u32> = HashMap::new();
        let mut last_node: Option<(NodeId, u32)> = None;
        let mut last_kind: Option<((TopologyId, Option<CpusetId>), u32)> = None;
        let mut quick = Quick::default();
        for rank in (0..ranks).map(Rank) {
            let node = table.node(rank);
            let number = match last_node {
                Some((last, number)) if last == node => number,
                _ => nodes.number(node.row() as u64),
            };
            last_node = Some((node, number));
            if number as usize == found.topology.len() {
                let state = world.states.get(world.before.state(node));
                found.topology.push(state.topology);
            }
            let key = (found.topology[number as usize], table.cpus(rank));
            let kind = match last_kind {
                Some((last, kind)) if last == key => kind,
                _ => *quick.slot(key).get_or_insert_with(|| {
                    *known.entry(key).or_insert_with(|| {
                        found.kinds.push(key);
                        row(found.kinds.len() - 1)
                    })
                }),
            };
            last_kind = Some((key, kind));
            found.nodes.of_rank.push(number);
            found.kind.push(kind);
        }
        found.nodes.count = nodes.count;
        Ok(found)
    }

    /// The levels that every used node has, from the node down.
    #[must_use]
    pub fn levels(&self) -> Vec<Level> {
        let mut topologies = self.topology.clone();
        topologies.sort_unstable();
        topologies.dedup();
        let topologies_of = &self.plan.world().topologies;
        let has = |kind: &ObjKind| {
            let mut all = topologies.iter();
            !topologies.is_empty() && all.all(|&id| topologies_of.count(id, *kind) > 0)
        };
        let below = BELOW.into_iter().filter(has).map(Level::Kind);
        std::iter::once(Level::Node).chain(below).collect()
    }

    /// Which object of its node each kind of process is in: the first one that holds all its cpus. Shape `[kinds]`.
    ///
    /// Equal rows of two levels mean equal columns.
    #[must_use]
    pub fn inside(&self, level: Level) -> Vec<Option<u32>> {
        let Level::Kind(kind) = level else {
            return vec![Some(0); self.kinds.len()];
        };
        let world = self.plan.world();
        let object = |&(topology, cpus): &(TopologyId, Option<CpusetId>)| {
            let cpus = world.cpusets.get(cpus?);
            let mut objects = world.topologies.objects(topology, kind);
            let at = objects.position(|object| {
                cpus.is_subset(world.cpusets.get(world.topologies.cpuset(object)))
            });
            at.filter(|_| !cpus.is_empty()).map(row)
        };
        self.kinds.iter().map(object).collect()
    }

    /// The column of a level, from what [`Ranks::inside`] found.
    #[must_use]
    pub fn objects(&self, inside: &[Option<u32>]) -> Objects {
        let width = inside.iter().flatten().max().map_or(1, |most| most + 1);
        let total = u64::from(self.nodes.count) * u64::from(width);
        let mut column = Objects::default();
        column.of_rank.reserve_exact(self.kind.len());
        // Few objects of each node are in use where there are many: numbers are given as they are met.
        let sparse = total > 2 * self.kind.len() as u64 + 1024;
        let mut numbers = Numbers::default();
        let mut own = if sparse {
            0
        } else {
            u32::try_from(total).unwrap_or(NONE)
        };
        for (&node, &kind) in self.nodes.of_rank.iter().zip(&self.kind) {
            let number = match inside[kind as usize] {
                Some(object) if sparse => {
                    let key = u64::from(node) * u64::from(width) + u64::from(object);
                    let next = own;
                    let number = *numbers.sparse.entry(key).or_insert(next);
                    own += u32::from(number == next);
                    number
                }
                Some(object) => node * width + object,
                None => {
                    own += 1;
                    own - 1
                }
            };
            column.of_rank.push(number);
        }
        column.count = own;
        column
    }
}

/// Numbers given to keys in the order in which they are met.
#[derive(Default)]
struct Numbers {
    dense: Vec<u32>,
    sparse: HashMap<u64, u32>,
    count: u32,
}

impl Numbers {
    /// For keys below `end`, of which about `expected` are met.
    fn new(end: usize, expected: u32) -> Self {
        let few = end <= 4 * expected as usize + 1024;
        Self {
            dense: if few { vec![NONE; end] } else { Vec::new() },
            sparse: HashMap::new(),
            count: 0,
        }
    }

    fn number(&mut self, key: u64) -> u32 {
        let next = self.count;
        let at = usize::try_from(key).unwrap_or(usize::MAX);
        let number = match self.dense.get_mut(at) {
            Some(number) => {
                if *number == NONE {
                    *number = next;
                }
                *number
            }
            None => *self.sparse.entry(key).or_insert(next),
        };
        self.count += u32::from(number == next);
        number
    }
}

/// What was found last for each set of cpus, while there is one topology.
#[derive(Default)]
struct Quick {
    topology: Option<TopologyId>,
    rows: Vec<Option<u32>>,
    scratch: Option<u32>,
}

impl Quick {
    fn slot(&mut self, (topology, cpus): (TopologyId, Option<CpusetId>)) -> &mut Option<u32> {
        let at = cpus.map_or(0, |cpus| cpus.row() + 1);
        if *self.topology.get_or_insert(topology) != topology || at >= 1 << 22 {
            self.scratch = None;
            return &mut self.scratch;
        }
        if at >= self.rows.len() {
            self.rows.resize(at + 1, None);
        }
        &mut self.rows[at]
    }
}

fn row(at: usize) -> u32 {
    u32::try_from(at).expect("there are fewer kinds and objects than ranks")
}
