//! A saved plan, as it is read from its file.

use crate::format::Told;
use crate::report::{Refused, told};
use std::sync::Arc;
use stowplan::job::args::JobArgs;
use stowplan::job::line::launched::Launched;
use stowplan::job::network::of_nodes;
use stowplan::job::sources::Sources;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::bytes::{Remark, Remarks};
use stowplan_engine::stage::resolve::Files;

/// A saved plan, and what was shown with it.
#[derive(Debug)]
pub(crate) struct Saved {
    /// The plan.
    pub plan: Plan,
    /// The sources of its topologies.
    pub sources: Sources,
    /// Its notes.
    pub notes: Vec<Remark>,
}

impl Saved {
    /// Reads a saved plan.
    ///
    /// # Errors
    /// `bad-plan`.
    pub(crate) fn read(path: &str, files: &dyn Files) -> Result<Self, Refused> {
        let bad = |sentence: String| told("bad-plan", sentence);
        let bytes = files
            .read(path)
            .map_err(|why| bad(format!("{path} cannot be read: {why}")))?;
        let (plan, remarks) =
            Plan::from_bytes_with(&bytes).map_err(|error| bad(format!("{path}: {error}")))?;
        let Remarks {
            sources,
            notes,
            reading,
        } = remarks;
        let mut named = Sources::default();
        named.launched = reading.and_then(Launched::of_remark);
        for (id, words) in plan.world().topologies.ids().zip(sources) {
            words.into_iter().for_each(|words| named.add(id, &words));
        }
        Ok(Self {
            plan,
            sources: named,
            notes,
        })
    }

    /// Finds its nodes on the network that the options beside it name.
    ///
    /// # Errors
    /// `bad-network`.
    pub(crate) fn on_network(&mut self, job: &JobArgs, files: &dyn Files) -> Result<(), Refused> {
        let on = of_nodes(job, &self.plan.world().names, files)?;
        self.sources.network = on.map(Arc::new);
        Ok(())
    }

    /// Its bytes, with what was shown beside it.
    #[must_use]
    pub(crate) fn bytes(&self) -> Vec<u8> {
        bytes(&self.plan, &self.sources, self.notes.clone())
    }

    /// The plan and its notes, as formats take them.
    #[must_use]
    pub(crate) fn told(&self) -> Told<'_> {
        Told {
            plan: &self.plan,
            sources: &self.sources,
            notes: &self.notes,
        }
    }
}

/// The bytes of a plan, with the sources of its topologies, how its line was read, and its notes.
pub(super) fn bytes(plan: &Plan, sources: &Sources, notes: Vec<Remark>) -> Vec<u8> {
    let source = |id| sources.of(id).map(str::to_owned);
    plan.to_bytes_with(&Remarks {
        sources: plan.world().topologies.ids().map(source).collect(),
        notes,
        reading: sources.launched.as_ref().map(Launched::remark),
    })
}
