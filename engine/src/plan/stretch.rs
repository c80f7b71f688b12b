//! Neighbouring ranks in neighbouring places: what makes writing out a plan a matter of copies.

use super::order::Order;
use super::{AppPlan, RankOrder, row};

/// Ranks that follow each other, and the places that they have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stretch {
    /// Neighbouring processes of a node, then those of the nodes behind it in the run, each from its first.
    Locals {
        run: u32,
        node: u32,
        local: u32,
        count: u32,
    },
    /// The same process of neighbouring nodes.
    Nodes {
        run: u32,
        node: u32,
        local: u32,
        count: u32,
    },
    /// Turns of a node from `at` on, then those of the nodes behind it: all processes by object, or those of one round.
    Turns {
        run: u32,
        node: u32,
        at: u32,
        round: Option<u32>,
        count: u32,
    },
}

impl Stretch {
    /// How many ranks.
    pub(super) const fn len(self) -> u32 {
        match self {
            Self::Locals { count, .. } | Self::Nodes { count, .. } | Self::Turns { count, .. } => {
                count
            }
        }
    }
}

impl AppPlan {
    /// The longest stretch from an app rank on, of at most `most` ranks.
    pub(super) fn stretch(&self, rank: u32, most: u32) -> Stretch {
        let runs = &self.placed.runs;
        match &self.order {
            Order::Slot | Order::Fill { .. } => {
                let run = self.before.partition_point(|&before| before <= rank) - 1;
                let procs = runs[run].procs;
                let inside = rank - self.before[run];
                let count = (self.before[run + 1] - rank).min(most);
                let (node, at) = (inside / procs, inside % procs);
                let run = row(run);
                match &self.order {
                    Order::Fill { .. } => Stretch::Turns {
                        run,
                        node,
                        at,
                        round: None,
                        count,
                    },
                    Order::Slot
                    | Order::Node { .. }
                    | Order::Span { .. }
                    | Order::Listed { .. } => Stretch::Locals {
                        run,
                        node,
                        local: at,
                        count,
                    },
                }
            }
            Order::Node { bands } | Order::Span { bands, .. } => {
                let band = &bands[bands.partition_point(|band| band.rank <= rank) - 1];
                let inside = rank - band.rank;
                let place = inside % band.width;
                let round = band.round + inside / band.width;
                let at = band.runs.partition_point(|&(before, _)| before <= place);
                let (before, run) = band.runs[at - 1];
                let end = band.runs.get(at).map_or(band.width, |&(end, _)| end);
                let count = (end - place).min(most);
                let place = place - before;
                if let Order::Node { .. } = &self.order {
                    return Stretch::Nodes {
                        run,
                        node: place,
                        local: round,
                        count,
                    };
                }
                let pairs = (end - before) / runs[run as usize].nodes.count;
                Stretch::Turns {
                    run,
                    node: place / pairs,
                    at: place % pairs,
                    round: Some(round),
                    count,
                }
            }
            Order::Listed { .. } => {
                let spot = self.spot(rank);
                let RankOrder::Listed(listed) = &self.placed.order else {
                    unreachable!("made from a listed order")
                };
                let next = listed.partition_point(|run| run.rank <= rank);
                let end = listed.get(next).map_or(self.procs.0, |run| run.rank);
                Stretch::Locals {
                    run: spot.run,
                    node: spot.node,
                    local: spot.local,
                    count: (end - rank).min(most),
                }
            }
        }
    }

    /// Which processes of a node of the run have their turn, in which order: all of them by object, or one round's.
    pub(super) fn turns(&self, run: u32, round: Option<u32>, out: &mut Vec<u32>) {
        out.clear();
        let (profiles, of_run) = match &self.order {
            Order::Fill { profiles, of_run }
            | Order::Span {
                profiles, of_run, ..
            } => (profiles, of_run),
            Order::Slot | Order::Node { .. } | Order::Listed { .. } => return,
        };
        let id = of_run[run as usize];
        let index = profiles.index(id);
        let counts = &profiles.rows[id as usize].counts;
        match round {
            Some(round) => {
                let taking = counts.iter().filter(|&&(_, count)| count > round);
                out.extend(taking.map(|&(object, _)| index.nth(object, round)));
            }
            None => {
                out.extend(counts.iter().flat_map(|&(object, count)| {
                    (0..count).map(move |turn| index.nth(object, turn))
                }))
            }
        }
    }
}
