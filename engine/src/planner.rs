//! One job on nodes that may be lost. It is planned again and again, and each plan reuses what earlier plans worked
//! out.
//!
//! What a policy makes of a node's state depends on nothing else, and working it out is most of the cost of a first plan. A [`Planner`] keeps
//! these results and the tables, so the next plan is only arithmetic over runs of equal nodes.

use crate::count::counted;
use crate::error::MapError;
use crate::map::{Components, Machine, Mapped, build_workspace, make_plan};
use crate::plan::{Derived, Placed};
use crate::stage::job::JobOutcome;
use crate::stage::job::all_apps::place_apps;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::states::StateRuns;

/// A job and its nodes.
///
/// Its plans share its tables. A table that grows while an earlier plan is still kept is copied first.
#[derive(Clone, Debug)]
pub struct Planner {
    resolved: Resolved,
    components: Components,
    /// The nodes, and what was worked out about their states.
    work: Workspace,
    /// The state in which the job finds each node that is left.
    found: StateRuns,
    /// What was placed on the nodes. `policies`: the number of distinct policies before any binding was settled.
    outcome: JobOutcome,
    policies: usize,
    /// What the last plan derived from its patterns.
    derived: Derived,
}

/// The job has no such node, or has it no longer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{name} is not one of the job's {}", counted(*.nodes, "node"))]
pub struct NoSuchNode {
    /// The name.
    pub name: String,
    /// How many nodes the job has.
    pub nodes: u32,
}

impl Planner {
    /// A planner for a job on the nodes that it names. Nothing is placed yet.
    ///
    /// # Errors
    /// Those of [`crate::map::map_resolved`] that concern the nodes: `bad-hostfile`, `not-in-session`, `bad-topology`,
    /// `bad-cpu-list`, `job-too-large`.
    pub fn new(resolved: Resolved, machine: Machine) -> Result<Self, MapError> {
        Self::with(resolved, machine, Components::standard())
    }

    /// The same, with a launcher's own components: they are asked for every plan.
    ///
    /// # Errors
    /// As [`Planner::new`].
    pub fn with(
        resolved: Resolved,
        mut machine: Machine,
        components: Components,
    ) -> Result<Self, MapError> {
        let work = build_workspace(&resolved, &mut machine)?;
        Ok(Self {
            found: work.pool.nodes.runs.clone(),
            outcome: JobOutcome::default(),
            policies: resolved.apps.policies.len(),
            resolved,
            components,
            work,
            derived: Derived::default(),
        })
    }

    /// Runs only the stages: decides where the processes of every app go on the nodes that are left. Returns the data
    /// that [`Planner::plan`] puts into its plan. Shape `[apps]`; holes have no runs.
    ///
    /// # Errors
    /// As `plan`.
    ///
    /// Cost: as `plan`, without making the plan. After the first placement it allocates nothing for apps that find the same states as before
    /// (`scale-tests/measured/tests/it/replan.rs`), except for maps that files write out.
    pub fn place(&mut self) -> Result<&[Placed], MapError> {
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

    /// Places the job on the nodes that are left. The result is that of [`crate::map::map_resolved`] for a machine and
    /// host lists without the lost nodes.
    ///
    /// # Errors
    /// As `map_resolved`. The planner stays usable: the next loss or plan starts from the same nodes.
    ///
    /// Cost: the first time, that of `map_resolved`. Later, the runs of nodes, a copy of the table of apps, and whatever no earlier plan
    /// worked out.
    pub fn plan(&mut self) -> Result<Mapped, MapError> {
        self.place()?;
        let (apps, before) = (self.resolved.apps.clone(), self.found.clone());
        let (derived, outcome) = (&mut self.derived, &mut self.outcome);
        make_plan(&self.work, apps, before, derived, outcome)
    }

    /// Removes a node from later plans. The nodes behind it move up.
    ///
    /// # Errors
    /// [`NoSuchNode`]; then nothing changes. Cost: the runs of names and states.
    pub fn lose(&mut self, name: &str) -> Result<(), NoSuchNode> {
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

    /// What the last plan derived from its patterns, for a test that it is kept.
    #[doc(hidden)]
    #[must_use]
    pub const fn derived(&self) -> &impl std::fmt::Debug {
        &self.derived
    }

    /// How many nodes are left.
    #[must_use]
    pub fn nodes(&self) -> u32 {
        self.found.nodes()
    }
}
