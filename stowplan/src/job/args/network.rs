//! Options of a job's network that go together.

use super::JobArgs;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::OptionFault;

/// In which order the nodes of a job are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeOrder {
    /// As they are mentioned.
    Given,
    /// By the network.
    Network,
}

/// `--network-levels` and `--node-order network` are allowed only with `--network`.
pub(super) fn with_network(job: &JobArgs) -> Result<(), SpecError> {
    let option = match (&job.network, &job.network_levels, job.node_order) {
        (None, Some(_), _) => "--network-levels",
        (None, None, NodeOrder::Network) => "--node-order",
        _ => return Ok(()),
    };
    Err(SpecError::BadOption {
        option: option.to_owned(),
        app: 0,
        fault: OptionFault::Without("--network"),
    })
}
