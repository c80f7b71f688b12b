//! PBS, Cobalt and OAR: a file with a line for each slot.

use super::{BadEnvironment, Found, Hosts, Lookup, lines, number, set};

pub(super) fn hosts(name: &str, lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let path = set(lookup, name).unwrap_or_default();
    let mut found = Found {
        source: name.to_owned(),
        ..Found::default()
    };
    let lines = lines(lookup, name, &path)?;
    for line in &lines {
        found.hosts.add(line, 1, name)?;
    }
    // If each host is listed once, the lines are hosts, and PBS_PPN gives the slots of each.
    let smp = set(lookup, "PBS_PPN").filter(|_| name == "PBS_NODEFILE");
    if let Some(text) = smp.filter(|_| found.hosts.len() == lines.len()) {
        let slots = number("PBS_PPN", &text)?;
        let mut hosts = Hosts::default();
        for line in &lines {
            hosts.add(line, slots, name)?;
        }
        found.hosts = hosts;
        found.source += " and PBS_PPN";
    }
    Ok(found)
}
