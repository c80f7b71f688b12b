//! What the words of a job refer to, with the allocation of a launcher's line as a file.

use crate::error::JobError;
use crate::line::allocation::NAME;
use crate::outside::Outside;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_session::State;
use stowplan_topo::TopoError;

/// What words refer to, with the allocation as a file.
#[derive(Clone, Copy)]
pub(crate) struct Allocated<'o> {
    outside: &'o dyn Outside,
    text: Option<&'o str>,
}

impl<'o> Allocated<'o> {
    /// What the words of a job refer to.
    pub(crate) fn new(outside: &'o dyn Outside, text: Option<&'o str>) -> Self {
        Self { outside, text }
    }
}

impl Files for Allocated<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.text {
            Some(text) if path == NAME => Ok(text.as_bytes().to_vec()),
            Some(_) | None => self.outside.read(path),
        }
    }
    fn is_plan(&self, path: &str) -> bool {
        self.outside.is_plan(path)
    }
}

impl Outside for Allocated<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        self.outside.variable(name)
    }
    fn variables(&self) -> Vec<(String, String)> {
        self.outside.variables()
    }
    fn sessions(&self, path: &str) -> Result<State, JobError> {
        self.outside.sessions(path)
    }
    fn here(&self) -> Result<TopologyDraft, TopoError> {
        self.outside.here()
    }
    fn names_here(&self) -> Vec<String> {
        self.outside.names_here()
    }
}
