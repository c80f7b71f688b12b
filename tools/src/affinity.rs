//! The cpus that this process may run on, asked and set.

use nix::sched::{CpuSet, sched_setaffinity};
use nix::unistd::Pid;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_launch::cpus::read_list;

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

/// Lets this process run on these cpus alone. Gives the cpus that it has then.
///
/// # Errors
/// The system's reason; a cpu beyond those that a set of the system holds.
pub fn bind(cpus: &RoaringBitmap) -> Result<RoaringBitmap, String> {
    let mut set = CpuSet::new();
    for cpu in cpus {
        set.set(cpu as usize)
            .map_err(|_| format!("cpu {cpu} is beyond the {} of a set", CpuSet::count()))?;
    }
    sched_setaffinity(Pid::from_raw(0), &set).map_err(|error| error.desc().to_owned())?;
    allowed()
}
