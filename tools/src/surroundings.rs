//! Everything outside the words of a job that these words name: files, the environment, journals, this machine.

use crate::session_state;
use stowplan::job::error::JobError;
use stowplan::job::outside::Outside;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_session::State;
use stowplan_topo::TopoError;

/// Takes files from `files`, and everything else from the system.
#[derive(Clone, Copy)]
pub struct Surroundings<'f> {
    /// The files that a request names.
    pub files: &'f dyn Files,
}

impl Files for Surroundings<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.files.read(path)
    }
    fn is_plan(&self, path: &str) -> bool {
        self.files.is_plan(path)
    }
}

impl Outside for Surroundings<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn variables(&self) -> Vec<(String, String)> {
        let all = std::env::vars_os();
        let text = all.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        text.collect()
    }

    fn sessions(&self, path: &str) -> Result<State, JobError> {
        session_state::read(path)
    }

    fn here(&self) -> Result<TopologyDraft, TopoError> {
        here()
    }

    fn names_here(&self) -> Vec<String> {
        let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let name = name.trim();
        Some(name)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .into_iter()
            .collect()
    }
}

/// The names in a folder.
#[cfg(not(feature = "hwloc"))]
fn names_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    names
}

/// This machine, as libhwloc reads it.
///
/// # Errors
/// `bad-topology` if libhwloc cannot read the machine.
#[cfg(feature = "hwloc")]
pub fn here() -> Result<TopologyDraft, TopoError> {
    stowplan_topo::live::detect()
}

/// This machine, read from `/sys`: the cpus that this process may use, its GPUs and its network cards.
///
/// # Errors
/// `bad-topology` if `/sys` cannot be read.
#[cfg(not(feature = "hwloc"))]
pub fn here() -> Result<TopologyDraft, TopoError> {
    stowplan_topo::sys::parse_with(&|path| std::fs::read_to_string(path).ok(), &names_in)
}
