//! The network cards of processes in bytes: in broadcasts by kinds of nodes, in slices by process.
//!
//! Only frames whose edition has devices beside GPUs have these parts.

use super::frame::BadPlan;
use super::ranges::nodes_behind;
use super::wire::{Reader, Writer};
use crate::limit::OBJECTS_MAX;
use crate::plan::nics::{MappedNics, NicRow};
use crate::text::printable::disturbs;

/// Writes which cards the processes of each node have.
pub(super) fn write(writer: &mut Writer, nics: &MappedNics) {
    write_sets(writer, &nics.sets);
    writer.size(nics.kinds.len());
    for rows in &nics.kinds {
        writer.table(rows.iter().map(|row| [row.app, row.device, row.set]));
    }
    let mut end = 0;
    writer.table(nics.nodes.iter().map(|&(nodes, kind)| {
        let gap = nodes.first - end;
        end = nodes.end();
        [gap, nodes.count, kind]
    }));
}

/// Reads what [`write`] wrote. `apps`, `nodes`: how many there are.
pub(super) fn read(
    reader: &mut Reader<'_>,
    apps: usize,
    nodes: u32,
) -> Result<MappedNics, BadPlan> {
    let sets = read_sets(reader)?;
    reader.ensure(|| !sets.is_empty(), "network cards")?;
    let kinds = reader.list("a number of kinds of nodes", |reader| {
        let rows = reader.table()?.into_iter();
        let rows: Vec<NicRow> = rows
            .map(|[app, device, set]| NicRow { app, device, set })
            .collect();
        let known = |row: &NicRow| {
            (row.app as usize) < apps && row.device < OBJECTS_MAX && (row.set as usize) < sets.len()
        };
        let behind =
            |pair: &[NicRow]| (pair[0].app, pair[0].device) < (pair[1].app, pair[1].device);
        let sound = rows.iter().all(known) && rows.windows(2).all(behind);
        reader.ensure(|| sound, "apps, devices and network cards that there are")?;
        Ok(rows)
    })?;
    let mut end = 0;
    let stretches = reader.table()?.into_iter().map(|[gap, count, kind]| {
        let known = (kind as usize) < kinds.len();
        let range = nodes_behind(end, gap, count, nodes).filter(|_| known)?;
        end = range.end();
        Some((range, kind))
    });
    let stretches: Option<Vec<_>> = stretches.collect();
    Ok(MappedNics {
        nodes: reader.require(stretches, "nodes and kinds of nodes that there are")?,
        sets,
        kinds,
    })
}

/// Writes lists of names.
pub(crate) fn write_sets<S: AsRef<[String]>>(writer: &mut Writer, sets: &[S]) {
    writer.size(sets.len());
    for set in sets {
        writer.size(set.as_ref().len());
        set.as_ref().iter().for_each(|name| writer.text(name));
    }
}

pub(crate) fn read_sets(reader: &mut Reader<'_>) -> Result<Vec<Vec<String>>, BadPlan> {
    reader.list("a number of lists of network cards", |reader| {
        let names = reader.list("a number of network cards", |reader| {
            let name = reader.text()?.to_owned();
            let printable = !name.is_empty() && !name.contains(disturbs);
            reader.ensure(|| printable, "a name without control characters")?;
            Ok(name)
        })?;
        reader.ensure(|| !names.is_empty(), "a network card")?;
        Ok(names)
    })
}
