//! Every process in rank order, for callers that write a line per rank. Fills the explicit table some rows at a time.

use super::placed::PlacedRun;
use super::table::ProcTable;
use super::{Located, Plan};
use crate::count::Rank;
use crate::id::Id as _;
use crate::table::apps::AppId;

/// How many rows are filled at once.
const AT_ONCE: u32 = 1 << 12;

/// Every process in rank order: see [`Plan::rows`].
pub struct Rows<'p> {
    plan: &'p Plan,
    /// Rows from rank `first` on.
    table: ProcTable,
    first: u32,
    /// The next rank, its app, and the app's run that the last rank was on.
    rank: u32,
    app: usize,
    run: Option<(u32, &'p PlacedRun)>,
}

impl Iterator for Rows<'_> {
    type Item = (Rank, Located);

    fn next(&mut self) -> Option<Self::Item> {
        let rank = Rank(self.rank);
        let ranks = self.plan.ranks();
        if self.rank == ranks {
            return None;
        }
        let mut at = (self.rank - self.first) as usize;
        if at == self.table.len() {
            let end = ranks.min(self.rank.saturating_add(AT_ONCE));
            self.plan.expand_rows(self.rank..end, &mut self.table);
            (self.first, at) = (self.rank, 0);
        }
        while self.rank == self.plan.bases()[self.app + 1] {
            (self.app, self.run) = (self.app + 1, None);
        }
        let app = &self.plan.apps[self.app];
        let node = self.table.nodes()[at];
        let holds = |(_, run): &(u32, &PlacedRun)| run.nodes.holds(node);
        let (row, run) = self.run.filter(holds).or_else(|| {
            let row = app.run_of(crate::id::Id::from_row(node as usize))?;
            Some((super::placed::row(row), &app.placed.runs[row]))
        })?;
        self.run = Some((row, run));
        self.rank += 1;
        let located = Located {
            app: AppId::from_row(self.app),
            run: row,
            node: node - run.nodes.first,
            local: self.table.local_ranks()[at] - run.own_before,
        };
        Some((rank, located))
    }
}

impl Plan {
    /// Every process in rank order, without a search for each.
    ///
    /// Cost: that of the explicit table; a search where neighbouring ranks are on different runs. Memory: 4,096 rows of the
    /// table; for ranks by node and span also drafts of up to 64 rounds.
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// assert_eq!(Plan::default().rows().next(), None, "an empty plan has no ranks");
    /// ```
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        Rows {
            plan: self,
            table: ProcTable::default(),
            first: 0,
            rank: 0,
            app: 0,
            run: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ListedRun, Placed, PlacedRun, RankOrder, World};
    use super::*;
    use crate::plan::places::Packed;
    use crate::plan::rank::order_tests::pattern;
    use crate::policy::ObjKind;
    use crate::table::apps::AppTable;
    use crate::table::names::NodeRange;
    use crate::table::patterns::{Patterns, Place, PlaceRun, Segment};

    /// Two apps over five nodes, the second in the given order: walks all ranks and asks for each of them.
    fn agrees(order: RankOrder) {
        let mut patterns = Patterns::default();
        let two = pattern(&mut patterns, &[(1, 0), (1, 1)]);
        let three = pattern(&mut patterns, &[(1, 0), (1, 1), (1, 2)]);
        let run = |first, count, procs, pattern| PlacedRun {
            nodes: NodeRange { first, count },
            procs,
            pattern,
            kind: Some(ObjKind::Package),
            own_before: 0,
            used_before: 0,
        };
        let placed = |order| Placed {
            runs: vec![run(0, 2, 5, two), run(2, 1, 7, three), run(4, 1, 1, two)],
            order,
            ..Placed::default()
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed(RankOrder::Slot), placed(order)],
        );
        let mut seen = 0;
        for (rank, at) in plan.rows() {
            assert_eq!(rank, Rank(seen), "ranks come in order");
            assert_eq!(plan.locate(rank), Some(at));
            assert_eq!(plan.rank_of(at), rank);
            seen += 1;
        }
        assert_eq!(seen, plan.ranks());
        let tasks = plan.task_map(crate::taskmap::Limits::default()).unwrap();
        for rank in (0..plan.ranks()).map(Rank) {
            let node = plan.place(rank).unwrap().node.row();
            assert_eq!(tasks.node_of(rank).unwrap().0 as usize, node);
        }
    }

    #[test]
    fn rows_and_questions_agree() {
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
    fn a_node_of_thousands_of_millions_is_begun_at_once() {
        let mut patterns = Patterns::default();
        let place = Place::from(Packed::default());
        let pattern = patterns.intern(vec![Segment {
            procs: u32::MAX,
            runs: vec![PlaceRun { count: 1, place }],
            cycle: Some(0),
            shares: Vec::new(),
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
            passes: None,
            claimed: crate::plan::Claimed::default(),
        };
        let plan = Plan::assemble(
            World::default(),
            AppTable::default(),
            patterns,
            vec![placed],
        );
        assert_eq!(plan.rows().nth(3).unwrap().0, Rank(3));
    }
}
