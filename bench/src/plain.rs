//! The plain mapper beside ours, on jobs that the plain mapper can place: the same job, the same size.

use crate::measure::least;
use std::hint::black_box;
use stowplan_engine::map::map_resolved;
use stowplan_engine::policy::CpuMode;
use stowplan_reference::{World, map, read_machine};
use stowplan_scale_tests::shapes::regular;

/// Times of the plain mapper and of ours. Unit: nanoseconds. `None` when the plain mapper cannot read the topology or refuses the job.
#[must_use]
pub fn both(topology: &str, nodes: u32, slots: u32, by: &str) -> Option<(u64, u64)> {
    let shape = regular("plain", topology, nodes, slots, by);
    let machine = read_machine(topology, &[])?;
    let machine_of = |_: &str| Some(&machine);
    let world = World {
        machine_of: &machine_of,
        machines: &[&machine],
        local: None,
        cpu_list: None,
        inferred: CpuMode::Core,
    };
    map(&shape.resolved, world).ok()?;
    let theirs = least(
        3,
        || (),
        |()| {
            black_box(map(&shape.resolved, world)).ok();
        },
    );
    let ours = least(
        50,
        || (shape.resolved.clone(), shape.machine.clone()),
        |(resolved, machine)| {
            black_box(map_resolved(resolved, machine)).ok();
        },
    );
    Some((theirs, ours))
}
