//! Where the processes of one app go. Each file has one policy. `docs/semantics.md` section 4.

// slot: fill each node's slots before the next node.
mod slot;
// node: one process after the other over the nodes.
mod node;
// Objects: core, numa, package …, with and without SPAN; dist.
mod object;
// ppr: N processes on each object.
mod ppr;
// pe-list: one process for each listed cpu.
mod pe_list;
// seq, rankfile, lsf: as the file lists them.
mod listed;
// mpibind: memory first.
mod mpibind;
// The second pass: shares out the processes that are too many.
mod share;

pub(crate) use listed::{Reading, entries_of, need_entries, place_listed};

use crate::refusal::Refusal;
use crate::turn::Turn;
use stowplan_engine::policy::{MapBy, Span};

/// Places an app whose policy lists no entries, after the checks that all such policies have in common (section 4, "common").
pub(crate) fn place(turn: &mut Turn<'_, '_>) -> Result<(), Refusal> {
    let slots: u64 = turn.seats.iter().map(|seat| seat.avail).sum();
    if turn.left > slots {
        if !turn.oversubscribes() {
            return Refusal::err(
                "not-enough-slots",
                format!("{:?}: {} processes, {slots} slots", turn.app, turn.left),
            );
        }
        if turn.by_default() {
            for seat in &mut turn.seats {
                seat.gave_up = true;
            }
        }
    }
    match turn.policy.map {
        MapBy::Slot => slot::place(turn),
        MapBy::Mpibind(options) => mpibind::place(turn, options),
        MapBy::Node => node::place(turn),
        MapBy::Object(_) | MapBy::Dist | MapBy::Device(_) => match turn.policy.span {
            Span::No => object::fill(turn),
            Span::Yes => object::span(turn),
        },
        MapBy::Ppr { per, on } => ppr::place(turn, u64::from(per), on),
        MapBy::PeList => pe_list::place(turn),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => unreachable!("placed entry by entry"),
        MapBy::Given => unreachable!("no word asks for given masks"),
    }
}
