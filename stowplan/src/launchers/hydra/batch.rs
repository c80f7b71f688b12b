//! The nodes of a batch system, from its variables. Source: `lines/hydra/spec.md` 3.

use super::node_list::{HydraNodes, add};
use super::refusal::{fails, refuses};
use crate::launchers::environment::{Here, Lookup, System, hosts};
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::text::host_types::{EntrySlots, HostEntry};
use stowplan_engine::text::hostlist::{plain, read_hosts};

/// Systems that Hydra asks, in its order.
const SYSTEMS: &[(System, &str)] = &[
    (System::Slurm, "SLURM_JOB_NODELIST"),
    (System::Lsf, "LSB_MCPU_HOSTS"),
    (System::Pbs, "PBS_NODEFILE"),
    (System::Sge, "PE_HOSTFILE"),
];

/// The variables and files of a line.
struct Seen<'a>(&'a LineAsked<'a>);

impl Lookup for Seen<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.0.variable(name).map(str::to_owned)
    }
    fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.files.read(path)
    }
}

/// The nodes of the first system that is there, with the variable; `None`: there is none.
///
/// # Errors
/// `launch-fails` when the variables do not fit together.
pub(crate) fn nodes(
    asked: &LineAsked<'_>,
) -> Result<Option<(Vec<HydraNodes>, String)>, LineRefused> {
    let there = SYSTEMS
        .iter()
        .find(|(_, name)| asked.variable(name).is_some());
    let Some(&(system, name)) = there else {
        return Ok(None);
    };
    if system == System::Pbs {
        return from_lines(asked, name).map(|nodes| Some((nodes, name.to_owned())));
    }
    let found =
        hosts(Here::System(system), &Seen(asked)).map_err(|error| fails(&error.to_string()))?;
    let list = found.hosts.to_list();
    let entries = read_hosts(&list).map_err(|_| refuses(&format!("{name} names no hosts")))?;
    let mut nodes = Vec::new();
    for entry in entries {
        let HostEntry::Names(names, EntrySlots::Count(slots)) = entry else {
            continue;
        };
        add(&mut nodes, names, slots, None)?;
    }
    Ok(Some((nodes, name.to_owned())))
}

/// A line a slot; a later repeat is a node of its own.
fn from_lines(asked: &LineAsked<'_>, name: &str) -> Result<Vec<HydraNodes>, LineRefused> {
    let path = asked.variable(name).unwrap_or_default();
    let bytes = asked
        .files
        .read(path)
        .map_err(|error| fails(&format!("{name}={path}: cannot be read: {error}")))?;
    let mut nodes = Vec::new();
    for line in String::from_utf8_lossy(&bytes).lines() {
        if let Some(host) = line.split_whitespace().next() {
            add(&mut nodes, plain(host), 1, None)?;
        }
    }
    Ok(nodes)
}
