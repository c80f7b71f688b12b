//! GPUs in bytes: the GPUs of topologies, what apps asked for, what maps gave, and which GPUs each process has.
//!
//! Only frames of [`Edition::Gpus`] have these parts. A plan without GPUs has the same bytes as before stowplan knew GPUs.

use super::frame::BadPlan;
use super::ranges::{nodes_behind, read_ranges, write_ranges};
use super::wire::{Reader, Writer};
use crate::limit::GPUS_MAX;
use crate::plan::gpus::given::{GivenGpus, GpuStretch, NodeKind};
use crate::policy::GpuShare;
use crate::table::apps::AppTable;
use crate::table::gpus::{Gpu, GpuFamily};
use crate::table::patterns::ShareRun;
use crate::text::printable::disturbs;

/// Writes the GPUs of one topology.
pub(super) fn write_devices(writer: &mut Writer, gpus: &[Gpu]) {
    writer.size(gpus.len());
    for gpu in gpus {
        writer.number(gpu.visible);
        writer.text(&gpu.name);
        writer.number(gpu.family as u32);
        write_ranges(writer, &gpu.pus);
    }
}

pub(super) fn read_devices(reader: &mut Reader<'_>) -> Result<Vec<Gpu>, BadPlan> {
    let count = reader.number(GPUS_MAX, "a number of GPUs")?;
    reader.items(count as usize, |reader| {
        let visible = reader.number(GPUS_MAX - 1, "the visible number of a GPU")?;
        let name = reader.text()?.to_owned();
        let printable = !name.contains(disturbs);
        reader.ensure(|| printable, "a name without control characters")?;
        let family = reader.number(u32::MAX, "a family of GPUs")?;
        let family = GpuFamily::ALL.get(family as usize).copied();
        Ok(Gpu {
            visible,
            name,
            family: reader.require(family, "a family of GPUs before this byte")?,
            pus: read_ranges(reader)?,
        })
    })
}

/// Writes what each policy says of GPUs: 0 nothing, 1 split, 2 share, 3 none, 3 + K for K per rank.
pub(super) fn write_words(writer: &mut Writer, table: &AppTable) {
    let policies = table.policies.values().iter();
    let words = policies.map(|policy| match policy.gpus {
        None => 0,
        Some(GpuShare::Split) => 1,
        Some(GpuShare::Share) => 2,
        Some(GpuShare::None) => 3,
        Some(GpuShare::PerRank(each)) => 3 + u32::from(each),
    });
    writer.column(words);
}

pub(super) fn read_words(reader: &mut Reader<'_>, table: &mut AppTable) -> Result<(), BadPlan> {
    let words = reader.column(table.policies.len())?;
    for (id, word) in table.policies.ids().zip(words) {
        table.policies[id].gpus = match word {
            0 => None,
            1 => Some(GpuShare::Split),
            2 => Some(GpuShare::Share),
            3 => Some(GpuShare::None),
            more => {
                let each = u16::try_from(more - 3).ok();
                let each = reader.require(each, "words about GPUs before this byte")?;
                Some(GpuShare::PerRank(each))
            }
        };
    }
    Ok(())
}

/// Writes the threads and GPUs that a map gave the processes of a segment.
pub(super) fn write_shares(writer: &mut Writer, shares: &[ShareRun]) {
    writer.size(shares.len());
    for share in shares {
        writer.number(share.count);
        writer.number(share.threads);
        write_set(writer, &share.gpus);
    }
}

/// Reads shares, each of at least one process.
pub fn read_shares(reader: &mut Reader<'_>) -> Result<Vec<ShareRun>, BadPlan> {
    reader.list("a number of shares", |reader| {
        let count = reader.number(u32::MAX, "a number of processes")?;
        reader.ensure(|| count > 0, "at least one process")?;
        Ok(ShareRun {
            count,
            threads: reader.number(u32::MAX, "a number of threads")?,
            gpus: read_set(reader)?,
        })
    })
}

/// Writes GPUs, ascending: for each, how many numbers lie between it and the one before.
fn write_set(writer: &mut Writer, gpus: &[u32]) {
    writer.size(gpus.len());
    let mut next = 0;
    for &gpu in gpus {
        writer.number(gpu - next);
        next = gpu + 1;
    }
}

/// Reads a set of GPUs, ascending within the bound.
pub fn read_set(reader: &mut Reader<'_>) -> Result<Vec<u32>, BadPlan> {
    let count = reader.number(GPUS_MAX, "a number of GPUs")?;
    let mut next = 0;
    reader.items(count as usize, |reader| {
        let gpu = next + reader.number(GPUS_MAX, "a GPU")?;
        reader.ensure(|| gpu < GPUS_MAX, "a GPU within the bound")?;
        next = gpu + 1;
        Ok(gpu)
    })
}

/// Writes sets of GPUs. The caller leaves out the empty set.
pub(crate) fn write_sets<S: AsRef<[u32]>>(writer: &mut Writer, sets: &[S]) {
    writer.size(sets.len());
    sets.iter().for_each(|set| write_set(writer, set.as_ref()));
}

pub(crate) fn read_sets(reader: &mut Reader<'_>) -> Result<Vec<Vec<u32>>, BadPlan> {
    reader.list("a number of sets of GPUs", read_set)
}

/// Writes which GPUs the processes of each node have.
pub(super) fn write_given(writer: &mut Writer, given: &GivenGpus) {
    write_sets(writer, given.sets.get(1..).unwrap_or_default());
    writer.size(given.kinds.len());
    for kind in &given.kinds {
        writer.number(kind.first);
        let mut start = 0;
        writer.table(kind.stretches.iter().map(|stretch| {
            let turns = stretch.rows_end - start;
            start = stretch.rows_end;
            [stretch.end, turns]
        }));
        writer.table(kind.rows.iter().map(|&row| [row]));
    }
    let mut end = 0;
    writer.table(given.nodes.iter().map(|&(nodes, kind)| {
        let gap = nodes.first - end;
        end = nodes.end();
        [gap, nodes.count, kind]
    }));
}

/// Reads which GPUs are given on so many nodes.
pub fn read_given(reader: &mut Reader<'_>, nodes: u32) -> Result<GivenGpus, BadPlan> {
    let mut sets = read_sets(reader)?;
    sets.insert(0, Vec::new());
    let kinds = reader.list("a number of kinds of nodes", |reader| {
        read_kind(reader, sets.len())
    })?;
    let mut end = 0;
    let given = reader.table()?.into_iter().map(|[gap, count, kind]| {
        let known = (kind as usize) < kinds.len();
        let range = nodes_behind(end, gap, count, nodes).filter(|_| known)?;
        end = range.end();
        Some((range, kind))
    });
    let given: Option<Vec<_>> = given.collect();
    Ok(GivenGpus {
        nodes: reader.require(given, "nodes and kinds of nodes that there are")?,
        sets,
        kinds,
        ..GivenGpus::default()
    })
}

/// Reads a kind of nodes, whose processes get some of so many sets.
pub fn read_kind(reader: &mut Reader<'_>, sets: usize) -> Result<NodeKind, BadPlan> {
    let first = reader.number(u32::MAX, "a local rank")?;
    let told = reader.table()?;
    let rows = reader.table::<1>()?.into_flattened();
    let (mut before, mut rows_end) = (0, 0_u32);
    let stretches = told.into_iter().map(|[end, turns]| {
        rows_end = rows_end.checked_add(turns)?;
        let sound = end > before && turns > 0 && rows_end as usize <= rows.len();
        before = end;
        sound.then_some(GpuStretch { end, rows_end })
    });
    let stretches: Option<Vec<_>> = stretches.collect();
    let stretches = reader.require(stretches, "processes that get sets in turn")?;
    let known = rows.iter().all(|&row| (row as usize) < sets);
    let sound = known && rows_end as usize == rows.len() && first.checked_add(before).is_some();
    reader.ensure(|| sound, "sets of GPUs that there are")?;
    Ok(NodeKind {
        first,
        stretches,
        rows,
    })
}
