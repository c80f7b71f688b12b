//! A network, and where a job's nodes are in it.

use super::grid::Grid;
use super::{BadNetwork, Kind, Network};
use std::sync::Arc;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameRange, Names, NodeId};
use stowplan_engine::text::hostlist::plain;

/// A network, and the number in it of each node of a job.
#[derive(Clone, Debug)]
pub struct OnNetwork {
    network: Arc<Network>,
    /// Shape `[nodes of the job]`.
    numbers: Vec<u32>,
}

impl PartialEq for OnNetwork {
    /// A job has one network: two are equal if they have the same source and the same nodes.
    fn eq(&self, other: &Self) -> bool {
        self.network.source() == other.network.source() && self.numbers == other.numbers
    }
}

impl Eq for OnNetwork {}

impl OnNetwork {
    /// Finds a job's nodes.
    ///
    /// # Errors
    /// The first node that the network lacks.
    pub fn of(network: Arc<Network>, job: &Names) -> Result<Self, BadNetwork> {
        let numbers = network.numbers_of(job)?;
        Ok(Self { network, numbers })
    }

    /// Finds them again, in another order.
    ///
    /// # Errors
    /// As [`OnNetwork::of`].
    pub fn find(&mut self, job: &Names) -> Result<(), BadNetwork> {
        self.numbers = self.network.numbers_of(job)?;
        Ok(())
    }

    /// The network.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The network, to be shared.
    #[must_use]
    pub fn shared(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// The network's number of each node of the job's pool.
    #[must_use]
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// The places of nodes and the kind of their network, in kinds that have places.
    pub(crate) fn place(&self) -> Option<(&Grid, Kind)> {
        let grid = self.network.grid.as_ref();
        grid.map(|grid| (grid, self.network.kind))
    }

    /// Whether the job's nodes are in the network's order already.
    #[must_use]
    pub fn is_in_order(&self) -> bool {
        self.numbers.is_sorted()
    }

    /// The names of the job's nodes in the order of the network.
    #[must_use]
    pub fn in_order(&self) -> Vec<NameRange> {
        let mut numbers = self.numbers.clone();
        numbers.sort_unstable();
        let name = |number: &u32| {
            plain(
                &self
                    .network
                    .names()
                    .name(NodeId::from_row(*number as usize)),
            )
        };
        numbers.iter().map(name).collect()
    }

    /// Whether Slurm's own order of these nodes is another than the network's.
    #[must_use]
    pub fn slurm_differs(&self) -> bool {
        self.network.slurm_differs(&self.numbers)
    }

    /// The objects of one of the job's nodes, as level and name, from the top.
    #[must_use]
    pub fn objects(&self, node: u32) -> Vec<(&str, &str)> {
        let number = self.numbers[node as usize];
        let levels = self.network.levels().iter();
        let own = levels.map(|level| {
            (
                level.word.as_str(),
                level.objects[level.object(number) as usize].as_str(),
            )
        });
        own.collect()
    }
}
