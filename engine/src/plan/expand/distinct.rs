//! Rounds over nodes that are hardly ever equal to their neighbours: each rank is another node's, and what it gets stands far
//! from what its neighbours get.
//!
//! Round after round would fetch a cache line for each rank. So some rounds are written side by side, node after node: what
//! a node's processes get in all of these stands together.

use super::super::places::{KindBits, Packed};
use super::super::profile::{Profiles, Turns};
use super::super::rounds::{Rounds, Turn};
use super::super::{AppPlan, Plan, row};
use super::Columns;

/// Rounds that are written side by side: as many as a cache line has places.
const ROUNDS: usize = 8;
/// Runs that are fetched before they are written.
const RUNS: usize = 128;

/// One round's rows.
struct Part<'c> {
    round: u32,
    /// The run and the node of it with which the rows begin, and how many of its turns stand before them.
    from: (u32, u32),
    skip: u32,
    out: Columns<'c>,
    /// Rows that are written.
    at: usize,
}

impl Part<'_> {
    /// Writes the next row.
    #[inline]
    fn push(&mut self, [node, local_rank, node_rank]: [u32; 3], object: u32, cpus: u32) {
        let at = self.at;
        self.out.node[at] = node;
        self.out.local_rank[at] = local_rank;
        self.out.node_rank[at] = node_rank;
        self.out.object[at] = object;
        self.out.cpus[at] = cpus;
        self.at = at + 1;
    }
}

/// Writes the app ranks from `first` on.
pub(super) fn write(
    (plan, app): (&Plan, &AppPlan),
    first: u32,
    mut out: Columns<'_>,
    (rounds, profiles): (&Rounds, Option<&Profiles>),
) {
    let mut turn = rounds.turn(first, |run, round| app.weight(run, round));
    let mut rank = first;
    let mut scratch = Vec::new();
    while out.len() > 0 {
        let mut parts: Vec<Part<'_>> = Vec::with_capacity(ROUNDS);
        while out.len() > 0 && parts.len() < ROUNDS {
            let band = rounds.band(rounds.band_of(rank));
            let end = band.rank + (turn.round - band.rounds.0 + 1) * band.width;
            let rows = out.len().min((end - rank) as usize);
            let pairs = app.pairs(turn.run, turn.round).max(1);
            parts.push(Part {
                round: turn.round,
                from: (turn.run, turn.place / pairs),
                skip: turn.place % pairs,
                out: out.take(rows),
                at: 0,
            });
            rank += row(rows);
            turn = Turn {
                round: turn.round + 1,
                run: 0,
                place: 0,
            };
        }
        let runs = match &parts[..] {
            [only] => only.from.0,
            _ => 0,
        };
        let runs = runs..row(app.placed.runs.len());
        let Some(profiles) = profiles else {
            let round = parts[0].round;
            let mut fetched = runs.filter_map(|run| fetch(plan, app, run, round));
            let mut some = Vec::with_capacity(RUNS);
            loop {
                some.clear();
                some.extend(fetched.by_ref().take(RUNS));
                if some.is_empty() {
                    break;
                }
                singles(app, &some, &mut parts);
            }
            continue;
        };
        for run in runs {
            several((plan, app, profiles), run, &mut parts, &mut scratch);
        }
    }
}

/// What the processes of a run get in some rounds, fetched before any is written: so that fetches overlap.
#[derive(Clone, Copy)]
struct Fetched {
    run: u32,
    /// In how many of the rounds it takes part.
    left: u32,
    places: [Packed; ROUNDS],
}

fn fetch(plan: &Plan, app: &AppPlan, run: u32, first: u32) -> Option<Fetched> {
    let placed = &app.placed.runs[run as usize];
    let left = placed.procs.checked_sub(first).filter(|&left| left > 0)?;
    let mut places = [Packed::default(); ROUNDS];
    match plan.places.of(placed.pattern) {
        Some(written) => {
            let written = &written[first as usize..];
            match written.first_chunk() {
                Some(all) => places = *all,
                None => places[..written.len()].copy_from_slice(written),
            }
        }
        None => {
            let pattern = plan.patterns.get(placed.pattern);
            let asked = first..first.saturating_add(left);
            for (place, local) in places.iter_mut().zip(asked) {
                *place = pattern.place(local).into();
            }
        }
    }
    Some(Fetched { run, left, places })
}

/// Writes some rounds of some runs, in each of which a node has one process: the round is its number.
fn singles(app: &AppPlan, fetched: &[Fetched], parts: &mut [Part<'_>]) {
    for fetched in fetched {
        let run = &app.placed.runs[fetched.run as usize];
        let kind = KindBits::new(run.kind);
        for node in 0..run.nodes.count {
            let host = run.nodes.first + node;
            // Only the first round may begin behind this node, only the last one end before it.
            let before = usize::from((fetched.run, node) < parts[0].from);
            let rows = parts.iter_mut().zip(&fetched.places);
            for (part, &packed) in rows.take(fetched.left as usize).skip(before) {
                if part.at < part.out.len() {
                    let local = part.round;
                    let ranks = [host, run.own_before + local, run.used_before + local];
                    part.push(ranks, kind.object(packed), packed.cpus);
                }
            }
        }
    }
}

/// Writes some rounds of a run, in which its nodes have processes on several objects.
fn several(
    (plan, app, profiles): (&Plan, &AppPlan, &Profiles),
    at: u32,
    parts: &mut [Part<'_>],
    scratch: &mut Vec<u32>,
) {
    let run = &app.placed.runs[at as usize];
    let kind = KindBits::new(run.kind);
    let places = plan.places.of(run.pattern);
    let pattern = plan.patterns.get(run.pattern);
    for part in parts {
        let count = profiles.pairs(at, part.round);
        if count == 0 {
            // Who sits out a round sits out all that follow.
            return;
        }
        let turns = profiles.turns(at, Some(part.round)).some(0..count, scratch);
        for node in 0..run.nodes.count {
            if (at, node) < part.from {
                continue;
            }
            let skip = if (at, node) == part.from {
                part.skip
            } else {
                0
            };
            let end = count.min(skip.saturating_add(row(part.out.len() - part.at)));
            for turn in skip..end {
                let local = match turns {
                    Turns::From(first, _) => first + turn,
                    Turns::Listed(locals) => locals[turn as usize],
                    Turns::Asked { .. } => unreachable!("some turns are always told"),
                };
                let packed = match places {
                    Some(places) => places[local as usize],
                    None => Packed::from(pattern.place(local)),
                };
                let host = run.nodes.first + node;
                let ranks = [host, run.own_before + local, run.used_before + local];
                part.push(ranks, kind.object(packed), packed.cpus);
            }
        }
    }
}
