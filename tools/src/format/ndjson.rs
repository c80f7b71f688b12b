//! An object per rank, one per line; its keys are the columns of `tsv`. Also writes some lines of `tsv`.

use super::tsv::HEADER;
use super::watch::Watch;
use roaring::RoaringBitmap;
use std::io::{self, Write};
use stowplan::answers::row::{Row, Rows};
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;

/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;

/// Writes some ranks, or all ranks, as JSON.
///
/// # Errors
/// When `out` refuses a write, or `watch` ends the output.
///
/// Cost: a search and a line per rank. Memory: a block.
pub fn write(
    plan: &Plan,
    some: Option<&RoaringBitmap>,
    out: &mut dyn Write,
    watch: &mut dyn Watch,
) -> io::Result<()> {
    lines(plan, some, out, watch, |row, buf| {
        // Of foreign text a row has names of nodes alone, which have no signs that disturb.
        serde_json::to_writer(buf, row).map_err(io::Error::from)
    })
}

/// Writes some ranks as lines of `tsv`.
///
/// # Errors
/// As [`write()`].
pub fn write_tsv(
    plan: &Plan,
    some: &RoaringBitmap,
    out: &mut dyn Write,
    watch: &mut dyn Watch,
) -> io::Result<()> {
    out.write_all(HEADER.as_bytes())?;
    lines(plan, Some(some), out, watch, |row, buf| {
        buf.extend_from_slice(row.tsv().as_bytes());
        Ok(())
    })
}

fn lines(
    plan: &Plan,
    some: Option<&RoaringBitmap>,
    out: &mut dyn Write,
    watch: &mut dyn Watch,
    line: impl Fn(&Row, &mut Vec<u8>) -> io::Result<()>,
) -> io::Result<()> {
    let all = 0..plan.ranks();
    let ranks: Box<dyn Iterator<Item = u32>> = match some {
        Some(some) => Box::new(some.iter()),
        None => Box::new(all),
    };
    let mut rows = Rows::new(plan);
    let mut buf = Vec::with_capacity(BLOCK + (BLOCK >> 2));
    for rank in ranks {
        if let Some(row) = rows.row(Rank(rank)) {
            line(&row, &mut buf)?;
            buf.push(b'\n');
        }
        if buf.len() >= BLOCK {
            out.write_all(&buf)?;
            buf.clear();
            watch.at(rank, plan.ranks())?;
        }
    }
    out.write_all(&buf)
}
