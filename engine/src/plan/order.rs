//! The order of the ranks of one app: node by node, round by round, or as written.
//!
//! *Node by node* (slot, fill) is a prefix sum over the placed runs. *Round by round* (node, span) goes in **bands**: in all
//! rounds of a band the same nodes, or (node, object) pairs, take part, so a band is a prefix sum over its runs, times its
//! rounds. A band ends where some node or object has had all its processes: there are as many bands as different counts.

use super::profile::{Profiles, ascends, row};
use super::{Placed, PlacedRun};
use crate::table::patterns::Patterns;
use serde::{Deserialize, Serialize};

/// Ranks that follow each other on one node, as a file wrote them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ListedRun {
    /// The first app rank.
    pub rank: u32,
    /// The node's place in the pool.
    pub node: u32,
    /// Which process of the app on that node the first one is.
    pub local: u32,
}

/// The order of the ranks of an app. Source: seed 004, `semantics` 6.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum RankOrder {
    /// Node by node, in placement order.
    #[default]
    Slot,
    /// Node by node, object by object.
    Fill,
    /// Round by round over nodes.
    Node,
    /// Round by round over (node, object) pairs.
    Span,
    /// As a file wrote them: runs by ascending rank.
    Listed(Vec<ListedRun>),
}

/// Rounds in which the same take part.
#[derive(Clone, Debug)]
pub(super) struct Band {
    /// The first app rank of the band.
    pub(super) rank: u32,
    /// The first round.
    pub(super) round: u32,
    /// Processes in one round.
    pub(super) width: u32,
    /// Runs that take part: (processes of a round before the run, the run). Ascending in both.
    pub(super) runs: Vec<(u32, u32)>,
}

/// What is derived to answer quickly.
#[derive(Clone, Debug)]
pub(super) enum Order {
    Slot,
    /// Profile of each run.
    Fill {
        profiles: Profiles,
        of_run: Vec<u32>,
    },
    Node {
        bands: Vec<Band>,
    },
    Span {
        bands: Vec<Band>,
        profiles: Profiles,
        of_run: Vec<u32>,
    },
    /// Rows of the listed runs by ascending (node, local).
    Listed {
        by_node: Vec<u32>,
    },
}

impl Order {
    pub(super) fn new(placed: &Placed, patterns: &Patterns) -> Self {
        let profiled = || {
            let mut profiles = Profiles::default();
            let of_run = placed
                .runs
                .iter()
                .map(|run| profiles.intern(run.pattern, run.procs, patterns))
                .collect::<Vec<_>>();
            (profiles, of_run)
        };
        match &placed.order {
            RankOrder::Slot => Self::Slot,
            RankOrder::Fill if in_object_order(&placed.runs, patterns) => Self::Slot,
            RankOrder::Fill => {
                let (profiles, of_run) = profiled();
                Self::Fill { profiles, of_run }
            }
            RankOrder::Node => Self::Node {
                bands: bands(&placed.runs, |run| vec![placed.runs[run].procs]),
            },
            RankOrder::Span => {
                let (profiles, of_run) = profiled();
                let counts = |run: usize| {
                    let profile: &super::profile::Profile = &profiles.rows[of_run[run] as usize];
                    profile.counts.iter().map(|&(_, count)| count).collect()
                };
                Self::Span {
                    bands: bands(&placed.runs, counts),
                    profiles,
                    of_run,
                }
            }
            RankOrder::Listed(listed) => {
                let mut by_node: Vec<u32> = (0..row(listed.len())).collect();
                by_node.sort_unstable_by_key(|&at| {
                    (listed[at as usize].node, listed[at as usize].local)
                });
                Self::Listed { by_node }
            }
        }
    }
}

fn in_object_order(runs: &[PlacedRun], patterns: &Patterns) -> bool {
    let mut last = None;
    runs.iter().all(|run| {
        let same = last == Some((run.pattern, run.procs));
        last = Some((run.pattern, run.procs));
        same || ascends(patterns.get(run.pattern), run.procs)
    })
}

/// The bands of an app. `counts(run)`: the counts of each node's pairs (one number for rank by node).
fn bands(runs: &[PlacedRun], counts: impl Fn(usize) -> Vec<u32>) -> Vec<Band> {
    // Counts of each run, descending: taking part in round r is a prefix of them.
    let mut sorted: Vec<Vec<u32>> = (0..runs.len()).map(counts).collect();
    for counts in &mut sorted {
        counts.sort_unstable_by(|a, b| b.cmp(a));
    }
    let mut ends: Vec<u32> = sorted.iter().flatten().copied().collect();
    ends.sort_unstable();
    ends.dedup();
    let mut live: Vec<u32> = (0..row(runs.len())).collect();
    let mut bands = Vec::with_capacity(ends.len());
    let (mut rank, mut round) = (0_u32, 0_u32);
    for end in ends {
        let mut width = 0;
        live.retain(|&run| {
            sorted[run as usize]
                .first()
                .is_some_and(|&most| most > round)
        });
        let taking = live.iter().map(|&run| {
            let pairs = row(sorted[run as usize].partition_point(|&count| count > round));
            let before = width;
            width += pairs * runs[run as usize].nodes.count;
            (before, run)
        });
        let runs = taking.collect();
        bands.push(Band {
            rank,
            round,
            width,
            runs,
        });
        rank += width * (end - round);
        round = end;
    }
    bands
}

/// One process of an app: which run, which node of it, which of the node's processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) run: u32,
    pub(super) node: u32,
    pub(super) local: u32,
}

impl super::AppPlan {
    /// Where an app rank is. Cost: one or two searches.
    pub(super) fn spot(&self, rank: u32) -> Spot {
        let runs = &self.placed.runs;
        match &self.order {
            Order::Slot => self.node_major(rank),
            Order::Fill { profiles, of_run } => {
                let spot = self.node_major(rank);
                let id = of_run[spot.run as usize];
                let profile = &profiles.rows[id as usize];
                let at = profile
                    .before
                    .partition_point(|&before| before <= spot.local)
                    - 1;
                let local = profiles
                    .index(id)
                    .nth(profile.counts[at].0, spot.local - profile.before[at]);
                Spot { local, ..spot }
            }
            Order::Node { bands } => {
                let (run, at, round) = in_band(bands, rank);
                Spot {
                    run,
                    node: at,
                    local: round,
                }
            }
            Order::Span {
                bands,
                profiles,
                of_run,
            } => {
                let (run, at, round) = in_band(bands, rank);
                let id = of_run[run as usize];
                let counts = &profiles.rows[id as usize].counts;
                let pairs = row(counts.iter().filter(|&&(_, count)| count > round).count());
                let object = nth_taking(counts, round, at % pairs, pairs);
                Spot {
                    run,
                    node: at / pairs,
                    local: profiles.index(id).nth(object, round),
                }
            }
            Order::Listed { .. } => {
                let RankOrder::Listed(listed) = &self.placed.order else {
                    unreachable!("made from a listed order")
                };
                let at = listed.partition_point(|run| run.rank <= rank) - 1;
                let entry = listed[at];
                let node = crate::id::Id::from_row(entry.node as usize);
                let run = self.run_of(node).expect("a listed node holds processes");
                Spot {
                    run: row(run),
                    node: entry.node - runs[run].nodes.first,
                    local: entry.local + (rank - entry.rank),
                }
            }
        }
    }

    /// The app rank of a process: the inverse of [`Self::spot`].
    pub(super) fn rank_at(&self, spot: Spot, patterns: &Patterns) -> u32 {
        let run = &self.placed.runs[spot.run as usize];
        let first = || self.before[spot.run as usize] + spot.node * run.procs;
        let object = || patterns.get(run.pattern).place(spot.local).object;
        match &self.order {
            Order::Slot => first() + spot.local,
            Order::Fill { profiles, of_run } => {
                let id = of_run[spot.run as usize];
                let (at, turn) = object_turn(profiles, id, object(), spot.local);
                first() + profiles.rows[id as usize].before[at] + turn
            }
            Order::Node { bands } => rank_in_band(bands, spot.run, spot.local, spot.node),
            Order::Span {
                bands,
                profiles,
                of_run,
            } => {
                let id = of_run[spot.run as usize];
                let (at, turn) = object_turn(profiles, id, object(), spot.local);
                let counts = &profiles.rows[id as usize].counts;
                let taking = |counts: &[(u32, u32)]| {
                    row(counts.iter().filter(|&&(_, count)| count > turn).count())
                };
                rank_in_band(
                    bands,
                    spot.run,
                    turn,
                    spot.node * taking(counts) + taking(&counts[..at]),
                )
            }
            Order::Listed { by_node } => {
                let RankOrder::Listed(listed) = &self.placed.order else {
                    unreachable!("made from a listed order")
                };
                let node = run.nodes.first + spot.node;
                let key = |&at: &u32| (listed[at as usize].node, listed[at as usize].local);
                let at = by_node.partition_point(|row| key(row) <= (node, spot.local)) - 1;
                let entry = listed[by_node[at] as usize];
                entry.rank + (spot.local - entry.local)
            }
        }
    }

    fn node_major(&self, rank: u32) -> Spot {
        let at = self.before.partition_point(|&before| before <= rank) - 1;
        let procs = self.placed.runs[at].procs;
        let inside = rank - self.before[at];
        Spot {
            run: row(at),
            node: inside / procs,
            local: inside % procs,
        }
    }
}

/// (run, place among the run's pairs of a round, round) of an app rank.
fn in_band(bands: &[Band], rank: u32) -> (u32, u32, u32) {
    let band = &bands[bands.partition_point(|band| band.rank <= rank) - 1];
    let inside = rank - band.rank;
    let place = inside % band.width;
    let (before, run) = band.runs[band.runs.partition_point(|&(before, _)| before <= place) - 1];
    (run, place - before, band.round + inside / band.width)
}

fn rank_in_band(bands: &[Band], run: u32, round: u32, place: u32) -> u32 {
    let band = &bands[bands.partition_point(|band| band.round <= round) - 1];
    let at = band
        .runs
        .binary_search_by_key(&run, |&(_, run)| run)
        .expect("a run takes part in its own rounds");
    band.rank + (round - band.round) * band.width + band.runs[at].0 + place
}

/// The `at`-th object that has a process in this round.
fn nth_taking(counts: &[(u32, u32)], round: u32, at: u32, pairs: u32) -> u32 {
    if pairs as usize == counts.len() {
        return counts[at as usize].0;
    }
    let mut taking = counts.iter().filter(|&&(_, count)| count > round);
    taking
        .nth(at as usize)
        .expect("a place in a round is below the pairs of the round")
        .0
}

/// The row of a local process's object in its profile, and how many of the object's processes stand before it.
fn object_turn(profiles: &Profiles, profile: u32, object: Option<u32>, local: u32) -> (usize, u32) {
    let logical = object.expect("fill and span need an object map (resolve refuses the rest)");
    let object = profiles.index(profile).turn(logical);
    let counts = &profiles.rows[profile as usize].counts;
    let at = counts.partition_point(|&(other, _)| other < object);
    (at, profiles.index(profile).count(object, local))
}
