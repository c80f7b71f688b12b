//! Gets and sets the cpus that this process may run on.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use roaring::RoaringBitmap;
use stowplan::launchers::cpus::read_list;
use stowplan_engine::limit::PUS_MAX;

/// The cpus that this process may run on, by OS number.
///
/// # Errors
/// The system's reason.
pub fn allowed() -> Result<RoaringBitmap, String> {
    let path = "/proc/self/status";
    let text = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let mut lines = text.lines();
    let list = lines.find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.and_then(|list| read_list(list.trim(), PUS_MAX))
        .ok_or_else(|| format!("{path} tells no cpus"))
}

/// Restricts this process to these cpus. Returns the cpus that it then has.
///
/// # Errors
/// The system's reason, or a cpu with too large a number for a set of the system.
pub fn bind(cpus: &RoaringBitmap) -> Result<RoaringBitmap, String> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(cpu as usize)
            .map_err(|_| format!("cpu {cpu} is beyond the {} of a set", CpuSet::count()))?;
    }
    sched_setaffinity(Pid::from_raw(0), &set).map_err(|error| error.desc().to_owned())?;
    allowed()
}
