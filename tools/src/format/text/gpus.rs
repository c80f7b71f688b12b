//! Which GPUs the processes of each shape are given.

use super::shapes::Shape;
use super::shown::{LINES_MAX, Shown};
use super::table;
use crate::format::Told;
use stowplan_answers::gpus::{by_local_rank, node};

/// A line for each shape, as far as there is room after `before` lines.
pub(super) fn lines(told: &Told<'_>, shown: &Shown, before: usize) -> Vec<String> {
    let plan = told.plan;
    if !plan.tells_gpus() {
        return Vec::new();
    }
    // After them come a blank line, two lines of pictures, two of legend, ranks, next.
    let room = LINES_MAX.saturating_sub(before + 7);
    let of = |(at, shape): (usize, &Shape)| {
        let node = node(shape.nodes.first()?.first);
        let list = by_local_rank(plan, &plan.given_gpus_on(node), node)?;
        Some(format!("{}  gpus by local rank  {list}", table::letter(at)))
    };
    let lines = shown.shapes.iter().enumerate().filter_map(of);
    lines.take(room).collect()
}
