//! Names and topologies in bytes.

use super::gpus;
use super::ranges::{read_ranges, write_ranges};
use super::states::Used;
use super::wire::{BadPlan, Edition, Reader, Writer};
use crate::id::Id as _;
use crate::limit::{OBJECTS_MAX, PUS_MAX};
use crate::plan::placed::row;
use crate::policy::ObjKind;
use crate::table::cpusets::Cpusets;
use crate::table::names::{NameGroupId, NameRange, NameStretch, Names, NodeRange};
use crate::table::topologies::{
    Device, DraftObject, Latency, ObjectId, Topologies, TopologyDraft, TopologyId,
};
use std::net::IpAddr;
use std::ops::Range;

/// PUs that the objects of one topology may hold together, per PU of it and once more.
const COVERED_PER_PU: u64 = 64;
const COVERED_FREE: u64 = 1 << 20;

/// Names, as ranges of equal surroundings.
pub(super) fn write_names(writer: &mut Writer, names: &Names) {
    let mut groups: Used<NameGroupId> = Used::new();
    let mut said: Vec<NameStretch<'_>> = Vec::new();
    let (mut of, mut firsts, mut counts) = (Vec::new(), Vec::new(), Vec::new());
    for (group, stretch) in names.stretches() {
        let id = groups.row(group);
        if groups.rows.len() > said.len() {
            said.push(stretch);
        }
        // A node moved to the front leaves two ranges that go on from each other: they are one.
        let joins =
            of.last() == Some(&id)
                && firsts.last().zip(counts.last()).is_some_and(
                    |(&first, &count): (&u64, &u32)| first + u64::from(count) == stretch.number,
                );
        match counts.last_mut() {
            Some(count) if joins && stretch.digits > 0 => *count += stretch.nodes.count,
            _ => {
                of.push(id);
                firsts.push(stretch.number);
                counts.push(stretch.nodes.count);
            }
        }
    }
    writer.size(said.len());
    for group in &said {
        writer.text(group.prefix);
        writer.text(group.suffix);
        writer.number(u64::from(group.digits));
    }
    writer.size(of.len());
    writer.column(&of);
    writer.column(&counts);
    for first in firsts {
        writer.number(first);
    }
}

pub(super) fn read_names(reader: &mut Reader<'_>) -> Result<Names, BadPlan> {
    let count = reader.size(1, "a number of name groups")?;
    let mut groups = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        let (prefix, suffix) = (reader.text()?, reader.text()?);
        let is_printable = |part: &str| !part.contains(char::is_control);
        reader.ensure(
            || is_printable(prefix) && is_printable(suffix),
            "names without control characters",
        )?;
        let width = u8::try_from(reader.number(18, "at most 18 digits")?).unwrap_or(18);
        groups.push((prefix, suffix, width));
    }
    let rows = reader.size(1, "a number of name ranges")?;
    let of = reader.column(rows)?;
    let counts = reader.column(rows)?;
    let mut names = Names::default();
    for (&group, &count) in of.iter().zip(&counts) {
        let first = reader.long()?;
        let Some(&(prefix, suffix, width)) = groups.get(group as usize) else {
            return Err(reader.bad("a name group that there is"));
        };
        let range = NameRange {
            prefix: prefix.to_owned(),
            first,
            count,
            width,
            suffix: suffix.to_owned(),
        };
        let promised = NodeRange {
            first: names.len(),
            count,
        };
        reader.ensure(|| is_canonical(&range), "names as they are kept")?;
        let found = names.add(&range).map_err(|_| reader.bad("fewer nodes"))?;
        reader.ensure(|| found[..] == [promised], "names that are new")?;
    }
    Ok(names)
}

/// Whether a range is one stretch of one group: then adding it costs one step, however many names it has.
pub(super) fn is_canonical(range: &NameRange) -> bool {
    if range.count == 0 {
        return false;
    }
    if range.width == 0 {
        return range.count == 1 && range.first == 0 && range.suffix.is_empty();
    }
    let digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let last = range.first.checked_add(u64::from(range.count - 1));
    let fits = last.is_some_and(|last| last < 10_u64.pow(u32::from(range.width)));
    let apart =
        !range.prefix.ends_with(|last: char| last.is_ascii_digit()) && !digit(&range.suffix);
    let dotted = range.suffix.contains('.') || range.prefix.find('.').is_some_and(|dot| dot > 0);
    let address = || {
        let name = crate::table::names::range_name(range, 0);
        name.parse::<IpAddr>().is_ok()
    };
    fits && apart && (!dotted || address())
}

/// Topologies, in the order given.
pub(super) fn write_topologies(
    writer: &mut Writer,
    topologies: &Topologies,
    used: &[TopologyId],
    edition: Edition,
) {
    writer.size(used.len());
    for &topology in used {
        let os = topologies.pus_os(topology);
        writer.size(os.len());
        writer.column(os);
        for kind in ObjKind::ALL {
            if kind != ObjKind::Hwthread {
                write_kind(writer, topologies, topology, kind);
            }
        }
        writer.size(topologies.devices(topology).len());
        for device in topologies.devices(topology) {
            writer.text(&device.name);
            writer.text(&device.subtype);
            let pus = device.pus.iter().map(|range| (range.start, range.end));
            write_ranges(writer, &pus.collect::<Vec<_>>());
        }
        let latency = topologies.latency(topology);
        writer.size(latency.map_or(0, |latency| latency.nodes.len() + 1));
        if let Some(latency) = latency {
            writer.column(&latency.nodes);
            for &value in &latency.values {
                writer.number(value);
            }
        }
        if edition == Edition::Gpus {
            gpus::write_devices(writer, topologies, topology);
        }
    }
}

fn write_kind(writer: &mut Writer, topologies: &Topologies, topology: TopologyId, kind: ObjKind) {
    let rows = topologies.count(topology, kind) as usize;
    writer.size(rows);
    let Some(first) = topologies.object(topology, kind, 0) else {
        return;
    };
    let object = |at: usize| ObjectId::from_row(first.row() + at);
    // An OS number that is absent is 0, others are one more: numbers end far below 2^32.
    let os = |at| {
        topologies
            .os(object(at))
            .map_or(0, |os| os.saturating_add(1))
    };
    writer.column_of(rows, os);
    writer.column_of(rows, |at| row(topologies.ranges(object(at)).len()));
    let ranges = topologies.ranges_of(topology, kind);
    writer.size(ranges.len());
    writer.column_of(ranges.len(), |at| ranges[at].0);
    writer.column_of(ranges.len(), |at| ranges[at].1 - ranges[at].0);
}

pub(super) fn read_topologies(
    reader: &mut Reader<'_>,
    cpusets: &mut Cpusets,
) -> Result<Topologies, BadPlan> {
    let count = reader.size(1, "a number of topologies")?;
    let mut topologies = Topologies::default();
    for row in 0..count {
        let draft = read_topology(reader)?;
        let found = topologies
            .add(draft, cpusets)
            .map_err(|_| reader.bad("a sound topology before this byte"))?;
        reader.ensure(|| found.row() == row, "a topology told once")?;
    }
    Ok(topologies)
}

fn read_topology(reader: &mut Reader<'_>) -> Result<TopologyDraft, BadPlan> {
    let rows = reader.rows()?;
    let pus_os = reader.column(rows)?;
    let mut objects = Vec::new();
    let mut covered = 0;
    for kind in ObjKind::ALL {
        if kind != ObjKind::Hwthread {
            covered += read_kind(reader, kind, &mut objects)?;
        }
        let most = COVERED_FREE + COVERED_PER_PU * rows as u64;
        reader.ensure(|| covered <= most, "objects that hold fewer PUs together")?;
    }
    let count = reader.size(1, "a number of devices")?;
    let mut devices = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        devices.push(Device {
            name: reader.text()?.to_owned(),
            subtype: reader.text()?.to_owned(),
            pus: read_ranges(reader)?,
        });
    }
    let latency = match reader.rows()?.checked_sub(1) {
        None => None,
        Some(nodes) => {
            let nodes = reader.column(nodes)?;
            let cells = nodes.len().saturating_mul(nodes.len());
            reader.ensure(|| cells <= reader.left(), "a matrix within the bytes left")?;
            let values = (0..cells).map(|_| reader.long());
            let values = values.collect::<Result<_, _>>()?;
            Some(Latency { nodes, values })
        }
    };
    let mut gpus = Vec::new();
    if reader.edition == Edition::Gpus {
        gpus = gpus::read_devices(reader, &mut covered)?;
        let most = COVERED_FREE + COVERED_PER_PU * rows as u64;
        reader.ensure(|| covered <= most, "GPUs that fewer PUs are near")?;
    }
    Ok(TopologyDraft {
        pus_os,
        objects,
        devices,
        gpus,
        latency,
        ..TopologyDraft::default()
    })
}

/// Objects of one kind; gives how many PUs they hold together.
fn read_kind(
    reader: &mut Reader<'_>,
    kind: ObjKind,
    objects: &mut Vec<DraftObject>,
) -> Result<u64, BadPlan> {
    let rows = reader.rows()?;
    if rows == 0 {
        return Ok(0);
    }
    reader.ensure(|| rows <= OBJECTS_MAX as usize, "fewer objects")?;
    let os = reader.column(rows)?;
    let counts = reader.column(rows)?;
    let total = reader.rows()?;
    let firsts = reader.column(total)?;
    let sizes = reader.column(total)?;
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    reader.ensure(|| sum == total as u64, "as many ranges as the objects have")?;
    let covered = sizes.iter().map(|&size| u64::from(size)).sum();
    let mut ranges = firsts.iter().zip(&sizes).map(|(&first, &size)| {
        let end = first.checked_add(size).filter(|&end| end <= PUS_MAX);
        end.map(|end| first..end)
    });
    for (&os, &count) in os.iter().zip(&counts) {
        let pus: Option<Vec<Range<u32>>> = ranges.by_ref().take(count as usize).collect();
        let Some(pus) = pus else {
            return Err(reader.bad("ranges of PUs before this byte"));
        };
        objects.push(DraftObject {
            kind,
            os: os.checked_sub(1),
            pus,
        });
    }
    Ok(covered)
}
