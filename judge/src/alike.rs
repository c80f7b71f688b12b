//! Nodes that differ only in the OS numbers of their cpus: the walk of one of them holds for all.

use super::hardware::{Hardware, OsIndex, logical_mask};
use stowplan_engine::policy::{MapBy, ObjKind};
use stowplan_engine::table::apps::Policy;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::patterns::{Pattern, Segment};

/// The objects of a node and the places of a pattern, both by logical PU. A list follows its length, and a value that may be
/// absent follows 0 or 1. A byte holds seven bits of a number, low bits first, because there are many small numbers to hash.
/// Equal bytes mean equal walks.
pub(super) type Form = Vec<u8>;

/// The form of a node. `None`: the map policy asks for more than objects, or a set names a cpu that the node lacks.
///
/// Cost: the objects and the runs of the pattern.
pub(super) fn form(
    hardware: Hardware<'_>,
    os: &OsIndex,
    policy: &Policy,
    pattern: &Pattern,
    cpusets: &Cpusets,
) -> Option<Form> {
    let asks_for_objects = matches!(
        policy.map,
        MapBy::Slot | MapBy::Node | MapBy::Object(_) | MapBy::Ppr { .. }
    );
    if !asks_for_objects {
        return None;
    }
    let mut form = Form::new();
    write_objects(hardware, &mut form);
    for segment in pattern.segments() {
        write_segment(segment, os, cpusets, &mut form)?;
    }
    Some(form)
}

pub(super) fn write_objects(hardware: Hardware<'_>, form: &mut Form) {
    write(hardware.pus, form);
    for kind in ObjKind::ALL
        .into_iter()
        .chain([ObjKind::Gpu, ObjKind::Device])
    {
        // Hwthreads are the PUs one by one on every node.
        if kind != ObjKind::Hwthread {
            let objects = hardware.targets(kind);
            write_count(objects.len(), form);
            for object in objects {
                write(hardware.logical(object), form);
                write_stretches(hardware.ranges(object), form);
            }
        }
    }
}

fn write_segment(
    segment: &Segment,
    os: &OsIndex,
    cpusets: &Cpusets,
    form: &mut Form,
) -> Option<()> {
    write(segment.procs, form);
    write_maybe(segment.cycle, form);
    write_count(segment.runs.len(), form);
    for run in &segment.runs {
        write(run.count, form);
        write_maybe(run.place.object, form);
        write(u32::from(run.place.cpus.is_some()), form);
        if let Some(id) = run.place.cpus {
            write_stretches(&logical_mask(os, cpusets.get(id))?, form);
        }
    }
    Some(())
}

fn write_stretches(stretches: &[(u32, u32)], form: &mut Form) {
    write_count(stretches.len(), form);
    for &(first, end) in stretches {
        write(first, form);
        write(end, form);
    }
}

fn write_count(count: usize, form: &mut Form) {
    let count = u32::try_from(count).expect("objects and runs are below 2^32");
    write(count, form);
}

fn write_maybe(value: Option<u32>, form: &mut Form) {
    write(u32::from(value.is_some()), form);
    if let Some(value) = value {
        write(value, form);
    }
}

fn write(mut number: u32, form: &mut Form) {
    while number >= 0x80 {
        form.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    form.push(number.to_le_bytes()[0]);
}
