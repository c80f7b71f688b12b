//! A cluster in bytes: its machine, its nodes without jobs, and the jobs as saved plans. Reading takes the jobs over one by one, so
//! that nodes and jobs agree.

use super::nodes::ClusterNodes;
use super::rows::Moving;
use super::standing::Standing;
use super::taken::Held;
use super::topologies::MovingTopologies;
use super::whole::Cluster;
use crate::map::Machine;
use crate::plan::{BadPlan, Plan, World};
use crate::table::apps::AppTable;
use crate::table::patterns::Patterns;
use crate::table::states::NodeState;
use std::sync::Arc;

/// The bytes are no cluster. Class `bad-cluster`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct BadCluster {
    /// What is wrong, and where.
    pub what: String,
}

/// A cluster that was read: each job with its number and its plan.
#[derive(Debug)]
pub struct Saved {
    /// The nodes, with all jobs on them.
    pub cluster: Cluster,
    /// Jobs by ascending number.
    pub jobs: Vec<(u64, Plan)>,
}

const MAGIC: &[u8; 8] = b"stowclu1";

impl Cluster {
    /// The cluster and its jobs in bytes. `jobs`: all that hold something of it, by ascending number.
    ///
    /// Cost: the jobs, and the runs of the states.
    #[must_use]
    pub fn to_bytes<'p>(&self, jobs: impl IntoIterator<Item = (u64, &'p Plan)>) -> Vec<u8> {
        let mut bare = self.clone();
        let mut parts = vec![Vec::new()];
        for (number, plan) in jobs {
            bare.release(plan);
            parts.push(number.to_le_bytes().to_vec());
            parts.push(plan.to_bytes());
        }
        parts[0] = bare.nodes.saved(&bare.machine);
        let standing = self.nodes.standing.iter();
        let standing = standing.flat_map(|(nodes, standing)| {
            let word: u32 = match standing {
                Standing::Up => 0,
                Standing::Drained => 1,
                Standing::Down => 2,
            };
            [nodes.count.to_le_bytes(), word.to_le_bytes()]
        });
        parts.insert(1, standing.flatten().collect());
        let mut bytes = MAGIC.to_vec();
        for part in parts {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        let sum = crc32fast::hash(&bytes);
        bytes.extend(sum.to_le_bytes());
        bytes
    }

    /// Reads what [`Cluster::to_bytes`] wrote. `machine`: what is known about nodes that come later.
    ///
    /// # Errors
    /// [`BadCluster`]: the bytes are foreign, cut, damaged or contradict themselves.
    pub fn from_bytes(bytes: &[u8], machine: Machine) -> Result<Saved, BadCluster> {
        let bad = |what: &str| BadCluster {
            what: what.to_owned(),
        };
        let body = bytes.strip_prefix(MAGIC);
        let body = body.ok_or_else(|| bad("at byte 0: expected a saved cluster (\"stowclu1\")"))?;
        let (mut body, sum) = body
            .split_last_chunk::<4>()
            .ok_or_else(|| bad("the bytes end before the checksum"))?;
        let end = bytes.len() - sum.len();
        if u32::from_le_bytes(*sum) != crc32fast::hash(&bytes[..end]) {
            return Err(bad("the checksum is that of other bytes"));
        }
        let mut part = || -> Option<&[u8]> {
            let (length, behind) = body.split_first_chunk::<8>()?;
            let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
            let (part, rest) = behind.split_at_checked(length)?;
            body = rest;
            Some(part)
        };
        let nodes = part().ok_or_else(|| bad("the nodes are cut off"))?;
        let standing = part().ok_or_else(|| bad("the nodes are cut off"))?;
        let nodes = Plan::from_bytes(nodes).map_err(|why| within("the nodes", why))?;
        let mut cluster = Self::new(machine);
        cluster.restore(nodes.world());
        cluster
            .nodes
            .stand(standing)
            .ok_or_else(|| bad("the standing of the nodes is not told"))?;
        let mut jobs: Vec<(u64, Plan)> = Vec::new();
        while let Some(number) = part() {
            let number = number.try_into().map(u64::from_le_bytes);
            let number = number.map_err(|_| bad("a job has no number"))?;
            if jobs.last().is_some_and(|&(last, _)| last >= number) {
                return Err(bad("the numbers of the jobs do not ascend"));
            }
            let plan = part().ok_or_else(|| bad("a job is cut off"))?;
            let plan = Plan::from_bytes(plan).map_err(|why| within("a job", why))?;
            let taken = cluster.take(&plan, Held::Before);
            taken.map_err(|why| bad(&format!("job {number}: {why}")))?;
            jobs.push((number, cluster.sharing(plan)));
        }
        Ok(Saved { cluster, jobs })
    }

    /// The nodes of a saved cluster.
    fn restore(&mut self, world: &World) {
        self.nodes.names = Arc::clone(&world.names);
        self.nodes.local = world.local;
        let mut moving = Moving::from(&world.states, &world.pusets);
        let mut topologies = MovingTopologies::from(&world.topologies);
        for (range, state) in world.before.iter() {
            let state = moving.state(&mut self.nodes.rows, state);
            let row = *self.nodes.rows.states.get(state);
            let topology = self.own_topology(&mut topologies, row.topology);
            self.nodes.whole.push(range.count, topology);
            let own = 0;
            let row = NodeState {
                topology,
                own,
                ..row
            };
            let state = self.nodes.rows.intern(row);
            self.nodes.runs.push(range.count, state);
        }
    }

    /// The plan, sharing the names of the nodes if they are the same.
    fn sharing(&self, mut plan: Plan) -> Plan {
        let (own, other) = (&self.nodes.names, &plan.world.names);
        if own.len() == other.len() && own.ranges().eq(other.ranges()) {
            plan.world.names = Arc::clone(own);
        }
        plan
    }
}

fn within(what: &str, why: BadPlan) -> BadCluster {
    BadCluster {
        what: format!("{what}: {why}"),
    }
}

impl ClusterNodes {
    /// The nodes as a plan without apps.
    fn saved(&self, machine: &Machine) -> Vec<u8> {
        let world = World {
            names: Arc::clone(&self.names),
            topologies: Arc::clone(&machine.topologies),
            pusets: Arc::clone(&self.rows.pusets),
            states: Arc::clone(&self.rows.states),
            before: self.runs.clone(),
            after: self.runs.clone(),
            local: self.local,
            ..World::default()
        };
        Plan::assemble(world, AppTable::default(), Patterns::default(), Vec::new()).to_bytes()
    }

    /// Reads how the nodes stand; `None`: not all are told.
    fn stand(&mut self, told: &[u8]) -> Option<()> {
        let (words, rest) = told.as_chunks::<4>();
        let (pairs, odd) = words.as_chunks::<2>();
        for [count, word] in pairs {
            let standing = match u32::from_le_bytes(*word) {
                0 => Standing::Up,
                1 => Standing::Drained,
                2 => Standing::Down,
                _ => return None,
            };
            let count = u32::from_le_bytes(*count);
            let left = self.names.len() - self.standing.nodes();
            self.standing
                .push((count <= left).then_some(count)?, standing);
        }
        let all = self.standing.nodes() == self.names.len();
        (rest.is_empty() && odd.is_empty() && all).then_some(())
    }
}
