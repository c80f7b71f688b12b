//! Files that came with a request. No other file is read, and nothing else of the machine that answers.

use crate::surroundings;
use std::collections::BTreeMap;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_job::outside::Outside;
use stowplan_topo::TopoError;

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

impl Outside for Inline<'_> {
    fn here(&self) -> Result<TopologyDraft, TopoError> {
        match self.own {
            OwnMachine::Told => surroundings::here(),
            OwnMachine::Kept => Err(TopoError::Live {
                reason: "it is not shown to others".to_owned(),
            }),
        }
    }
}
