//! Tasks dealt over the chosen nodes, and the order of their ranks. Source: `lines/slurm/spec.md` 5.

use super::distribution::First;
use super::gpus;
use super::job::{Dealt, NodeRun};
use super::node::Scene;
use super::refusals;
use super::rules::Change;
use super::tasks_per_node::{self, Share};
use crate::launchers::line::{LaidApp, LaidProcs, LaidRun, LineRefused};
use std::collections::HashMap;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::plan::{ListedRun, RankOrder};
use stowplan_engine::table::names::NodeRange;

/// A step that is laid out.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    /// Its nodes, in order.
    pub(super) dealt: Vec<Dealt<'a>>,
    pub(super) patterns: Vec<Vec<LaidProcs>>,
    pub(super) app: LaidApp,
}

/// The most groups of nodes of which counts are shown.
const COUNTS_SHOWN: usize = 8;

impl Layout<'_> {
    /// Tasks of each node as Slurm writes them: `3,2(x2)`.
    pub(super) fn counts(&self) -> String {
        let mut groups: Vec<(u64, u64)> = Vec::new();
        for own in &self.dealt {
            match groups.last_mut() {
                Some((tasks, nodes)) if *tasks == own.tasks => *nodes += u64::from(own.nodes.count),
                Some(_) | None => groups.push((own.tasks, u64::from(own.nodes.count))),
            }
        }
        let shown = groups.iter().take(COUNTS_SHOWN);
        let mut parts: Vec<String> = shown
            .map(|(tasks, nodes)| match nodes {
                1 => tasks.to_string(),
                nodes => format!("{tasks}(x{nodes})"),
            })
            .collect();
        if groups.len() > COUNTS_SHOWN {
            parts.push("…".to_owned());
        }
        parts.join(",")
    }
}

/// The patterns and the app of a step.
pub(super) fn lay<'a>(
    scene: &'a Scene<'_>,
    program: Vec<String>,
) -> Result<Layout<'a>, LineRefused> {
    let step = scene.step;
    if step.tasks > u64::from(RANKS_MAX) {
        return Err(refusals::refuses(format!(
            "{} tasks: at most {RANKS_MAX} are possible",
            step.tasks
        )));
    }
    let (dealt, order) = match step.distribution.first {
        First::Arbitrary => arbitrary(scene),
        first @ (First::Block | First::Cyclic | First::Plane(_)) => by_counts(scene, first),
    };
    let dealt = gpus::dealt(step, scene.job, dealt)?;
    let empty = dealt.iter().any(|own| own.tasks == 0);
    if empty && step.rules.has(Change::NoIdleNode) {
        return Err(refusals::refuses(
            "Unable to create step: Task count specification invalid: a node of the step would have no task",
        ));
    }
    let mut patterns = Vec::new();
    let mut known = HashMap::new();
    let mut runs: Vec<LaidRun> = Vec::new();
    for own in dealt.iter().filter(|own| own.tasks > 0) {
        let key = (
            own.run.shape,
            own.run.cores,
            own.run.raw,
            own.tasks,
            own.gpus,
        );
        let pattern = match known.get(&key) {
            Some(&pattern) => pattern,
            None => {
                patterns.push(scene.procs(own)?);
                known.insert(key, patterns.len() - 1);
                patterns.len() - 1
            }
        };
        LaidRun::add(&mut runs, own.nodes, pattern);
    }
    let app = LaidApp {
        number: 0,
        program,
        runs,
        order,
    };
    Ok(Layout {
        dealt,
        patterns,
        app,
    })
}

fn by_counts<'a>(scene: &'a Scene<'_>, first: First) -> (Vec<Dealt<'a>>, RankOrder) {
    let parts: Vec<(NodeRange, &NodeRun)> = scene.job.of(&scene.chosen.nodes).collect();
    let mut shares: Vec<Share> = parts
        .iter()
        .map(|(nodes, run)| Share {
            nodes: u64::from(nodes.count),
            room: scene.room(run),
            tasks: 0,
        })
        .collect();
    let tasks = scene.step.tasks;
    match first {
        First::Cyclic => tasks_per_node::cyclic(&mut shares, tasks),
        First::Plane(size) => tasks_per_node::plane(&mut shares, tasks, size),
        First::Block | First::Arbitrary if scene.step.pack => {
            tasks_per_node::pack(&mut shares, tasks)
        }
        First::Block | First::Arbitrary => tasks_per_node::block(&mut shares, tasks),
    }
    let mut dealt = Vec::new();
    let mut shares = shares.into_iter().peekable();
    for (nodes, run) in parts {
        let mut from = nodes.first;
        while from < nodes.end() {
            let Some(share) = shares.peek_mut() else {
                break;
            };
            let count = u32::try_from(share.nodes)
                .unwrap_or(u32::MAX)
                .min(nodes.end() - from);
            dealt.push(Dealt {
                nodes: NodeRange::until(from, from + count),
                run,
                tasks: share.tasks,
                gpus: None,
            });
            from += count;
            share.nodes -= u64::from(count);
            if share.nodes == 0 {
                shares.next();
            }
        }
    }
    let order = match first {
        First::Cyclic | First::Plane(1) => RankOrder::Node,
        First::Plane(size) if dealt.iter().any(|own| own.tasks > size) => planes(&dealt, size),
        First::Block | First::Arbitrary | First::Plane(_) => RankOrder::Slot,
    };
    (dealt, order)
}

fn narrow(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// So many ranks to a node, then the next node.
fn planes(dealt: &[Dealt<'_>], size: u64) -> RankOrder {
    let mut list = Vec::new();
    let (mut rank, mut local) = (0, 0);
    let most = dealt.iter().map(|own| own.tasks).max().unwrap_or(0);
    while local < most {
        for own in dealt.iter().filter(|own| own.tasks > local) {
            for node in own.nodes.first..own.nodes.end() {
                list.push(ListedRun {
                    rank: narrow(rank),
                    node,
                    local: narrow(local),
                });
                rank += size.min(own.tasks - local);
            }
        }
        local += size;
    }
    RankOrder::Listed(list)
}

/// Each rank on the node of the list.
fn arbitrary<'a>(scene: &'a Scene<'_>) -> (Vec<Dealt<'a>>, RankOrder) {
    let mut count: HashMap<u32, u64> = HashMap::new();
    let mut list = Vec::new();
    let mut rank = 0;
    for range in &scene.step.order {
        for nodes in scene.job.names.find(range).0 {
            for node in nodes.first..nodes.end() {
                let local = count.entry(node).or_default();
                list.push(ListedRun {
                    rank,
                    node,
                    local: narrow(*local),
                });
                *local += 1;
                rank += 1;
            }
        }
    }
    let mut dealt: Vec<Dealt<'a>> = Vec::new();
    for (nodes, run) in scene.job.of(&scene.chosen.nodes) {
        for node in nodes.first..nodes.end() {
            dealt.push(Dealt {
                nodes: NodeRange::until(node, node + 1),
                run,
                tasks: count.get(&node).copied().unwrap_or(0),
                gpus: None,
            });
        }
    }
    (dealt, RankOrder::Listed(list))
}
