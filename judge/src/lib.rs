//! The judge: verifies a finished plan from its promises alone. It uses the engine's tables and plan, and none of its stages.
//!
//! Why this suffices: a placement is right when three things hold. Every node, taken alone, deals objects and cpus from its
//! state as `semantics` 4 and 7 say (`walk`). The states of the nodes follow from each other app by app, and end as the plan
//! says (`counts`). Ranks are the sums of `semantics` 6 (`ranks`). All three checks work on runs of equal nodes and distinct
//! patterns, so a plan of a million equal ranks is judged in the time of one node.
//!
//! That no cpu is given to two processes, unless overload allows it, follows from this: `cpus` binds each process again to what earlier
//! processes left free, `walk` compares ([`Promise::Cpus`]), and `counts` carries what is free from app to app.
//!
//! An internal crate of stowplan: nothing in it is promised to stay as it is. Launchers use the crate `stowplan`.

// A broken promise: which one, where, what was found and what was promised.
mod fault;
// Sets of PUs of a node.
mod bits;
// A topology as the judge reads it.
mod hardware;
// Entries of files: the node and the cpus that each one promises.
mod listed;
// The order of devices.
mod devices;
// Objects in turn: which one the next process is mapped to.
mod places;
// Bindings, overload, disjointness.
mod bindings;
// The cpus that a plan names.
mod kept_sets;
// One app on one node, process by process.
mod walk;
// The passes in which an app came to a node.
mod passes;
// Lists of cpus.
mod pelist;
// Processes that an entry of a file places.
mod entry;
// What mpibind deals.
mod mpibind;
// Sums and capacities; node states carried from app to app.
mod counts;
// Nodes that differ only in the OS numbers of their cpus.
mod alike;
// Processes that a launcher's own rules placed.
mod given;
// Results of walks.
mod outcomes;
// The states that the job leaves, compared with the plan's.
mod books;
// Each rank once, in the order promised.
mod ranks;
// Which GPUs each process is given.
mod gpus;
// Whether a plan answers a job.
mod same;

pub use fault::{Fault, Promise, Seen, Where};

use fault::Faults;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;

/// Verifies a plan.
///
/// Cost: placed runs, distinct patterns and distinct node states. Ranks are sampled; up to 4,096 ranks, all are checked.
///
/// # Errors
/// The broken promises, at most 64.
///
/// ```
/// use stowplan_engine::plan::Plan;
/// use stowplan_judge::check;
/// assert_eq!(check(&Plan::default()), Ok(()));
/// ```
pub fn check(plan: &Plan) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::default();
    ranks::bases(plan, &mut faults);
    let mut ledger = counts::Ledger::open(plan, &mut faults);
    for app in plan.resolved_apps().ids() {
        ledger.app(app);
    }
    ledger.close();
    // Ranks can be checked only when the runs are sound.
    if faults.list.is_empty() {
        ranks::node_order(plan, &mut faults);
        for app in plan.resolved_apps().ids() {
            ranks::app(plan, app, &mut faults);
        }
        gpus::given(plan, &mut faults);
    }
    verdict(faults)
}

/// Verifies a plan, and checks that the place of every `step`-th rank has that rank.
///
/// Cost: that of [`check`], plus the ranks that are looked up.
///
/// # Errors
/// The broken promises, at most 64.
pub fn check_ranks(plan: &Plan, step: std::num::NonZeroU32) -> Result<(), Vec<Fault>> {
    check(plan)?;
    let mut faults = Faults::default();
    let mut rank = 0;
    while rank < plan.ranks() && !faults.full() {
        let back = plan.locate(Rank(rank)).map(|at| plan.rank_of(at));
        if back != Some(Rank(rank)) {
            let at = Where {
                rank: Some(rank),
                ..Where::default()
            };
            let found = back.map_or(Seen::Nothing, |back| Seen::Number(u64::from(back.0)));
            faults.add(
                Promise::RankInverse,
                at,
                found,
                Seen::Number(u64::from(rank)),
            );
        }
        rank = rank.saturating_add(step.get());
    }
    verdict(faults)
}

/// Whether a plan answers the job that `answer` was made for: the same apps, nodes, places and ranks.
///
/// Cost: the placed runs and distinct patterns of both. Neither plan is verified by itself: that is [`check`].
///
/// # Errors
/// The first difference, or a few.
pub fn check_job(plan: &Plan, answer: &Plan) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::default();
    same::compare(plan, answer, &mut faults);
    verdict(faults)
}

/// Whether the places and ranks of a plan are those of another plan of the same job on the same nodes: that of the rules.
///
/// Cost: as [`check_job`].
///
/// # Errors
/// The first difference, or a few.
pub fn check_places(plan: &Plan, rules: &Plan) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::default();
    same::compare_places(plan, rules, &mut faults);
    verdict(faults)
}

fn verdict(faults: Faults) -> Result<(), Vec<Fault>> {
    if faults.list.is_empty() {
        Ok(())
    } else {
        Err(faults.list)
    }
}
