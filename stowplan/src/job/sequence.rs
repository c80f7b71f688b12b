//! The sequence of a task map: `--taskmap` places processes as seq does.

use crate::job::error::{JobError, told};
use stowplan_engine::stage::resolve::{Files, Resolved};
use stowplan_engine::table::apps::Numbering;
use stowplan_engine::table::listings::{Entry, EntryNode, Listing};
use stowplan_engine::taskmap::TaskMap;

/// The most stretches of ranks on one node that `--taskmap` may name.
const TASKMAP_RUNS_MAX: usize = 1 << 24;

/// Makes the sequence of a task map. Node number i of the task map is the i-th of the job's nodes.
pub(crate) fn sequence_of(
    map: &str,
    resolved: &mut Resolved,
    files: &dyn Files,
) -> Result<(), JobError> {
    let bytes = match map.strip_prefix('@') {
        Some(path) => files
            .read(path)
            .map_err(|reason| told("taskmap-syntax", format!("--taskmap {map}: {reason}")))?,
        None => map.as_bytes().to_vec(),
    };
    let refused = |error: stowplan_engine::taskmap::TaskMapError| {
        told(error.class(), format!("--taskmap: {error}"))
    };
    let map = TaskMap::read(&bytes).map_err(refused)?;
    map.task_count().map_err(refused)?;
    let mut listing = Listing {
        path: "--taskmap".to_owned(),
        ..Listing::default()
    };
    let mut number = 0;
    for block in map.flux_blocks().iter() {
        for _ in 0..block.repeat {
            for node in block.first..block.first + block.nodes {
                if listing.entries.len() == TASKMAP_RUNS_MAX {
                    return Err(told(
                        "job-too-large",
                        format!(
                            "--taskmap: more than {TASKMAP_RUNS_MAX} changes from node to node, which is the limit"
                        ),
                    ));
                }
                listing.entries.push(Entry {
                    number,
                    node: EntryNode::Nth(node),
                    cpus: None,
                    line: 1,
                    count: block.ppn,
                });
                number += block.ppn;
            }
        }
    }
    let id = resolved.apps.listings.push(listing);
    for app in resolved.apps.ids() {
        if resolved.apps.policy[app].is_some() {
            resolved.apps.listing[app] = Some((id, Numbering::Job));
        }
    }
    Ok(())
}
