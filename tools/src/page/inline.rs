//! Files that came with a request. No other file is read, and nothing else of the machine that answers.

use crate::report::{Refused, told};
use std::collections::BTreeMap;
use stowplan::job::args::JobArgs;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

/// Whether requests may ask for the topology of the machine that answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnMachine {
    /// The page is for the people of this machine.
    Told,
    /// It is for others too.
    Kept,
}

/// What the words of a request may refer to.
#[derive(Clone, Debug)]
pub struct Inline<'r> {
    /// Texts by name.
    pub files: &'r BTreeMap<String, String>,
    /// `--topo here`.
    pub own: OwnMachine,
}

impl Files for Inline<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.files.get(path) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => {
                Err("it did not come with the request, and no other file is read here".to_owned())
            }
        }
    }

    fn is_plan(&self, path: &str) -> bool {
        self.files
            .get(path)
            .is_some_and(|text| Plan::is_sealed(text.as_bytes()))
    }
}

impl Inline<'_> {
    /// Refuses words that would read the machine that answers: its environment, its sessions, and its topology where it is kept.
    ///
    /// # Errors
    /// `bad-request`.
    pub fn keeps_out(&self, job: &JobArgs) -> Result<(), Refused> {
        let refused = |sentence: &str| Err(told("bad-request", sentence));
        if job.output.is_some() || job.save.is_some() {
            return refused("-o and --save have no place here: the answer is one");
        }
        if job.session.is_some() {
            return refused("--session has no place here: no journal is read");
        }
        if job.here.is_some() || job.env_here || job.from_env.is_some() {
            return refused(
                "--here, --env-here and --from-env have no place here: no environment is read",
            );
        }
        let here = |source: &str| source == "here" || source.ends_with("=here");
        let asks = job.topos.is_empty() || job.topos.iter().any(|(_, source)| here(source));
        if asks && self.own == OwnMachine::Kept {
            return refused(
                "--topo must name a machine here: that of the page is not shown to others",
            );
        }
        Ok(())
    }
}
