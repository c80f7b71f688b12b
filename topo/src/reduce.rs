//! A topology with fewer PUs: named machines, this machine, cpus that were granted. What an XML file disallows: `xml/draft.rs`.

use std::collections::HashSet;
use std::ops::Range;
use stowplan_engine::policy::{CpuMode, ObjKind};
use stowplan_engine::table::topologies::{DraftObject, KeptPu, TopologyDraft};

/// Keeps the PUs whose OS number passes, and numbers them again. Objects that lose all their PUs are removed; memory stays
/// (`semantics` 1.1).
///
/// Cost: linear in the draft.
#[must_use]
pub fn keep_pus(mut draft: TopologyDraft, keep: impl Fn(u32) -> bool) -> TopologyDraft {
    // How many of the PUs before each PU are kept.
    let mut kept = Vec::with_capacity(draft.pus_os.len() + 1);
    let mut count = 0;
    kept.push(0);
    for &os in &draft.pus_os {
        count += u32::from(keep(os));
        kept.push(count);
    }
    draft.pus_os.retain(|&os| keep(os));
    for object in &mut draft.objects {
        renumber(&mut object.pus, &kept);
    }
    draft.objects.retain(|object| {
        !object.pus.is_empty() || matches!(object.kind, ObjKind::Machine | ObjKind::Numa)
    });
    for device in draft.devices.iter_mut().chain(&mut draft.nics) {
        renumber(&mut device.pus, &kept);
    }
    for gpu in &mut draft.gpus {
        renumber(&mut gpu.pus, &kept);
    }
    for pu in &mut draft.kept {
        pu.beside = kept[pu.beside as usize].min(count.saturating_sub(1));
    }
    draft
}

/// As [`keep_pus`], for PUs that the node has and jobs do not get: a picture shows where they are.
///
/// Cost: for each core of which nothing is kept, the objects.
#[must_use]
pub fn withhold_pus(draft: TopologyDraft, keep: impl Fn(u32) -> bool) -> TopologyDraft {
    let mut withheld = Vec::new();
    let first_of = |object: &DraftObject| {
        let mut own = object.pus.iter().cloned().flatten();
        own.find(|&pu| keep(draft.pus_os[pu as usize]))
    };
    let around = [
        ObjKind::L3,
        ObjKind::Numa,
        ObjKind::Package,
        ObjKind::Machine,
    ];
    let cores = (0..).zip(&draft.objects);
    let cores = cores.filter(|(_, object)| object.kind == ObjKind::Core);
    for (core, object) in cores.filter(|(_, object)| first_of(object).is_none()) {
        for pu in object.pus.iter().cloned().flatten() {
            let holds = |outer: &&DraftObject| outer.pus.iter().any(|range| range.contains(&pu));
            let beside = around.iter().find_map(|kind| {
                let own = draft.objects.iter().filter(|outer| outer.kind == *kind);
                own.filter(holds).find_map(first_of)
            });
            let os = draft.pus_os[pu as usize];
            withheld.extend(beside.map(|beside| KeptPu { os, core, beside }));
        }
    }
    let mut draft = draft;
    draft.kept = withheld;
    keep_pus(draft, keep)
}

/// Keeps some units (cores or PUs) by their logical numbers, and numbers the PUs again. If there are no cores, the units are PUs.
///
/// # Errors
/// How many units there are, if a number is beyond them.
///
/// Cost: linear in the draft.
pub fn keep_units(
    draft: &TopologyDraft,
    ranges: &[(u32, u32)],
    mode: CpuMode,
) -> Result<TopologyDraft, usize> {
    let cores = draft
        .objects
        .iter()
        .filter(|object| object.kind == ObjKind::Core);
    let pus = |core: &DraftObject| core.pus.iter().cloned().flatten().collect();
    let mut units: Vec<Vec<u32>> = match mode {
        CpuMode::Core => cores.map(pus).collect(),
        CpuMode::Hwthread => Vec::new(),
    };
    if units.is_empty() {
        units = (0..).take(draft.pus_os.len()).map(|pu| vec![pu]).collect();
    }
    let mut kept = HashSet::new();
    for &(first, last) in ranges {
        let named = units.get(first as usize..=last as usize);
        let pus = named.ok_or(units.len())?.iter().flatten();
        kept.extend(pus.map(|&pu| draft.pus_os[pu as usize]));
    }
    Ok(keep_pus(draft.clone(), |os| kept.contains(&os)))
}

/// The logical number of a core that is counted inside its package; `None` if there is none. Both counts begin at 0.
///
/// Cost: linear in the draft.
#[must_use]
pub fn core_of_package(draft: &TopologyDraft, package: u32, core: u32) -> Option<u32> {
    let of = |kind: ObjKind| {
        let objects = draft.objects.iter();
        objects.filter(move |object| object.kind == kind)
    };
    let own = of(ObjKind::Package).nth(package as usize)?;
    let is_inside = |object: &DraftObject| {
        let first = object.pus.first();
        first.is_some_and(|first| own.pus.iter().any(|part| part.contains(&first.start)))
    };
    let mut inside = (0..)
        .zip(of(ObjKind::Core))
        .filter(|(_, object)| is_inside(object));
    inside.nth(core as usize).map(|(logical, _)| logical)
}

/// The ranges after PUs were removed. Adjacent ranges are joined.
fn renumber(ranges: &mut Vec<Range<u32>>, kept: &[u32]) {
    let mut left: Vec<Range<u32>> = Vec::with_capacity(ranges.len());
    for range in ranges.iter() {
        let range = kept[range.start as usize]..kept[range.end as usize];
        match left.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end == range.start => last.end = range.end,
            Some(_) | None => left.push(range),
        }
    }
    *ranges = left;
}
