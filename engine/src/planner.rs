//! One job on nodes that may be lost, planned again and again from what was worked out before.
//!
//! What a policy makes of a node's state is a pure function, and most of the cost of a first plan. A [`Planner`] keeps it,
//! together with the tables, so that another plan is arithmetic over runs of equal nodes.

use crate::count::counted;
use crate::error::MapError;
use crate::map::{Components, Machine, Mapped, nodes, place_apps, rank};
use crate::plan::{Derived, Placed};
use crate::stage::job::JobOutcome;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::states::StateRuns;

/// A job and its nodes.
///
/// Plans hold the tables: each call takes those of the last plan back, so a plan that is to outlive the next call is cloned.
#[derive(Clone, Debug)]
pub struct Planner {
    resolved: Resolved,
    components: Components,
    /// The nodes, and what was worked out about their states. Its tables are the last plan's while that stands.
    work: Workspace,
    /// The state in which the job finds each node that is left; room for a copy of it, which the last plan has.
    found: StateRuns,
    before: StateRuns,
    /// What was placed on them, and distinct policies before any binding was settled.
    outcome: JobOutcome,
    policies: usize,
    /// What the last plan derived from its patterns.
    derived: Derived,
    last: Option<Mapped>,
}

/// A node that is not, or no longer, one of the job's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is not one of the job's {}", counted(*.nodes, "node"))]
pub struct NoSuchNode {
    /// The name.
    pub name: String,
    /// Nodes that there are.
    pub nodes: u32,
}

impl Planner {
    /// A job on the nodes that it names, nothing placed yet.
    ///
    /// # Errors
    /// Those of [`crate::map::map_resolved`] that concern the nodes: `bad-hostfile`, `not-in-session`, `bad-topology`,
    /// `bad-cpu-list`, `job-too-large`.
    pub fn new(resolved: Resolved, mut machine: Machine) -> Result<Self, MapError> {
        let work = nodes(&resolved, &mut machine)?;
        Ok(Self {
            found: work.pool.nodes.runs.clone(),
            before: StateRuns::default(),
            outcome: JobOutcome::default(),
            policies: resolved.apps.policies.len(),
            resolved,
            components: Components::standard(),
            work,
            derived: Derived::default(),
            last: None,
        })
    }

    /// Runs the stages alone: decides where the processes of every app go, on the nodes that are left, and gives that as
    /// [`Planner::plan`] puts it into its plan. Shape `[apps]`, holes with no runs.
    ///
    /// # Errors
    /// As `plan`.
    ///
    /// Cost: as `plan`, less making the plan. Once the job was placed, it allocates nothing where apps find what they found
    /// before (`scale-tests/tests/it/replan.rs`), the maps that files write out apart.
    pub fn place(&mut self) -> Result<&[Placed], MapError> {
        self.take_back();
        self.resolved.apps.keep_policies(self.policies);
        self.work.pool.nodes.start_again(&self.found);
        place_apps(
            &mut self.work,
            &mut self.resolved,
            &self.components,
            &mut self.outcome,
        )?;
        Ok(&self.outcome.placed)
    }

    /// Places the job on the nodes that are left: what [`crate::map::map_resolved`] gives for a machine and host lists
    /// without the lost ones.
    ///
    /// # Errors
    /// As `map_resolved`. The planner goes on: another loss, or another plan, starts from the same nodes.
    ///
    /// Cost: the first time that of `map_resolved`. Later: runs, and what no earlier plan worked out.
    pub fn plan(&mut self) -> Result<&Mapped, MapError> {
        self.place()?;
        let mut before = std::mem::take(&mut self.before);
        before.copy(&self.found);
        let derived = std::mem::take(&mut self.derived);
        let (work, resolved) = (&mut self.work, &mut self.resolved);
        let mut mapped = rank(work, resolved, before, derived, &mut self.outcome);
        let judged = mapped.plan.judge_gpus(&mut mapped.notes);
        self.last = Some(mapped);
        if let Err(error) = judged {
            self.take_back();
            return Err(error);
        }
        Ok(self.last.as_ref().expect("set above"))
    }

    /// The last plan, taken out. [`Planner::give_back`] saves the next call a copy of the tables.
    pub fn take(&mut self) -> Option<Mapped> {
        self.last.take()
    }

    /// Gives back what [`Planner::take`] gave, before anything else is asked of this planner: without its last plan it has no
    /// tables.
    pub fn give_back(&mut self, mapped: Mapped) {
        self.last = Some(mapped);
    }

    /// Takes a node away: later plans do without it, and those behind it move up.
    ///
    /// # Errors
    /// [`NoSuchNode`]; nothing changes then. Cost: the runs of names and states.
    pub fn lose(&mut self, name: &str) -> Result<(), NoSuchNode> {
        self.take_back();
        let Some(node) = self.work.pool.nodes.names.find_name(name) else {
            return Err(NoSuchNode {
                name: name.to_owned(),
                nodes: self.work.pool.nodes.names.len(),
            });
        };
        self.found.remove(node);
        self.work.pool.nodes.lose(node);
        Ok(())
    }

    /// Nodes that are left.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.found.nodes()
    }

    /// The last plan, if there was one and no node was lost since.
    #[must_use]
    pub fn into_mapped(self) -> Option<Mapped> {
        self.last
    }

    /// Takes back the tables that the last plan has.
    fn take_back(&mut self) {
        if let Some(Mapped { plan, notes, calls }) = self.last.take() {
            let (world, apps, patterns, derived, placed) = plan.into_tables();
            self.before = self.work.put_back(world, patterns);
            (self.resolved.apps, self.derived) = (apps, derived);
            self.outcome.placed.extend(placed);
            (self.outcome.notes, self.outcome.calls) = (notes, calls);
        }
    }
}
