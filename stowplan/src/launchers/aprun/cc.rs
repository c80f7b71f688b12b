//! `-cc`: what ranks are bound to, as the line says it. Source: `lines/aprun/spec.md` 4.

use crate::launchers::cpus::read_list;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;

/// What `-cc` says.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Bind {
    /// `cpu`: the rank's cpus, a thread each.
    Cpu,
    /// `depth`: the rank's cpus for all its threads.
    Depth,
    /// `numa_node`.
    Numa,
    /// `none`.
    Unbound,
    /// Sets with colons between ranks.
    Sets(Vec<RoaringBitmap>),
    /// One cpu a rank in turn; `None` for `x`: unbound.
    Cpus(Vec<Option<u32>>),
}

/// Reads the value of `-cc`.
///
/// # Errors
/// Why it is refused.
pub(super) fn read(value: &str) -> Result<Bind, String> {
    match value {
        "cpu" => return Ok(Bind::Cpu),
        "depth" => return Ok(Bind::Depth),
        "numa_node" => return Ok(Bind::Numa),
        "none" => return Ok(Bind::Unbound),
        _ => {}
    }
    let bad = || "cpu, depth, numa_node, none or a list of cpus is expected here".to_owned();
    if value.contains(':') {
        let sets = value.split(':').map(|set| read_list(set, PUS_MAX));
        return sets.collect::<Option<_>>().map(Bind::Sets).ok_or_else(bad);
    }
    let mut cpus = Vec::new();
    for part in value.split(',') {
        if part == "x" {
            cpus.push(None);
            continue;
        }
        cpus.extend(read_list(part, PUS_MAX).ok_or_else(bad)?.iter().map(Some));
    }
    Ok(Bind::Cpus(cpus))
}
