//! Every process in rank order, without a search per rank: for those who write a line for each.

use super::order::{Order, Spot};
use super::profile::{Profiles, Turns};
use super::rounds::{Band, Rounds};
use super::{AppPlan, Located, Plan, row};
use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::AppId;

impl Plan {
    /// Shows every process to `visit`, in rank order; stops at its first error.
    ///
    /// # Errors
    /// What `visit` gives.
    ///
    /// Cost: a few additions per rank; for listed ranks a search per run of the list. Memory: for rank by node and span a
    /// number for each run; for fill and span also 2^14 numbers.
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// let nobody = Plan::default().walk(&mut |rank, _| Err(rank));
    /// assert_eq!(nobody, Ok(()), "an empty plan has no ranks");
    /// ```
    pub fn walk<E>(&self, visit: &mut impl FnMut(Rank, Located) -> Result<(), E>) -> Result<(), E> {
        let mut rank = 0;
        for (at, plan) in self.apps.iter().enumerate() {
            let app = AppId::from_row(at);
            plan.walk(&mut |Spot { run, node, local }| {
                let here = Rank(rank);
                rank += 1;
                visit(
                    here,
                    Located {
                        app,
                        run,
                        node,
                        local,
                    },
                )
            })?;
        }
        Ok(())
    }
}

impl AppPlan {
    fn walk<E>(&self, visit: &mut impl FnMut(Spot) -> Result<(), E>) -> Result<(), E> {
        match &self.order {
            Order::Slot => {
                for (run, placed) in (0..).zip(&self.placed.runs) {
                    for node in 0..placed.nodes.count {
                        for local in 0..placed.procs {
                            visit(Spot { run, node, local })?;
                        }
                    }
                }
                Ok(())
            }
            Order::Fill(profiles) => self.walk_fill(profiles, visit),
            Order::Node(rounds) | Order::Span(rounds, _) => self.walk_rounds(rounds, visit),
            Order::Listed { .. } => self.walk_listed(visit),
        }
    }

    fn walk_fill<E>(
        &self,
        profiles: &Profiles,
        visit: &mut impl FnMut(Spot) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scratch = Vec::new();
        for (run, placed) in (0..).zip(&self.placed.runs) {
            let turns = profiles.turns(run, None);
            for node in 0..placed.nodes.count {
                let visit = &mut |local| visit(Spot { run, node, local });
                each(turns, placed.procs, &mut scratch, visit)?;
            }
        }
        Ok(())
    }

    fn walk_rounds<E>(
        &self,
        rounds: &Rounds,
        visit: &mut impl FnMut(Spot) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scratch = Vec::new();
        let mut live: Vec<u32> = (0..row(self.placed.runs.len())).collect();
        for Band { rounds, .. } in rounds.bands() {
            live.retain(|&run| self.pairs(run, rounds.0) > 0);
            for round in rounds.0..rounds.1 {
                for &run in &live {
                    let turns = match &self.order {
                        Order::Span(_, profiles) => profiles.turns(run, Some(round)),
                        Order::Slot | Order::Fill(_) | Order::Node(_) | Order::Listed { .. } => {
                            Turns::From(round, 1)
                        }
                    };
                    for node in 0..self.placed.runs[run as usize].nodes.count {
                        let visit = &mut |local| visit(Spot { run, node, local });
                        each(turns, self.pairs(run, round), &mut scratch, visit)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn walk_listed<E>(&self, visit: &mut impl FnMut(Spot) -> Result<(), E>) -> Result<(), E> {
        let listed = self.listed();
        for (at, entry) in listed.iter().enumerate() {
            let end = listed.get(at + 1).map_or(self.procs.0, |next| next.rank);
            let found = self
                .run_of(crate::id::Id::from_row(entry.node as usize))
                .expect("a listed node holds processes");
            let node = entry.node - self.placed.runs[found].nodes.first;
            for turn in 0..end - entry.rank {
                visit(Spot {
                    run: row(found),
                    node,
                    local: entry.local + turn,
                })?;
            }
        }
        Ok(())
    }
}

/// Turns that are written out at once, of a node that is too large for more.
const AT_ONCE: u32 = 1 << 14;

fn each<E>(
    turns: Turns<'_>,
    count: u32,
    scratch: &mut Vec<u32>,
    visit: &mut impl FnMut(u32) -> Result<(), E>,
) -> Result<(), E> {
    match turns {
        Turns::From(first, count) => (first..first + count).try_for_each(visit),
        Turns::Listed(locals) => locals.iter().copied().try_for_each(visit),
        Turns::Asked { .. } => {
            let mut from = 0;
            while from < count {
                let end = count.min(from.saturating_add(AT_ONCE));
                if let Turns::Listed(locals) = turns.some(from..end, scratch) {
                    locals.iter().copied().try_for_each(&mut *visit)?;
                }
                from = end;
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ListedRun, Placed, PlacedRun, RankOrder, World};
    use super::*;
    use crate::policy::ObjKind;
    use crate::table::apps::AppTable;
    use crate::table::names::NodeRange;
    use crate::table::patterns::{Patterns, Place, PlaceRun, Segment};

    /// Two apps over five nodes, the second in the order given; walked and asked rank by rank.
    fn agrees(order: RankOrder) {
        let mut patterns = Patterns::default();
        let turns = |objects: u32| {
            let place = |object| Place {
                object: Some(object),
                cpus: None,
            };
            let runs = (0..objects).map(|object| PlaceRun {
                count: 1,
                place: place(object),
            });
            vec![Segment {
                procs: u32::MAX,
                runs: runs.collect(),
                cycle: Some(0),
            }]
        };
        let (two, three) = (patterns.intern(turns(2)), patterns.intern(turns(3)));
        let run = |first, count, procs, pattern| PlacedRun {
            nodes: NodeRange { first, count },
            procs,
            pattern,
            kind: Some(ObjKind::Package),
            own_before: 0,
            used_before: 0,
        };
        let placed = |order| Placed {
            policy: None,
            runs: vec![run(0, 2, 5, two), run(2, 1, 7, three), run(4, 1, 1, two)],
            order,
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed(RankOrder::Slot), placed(order)],
        );
        let mut seen = 0;
        let walked: Result<(), ()> = plan.walk(&mut |rank, at| {
            assert_eq!(rank, Rank(seen), "ranks come in order");
            assert_eq!(plan.locate(rank), Some(at));
            assert_eq!(plan.rank_of(at), rank);
            seen += 1;
            Ok(())
        });
        assert_eq!((walked, seen), (Ok(()), plan.ranks()));
        let tasks = plan.task_map(crate::taskmap::Limits::default()).unwrap();
        for rank in (0..plan.ranks()).map(Rank) {
            let node = plan.place(rank).unwrap().node.row();
            assert_eq!(tasks.node_of(rank).unwrap().0 as usize, node);
        }
    }

    #[test]
    fn walking_and_asking_agree() {
        let listed = [(0, 2, 0), (3, 4, 0), (4, 0, 0), (9, 2, 3), (13, 1, 0)];
        let listed = listed.map(|(rank, node, local)| ListedRun { rank, node, local });
        for order in [
            RankOrder::Slot,
            RankOrder::Fill,
            RankOrder::Node,
            RankOrder::Span,
            RankOrder::Listed(listed.to_vec()),
        ] {
            agrees(order);
        }
    }

    #[test]
    fn an_error_ends_the_walk() {
        let mut patterns = Patterns::default();
        let place = Place {
            object: None,
            cpus: None,
        };
        let pattern = patterns.intern(vec![Segment {
            procs: u32::MAX,
            runs: vec![PlaceRun { count: 1, place }],
            cycle: Some(0),
        }]);
        let run = PlacedRun {
            nodes: NodeRange { first: 0, count: 1 },
            procs: 4_000_000_000,
            pattern,
            kind: None,
            own_before: 0,
            used_before: 0,
        };
        let placed = Placed {
            policy: None,
            runs: vec![run],
            order: RankOrder::Node,
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed],
        );
        let stopped = plan.walk(&mut |rank, _| if rank.0 < 3 { Ok(()) } else { Err(rank) });
        assert_eq!(stopped, Err(Rank(3)));
    }
}
