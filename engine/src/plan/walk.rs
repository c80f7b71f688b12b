//! Every process in rank order, without a search per rank: for those who write a line for each.

use super::order::{Band, Order, RankOrder, Spot};
use super::profile::{Profiles, row};
use super::{AppPlan, Located, Plan};
use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::AppId;

/// Local processes of a node whose order by object is kept while its run is walked; more are asked one by one.
const KEPT_LOCALS: u32 = 1 << 16;

impl Plan {
    /// Shows every process to `visit`, in rank order; stops at its first error.
    ///
    /// # Errors
    /// What `visit` gives.
    ///
    /// Cost: a few additions per rank; for rank by fill and span also a search per process of a run, for listed ranks one
    /// per run of the list. Memory: at most the objects of a node and 2^16 numbers.
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
            Order::Fill { profiles, of_run } => self.walk_fill(profiles, of_run, visit),
            Order::Node { bands } => {
                self.walk_rounds(bands, |_, round, locals| locals.push(round), visit)
            }
            Order::Span {
                bands,
                profiles,
                of_run,
            } => {
                let turns = |run: u32, round: u32, locals: &mut Vec<u32>| {
                    let id = of_run[run as usize];
                    let index = profiles.index(id);
                    let counts = profiles.rows[id as usize].counts.iter();
                    let taking = counts.filter(|&&(_, count)| count > round);
                    locals.extend(taking.map(|&(object, _)| index.nth(object, round)));
                };
                self.walk_rounds(bands, turns, visit)
            }
            Order::Listed { .. } => self.walk_listed(visit),
        }
    }

    fn walk_fill<E>(
        &self,
        profiles: &Profiles,
        of_run: &[u32],
        visit: &mut impl FnMut(Spot) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut kept = Vec::new();
        for ((run, placed), &id) in (0..).zip(&self.placed.runs).zip(of_run) {
            let index = profiles.index(id);
            let counts = &profiles.rows[id as usize].counts;
            let locals = || {
                let turns = counts
                    .iter()
                    .flat_map(|&(object, count)| (0..count).map(move |turn| (object, turn)));
                turns.map(|(object, turn)| index.nth(object, turn))
            };
            kept.clear();
            if placed.procs <= KEPT_LOCALS {
                kept.extend(locals());
            }
            for node in 0..placed.nodes.count {
                if kept.is_empty() {
                    locals().try_for_each(|local| visit(Spot { run, node, local }))?;
                } else {
                    kept.iter()
                        .try_for_each(|&local| visit(Spot { run, node, local }))?;
                }
            }
        }
        Ok(())
    }

    /// `locals(run, round, out)`: the processes that each node of a run has in a round.
    fn walk_rounds<E>(
        &self,
        bands: &[Band],
        locals: impl Fn(u32, u32, &mut Vec<u32>),
        visit: &mut impl FnMut(Spot) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut taking = Vec::new();
        for (at, band) in bands.iter().enumerate() {
            let end = bands.get(at + 1).map_or(self.procs.0, |next| next.rank);
            let rounds = (end - band.rank) / band.width;
            for round in band.round..band.round + rounds {
                for &(_, run) in &band.runs {
                    taking.clear();
                    locals(run, round, &mut taking);
                    for node in 0..self.placed.runs[run as usize].nodes.count {
                        for &local in &taking {
                            visit(Spot { run, node, local })?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn walk_listed<E>(&self, visit: &mut impl FnMut(Spot) -> Result<(), E>) -> Result<(), E> {
        let RankOrder::Listed(listed) = &self.placed.order else {
            unreachable!("made from a listed order")
        };
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

#[cfg(test)]
mod tests {
    use super::super::{ListedRun, Placed, PlacedRun, World};
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
