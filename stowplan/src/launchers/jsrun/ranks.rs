//! Ranks on resource sets, and their cpus. Source: `lines/jsrun/spec.md` 4.

use super::Filled;
use super::asks::{Amount, Asks, Bind};
use super::sets::ResourceSet;
use crate::launchers::line::{LaidProcs, LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::limit::PATTERN_RUNS_MAX;
use stowplan_engine::plan::{ListedRun, RankOrder};

/// What the ranks of a node get, in their order: `turn` ranks of each resource set in turn.
///
/// # Errors
/// `not-modelled` for ranks that need more cores than their resource set has.
///
/// Cost: the ranks of the node.
pub(super) fn pattern(
    asked: &LineAsked<'_>,
    asks: &Asks,
    sets: &[ResourceSet],
    turn: u32,
) -> Result<Vec<LaidProcs>, LineRefused> {
    let unknown = |why: &str| asked.refused("not-modelled", format_args!("-b: {why}"));
    if asks.tasks as usize > PATTERN_RUNS_MAX / sets.len().max(1) {
        return Err(unknown(
            "so many ranks of a resource set are not known here",
        ));
    }
    let mut procs: Vec<LaidProcs> = Vec::new();
    let mut first = 0;
    while first < asks.tasks {
        let end = asks.tasks.min(first.saturating_add(turn));
        for set in sets {
            for task in first..end {
                let cpus = cpus(asks.bind, set, task).ok_or_else(|| {
                    unknown("the ranks of a resource set need more cores than it has; what jsrun does then is not known")
                })?;
                let gpus = (asks.gpus != Amount::Count(0)).then(|| set.gpus.clone());
                LaidProcs::add(&mut procs, 1, cpus, gpus);
            }
        }
        first = end;
    }
    Ok(procs)
}

/// The cpus of a rank: unbound, or none at all if the set has too few cores.
#[expect(
    clippy::option_option,
    reason = "unbound is an answer, no answer is a refusal"
)]
fn cpus(bind: Bind, set: &ResourceSet, task: u32) -> Option<Option<RoaringBitmap>> {
    let union = |cores: &[RoaringBitmap]| {
        cores
            .iter()
            .fold(RoaringBitmap::new(), |all, core| all | core)
    };
    match bind {
        Bind::Unbound => Some(None),
        Bind::Set if set.cores.is_empty() => None,
        Bind::Set => Some(Some(union(&set.cores))),
        Bind::Packed(cores) => {
            let first = task as usize * cores as usize;
            let own = set.cores.get(first..first + cores as usize)?;
            Some(Some(union(own)))
        }
    }
}

/// The order of ranks over nodes.
///
/// # Errors
/// `not-modelled` for more turns than are listed.
pub(super) fn order(
    asked: &LineAsked<'_>,
    asks: &Asks,
    filled: &[Filled],
    turn: u32,
) -> Result<RankOrder, LineRefused> {
    let nodes: u64 = filled.iter().map(|own| u64::from(own.nodes.count)).sum();
    if turn >= asks.tasks || nodes == 1 {
        return Ok(RankOrder::Slot);
    }
    if turn == 1 && filled.iter().all(|own| own.sets == 1) {
        return Ok(RankOrder::Node);
    }
    if nodes * u64::from(asks.tasks.div_ceil(turn)) > PATTERN_RUNS_MAX as u64 {
        let why = "so many turns of ranks are not known here";
        return Err(asked.refused("not-modelled", why));
    }
    let mut runs = Vec::new();
    let (mut rank, mut first) = (0, 0);
    while first < asks.tasks {
        let end = asks.tasks.min(first + turn);
        for own in filled {
            for node in own.nodes.first..own.nodes.end() {
                let local = first * own.sets;
                runs.push(ListedRun { rank, node, local });
                rank += (end - first) * own.sets;
            }
        }
        first = end;
    }
    Ok(RankOrder::Listed(runs))
}
