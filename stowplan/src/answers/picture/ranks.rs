//! The place of each rank, folded: for the search box.

use super::shape::{Shape, letter};
use serde::Serialize;
use stowplan_engine::plan::Plan;

/// The most ranks for which the table is made.
const RANKS_MAX: u32 = 1 << 22;

/// Ranks from `first` on: `times` groups of `count` ranks, each group with local ranks from `local` on in steps of `step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Fold {
    first: u32,
    count: u32,
    times: u32,
    shape: usize,
    local: u32,
    step: u32,
}

/// The table as JSON, at most `bytes` long. The search does not find ranks beyond its end.
///
/// Cost: a few additions a rank.
pub(super) fn table(plan: &Plan, shapes: &[Shape], drawn: &[usize], bytes: usize) -> String {
    if plan.ranks() > RANKS_MAX {
        return "[]".to_owned();
    }
    let mut of_node = vec![usize::MAX; plan.world().names.len() as usize];
    for (at, shape) in shapes.iter().enumerate() {
        for nodes in &shape.nodes {
            of_node[nodes.first as usize..nodes.end() as usize].fill(at);
        }
    }
    let mut folds: Vec<Fold> = Vec::new();
    let mut open: Option<Fold> = None;
    for (rank, at) in plan.rows() {
        let run = &plan.app(at.app).runs()[at.run as usize];
        let shape = of_node[(run.nodes.first + at.node) as usize];
        let local = run.own_before + at.local;
        if let Some(fold) = &mut open {
            let next = |step: u32| fold.local + fold.count * step == local;
            let goes_on = fold.shape == shape
                && match fold.count {
                    1 => local == fold.local || local == fold.local + 1,
                    _ => next(fold.step),
                };
            if goes_on {
                fold.step = u32::from(fold.count > 1 && fold.step == 1 || local != fold.local);
                fold.count += 1;
                continue;
            }
            close(&mut folds, *fold);
            if folds.len() * 12 > bytes {
                open = None;
                break;
            }
        }
        open = Some(Fold {
            first: rank.0,
            count: 1,
            times: 1,
            shape,
            local,
            step: 0,
        });
    }
    if let Some(fold) = open {
        close(&mut folds, fold);
    }
    written(&folds, drawn, bytes)
}

/// The folds of shapes that are drawn, as JSON.
fn written(folds: &[Fold], drawn: &[usize], bytes: usize) -> String {
    #[derive(Serialize)]
    struct Line(u32, u32, u32, String, u32, u32);
    let lines = folds.iter().filter_map(|fold| {
        let at = drawn.iter().position(|&shape| shape == fold.shape)?;
        let Fold {
            first,
            count,
            times,
            local,
            step,
            ..
        } = *fold;
        Some(Line(first, count, times, letter(at), local, step))
    });
    let mut text = String::from("[");
    for line in lines {
        let line = serde_json::to_string(&line).unwrap_or_default();
        if text.len() + line.len() > bytes {
            break;
        }
        if text.len() > 1 {
            text.push(',');
        }
        text += &line;
    }
    text + "]"
}

fn close(folds: &mut Vec<Fold>, fold: Fold) {
    if let Some(last) = folds.last_mut()
        && (last.count, last.shape, last.local, last.step)
            == (fold.count, fold.shape, fold.local, fold.step)
        && last.first + last.count * last.times == fold.first
    {
        last.times += 1;
        return;
    }
    folds.push(fold);
}
