//! Ranks of one app, written into columns. Equal nodes are one node's rows again and again: a copy. Distinct nodes are a few
//! loops each, or, one process at a time, one loop over all of them.

use super::super::order::Order;
use super::super::places::{KindBits, Packed, visit};
use super::super::profile::{Profiles, Turns};
use super::super::rounds::{Rounds, Turn};
use super::super::{AppPlan, PlacedRun, Plan, row};
use super::{Columns, Scratch, block, lanes, stride};

/// Rows that are copied at once: they stay in the nearest cache.
const BLOCK: usize = 1 << 11;
/// Rows that are written one at a time: so few that it costs less than a loop for each column.
const SHORT: usize = 32;

/// Some of one app's ranks.
pub(super) struct AppRange<'p> {
    plan: &'p Plan,
    app: &'p AppPlan,
    scratch: &'p mut Scratch,
}

/// Rows of one node, or of equal ones behind each other.
#[derive(Clone, Copy)]
struct Stretch<'p> {
    run: &'p PlacedRun,
    /// Which node of the run, and which of its turns, the first row is.
    node: u32,
    at: u32,
    /// Turns of a node.
    count: u32,
    turns: Turns<'p>,
}

impl<'p> AppRange<'p> {
    pub(super) const fn new(plan: &'p Plan, app: &'p AppPlan, scratch: &'p mut Scratch) -> Self {
        Self { plan, app, scratch }
    }

    /// Writes the app ranks from `first` on.
    pub(super) fn write(mut self, first: u32, out: Columns<'_>) {
        match &self.app.order {
            Order::Slot => self.node_major(first, out, None),
            Order::Fill(profiles) => self.node_major(first, out, Some(profiles)),
            Order::Node(rounds) => self.rounds(first, out, rounds, None),
            Order::Span(rounds, profiles) => self.rounds(first, out, rounds, Some(profiles)),
            Order::Listed { ranks, .. } => {
                let listed = self.app.listed();
                let mut at = ranks.find(0, first);
                let mut rank = first;
                let mut out = out;
                while out.len() > 0 {
                    let end = listed
                        .get(at + 1)
                        .map_or(self.app.procs.0, |next| next.rank);
                    let spot = self.app.listed_spot(rank);
                    let run = &self.app.placed.runs[spot.run as usize];
                    let rows = out.len().min((end - rank) as usize);
                    let stretch = Stretch {
                        run,
                        node: spot.node,
                        at: spot.local,
                        count: run.procs,
                        turns: Turns::From(0, run.procs),
                    };
                    self.node(stretch, out.take(rows));
                    rank = end;
                    at += 1;
                }
            }
        }
    }

    fn node_major(&mut self, first: u32, mut out: Columns<'_>, profiles: Option<&'p Profiles>) {
        let before = &self.app.before;
        let runs = &self.app.placed.runs;
        let mut at = before.find(0, first);
        let mut inside = first - before.get(0, at);
        let mut done = 0;
        while done < out.len() {
            let run = &runs[at];
            let turns = profiles.map_or(Turns::From(0, run.procs), |profiles| {
                profiles.turns(row(at), None)
            });
            let rows = (out.len() - done).min((run.procs * run.nodes.count - inside) as usize);
            let stretch = Stretch {
                run,
                node: inside / run.procs,
                at: inside % run.procs,
                count: run.procs,
                turns,
            };
            self.nodes(stretch, (&mut out, done, rows));
            done += rows;
            inside = 0;
            at += 1;
        }
    }

    fn rounds(
        &mut self,
        first: u32,
        mut out: Columns<'_>,
        rounds: &Rounds,
        profiles: Option<&'p Profiles>,
    ) {
        let app = self.app;
        let few = rounds
            .most_of_distinct
            .is_some_and(|most| most <= lanes::FEW);
        let written = self.plan.places.are_whole() && profiles.is_none_or(Profiles::is_written);
        if few && written {
            let from = block::Written {
                app,
                places: &self.plan.places,
                profiles,
            };
            let Scratch { live, lanes, .. } = &mut *self.scratch;
            block::write(from, first, out, rounds, (live, lanes));
            return;
        }
        let Turn {
            mut round,
            run,
            mut place,
        } = rounds.turn(first, |run, round| app.weight(run, round));
        let mut band = rounds.band_of(first);
        let mut live = std::mem::take(&mut self.scratch.live);
        live.clear();
        live.extend((0..row(app.placed.runs.len())).filter(|&run| app.pairs(run, round) > 0));
        let mut at = live.partition_point(|&other| other < run);
        let mut done = 0;
        while done < out.len() {
            if let Some(&row) = live.get(at) {
                let run = &app.placed.runs[row as usize];
                let (count, turns) = match profiles {
                    None => (1, Turns::From(round, 1)),
                    Some(profiles) => {
                        (profiles.pairs(row, round), profiles.turns(row, Some(round)))
                    }
                };
                let rows = (out.len() - done).min((count * run.nodes.count - place) as usize);
                let stretch = Stretch {
                    run,
                    node: place / count,
                    at: place % count,
                    count,
                    turns,
                };
                self.nodes(stretch, (&mut out, done, rows));
                done += rows;
                at += 1;
            } else {
                round += 1;
                at = 0;
                if round == rounds.band(band).rounds.1 {
                    band += 1;
                    live.retain(|&run| app.pairs(run, round) > 0);
                }
            }
            place = 0;
        }
        self.scratch.live = live;
    }

    /// Turns of a node, then those of the nodes behind it, each from its first: `rows` of them, from row `at` on.
    fn nodes(&mut self, stretch: Stretch<'p>, (out, at, rows): (&mut Columns<'_>, usize, usize)) {
        let count = stretch.count as usize;
        if rows <= SHORT && count.min(rows) <= SHORT / 4 && self.few(stretch, out, (at, rows)) {
            return;
        }
        // The rows of one node: the last stride may write into what comes next.
        if stretch.at as usize + rows <= count
            && let Some(places) = self.plan.places.of(stretch.run.pattern)
        {
            let turns = stretch.turns.part(stretch.at, row(rows));
            let (run, node) = (stretch.run, stretch.node);
            if stride::write(out, (at, rows), (run, node), places, turns) {
                return;
            }
        }
        let mut out = out.some(at..at + rows);
        let mut node = stretch.node;
        if stretch.at > 0 || out.len() < 2 * count {
            let rows = out.len().min(count - stretch.at as usize);
            self.node(stretch, out.take(rows));
            node += 1;
        }
        if out.len() == 0 {
            return;
        }
        let whole = Stretch { at: 0, ..stretch };
        let Columns {
            node: nodes,
            local_rank,
            node_rank,
            object,
            cpus,
        } = out;
        let first = count.min(nodes.len());
        let one = Columns {
            node: &mut nodes[..first],
            local_rank: &mut local_rank[..first],
            node_rank: &mut node_rank[..first],
            object: &mut object[..first],
            cpus: &mut cpus[..first],
        };
        self.node(Stretch { node, ..whole }, one);
        each_again(nodes, stretch.run.nodes.first + node, count);
        for column in [local_rank, node_rank, object, cpus] {
            again(column, first);
        }
    }

    /// Few rows. False, and nothing is written: they do not stand written out.
    fn few(&self, stretch: Stretch<'p>, out: &mut Columns<'_>, (at, rows): (usize, usize)) -> bool {
        let run = stretch.run;
        let (Turns::From(first, _), Some(places)) =
            (stretch.turns, self.plan.places.of(run.pattern))
        else {
            return false;
        };
        let kind = KindBits::new(run.kind);
        let out = out.some(at..at + rows);
        let ranks = out.local_rank.iter_mut().zip(out.node_rank);
        let got = out.object.iter_mut().zip(out.cpus);
        let (mut node, mut turn) = (run.nodes.first + stretch.node, stretch.at);
        let rows = out.node.iter_mut().zip(ranks).zip(got);
        let (own, used) = (run.own_before, run.used_before);
        if stretch.count == 1 {
            // The same process of one node after the other.
            let place = places[first as usize];
            let (object, cpus) = (kind.object(place), place.cpus);
            for (((row, ranks), got), node) in rows.zip(node..) {
                *row = node;
                (*ranks.0, *ranks.1) = (own + first, used + first);
                (*got.0, *got.1) = (object, cpus);
            }
            return true;
        }
        for ((row, ranks), got) in rows {
            let local = first + turn;
            let place = places[local as usize];
            *row = node;
            (*ranks.0, *ranks.1) = (own + local, used + local);
            (*got.0, *got.1) = (kind.object(place), place.cpus);
            turn += 1;
            if turn == stretch.count {
                (turn, node) = (0, node + 1);
            }
        }
        true
    }

    /// Neighbouring turns of one node.
    fn node(&mut self, stretch: Stretch<'p>, out: Columns<'_>) {
        let Stretch { run, at, .. } = stretch;
        out.node.fill(run.nodes.first + stretch.node);
        let places = self.plan.places.of(run.pattern);
        let pattern = self.plan.patterns.get(run.pattern);
        let kind = KindBits::new(run.kind);
        let turns = stretch
            .turns
            .some(at..at + row(out.node.len()), &mut self.scratch.locals);
        match turns {
            Turns::From(local, count) => {
                count_up(out.local_rank, run.own_before + local);
                count_up(out.node_rank, run.used_before + local);
                if let Some(places) = places {
                    let places = &places[local as usize..][..count as usize];
                    let columns = out.object.iter_mut().zip(out.cpus);
                    for ((object, cpus), &packed) in columns.zip(places) {
                        *object = kind.object(packed);
                        *cpus = packed.cpus;
                    }
                    return;
                }
                let mut done = 0;
                visit(pattern, local, count, |count, packed| {
                    let end = done + count as usize;
                    out.object[done..end].fill(kind.object(packed));
                    out.cpus[done..end].fill(packed.cpus);
                    done = end;
                });
            }
            Turns::Listed(locals) => {
                let ranks = out.local_rank.iter_mut().zip(out.node_rank);
                for ((local_rank, node_rank), &local) in ranks.zip(locals) {
                    *local_rank = run.own_before + local;
                    *node_rank = run.used_before + local;
                }
                let place = |local: u32| match places {
                    Some(places) => places[local as usize],
                    None => Packed::from(pattern.place(local)),
                };
                let columns = out.object.iter_mut().zip(out.cpus);
                for ((object, cpus), &local) in columns.zip(locals) {
                    let packed = place(local);
                    *object = kind.object(packed);
                    *cpus = packed.cpus;
                }
            }
            Turns::Asked { .. } => unreachable!("some turns are always told"),
        }
    }
}

fn count_up(column: &mut [u32], from: u32) {
    for (value, number) in column.iter_mut().zip(from..) {
        *value = number;
    }
}

/// Repeats the first `count` values to the column's end.
fn again(column: &mut [u32], count: usize) {
    let mut done = count;
    while done < column.len() {
        // Whole rounds: what is copied ends where it began.
        let block = if done >= BLOCK {
            done.min(BLOCK.div_ceil(count) * count)
        } else {
            done
        };
        let rows = block.min(column.len() - done);
        column.copy_within(..rows, done);
        done += rows;
    }
}

/// `count` times each number from `first` on.
fn each_again(column: &mut [u32], first: u32, count: usize) {
    if count == 1 {
        count_up(column, first);
        return;
    }
    if count >= 64 {
        for (rows, node) in column.chunks_mut(count).zip(first..) {
            rows.fill(node);
        }
        return;
    }
    // Few rows a node: the first nodes, then these again with greater numbers.
    let nodes = 256_usize.div_ceil(count);
    let block = (nodes * count).min(column.len());
    let (done, rest) = column.split_at_mut(block);
    for (rows, node) in done.chunks_mut(count).zip(first..) {
        rows.fill(node);
    }
    for (rows, more) in rest.chunks_mut(block).zip((row(nodes)..).step_by(nodes)) {
        for (value, &node) in rows.iter_mut().zip(&*done) {
            *value = node + more;
        }
    }
}
