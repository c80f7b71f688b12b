//! Placing one app: which policy counts and lays how. Source: `semantics` 4.

// What policies made of node states.
pub(crate) mod cache;
// Vectors kept from app to app.
pub(crate) mod scratch;
// How many go to each node: arithmetic.
pub(crate) mod share;
// How far equal nodes have come.
pub(crate) mod trial;
// Nodes that fare alike while an app is placed.
pub(crate) mod placement;
// What nodes have room for.
mod learn;
// So many processes more.
pub(crate) mod steps;
// Refusals of several policies.
pub(crate) mod refuse;
// What a map policy says.
pub(crate) mod policy;
// Each node filled before the next.
pub(crate) mod filling;
// One process to each node in turn.
pub(crate) mod rounds;
// The policies, a file each.
mod mpibind;
mod node;
mod object;
pub(crate) mod pe_list;
pub(crate) mod ppr;
mod slot;
// What an app wrote out: which nodes, in which order.
pub(crate) mod entries;
// Placing what was written out.
pub(crate) mod listed;
// Where a component of the launcher's own puts an app.
pub(crate) mod custom;
// What an app comes to.
pub(crate) mod outcome;
// Giving the nodes their new states.
pub(crate) mod commit;
// What listed apps come to, entry by entry.
pub(crate) mod listed_app;

use crate::count::ProcCount;
use crate::error::MapError;
use crate::error::words::Counted;
use crate::policy::{BindStrength, BindTo, MapBy, Oversubscribe};
use crate::stage::alloc::slots::NotEnoughSlots;
use crate::stage::node::layout::Binding;
use placement::Placement;

/// Places `procs` processes of the app on its groups of nodes, by its map policy.
///
/// # Errors
/// The classes of errors "Room" and "Objects and cpus".
pub(crate) fn place(
    placement: &mut Placement<'_>,
    procs: ProcCount,
    counted: Counted,
) -> Result<(), MapError> {
    begin(placement, procs, counted)?;
    match placement.policy.map {
        MapBy::Slot => slot::place(placement),
        MapBy::Node => node::place(placement),
        MapBy::Object(_) | MapBy::Dist => object::place(placement),
        MapBy::Ppr { per, on } => ppr::place(placement, per, on),
        MapBy::PeList => pe_list::place(placement),
        MapBy::Mpibind(_) => mpibind::place(placement),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => {
            unreachable!("entries are placed by listed.rs")
        }
    }
}

/// Whether the slots hold the processes, and whether these are bound.
fn begin(
    placement: &mut Placement<'_>,
    procs: ProcCount,
    counted: Counted,
) -> Result<(), MapError> {
    let slots = |group: &trial::NodeGroup| u64::from(group.avail) * u64::from(group.nodes.count);
    let avail: u64 = placement.groups.iter().map(slots).sum();
    let short = u64::from(procs.0) > avail;
    if short && placement.policy.oversubscribe == Oversubscribe::Refused {
        return Err(NotEnoughSlots {
            app: placement.app_number(),
            asked: u64::from(procs.0),
            counted,
            left: avail,
            nodes: placement.node_count(),
        }
        .into());
    }
    let policy = &placement.policy;
    let unbound =
        policy.bind == BindTo::Nothing || (short && policy.strength == BindStrength::Default);
    placement.begin(procs, if unbound { Binding::Off } else { Binding::On });
    Ok(())
}
