//! What a picture shows, in one sentence.

use super::seats::Seats;
use super::shape::Shape;
use super::tree::{Part, Tree};
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;

/// The sentence, of the first shape that is drawn and of how many there are.
pub(super) fn sentence(plan: &Plan, all: &[Shape], first: Option<&(Tree, Seats)>) -> String {
    let nodes: u64 = all.iter().map(|shape| shape.count).sum();
    let shown = |shape: &Shape| match &shape.chosen {
        Some(locals) => locals.len() as u64,
        None => shape.size(),
    };
    let ranks: u64 = all.iter().map(|shape| shape.count * shown(shape)).sum();
    let idle = u64::from(plan.world().names.len()) - nodes;
    let mut text = format!("{} on {}", counted(ranks, "rank"), counted(nodes, "node"));
    if all.iter().any(|shape| shape.chosen.is_some()) {
        text += " that were asked for";
    } else if idle > 0 {
        text += &format!(", {} idle", counted(idle, "more node"));
    }
    text += &match all.len() {
        0 | 1 if nodes > 1 => ", all alike".to_owned(),
        0 | 1 => String::new(),
        shapes => format!(", of {shapes} shapes"),
    };
    let sizes = || all.iter().map(shown);
    if let (Some(least), Some(most)) = (sizes().min(), sizes().max())
        && nodes > 1
    {
        text += &match least == most {
            true => format!(": {} on each", counted(most, "rank")),
            false => format!(": {least} to {} on each", counted(most, "rank")),
        };
    }
    let Some((tree, seats)) = first else {
        return text + ".";
    };
    let cores = tree.leaves.len();
    let free = (0..cores)
        .filter(|leaf| !seats.used.contains(leaf) && !seats.forbidden.contains(leaf))
        .count();
    let whose = if all.len() > 1 {
        " of the first shape"
    } else {
        ""
    };
    let cores = counted(cores as u64, "core");
    text += &match free {
        0 => format!("; ranks may run on each of the {cores}{whose}"),
        free => format!("; {free} of {cores}{whose} are idle"),
    };
    match kept(&tree.root) + seats.forbidden.len() {
        0 => {}
        kept => text += &format!(", and {kept} more are kept from jobs"),
    }
    text + "."
}

/// Cores that no job gets.
fn kept(part: &Part) -> usize {
    part.kept.len() + part.parts.iter().map(kept).sum::<usize>()
}
