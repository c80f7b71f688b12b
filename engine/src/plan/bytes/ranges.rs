//! Ranges of PUs, written and read.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::limit::PUS_MAX;
use std::ops::Range;

pub(super) fn write_ranges(writer: &mut Writer, ranges: &[Range<u32>]) {
    writer.size(ranges.len());
    for range in ranges {
        writer.number(range.start);
        writer.number(range.end - range.start);
    }
}

pub(super) fn read_ranges(reader: &mut Reader<'_>) -> Result<Vec<Range<u32>>, BadPlan> {
    reader.list("a number of ranges", |reader| {
        let first = reader.number(PUS_MAX, "a PU")?;
        let count = reader.number(PUS_MAX, "a number of PUs")?;
        Ok(first..first + count)
    })
}
