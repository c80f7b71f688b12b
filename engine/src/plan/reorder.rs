//! The same places with ranks in another order: the order gives each place its rank.

use super::Plan;
use super::placed::{ListedRun, Placed, RankOrder, row};
use super::sorted_index::SortedIndex;
use crate::count::counted;
use crate::policy::{MapBy, RankBy};
use crate::table::apps::{AppId, Policy, PolicyId};

/// Why an order does not fit a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadOrder {
    /// An order is for the ranks of one app, because several apps have no common places.
    #[error("it orders the ranks of one app, and the job has {apps}")]
    Apps {
        /// Apps with processes.
        apps: usize,
    },
    /// A file already decides the ranks.
    #[error("the ranks of a job by {} are written already", map.word())]
    Written {
        /// The policy.
        map: MapBy,
    },
    /// The order needs as many ranks as there are places.
    #[error("it has {}, the job has {}", counted(*.ranks as u64, "rank"), counted(*.places, "process"))]
    Length {
        /// Ranks of the order.
        ranks: usize,
        /// Processes.
        places: u32,
    },
    /// No such rank.
    #[error("rank {rank} is beyond the job's {}, from 0", counted(*.places, "process"))]
    Beyond {
        /// The rank.
        rank: u32,
        /// Processes.
        places: u32,
    },
    /// A rank that is listed twice.
    #[error("rank {rank} is given twice")]
    Twice {
        /// The rank.
        rank: u32,
    },
}

impl Plan {
    /// The same plan, in which place k has the k-th of these ranks. Places are the processes of the only app: node by node in
    /// the job's order, and by local rank on each node. Their objects and cpus stay the same; the order replaces rank-by.
    ///
    /// # Errors
    /// A [`BadOrder`].
    ///
    /// Cost: the ranks. The plan keeps a row for each run of consecutive ranks on consecutive places of a node.
    pub fn reordered(self, ranks: &[u32]) -> Result<Self, BadOrder> {
        let mut with_processes = self.table.ids().filter(|&app| self.app(app).procs().0 > 0);
        let (app, others) = (with_processes.next(), with_processes.count());
        let Some(app) = app.filter(|_| others == 0) else {
            return Err(BadOrder::Apps { apps: others + 1 });
        };
        let map = self.table.policy(app).map(|policy| policy.map);
        if let Some(map @ (MapBy::Seq | MapBy::Rankfile | MapBy::Lsf)) = map {
            return Err(BadOrder::Written { map });
        }
        let listed = self.listed_runs(app, ranks)?;
        let Self {
            world,
            mut table,
            patterns,
            apps,
            told,
            nics,
            ..
        } = self;
        let mut placed: Vec<Placed> = apps.into_iter().map(|app| app.placed).collect();
        let asked_before = table.policy[app];
        let own = &mut placed[crate::id::Id::row(app)];
        own.order = RankOrder::Listed(listed);
        // Both policies now rank by list: the one that was asked for, and the one with its binding settled.
        let mut listed = |id: PolicyId| {
            let rank = RankBy::Listed;
            let policy = table.policies[id];
            table.intern(Policy { rank, ..policy })
        };
        own.policy = own.policy.map(&mut listed);
        let asked = asked_before.map(listed);
        table.policy[app] = asked;
        let mut plan = Self::assemble(world, table, patterns, placed);
        (plan.told, plan.nics) = (told, nics);
        Ok(plan)
    }

    /// The ranks as runs on nodes, in rank order.
    fn listed_runs(&self, app: AppId, ranks: &[u32]) -> Result<Vec<ListedRun>, BadOrder> {
        const NONE: u32 = u32::MAX;
        let own = self.app(app);
        let places = own.procs().0;
        if ranks.len() != places as usize {
            let ranks = ranks.len();
            return Err(BadOrder::Length { ranks, places });
        }
        let mut place_of = vec![NONE; ranks.len()];
        for (place, &rank) in (0..).zip(ranks) {
            match place_of.get_mut(rank as usize) {
                Some(of) if *of == NONE => *of = place,
                Some(_) => return Err(BadOrder::Twice { rank }),
                None => return Err(BadOrder::Beyond { rank, places }),
            }
        }
        let sums = own.runs().iter().scan(0, |sum, run| {
            *sum += run.procs * run.nodes.count;
            Some(*sum)
        });
        // Places before each run.
        let before = SortedIndex::new(std::iter::once(0).chain(sums));
        let mut listed: Vec<ListedRun> = Vec::new();
        let mut last = None;
        for (rank, &place) in (0..).zip(&place_of) {
            let at = before.find(place);
            let run = &own.runs()[at];
            let inside = place - before.numbers()[at];
            let node = run.nodes.first + inside / run.procs;
            let continues = last == Some((node, place.wrapping_sub(1)));
            if !continues {
                let local = inside % run.procs;
                listed.push(ListedRun { rank, node, local });
            }
            last = Some((node, place));
        }
        debug_assert!(listed.len() <= row(ranks.len()) as usize);
        Ok(listed)
    }
}
