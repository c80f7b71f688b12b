//! What the words of a job refer to: files, and things that only the command can provide.

use crate::job::error::{JobError, told};
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_session::State;
use stowplan_topo::TopoError;

/// What the words of a job refer to: files, and things that only the command can provide.
pub trait Outside: Files {
    /// An environment variable, for `--from-env`.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// All environment variables, for `--env-here`.
    fn variables(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The sessions that `--session` names.
    ///
    /// # Errors
    /// `journal`, in the words of the code that reads it.
    fn sessions(&self, path: &str) -> Result<State, JobError> {
        Err(told(
            "journal",
            format!("{path}: sessions are not read here"),
        ))
    }

    /// The topology of this machine, for `--topo here`, and for its own nodes if no topology is named.
    ///
    /// # Errors
    /// `bad-topology` when it cannot be read. The library does not read it.
    fn here(&self) -> Result<TopologyDraft, TopoError> {
        let reason = "it is not read here".to_owned();
        Err(TopoError::Live { reason })
    }

    /// The names of this machine, other than `localhost`.
    fn names_here(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Files, and nothing else.
#[derive(Clone, Copy)]
pub struct FilesAlone<'f>(pub &'f dyn Files);

impl Files for FilesAlone<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.read(path)
    }
    fn is_plan(&self, path: &str) -> bool {
        self.0.is_plan(path)
    }
}

impl Outside for FilesAlone<'_> {}
