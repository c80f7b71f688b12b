//! The GPUs of every rank, as a column.

use crate::Plan;
use std::collections::HashMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::NodeId;

/// The GPUs of every rank, as a column of ids, and the sets that the ids stand for. Id 0 is the empty set.
///
/// ```
/// # use stowplan::{Job, Machine, Plan, Topology};
/// # let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
/// let words = ["-n", "3", "-H", "a:8", "--map-by", "gpu", "./x"];
/// let plan = Plan::new(&Job::from_command_line(words)?, &machine)?;
/// let gpus = plan.gpu_column();
/// assert_eq!(gpus.ids(), [1, 2, 3]);
/// assert_eq!(gpus.set(1), Some(plan.proc(0.into()).ok_or("three ranks have this one")?.gpus()));
/// assert_eq!(gpus.set(0), Some(&[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuColumn {
    ids: Vec<u32>,
    sets: Vec<Vec<u32>>,
}

impl GpuColumn {
    fn new(plan: &Plan) -> Self {
        let mut sets = vec![Vec::new()];
        if !plan.inner().tells_gpus() {
            let ids = vec![0; plan.len()];
            return Self { ids, sets };
        }
        let given = plan.given_gpus();
        let mut known: HashMap<&[u32], u32> = HashMap::from([(&[][..], 0)]);
        let table = plan.table();
        let places = table.node().iter().zip(table.local_rank());
        let ids = places.map(|(&node, &local_rank)| {
            let own = given.of(NodeId::from_row(node as usize), local_rank);
            *known.entry(own).or_insert_with(|| {
                sets.push(own.to_vec());
                u32::try_from(sets.len() - 1).unwrap_or(u32::MAX)
            })
        });
        let ids = ids.collect();
        Self { ids, sets }
    }

    /// The set of each rank, as an id. Shape `[ranks]`.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
    /// # let words = ["-n", "3", "-H", "a:8", "--map-by", "gpu", "./x"];
    /// let gpus = Plan::new(&Job::from_command_line(words)?, &machine)?.gpu_column();
    /// assert_eq!(gpus.ids(), [1, 2, 3]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn ids(&self) -> &[u32] {
        &self.ids
    }

    /// How many sets there are. Ids are below this number.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
    /// # let words = ["-n", "3", "-H", "a:8", "--map-by", "gpu", "./x"];
    /// let gpus = Plan::new(&Job::from_command_line(words)?, &machine)?.gpu_column();
    /// assert_eq!(gpus.sets(), 4);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn sets(&self) -> u32 {
        u32::try_from(self.sets.len()).unwrap_or(u32::MAX)
    }

    /// The GPUs of an id, ascending, by the numbers that `CUDA_VISIBLE_DEVICES` and similar variables take. `None` for an unknown
    /// id.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
    /// # let words = ["-n", "3", "-H", "a:8", "--map-by", "gpu", "./x"];
    /// let gpus = Plan::new(&Job::from_command_line(words)?, &machine)?.gpu_column();
    /// assert_eq!(gpus.set(1).map(<[u32]>::len), Some(1));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn set(&self, id: u32) -> Option<&[u32]> {
        self.sets.get(id as usize).map(Vec::as_slice)
    }
}

impl Plan {
    /// The GPUs of every rank, as a column. Sets have ids in the order of the first rank that has them.
    ///
    /// Cost: that of [`Plan::table`], and two searches per rank if the nodes have GPUs.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// assert_eq!(plan.gpu_column().ids(), [0; 4]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn gpu_column(&self) -> GpuColumn {
        GpuColumn::new(self)
    }
}
