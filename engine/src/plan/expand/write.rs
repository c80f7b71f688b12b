//! The rows of a plan, stretch by stretch: what is read stands side by side, whatever the apps are. Equal nodes are one node's
//! rows again and again; many distinct nodes, one process of each at a time, are blocks.

use super::super::order::Order;
use super::super::places::{KindBits, Packed};
use super::super::profile::{Profiles, Turns};
use super::super::rounds::Turn;
use super::super::stretches::{Band, Nodes, Source, Stretch, Turns as RunTurns};
use super::super::{Plan, row};
use super::group::{Got, Group, Writer};
use super::once::Row;
use super::{Columns, Scratch, block, lanes, once};
use std::ops::Range;

/// Writes rows of a plan from front to back.
pub(super) struct Rows<'p, 'c> {
    writer: Writer<'p>,
    live: &'p mut Vec<u32>,
    lanes: &'p mut lanes::Lanes,
    out: Columns<'c>,
    /// Rows that are written.
    done: usize,
}

impl<'p, 'c> Rows<'p, 'c> {
    pub(super) fn new(plan: &'p Plan, out: Columns<'c>, scratch: &'p mut Scratch) -> Self {
        let Scratch {
            live,
            locals,
            lanes,
        } = scratch;
        Self {
            writer: Writer { plan, locals },
            live,
            lanes,
            out,
            done: 0,
        }
    }

    /// Writes the ranks from `rank` on.
    pub(super) fn write(mut self, mut rank: u32) {
        let stretches = &self.writer.plan.stretches;
        let firsts = stretches.firsts();
        let mut at = stretches.of_rank(rank);
        while self.left() > 0 {
            let first = firsts[at];
            let end = firsts.get(at + 1).map_or(stretches.end, |&next| next);
            rank = match *stretches.get(at) {
                Stretch::Run {
                    nodes,
                    start,
                    procs,
                    app,
                    run,
                    kind,
                    source,
                } => {
                    let (kind, count) = (KindBits::new(kind), procs);
                    let dealt = self.writer.plan.orders.dealt_by_object();
                    let written = self.written((source, start, (0, count)), dealt);
                    let (turns, got) = written.unwrap_or_else(|| self.asked((app, run), None));
                    let group = Group {
                        nodes,
                        kind,
                        count,
                        turns,
                        got,
                    };
                    self.group(&group, rank - first, end - first);
                    end
                }
                Stretch::Band(band) if band.lines > 0 => {
                    self.band(band, rank - first, end - first);
                    end
                }
                Stretch::Band(band) => self.rounds(band, rank),
                Stretch::Listed { app } => self.listed(app, rank),
            };
            at = if rank == end {
                at + 1
            } else {
                stretches.of_rank(rank)
            };
        }
    }

    /// Rows that are not written yet.
    const fn left(&self) -> usize {
        self.out.len() - self.done
    }

    /// Rows of a group, from one of them up to another, as far as there is room.
    #[inline]
    fn group(&mut self, group: &Group<'_>, first: u32, end: u32) {
        let rows = self.left().min((end - first) as usize);
        self.writer
            .write(group, first, (&mut self.out, self.done, rows));
        self.done += rows;
    }

    /// Some turns of a node, and what they get, where that stands written out: from `first` on, `count` of them.
    #[inline]
    fn written(
        &self,
        (source, start, (first, count)): (Source, u32, (u32, u32)),
        (locals, dealt): (&'p [u32], &'p [Packed]),
    ) -> Option<(Turns<'p>, Got<'p>)> {
        let from = (start + first) as usize;
        match source {
            Source::Places => {
                let places = &self.writer.plan.places.all()[from..];
                Some((Turns::From(first, count), Got::Written(places)))
            }
            Source::Dealt => {
                let locals = Turns::Listed(&locals[from..from + count as usize]);
                Some((locals, Got::Written(&dealt[from..])))
            }
            Source::Asked => None,
        }
    }

    /// The same where it does not: in a round, or all turns.
    #[cold]
    fn asked(&self, (app, run): (u32, u32), round: Option<u32>) -> (Turns<'p>, Got<'p>) {
        let app = &self.writer.plan.apps[app as usize];
        let placed = &app.placed.runs[run as usize];
        let turns = match (&app.order, round) {
            (Order::Fill(profiles) | Order::Span(_, profiles), _) => profiles.turns(run, round),
            (Order::Node(_), Some(round)) => Turns::From(round, 1),
            (Order::Slot | Order::Node(_) | Order::Listed { .. }, _) => {
                Turns::From(0, placed.procs)
            }
        };
        (turns, Got::Asked(placed.pattern))
    }

    /// Rounds over few runs, from one of their ranks up to another.
    fn band(&mut self, band: Band, first: u32, end: u32) {
        let stretches = &self.writer.plan.stretches;
        let (before, runs) = stretches.runs(band);
        let (mut round, mut skip) = (band.round + first / band.width, first % band.width);
        let mut at = first - skip;
        while at < end && self.left() > 0 {
            for (run, turns) in runs.iter().enumerate().take(before.len()) {
                let behind = before
                    .get(run + 1)
                    .map_or(band.width, |&next| next.min(band.width));
                let rows = behind - before[run].min(band.width);
                if rows <= skip {
                    skip -= rows;
                    continue;
                }
                self.turns((band.app, row(run)), round, turns, skip..rows);
                skip = 0;
            }
            at += band.width;
            round += 1;
        }
    }

    /// Some turns of the nodes of a run in a round.
    #[inline]
    fn turns(&mut self, (app, run): (u32, u32), round: u32, turns: &RunTurns, rows: Range<u32>) {
        let plan = self.writer.plan;
        let dealt = plan.orders.dealt_by_round();
        let mine = turns.in_round(round);
        if let Some((first, 1)) = mine
            && let Some((local, place)) = plan.gets((turns.source, turns.start, first), dealt)
        {
            let count = self.left().min((rows.end - rows.start) as usize);
            let who = Row {
                node: turns.nodes.first + rows.start,
                local_rank: turns.nodes.own_before + local,
                node_rank: turns.nodes.used_before + local,
                object: KindBits::new(turns.kind).object(place),
                cpus: place.cpus,
            };
            once::write(&mut self.out, (self.done, count), who);
            self.done += count;
            return;
        }
        let written = mine.and_then(|mine| self.written((turns.source, turns.start, mine), dealt));
        let (nodes, kind) = (turns.nodes, KindBits::new(turns.kind));
        let (count, (turns, got)) = match (mine, written) {
            (Some((_, count)), Some(written)) => (count, written),
            _ => {
                let own = plan.apps[app as usize].own_turns(run, round);
                (own.count, self.asked((app, run), Some(round)))
            }
        };
        let group = Group {
            nodes,
            kind,
            count,
            turns,
            got,
        };
        self.group(&group, rows.start, rows.end);
    }

    /// An app whose ranks were listed, from a rank of the job on. Gives the first rank behind it.
    fn listed(&mut self, app: u32, rank: u32) -> u32 {
        let app = &self.writer.plan.apps[app as usize];
        let (first, end) = (rank - app.base.0, app.base.0 + app.procs.0);
        let listed = app.listed();
        let mut at = listed.partition_point(|entry| entry.rank <= first) - 1;
        let mut rank = first;
        while rank < app.procs.0 && self.left() > 0 {
            let behind = listed.get(at + 1).map_or(app.procs.0, |next| next.rank);
            let spot = app.listed_spot(rank);
            let run = &app.placed.runs[spot.run as usize];
            let got = match self.writer.plan.places.of(run.pattern) {
                Some(places) => Got::Written(places),
                None => Got::Asked(run.pattern),
            };
            let group = Group {
                nodes: Nodes::from(run),
                kind: KindBits::new(run.kind),
                count: run.procs,
                turns: Turns::From(0, run.procs),
                got,
            };
            let place = spot.node * run.procs + spot.local;
            self.group(&group, place, place + (behind - rank));
            rank = behind;
            at += 1;
        }
        end
    }

    /// Rounds over many runs: those of an app from a rank of the job on. Gives the first rank behind it.
    fn rounds(&mut self, band: Band, rank: u32) -> u32 {
        let plan = self.writer.plan;
        let app = &plan.apps[band.app as usize];
        let (first, end) = (rank - app.base.0, app.base.0 + app.procs.0);
        let rows = self.left().min((end - rank) as usize);
        let (rounds, profiles) = match &app.order {
            Order::Node(rounds) => (rounds, None),
            Order::Span(rounds, profiles) => (rounds, Some(profiles)),
            Order::Slot | Order::Fill(_) | Order::Listed { .. } => {
                unreachable!("only rounds have bands")
            }
        };
        let few = rounds
            .most_of_distinct
            .is_some_and(|most| most <= lanes::FEW);
        if few && plan.places.are_whole() && profiles.is_none_or(Profiles::is_written) {
            let from = block::Written {
                app,
                places: &plan.places,
                profiles,
            };
            let out = self.out.some(self.done..self.done + rows);
            block::write(from, first, out, rounds, (self.live, self.lanes));
            self.done += rows;
            return end;
        }
        let (_, runs) = plan.stretches.runs(band);
        let Turn {
            mut round,
            run,
            mut place,
        } = rounds.turn(first, |run, round| app.weight(run, round));
        let mut at_band = rounds.band_of(first);
        let mut live = std::mem::take(self.live);
        live.clear();
        live.extend((0..row(app.runs().len())).filter(|&run| app.pairs(run, round) > 0));
        let mut at = live.partition_point(|&other| other < run);
        let mut left = row(rows);
        while left > 0 {
            if let Some(&run) = live.get(at) {
                let end = left.saturating_add(place).min(app.weight(run, round));
                self.turns((band.app, run), round, &runs[run as usize], place..end);
                left -= end - place;
                at += 1;
            } else {
                round += 1;
                at = 0;
                if round == rounds.band(at_band).rounds.1 {
                    at_band += 1;
                    live.retain(|&run| app.pairs(run, round) > 0);
                }
            }
            place = 0;
        }
        *self.live = live;
        end
    }
}
