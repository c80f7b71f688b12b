//! What the words of a job refer to, with one more file that is only text here.

use crate::job::error::JobError;
use crate::job::outside::Outside;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_session::State;
use stowplan_topo::TopoError;

/// What is outside, and a file of this name; without a text there is none.
pub(crate) struct OneMoreFile<'o> {
    pub(crate) outside: &'o dyn Outside,
    pub(crate) name: &'static str,
    pub(crate) text: Option<String>,
}

impl Files for OneMoreFile<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match &self.text {
            Some(text) if path == self.name => Ok(text.clone().into_bytes()),
            Some(_) | None => self.outside.read(path),
        }
    }
    fn is_plan(&self, path: &str) -> bool {
        self.outside.is_plan(path)
    }
}

impl Outside for OneMoreFile<'_> {
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
