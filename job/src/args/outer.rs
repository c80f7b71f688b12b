//! Which options a library takes with the machine, not with the job.

use crate::options::Meaning;
use crate::parameters::is_machine;

/// Whether an option says what the machine is, what else the system has, or how the answer is written.
pub(super) fn is_outer(meaning: Meaning, value: &str) -> bool {
    match meaning {
        Meaning::Mca => value
            .split_once('\0')
            .is_some_and(|(key, _)| is_machine(key)),
        Meaning::Topo
        | Meaning::Head
        | Meaning::Session
        | Meaning::Target
        | Meaning::EnvFile
        | Meaning::EnvHere
        | Meaning::QuietNotes
        | Meaning::Strict
        | Meaning::FromEnv
        | Meaning::Format
        | Meaning::Display
        | Meaning::Output
        | Meaning::Save
        | Meaning::Threads
        | Meaning::ShowAttributes
        | Meaning::Columns
        | Meaning::Dark
        | Meaning::Size
        | Meaning::Node
        | Meaning::Ranks
        | Meaning::Script
        | Meaning::LineNumber
        | Meaning::App
        | Meaning::Here => true,
        Meaning::Np
        | Meaning::Devices
        | Meaning::RankOrder
        | Meaning::Network
        | Meaning::NetworkLevels
        | Meaning::NodeOrder
        | Meaning::As
        | Meaning::Host
        | Meaning::Hostfile
        | Meaning::DefaultHostfile
        | Meaning::MapBy
        | Meaning::RankBy
        | Meaning::BindTo
        | Meaning::Old(_)
        | Meaning::Gpus
        | Meaning::GpusPerRank
        | Meaning::Taskmap
        | Meaning::LsfAffinity
        | Meaning::Alloc
        | Meaning::Granted
        | Meaning::Env
        | Meaning::Exported
        | Meaning::Omp
        | Meaning::Levels
        | Meaning::Site
        | Meaning::Rtos
        | Meaning::Ignored => false,
    }
}
