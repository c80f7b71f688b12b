//! Which GPUs the processes of each shape are given, and which network cards they are mapped to.

use super::shapes::Shape;
use super::shown::{LINES_MAX, Shown};
use super::table;
use crate::format::Told;
use stowplan::answers::gpus::{by_local_rank, nics_by_local_rank, node};

/// A line for each shape, as far as there is room after `before` lines.
pub(super) fn lines(told: &Told<'_>, shown: &Shown, before: usize) -> Vec<String> {
    let plan = told.plan;
    let (gpus, nics) = (plan.tells_gpus(), plan.nics().any());
    if !gpus && !nics {
        return Vec::new();
    }
    // After them come a blank line, two lines of pictures, two of legend, ranks, next.
    let room = LINES_MAX.saturating_sub(before + 7);
    let of = |(at, shape): (usize, &Shape)| {
        let node = node(shape.nodes.first()?.first);
        let list = gpus.then(|| by_local_rank(plan, &plan.given_gpus_on(node), node));
        let cards = nics.then(|| nics_by_local_rank(plan, node));
        let line = |word: &str, list: Option<String>| {
            let letter = table::letter(at);
            list.map(|list| format!("{letter}  {word} by local rank  {list}"))
        };
        let gpus = line("gpus", list.flatten());
        Some([gpus, line("nics", cards.flatten())])
    };
    let shapes = shown.shapes.iter().enumerate();
    let lines = shapes.filter_map(of).flatten().flatten();
    lines.take(room).collect()
}
