//! Branches of a site: apps that do not compete are placed on copies of it, side by side, and what they found is joined in
//! the order of the apps, so that every id is the one that placing them in order would have given.

use super::groups::AppGroup;
use crate::id::Id;
use crate::plan::{Placed, PlacedRun};
use crate::stage::job::site::Site;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeRange;
use crate::table::patterns::{PatternDraft, PatternId, Segment};
use crate::table::pusets::PuSetId;
use crate::table::states::{NodeState, StateId};

/// How many rows the tables of a branch have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TableSizes {
    cpusets: usize,
    pusets: usize,
    states: usize,
    patterns: usize,
    /// Parts whose slots a hostfile lowered.
    lowered: usize,
}

/// Ids of the site for the rows of a branch, as far as they were joined.
#[derive(Debug)]
pub(crate) struct Joined {
    base: TableSizes,
    cpusets: Vec<CpusetId>,
    pusets: Vec<PuSetId>,
    states: Vec<StateId>,
    patterns: Vec<PatternId>,
    lowered: usize,
}

fn known<I: Id>(row: I, base: usize, new: &[I]) -> I {
    match row.row().checked_sub(base) {
        None => row,
        Some(at) => new[at],
    }
}

impl Site {
    /// How many rows there are now.
    pub(crate) fn sizes(&self) -> TableSizes {
        TableSizes {
            cpusets: self.pool.tables.cpusets.len(),
            pusets: self.pool.tables.pusets.len(),
            states: self.pool.tables.states.len(),
            patterns: self.pool.tables.patterns.len(),
            lowered: self.pool.nodes.lowered.len(),
        }
    }
}

impl Joined {
    /// Before anything is joined to a site.
    pub(crate) fn new(site: &Site) -> Self {
        Self {
            base: TableSizes {
                cpusets: site.pool.tables.cpusets_before + site.pool.tables.cpusets.len(),
                ..site.sizes()
            },
            cpusets: Vec::new(),
            pusets: Vec::new(),
            states: Vec::new(),
            patterns: Vec::new(),
            lowered: 0,
        }
    }

    /// Takes over the rows of a branch, up to so many of each table.
    pub(crate) fn take(&mut self, site: &mut Site, branch: &Site, until: TableSizes) {
        for row in self.cpusets.len()..until.cpusets {
            let set = branch
                .pool
                .tables
                .cpusets
                .get(CpusetId::from_row(row))
                .clone();
            self.cpusets.push(site.pool.tables.cpusets.intern(set));
        }
        for row in self.base.pusets + self.pusets.len()..until.pusets {
            let set = branch.pool.tables.pusets.get(PuSetId::from_row(row));
            self.pusets.push(site.pool.tables.pusets.intern(set));
        }
        for row in self.base.states + self.states.len()..until.states {
            let state = *branch.pool.tables.states.get(StateId::from_row(row));
            let state = NodeState {
                allowed: known(state.allowed, self.base.pusets, &self.pusets),
                free: known(state.free, self.base.pusets, &self.pusets),
                ..state
            };
            self.states.push(site.pool.tables.states.intern(state));
        }
        for row in self.patterns.len()..until.patterns {
            let pattern = branch.pool.tables.patterns.get(PatternId::from_row(row));
            let segments = pattern.segments().iter().map(|segment| {
                let mut segment: Segment = segment.clone();
                for run in &mut segment.runs {
                    let cpus = run.place.cpus;
                    run.place.cpus = cpus.map(|cpus| known(cpus, self.base.cpusets, &self.cpusets));
                }
                segment
            });
            self.patterns.push(
                site.pool
                    .tables
                    .patterns
                    .intern(segments.collect::<PatternDraft>()),
            );
        }
        site.pool
            .nodes
            .lowered
            .extend(&branch.pool.nodes.lowered[self.lowered..until.lowered]);
        self.lowered = until.lowered;
    }

    /// An app as the site knows it.
    pub(crate) fn placed(&self, mut placed: Placed) -> Placed {
        for run in &mut placed.runs {
            run.pattern = known(run.pattern, 0, &self.patterns);
        }
        // Patterns that a branch took for different may be equal: then neighbours are one.
        placed.runs.dedup_by(|run, last| {
            let same = last.nodes.end() == run.nodes.first
                && PlacedRun {
                    nodes: run.nodes,
                    ..*last
                } == *run;
            if same {
                last.nodes.count += run.nodes.count;
            }
            same
        });
        placed
    }

    /// The states in which a branch left its nodes.
    pub(crate) fn left(
        &self,
        branch: &Site,
        group: &AppGroup,
        changes: &mut Vec<(NodeRange, StateId)>,
    ) {
        for nodes in group.nodes.iter() {
            let states = branch.pool.nodes.runs.within(nodes);
            changes.extend(
                states.map(|(part, state)| (part, known(state, self.base.states, &self.states))),
            );
        }
    }
}
