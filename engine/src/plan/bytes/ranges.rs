//! Ranges of PUs, written and read, and ranges of nodes.

use super::frame::BadPlan;
use super::wire::{Reader, Writer};
use crate::limit::PUS_MAX;
use crate::table::names::NodeRange;
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

/// The `count` nodes of the pool that begin `gap` nodes behind `end`; `None`: there are no such nodes.
pub(super) fn nodes_behind(end: u32, gap: u32, count: u32, nodes: u32) -> Option<NodeRange> {
    let first = end.checked_add(gap)?;
    let end = first.checked_add(count)?;
    (count > 0 && end <= nodes).then_some(NodeRange { first, count })
}
