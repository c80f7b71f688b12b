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
