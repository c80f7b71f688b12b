//! The list of stages: from a resolved request and a machine to a plan.

use crate::error::{MapError, Note};
use crate::plan::{Placed, Plan};
use crate::policy::MapBy;
use crate::stage::app::{Turn, place_app};
use crate::stage::resolve::Resolved;
use crate::stage::{count, pool};
pub use crate::table::machine::{Candidates, CpuList, Machine};

/// A plan, and what is worth knowing about it.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// Where every process is.
    pub plan: Plan,
    /// Notes, in the order they were found.
    pub notes: Vec<Note>,
}

/// Places a resolved job: the engine, in the order of the data.
///
/// # Errors
/// A [`MapError`] when the machine cannot honour the request; nothing is placed then.
pub fn map_resolved(resolved: Resolved, machine: Machine) -> Result<Mapped, MapError> {
    let mut notes = resolved.notes.clone();
    // Which nodes there are, in which state.
    let mut site = pool::build(&resolved, &machine)?;
    let before = site.runs.clone();
    // How many processes, where nobody said; that settles bindings by size.
    let counts = count::count(&site, &resolved)?;
    let sizes = count::for_size(&resolved, &counts);
    // App by app, each on what the earlier ones left.
    let mut table = resolved.apps.clone();
    let mut placed = Vec::with_capacity(table.len());
    let (mut base, mut lines) = (0_u32, 0_u32);
    for (app, &procs) in resolved.apps.ids().zip(&counts) {
        let Some(policy) = resolved.apps.policy(app) else {
            placed.push(Placed::default());
            continue;
        };
        let policy = count::settle(policy, &sizes);
        let id = table.intern(policy);
        let turn = Turn {
            resolved: &resolved,
            app,
            policy: &policy,
            id,
            procs,
            base,
            lines,
        };
        let one = place_app(&mut site, turn, &mut notes)?;
        let procs: u32 = one.runs.iter().map(|run| run.procs * run.nodes.count).sum();
        count::too_large(u64::from(base) + u64::from(procs))?;
        base += procs;
        lines += if policy.map == MapBy::Lsf { procs } else { 0 };
        placed.push(one);
    }
    let (world, patterns) = site.into_world(before);
    Ok(Mapped {
        plan: Plan::assemble(world, table, patterns, placed),
        notes,
    })
}
