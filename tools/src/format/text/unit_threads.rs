//! Which thread of OpenMP each unit of a strip has for itself.

use super::shapes::{Shape, places};
use std::collections::HashMap;
use stowplan::answers::openmp::classes::Key;
use stowplan::answers::openmp::job::JobThreads;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;

/// The threads that run in a unit and nowhere else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Thread {
    /// One, by its number.
    One(u32),
    /// More than one.
    Several,
}

/// The threads of each unit: of each object of this kind that has cpus. Nothing where runtimes differ, and nothing of two levels.
///
/// Cost: the threads of each distinct cpu set.
pub(super) fn unit_threads(
    plan: &Plan,
    shape: &Shape,
    kind: ObjKind,
    threads: &mut JobThreads<'_>,
) -> Vec<Option<Thread>> {
    let topologies = &plan.world().topologies;
    let os = topologies.pus_os(shape.topology);
    let (mut unit_of, mut units) = (HashMap::new(), 0_usize);
    for object in topologies.objects(shape.topology, kind) {
        let ranges = topologies.ranges(object);
        for &(first, end) in ranges {
            let cpus = &os[first as usize..end as usize];
            unit_of.extend(cpus.iter().map(|&cpu| (cpu, units)));
        }
        units += usize::from(!ranges.is_empty());
    }
    let mut found = vec![None; units];
    for at in &shape.runs {
        for (place, count) in places(at.of(plan), plan.patterns()) {
            let answer = threads.answer(Key {
                app: at.app,
                topology: shape.topology,
                cpus: place.cpus,
            });
            let [(_, own)] = answer.told.as_slice() else {
                continue;
            };
            for (thread, _, cpus) in own.iter().filter(|own| own.0.inner.is_none()) {
                let mut units = cpus.iter().map(|cpu| unit_of.get(&cpu).copied());
                let first = units.next().flatten();
                let Some(unit) = first.filter(|_| units.all(|unit| unit == first)) else {
                    continue;
                };
                found[unit] = match found[unit] {
                    None if count == 1 => Some(Thread::One(thread.outer)),
                    None | Some(_) => Some(Thread::Several),
                };
            }
        }
    }
    found
}
