//! Options of a job that say more than what its apps ask for: of its nodes, and of the order of nodes and ranks.

use crate::job::args::{JobArgs, NodeOrder};
use crate::job::error::{JobError, told};
use crate::job::hardware::Hardware;
use crate::job::machine::{cpu_list, limit};
use stowplan_engine::map::CpuList;

const DEVICES: &str = "--devices";
const CPU_LIST: &str = "hwloc_default_cpu_list";
const RANK_ORDER: &str = "--rank-order";
const NETWORK: &str = "--network";
const NETWORK_LEVELS: &str = "--network-levels";
const NODE_ORDER: &str = "--node-order";

/// These options with their values, as a job in bytes has them.
pub(crate) fn options(job: &JobArgs) -> Vec<(&'static str, &str)> {
    let mut options: Vec<(&'static str, &str)> = Vec::new();
    options.extend(job.devices.iter().map(|text| (DEVICES, &**text)));
    let lists = job.cpu_lists.iter().chain(&job.default_cpu_list);
    options.extend(lists.map(|text| (CPU_LIST, &**text)));
    options.extend(job.rank_order.iter().map(|text| (RANK_ORDER, &**text)));
    options.extend(job.network.iter().map(|text| (NETWORK, &**text)));
    let levels = job.network_levels.iter();
    options.extend(levels.map(|text| (NETWORK_LEVELS, &**text)));
    match job.node_order {
        NodeOrder::Given => {}
        NodeOrder::Network => options.push((NODE_ORDER, "network")),
    }
    options
}

/// Puts one of these options back. Whether it is one of them.
pub(crate) fn put(job: &mut JobArgs, option: &str, value: &str) -> bool {
    let text = value.to_owned();
    match option {
        DEVICES => job.devices.push(text),
        CPU_LIST if value.contains('=') => job.cpu_lists.push(text),
        CPU_LIST => job.default_cpu_list = Some(text),
        RANK_ORDER => job.rank_order = Some(text),
        NETWORK => job.network = Some(text),
        NETWORK_LEVELS => job.network_levels = Some(text),
        NODE_ORDER if value == "network" => job.node_order = NodeOrder::Network,
        _ => return false,
    }
    true
}

impl JobArgs {
    /// Whether an option of the job says something about its nodes.
    #[must_use]
    pub fn says_nodes(&self) -> bool {
        self.nodes_option().is_some()
    }

    fn nodes_option(&self) -> Option<&'static str> {
        let lists = self.cpu_lists.first().or(self.default_cpu_list.as_ref());
        let devices = self.devices.first().map(|_| DEVICES);
        devices.or(lists.map(|_| CPU_LIST))
    }

    /// Whether the job orders its nodes or ranks.
    #[must_use]
    pub const fn orders(&self) -> bool {
        self.rank_order.is_some() || matches!(self.node_order, NodeOrder::Network)
    }

    /// Refuses these options where nodes are what they are, and ranks are in the order in which they are placed: `what`.
    ///
    /// # Errors
    /// `bad-option`.
    pub fn refuse_beyond(&self, what: &str) -> Result<(), JobError> {
        let order = match (&self.rank_order, self.node_order) {
            (Some(_), _) => Some(RANK_ORDER),
            (None, NodeOrder::Network) => Some(NODE_ORDER),
            (None, NodeOrder::Given) => None,
        };
        let Some(option) = self.nodes_option().or(order) else {
            return Ok(());
        };
        Err(told(
            "bad-option",
            format!("{option} goes with a job that is placed by itself, not with {what}"),
        ))
    }

    /// Changes the hardware of nodes as the job says. Gives the list of cpus that may be used on every node, if the job has one.
    ///
    /// # Errors
    /// `bad-cpu-list`, `bad-devices`, `bad-hostlist`.
    pub fn change(&self, hardware: &mut Hardware) -> Result<Option<CpuList>, JobError> {
        limit(hardware, self)?;
        hardware.give_devices(&self.devices)?;
        self.default_cpu_list.as_deref().map(cpu_list).transpose()
    }
}
