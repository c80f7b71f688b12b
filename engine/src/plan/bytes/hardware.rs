//! Names and topologies in bytes.

use super::edition::Edition;
use super::frame::BadPlan;
use super::gpus;
use super::ranges::{read_ranges, write_ranges};
use super::wire::{Reader, Writer, or_zero};
use crate::devices::DeviceClass;
use crate::id::Id as _;
use crate::limit::{OBJECTS_MAX, PUS_MAX};
use crate::plan::placed::row;
use crate::policy::ObjKind;
use crate::table::cpusets::Cpusets;
use crate::table::full_names::is_full;
use crate::table::interner::KeyRows;
use crate::table::names::{NameGroupId, NameRange, NameStretch, Names, NodeRange, is_canonical};
use crate::table::topologies::{
    Device, DraftObject, Latency, Topologies, TopologyDraft, TopologyId, drafted_kinds,
};
use crate::text::printable::disturbs;
use std::ops::Range;

/// How many PUs the objects of one topology may hold together: for each of its PUs, and in any case.
const COVERED_PER_PU: u64 = 64;
const COVERED_FREE: u64 = 1 << 20;

/// Writes names as ranges; each group of names with the same text around their numbers is written once.
pub(super) fn write_names(writer: &mut Writer, names: &Names) {
    let mut groups: KeyRows<NameGroupId> = KeyRows::default();
    let mut surroundings: Vec<NameStretch<'_>> = Vec::new();
    let ranges = names.stretches().map(|(group, stretch)| {
        let group = groups.meet(group);
        if groups.keys().len() > surroundings.len() {
            surroundings.push(stretch);
        }
        [group, stretch.nodes.count]
    });
    let ranges: Vec<[u32; 2]> = ranges.collect();
    writer.size(surroundings.len());
    for group in &surroundings {
        writer.text(group.prefix);
        writer.text(group.suffix);
        writer.number(u64::from(group.digits));
    }
    writer.table(ranges);
    for (_, stretch) in names.stretches() {
        writer.number(stretch.number);
    }
}

pub(super) fn read_names(reader: &mut Reader<'_>) -> Result<Names, BadPlan> {
    let groups = reader.list("a number of name groups", |reader| {
        let (prefix, suffix) = (reader.text()?, reader.text()?);
        let printable = |part: &str| !part.contains(disturbs);
        reader.ensure(
            || printable(prefix) && printable(suffix),
            "names without control characters",
        )?;
        let width = u8::try_from(reader.number(18, "at most 18 digits")?).unwrap_or(18);
        Ok((prefix, suffix, width))
    })?;
    let rows = reader.count("a number of name ranges")?;
    let mut names = Names::default();
    for [group, count] in reader.columns(rows)? {
        let first = reader.long()?;
        let group = groups.get(group as usize);
        let &(prefix, suffix, width) = reader.require(group, "a name group that there is")?;
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
        // Adding a canonical range costs one step, however many names it has.
        reader.ensure(|| is_canonical(&range), "names as they are kept")?;
        // A launcher that lists a host twice has two nodes of one name.
        let again = count == 1 && !is_full(&range) && names.find(&range).1.is_none();
        let found = if again {
            names.add_again(&range)
        } else {
            names.add_kept(&range)
        };
        let found = found.map_err(|_| reader.bad("fewer nodes"))?;
        reader.ensure(|| found[..] == [promised], "names that are new")?;
    }
    Ok(names)
}

/// Writes topologies, in the order given.
pub fn write_topologies(
    writer: &mut Writer,
    topologies: &Topologies,
    used: &[TopologyId],
    edition: Edition,
) {
    writer.size(used.len());
    for &topology in used {
        let os = topologies.pus_os(topology);
        writer.table(os.iter().map(|&os| [os]));
        for kind in drafted_kinds() {
            write_kind(writer, topologies, topology, kind);
        }
        writer.size(topologies.devices(topology).len());
        for device in topologies.devices(topology) {
            writer.text(&device.name);
            writer.text(&device.subtype);
            write_ranges(writer, &device.pus);
            if edition.has_devices() {
                writer.number(device.class as u64);
                writer.maybe(device.turn);
            }
        }
        let latency = topologies.latency(topology);
        writer.size(latency.map_or(0, |latency| latency.nodes.len() + 1));
        if let Some(latency) = latency {
            writer.column(latency.nodes.iter().copied());
            latency
                .values
                .iter()
                .for_each(|&value| writer.number(value));
        }
        if edition.has_gpus() {
            gpus::write_devices(writer, topologies.gpus(topology));
        }
    }
}

fn write_kind(writer: &mut Writer, topologies: &Topologies, topology: TopologyId, kind: ObjKind) {
    let objects = || topologies.objects(topology, kind);
    writer.table(objects().map(|object| {
        let ranges = topologies.ranges(object);
        [or_zero(topologies.os(object)), row(ranges.len())]
    }));
    if objects().len() > 0 {
        let ranges = objects().flat_map(|object| topologies.ranges(object));
        writer.table(ranges.map(|&(first, end)| [first, end - first]));
    }
}

/// Reads topologies, with their cpu sets.
pub fn read_topologies(
    reader: &mut Reader<'_>,
    cpusets: &mut Cpusets,
) -> Result<Topologies, BadPlan> {
    let mut topologies = Topologies::default();
    reader.list("a number of topologies", |reader| {
        let (draft, row) = (read_topology(reader)?, topologies.len());
        let found = topologies.add(draft, cpusets);
        let found = reader.require(found.ok(), "a sound topology before this byte")?;
        reader.ensure(|| found.row() == row, "a topology told once")
    })?;
    Ok(topologies)
}

fn read_topology(reader: &mut Reader<'_>) -> Result<TopologyDraft, BadPlan> {
    let pus = reader.rows_up_to(PUS_MAX as usize, "fewer PUs")?;
    let pus_os = reader.column(pus)?;
    let most = COVERED_FREE + COVERED_PER_PU * pus_os.len() as u64;
    let (mut objects, mut covered) = (Vec::new(), 0);
    for kind in drafted_kinds() {
        covered += read_kind(reader, kind, &mut objects)?;
        reader.ensure(|| covered <= most, "objects that hold fewer PUs together")?;
    }
    let devices = reader.list("a number of devices", |reader| {
        Ok(Device {
            name: reader.text()?.to_owned(),
            subtype: reader.text()?.to_owned(),
            pus: read_ranges(reader)?,
            class: match reader.edition.has_devices() {
                true => read_class(reader)?,
                false => DeviceClass::Other,
            },
            turn: match reader.edition.has_devices() {
                true => reader.maybe("the turn of a device")?,
                false => None,
            },
        })
    })?;
    let latency = match reader.rows()?.checked_sub(1) {
        None => None,
        Some(nodes) => {
            let nodes = reader.column(nodes)?;
            let cells = nodes.len().saturating_mul(nodes.len());
            reader.ensure(|| cells <= reader.left(), "a matrix within the bytes left")?;
            let values = reader.items(cells, Reader::long)?;
            Some(Latency { nodes, values })
        }
    };
    let mut gpus = Vec::new();
    if reader.edition.has_gpus() {
        gpus = gpus::read_devices(reader)?;
        let near = gpus.iter().flat_map(|gpu| &gpu.pus);
        covered += near.map(|pus| u64::from(pus.end - pus.start)).sum::<u64>();
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

/// Whether devices of any of these topologies are of a class that maps go over.
pub(super) fn have_classes(topologies: &Topologies, used: &[TopologyId]) -> bool {
    used.iter().any(|&topology| {
        let mut devices = topologies.devices(topology).iter();
        devices.any(|device| device.class != DeviceClass::Other)
    })
}

fn read_class(reader: &mut Reader<'_>) -> Result<DeviceClass, BadPlan> {
    let number = reader.number(u32::MAX, "a class of devices")?;
    reader.require(DeviceClass::of_number(number), "a class of devices")
}

/// Reads the objects of one kind; returns how many PUs they hold together.
fn read_kind(
    reader: &mut Reader<'_>,
    kind: ObjKind,
    objects: &mut Vec<DraftObject>,
) -> Result<u64, BadPlan> {
    let count = reader.rows_up_to(OBJECTS_MAX as usize, "fewer objects")?;
    let rows = reader.columns(count)?;
    if rows.is_empty() {
        return Ok(0);
    }
    let ranges = reader.table()?;
    let sum: u64 = rows.iter().map(|&[_, count]| u64::from(count)).sum();
    reader.ensure(
        || sum == ranges.len() as u64,
        "as many ranges as the objects have",
    )?;
    let covered = ranges.iter().map(|&[_, size]| u64::from(size)).sum();
    let mut ranges = ranges.into_iter().map(|[first, size]| {
        let end = first.checked_add(size).filter(|&end| end <= PUS_MAX);
        end.map(|end| first..end)
    });
    for [os, count] in rows {
        let pus: Option<Vec<Range<u32>>> = ranges.by_ref().take(count as usize).collect();
        objects.push(DraftObject {
            kind,
            os: os.checked_sub(1),
            pus: reader.require(pus, "ranges of PUs before this byte")?,
        });
    }
    Ok(covered)
}
