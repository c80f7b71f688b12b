//! The nodes that an option names in front of a value, as in `NODES=T`.

use crate::job::error::{JobError, told};
use std::net::IpAddr;
use stowplan_engine::table::names::{NameRange, range_name};
use stowplan_engine::text::host_types::{EntrySlots, HostEntry};
use stowplan_engine::text::hostlist::{HostFault, read_host_names, read_hosts};

/// The names of `NODES=T`: a host list without counts.
pub fn hosts(text: &str) -> Result<Vec<NameRange>, JobError> {
    let refused = |reason: String| told("bad-hostlist", format!("{text}: {reason}"));
    let names = read_host_names(text).map_err(|error| refused(fault(error.fault)))?;
    for range in &names {
        if range.prefix.starts_with('+') {
            return Err(refused(
                "nodes are named here, relative ones have no name".to_owned(),
            ));
        }
        let colon = range.prefix.contains(':') || range.suffix.contains(':');
        if colon && range_name(range, 0).parse::<IpAddr>().is_err() {
            return Err(refused("nodes are named here, without slots".to_owned()));
        }
    }
    Ok(names)
}

/// A list of nodes for a cluster: their names, and the entries with their slots. A bare name has all slots of its topology.
///
/// # Errors
/// `bad-hostlist`; relative nodes have no name.
pub fn pool(text: &str) -> Result<(Vec<NameRange>, Vec<HostEntry>), JobError> {
    let refused = |reason: String| told("bad-hostlist", format!("{text}: {reason}"));
    let mut entries = read_hosts(text).map_err(|error| refused(fault(error.fault)))?;
    let mut names = Vec::with_capacity(entries.len());
    for entry in &mut entries {
        let HostEntry::Names(range, slots) = entry else {
            return Err(refused("relative nodes have no name".to_owned()));
        };
        names.push(range.clone());
        if *slots == EntrySlots::One {
            *slots = EntrySlots::Infer;
        }
    }
    Ok((names, entries))
}

fn fault(fault: HostFault) -> String {
    match fault {
        HostFault::Syntax(what) => what.to_owned(),
        HostFault::TooMany(nodes) => format!("{nodes} nodes are more than there can be"),
    }
}
