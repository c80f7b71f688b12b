//! The judge: verifies a finished plan from its promises alone. Of the engine it knows tables and plans, not one stage.
//!
//! Why it suffices: a placement is right when every node, taken alone, deals objects and cpus as `semantics` 4 and 7 say
//! from the state it was in (`walk`), when the states of the nodes follow from each other app by app and end as the plan
//! says they end (`counts`), and when ranks are the sums of `semantics` 6 (`ranks`). All three follow runs of equal nodes
//! and distinct patterns: a plan of a million equal ranks is judged in the time of one node.
//!
//! An inner part of stowplan: nothing here is promised to stay as it is. Launchers use the crate `stowplan`.

// A broken promise: which, where, both numbers.
mod fault;
// Sets of PUs of a node.
mod bits;
// A topology as the judge reads it.
mod hardware;
// Entries that a user wrote out.
mod listed;
// Objects in turn.
mod places;
// Bindings, overload, disjointness.
mod cpus;
// The cpus that a plan names.
mod masks;
// One app on one node, process by process.
mod walk;
// In which passes it came there.
mod passes;
// Lists of cpus.
mod pelist;
// Entries of files.
mod entry;
// What mpibind deals.
mod mpibind;
// Sums and capacities, state carried over.
mod counts;
// Nodes that differ in what their cpus are called.
mod alike;
// What walks come to.
mod outcomes;
// What is left, beside what the plan says.
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
/// Cost: placed runs, distinct patterns and distinct node states; ranks are sampled, all of them up to 4,096.
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
    for app in plan.table().ids() {
        ledger.app(app);
    }
    ledger.close();
    // Questions about ranks need sound runs.
    if faults.list.is_empty() {
        ranks::node_order(plan, &mut faults);
        for app in plan.table().ids() {
            ranks::app(plan, app, &mut faults);
        }
        gpus::given(plan, &mut faults);
    }
    verdict(faults)
}

/// Verifies a plan, and that every `step`-th rank is found where it says it is.
///
/// Cost: as [`check`], and the ranks asked.
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
/// Cost: the placed runs and distinct patterns of both. Neither is judged by itself: that is [`check`].
///
/// # Errors
/// The first difference, or a few.
pub fn check_job(plan: &Plan, answer: &Plan) -> Result<(), Vec<Fault>> {
    let mut faults = Faults::default();
    same::compare(plan, answer, &mut faults);
    verdict(faults)
}

fn verdict(faults: Faults) -> Result<(), Vec<Fault>> {
    if faults.list.is_empty() {
        Ok(())
    } else {
        Err(faults.list)
    }
}
