//! What the words of a job name outside of them, as the command has it: files, the environment, journals, this machine.

use crate::session_state;
use std::path::Path;
use stowplan_engine::session::State;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_job::error::JobError;
use stowplan_job::outside::Outside;
use stowplan_topo::TopoError;

/// Files as given; all else from the system.
#[derive(Clone, Copy)]
pub struct Surroundings<'f> {
    /// The files that a request names.
    pub files: &'f dyn Files,
}

impl Files for Surroundings<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.files.read(path)
    }
}

impl Outside for Surroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn sessions(&self, path: &str) -> Result<State, JobError> {
        session_state::read(Path::new(path)).map_err(|error| JobError::Told {
            class: error.class(),
            sentence: error.to_string(),
        })
    }

    #[cfg(feature = "hwloc")]
    fn here(&self) -> Option<Result<TopologyDraft, TopoError>> {
        Some(stowplan_topo::live::detect())
    }

    #[cfg(not(feature = "hwloc"))]
    fn here(&self) -> Option<Result<TopologyDraft, TopoError>> {
        None
    }
}
