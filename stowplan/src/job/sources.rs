//! Where each topology came from, in the words that asked for it.

use crate::job::line::launched::Launched;
use crate::score::network::OnNetwork;
use std::sync::Arc;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::topologies::TopologyId;

/// Where each topology came from, in the words that asked for it. Shape `[topologies]`; equal topologies keep the first words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sources {
    words: Vec<Option<String>>,
    /// Where the hosts came from if nobody named them, for example `SLURM_JOB_NODELIST`.
    pub hosts: Option<String>,
    /// Whose rules placed the job, if it was a launcher's own line.
    pub launched: Option<Launched>,
    /// The words that asked for the job, as one types them.
    pub said: Option<String>,
    /// The network of its nodes, if one was named.
    pub network: Option<Arc<OnNetwork>>,
}

impl Sources {
    /// Records where a topology came from, unless that is known already.
    pub fn add(&mut self, topology: TopologyId, words: &str) {
        let row = topology.row();
        if self.words.len() <= row {
            self.words.resize(row + 1, None);
        }
        self.words[row].get_or_insert_with(|| words.to_owned());
    }
    /// Where a topology came from.
    #[must_use]
    pub fn of(&self, topology: TopologyId) -> Option<&str> {
        self.words.get(topology.row())?.as_deref()
    }
}
