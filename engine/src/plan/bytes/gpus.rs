//! GPUs in bytes: those of topologies, what apps asked of them, what maps gave, and which GPUs each process has.
//!
//! Only frames of [`Edition::Gpus`] have these parts; a plan without GPUs has the bytes that it had before there were any.

use super::ranges::{read_ranges, write_ranges};
use super::wire::{BadPlan, Reader, Writer};
use crate::limit::GPUS_MAX;
use crate::plan::gpus::given::{GivenGpus, NodeKind};
use crate::policy::{GpuShare, ObjKind};
use crate::table::apps::AppTable;
use crate::table::gpus::{DraftGpu, GpuFamily};
use crate::table::names::NodeRange;
use crate::table::patterns::ShareRun;
use crate::table::topologies::{Topologies, TopologyId};

/// The GPUs of one topology.
pub(super) fn write_devices(writer: &mut Writer, topologies: &Topologies, topology: TopologyId) {
    let gpus = topologies.gpus(topology);
    writer.size(gpus.len());
    for (gpu, object) in gpus.iter().zip(topologies.objects(topology, ObjKind::Gpu)) {
        writer.number(gpu.visible);
        writer.text(&gpu.name);
        writer.number(gpu.family as u32);
        write_ranges(writer, topologies.ranges(object));
    }
}

/// The same; `covered` is what objects hold together, and grows by the PUs near each GPU.
pub(super) fn read_devices(
    reader: &mut Reader<'_>,
    covered: &mut u64,
) -> Result<Vec<DraftGpu>, BadPlan> {
    let count = reader.number(GPUS_MAX, "a number of GPUs")?;
    let mut gpus = Vec::new();
    for _ in 0..count {
        let visible = reader.number(GPUS_MAX - 1, "the visible number of a GPU")?;
        let name = reader.text()?;
        let printable = !name.contains(char::is_control);
        reader.ensure(|| printable, "a name without control characters")?;
        let family = reader.number(u32::MAX, "a family of GPUs")?;
        let Some(&family) = GpuFamily::ALL.get(family as usize) else {
            return Err(reader.bad("a family of GPUs before this byte"));
        };
        let pus = read_ranges(reader)?;
        *covered += pus
            .iter()
            .map(|range| u64::from(range.end - range.start))
            .sum::<u64>();
        gpus.push(DraftGpu {
            visible,
            name: name.to_owned(),
            family,
            pus,
        });
    }
    Ok(gpus)
}

/// What each policy says of GPUs: 0 nothing, 1 split, 2 share, 3 none, 3 + K for K per rank.
pub(super) fn write_words(writer: &mut Writer, table: &AppTable) {
    let policies = table.policies.values();
    writer.column_of(policies.len(), |at| match policies[at].gpus {
        None => 0,
        Some(GpuShare::Split) => 1,
        Some(GpuShare::Share) => 2,
        Some(GpuShare::None) => 3,
        Some(GpuShare::PerRank(each)) => 3 + u32::from(each),
    });
}

pub(super) fn read_words(reader: &mut Reader<'_>, table: &mut AppTable) -> Result<(), BadPlan> {
    let ids: Vec<_> = table.policies.ids().collect();
    let words = reader.column(ids.len())?;
    for (id, word) in ids.into_iter().zip(words) {
        table.policies[id].gpus = match word {
            0 => None,
            1 => Some(GpuShare::Split),
            2 => Some(GpuShare::Share),
            3 => Some(GpuShare::None),
            more => match u16::try_from(more - 3) {
                Ok(each) => Some(GpuShare::PerRank(each)),
                Err(_) => return Err(reader.bad("words about GPUs before this byte")),
            },
        };
    }
    Ok(())
}

/// Threads and GPUs that a map gave the processes of a stretch.
pub(super) fn write_shares(writer: &mut Writer, shares: &[ShareRun]) {
    writer.size(shares.len());
    for share in shares {
        writer.number(share.count);
        writer.number(share.threads);
        write_set(writer, &share.gpus);
    }
}

pub(super) fn read_shares(reader: &mut Reader<'_>) -> Result<Vec<ShareRun>, BadPlan> {
    let count = reader.size(1, "a number of shares")?;
    let mut shares = Vec::with_capacity(count.min(1024));
    for _ in 0..count {
        let count = reader.number(u32::MAX, "a number of processes")?;
        reader.ensure(|| count > 0, "at least one process")?;
        shares.push(ShareRun {
            count,
            threads: reader.number(u32::MAX, "a number of threads")?,
            gpus: read_set(reader)?,
        });
    }
    Ok(shares)
}

/// GPUs, ascending: how far each is above the one before.
fn write_set(writer: &mut Writer, gpus: &[u32]) {
    writer.size(gpus.len());
    let mut next = 0;
    for &gpu in gpus {
        writer.number(gpu - next);
        next = gpu + 1;
    }
}

pub(super) fn read_set(reader: &mut Reader<'_>) -> Result<Vec<u32>, BadPlan> {
    let count = reader.number(GPUS_MAX, "a number of GPUs")?;
    let mut gpus = Vec::new();
    let mut next = 0;
    for _ in 0..count {
        let gpu = next + reader.number(GPUS_MAX, "a GPU")?;
        reader.ensure(|| gpu < GPUS_MAX, "a GPU within the bound")?;
        gpus.push(gpu);
        next = gpu + 1;
    }
    Ok(gpus)
}

/// Sets of GPUs, of which the empty one is not written.
pub(crate) fn write_sets(writer: &mut Writer, sets: &[Vec<u32>]) {
    writer.size(sets.len());
    sets.iter().for_each(|set| write_set(writer, set));
}

pub(crate) fn read_sets(reader: &mut Reader<'_>) -> Result<Vec<Vec<u32>>, BadPlan> {
    let count = reader.size(1, "a number of sets of GPUs")?;
    (0..count).map(|_| read_set(reader)).collect()
}

/// Which GPUs the processes of each node have.
pub(super) fn write_given(writer: &mut Writer, given: &GivenGpus) {
    write_sets(writer, given.sets.get(1..).unwrap_or_default());
    writer.size(given.kinds.len());
    for kind in &given.kinds {
        writer.number(kind.first);
        writer.size(kind.ends.len());
        writer.column(&kind.ends);
        writer.column(&kind.turns);
        writer.size(kind.rows.len());
        writer.column(&kind.rows);
    }
    let nodes = &given.nodes;
    writer.size(nodes.len());
    writer.column_of(nodes.len(), |at| {
        let end = at.checked_sub(1).map_or(0, |last| nodes[last].0.end());
        nodes[at].0.first - end
    });
    writer.column_of(nodes.len(), |at| nodes[at].0.count);
    writer.column_of(nodes.len(), |at| nodes[at].1);
}

pub(super) fn read_given(reader: &mut Reader<'_>, nodes: u32) -> Result<GivenGpus, BadPlan> {
    let mut given = GivenGpus {
        sets: read_sets(reader)?,
        ..GivenGpus::default()
    };
    given.sets.insert(0, Vec::new());
    let kinds = reader.size(1, "a number of kinds of nodes")?;
    for _ in 0..kinds {
        let kind = read_kind(reader, given.sets.len())?;
        given.kinds.push(kind);
    }
    let rows = reader.rows()?;
    let mut next = 0_u32;
    for [gap, count, kind] in reader.table::<3>(rows)? {
        let first = next.checked_add(gap);
        let end = first.and_then(|first| first.checked_add(count));
        let sound = count > 0 && (kind as usize) < kinds;
        let (Some(first), Some(end)) = (first, end.filter(|&end| sound && end <= nodes)) else {
            return Err(reader.bad("nodes and kinds of nodes that there are"));
        };
        next = end;
        given.nodes.push((NodeRange { first, count }, kind));
    }
    Ok(given)
}

pub(super) fn read_kind(reader: &mut Reader<'_>, sets: usize) -> Result<NodeKind, BadPlan> {
    let first = reader.number(u32::MAX, "a local rank")?;
    let stretches = reader.rows()?;
    let ends = reader.column(stretches)?;
    let turns = reader.column(stretches)?;
    let size = reader.rows()?;
    let rows = reader.column(size)?;
    let mut row_ends = Vec::with_capacity(stretches);
    let (mut before, mut row_end) = (0, 0_u64);
    for (&end, &turns) in ends.iter().zip(&turns) {
        row_end += u64::from(turns);
        let sound = end > before && turns > 0 && row_end <= size as u64;
        reader.ensure(|| sound, "processes that get sets in turn")?;
        before = end;
        row_ends.push(u32::try_from(row_end).unwrap_or(u32::MAX));
    }
    let known = rows.iter().all(|&row| (row as usize) < sets);
    let sound = known && row_end == size as u64 && first.checked_add(before).is_some();
    reader.ensure(|| sound, "sets of GPUs that there are")?;
    Ok(NodeKind {
        first,
        ends,
        turns,
        rows,
        row_ends,
    })
}
