//! Blocks of few rows, row by row: nodes of which no two are alike, and listed ranks.

use super::placed::row;
use super::places::{KindBits, Packed};
use super::rank::spans::{RankSpan, RunNodes, Source};
use super::rows::PlanBlocks;
use crate::id::Id as _;
use crate::table::names::{NodeId, NodeRange};

/// Rows of a block that are shown one by one.
const SHORT: u32 = 16;

impl PlanBlocks<'_> {
    /// Shows rows one by one, at most `room`, as long as blocks are short: nodes of which no two are alike. How many it showed.
    #[inline]
    pub(super) fn short(
        &mut self,
        room: u32,
        mut show: impl FnMut(RunNodes, u32, KindBits, (u32, Packed)),
    ) -> u32 {
        let (plan, first) = (self.plan, self.rank);
        while self.skip == 0 && self.rank < plan.stretches.end {
            let left = room - (self.rank - first);
            let (nodes, kind, of_node, turn, source, start, dealt) =
                match *plan.stretches.get(self.stretch) {
                    RankSpan::Run {
                        nodes,
                        start,
                        procs,
                        kind,
                        source,
                        ..
                    } => {
                        let all = plan.stretches.firsts().get(self.stretch + 1);
                        let all = all.map_or(plan.stretches.end, |&next| next) - self.rank;
                        let dealt = plan.orders.dealt_by_object();
                        (nodes, kind, (procs, all), 0, source, start, dealt)
                    }
                    RankSpan::Phase(phase) => {
                        let run = self.run(phase);
                        let turns = &plan.stretches.turns(phase)[run as usize];
                        let Some((turn, count)) = turns.in_round(self.round) else {
                            break;
                        };
                        let dealt = plan.orders.dealt_by_round();
                        let rows = (count, count * turns.count);
                        (
                            turns.nodes,
                            turns.kind,
                            rows,
                            turn,
                            turns.source,
                            turns.start,
                            dealt,
                        )
                    }
                    RankSpan::Listed { app } => match self.short_listed(app, left, &mut show) {
                        0 => break,
                        _ => continue,
                    },
                };
            let (count, rows) = of_node;
            if rows > SHORT.min(left) || source == Source::Asked {
                break;
            }
            let kind = KindBits::new(kind);
            for node in 0..rows / count {
                for turn in turn..turn + count {
                    if let Some(got) = plan.gets(source, start, turn, dealt) {
                        show(nodes, nodes.first + node, kind, got);
                    }
                }
            }
            self.next += 1;
            self.pass(rows);
        }
        self.rank - first
    }

    /// The same of a list: neighbouring entries are often on nodes of one run. How many ranks it showed.
    #[inline]
    fn short_listed(
        &mut self,
        app: u32,
        room: u32,
        show: &mut impl FnMut(RunNodes, u32, KindBits, (u32, Packed)),
    ) -> u32 {
        let plan = &self.plan.apps[app as usize];
        let listed = plan.listed();
        let (first, mut shown) = (self.rank, 0);
        let mut on: Option<(NodeRange, RunNodes, KindBits, &[Packed])> = None;
        while let Some(&entry) = listed.get(self.next) {
            let behind = listed.get(self.next + 1);
            let count = behind.map_or(plan.procs.0, |next| next.rank) - entry.rank;
            if count > SHORT.min(room - shown) {
                break;
            }
            let same = on.filter(|(range, ..)| (range.first..range.end()).contains(&entry.node));
            let found = same.or_else(|| {
                let run = plan.run_of(NodeId::from_row(entry.node as usize))?;
                let block = self.of_run(app, row(run));
                let range = plan.runs()[run].nodes;
                Some((range, block.nodes, block.kind, block.places?))
            });
            on = found;
            let Some((_, nodes, kind, places)) = found else {
                break;
            };
            for local in entry.local..entry.local + count {
                show(nodes, entry.node, kind, (local, places[local as usize]));
            }
            shown += count;
            self.next += 1;
        }
        let next = self.next;
        self.pass(shown);
        debug_assert!(
            self.rank == first + shown && (self.next == next || self.next == 0),
            "a list ends with its stretch"
        );
        shown
    }
}
