//! Nodes that differ in nothing but what their cpus are called: what is walked on one of them holds on all.

use super::hardware::{Hardware, OsIndex, logical_mask};
use crate::plan::bytes::wire::Writer;
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::Policy;
use crate::table::cpusets::Cpusets;
use crate::table::patterns::{Pattern, Segment};

/// The objects of a node by logical PU, and what a pattern gives its processes, by logical PU too. Equal bytes, equal walks.
pub(super) type Form = Vec<u8>;

/// The form of a node. `None`: the map asks for more than objects, or a set names a cpu that the node lacks.
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
    let mut form = Writer::default();
    write_objects(hardware, &mut form);
    for segment in pattern.segments() {
        write_segment(segment, os, cpusets, &mut form)?;
    }
    Some(form.into_bytes())
}

fn write_objects(hardware: Hardware<'_>, form: &mut Writer) {
    form.number(hardware.pus);
    for kind in ObjKind::ALL.into_iter().chain([ObjKind::Gpu]) {
        // Hwthreads are the PUs one by one, everywhere.
        if kind != ObjKind::Hwthread {
            let objects = hardware.targets(kind);
            form.size(objects.len());
            for object in objects {
                form.number(hardware.logical(object));
                write_stretches(hardware.ranges(object), form);
            }
        }
    }
}

fn write_segment(
    segment: &Segment,
    os: &OsIndex,
    cpusets: &Cpusets,
    form: &mut Writer,
) -> Option<()> {
    form.number(segment.procs);
    form.maybe(segment.cycle);
    form.size(segment.runs.len());
    for run in &segment.runs {
        form.number(run.count);
        form.maybe(run.place.object);
        form.number(u8::from(run.place.cpus.is_some()));
        if let Some(id) = run.place.cpus {
            write_stretches(&logical_mask(os, cpusets.get(id))?, form);
        }
    }
    Some(())
}

fn write_stretches(stretches: &[(u32, u32)], form: &mut Writer) {
    form.size(stretches.len());
    for &(first, end) in stretches {
        form.number(first);
        form.number(end);
    }
}
