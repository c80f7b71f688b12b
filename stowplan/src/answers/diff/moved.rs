//! How many ranks moved, and how.

use serde::Serialize;

/// Ranks that moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Moved {
    /// Ranks on another node.
    pub node: u32,
    /// Ranks on other cpus of the same node.
    pub cpus: u32,
    /// Ranks of which only the local rank differs.
    pub local_rank: u32,
    /// Ranks of which only the GPUs differ; a plan without any does not speak of them.
    #[serde(skip_serializing_if = "is_none")]
    pub gpus: u32,
    /// Ranks of which only the network cards differ; plans that do not map by them do not speak of them.
    #[serde(skip_serializing_if = "is_none")]
    pub nics: u32,
    /// Ranks of which only the cpus of threads differ; a plan without words for threads does not speak of them.
    #[serde(skip_serializing_if = "is_none")]
    pub threads: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(count: &u32) -> bool {
    *count == 0
}
