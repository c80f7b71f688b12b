//! Ranges of PUs, written and read.

use super::wire::{BadPlan, Reader, Writer};
use crate::limit::PUS_MAX;
use std::ops::Range;

pub(super) fn write_ranges(writer: &mut Writer, ranges: &[(u32, u32)]) {
    writer.size(ranges.len());
    for &(first, end) in ranges {
        writer.number(first);
        writer.number(end - first);
    }
}

pub(super) fn read_ranges(reader: &mut Reader<'_>) -> Result<Vec<Range<u32>>, BadPlan> {
    let size = reader.size(1, "a number of ranges")?;
    let mut ranges = Vec::with_capacity(size.min(1024));
    for _ in 0..size {
        let first = reader.number(PUS_MAX, "a PU")?;
        let count = reader.number(PUS_MAX, "a number of PUs")?;
        ranges.push(first..first + count);
    }
    Ok(ranges)
}
