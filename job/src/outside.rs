//! What the words of a job name outside of them: files, and what only the command has to give.

use crate::error::JobError;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_session::State;
use stowplan_topo::TopoError;

/// What the words of a job name outside of them: files, and what only the command has to give.
pub trait Outside: Files {
    /// An environment variable, for `--from-env`.
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }

    /// The sessions that `--session` names.
    ///
    /// # Errors
    /// `journal`, in the words of who reads it.
    fn sessions(&self, path: &str) -> Result<State, JobError> {
        Err(JobError::Told {
            class: "journal",
            sentence: format!("{path}: sessions are not read here"),
        })
    }

    /// The machine at hand, for `--topo here` and for its own nodes where no topology is named.
    ///
    /// # Errors
    /// `bad-topology` where it cannot be read; the library reads none.
    fn here(&self) -> Result<TopologyDraft, TopoError> {
        let reason = "it is not read here".to_owned();
        Err(TopoError::Live { reason })
    }

    /// The names of the machine at hand, beside `localhost`.
    fn names_here(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Files alone.
#[derive(Clone, Copy)]
pub struct FilesAlone<'f>(pub &'f dyn Files);

impl Files for FilesAlone<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.read(path)
    }
}

impl Outside for FilesAlone<'_> {}
