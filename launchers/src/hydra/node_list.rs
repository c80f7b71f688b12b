//! The entries of Hydra's node list: neighbours of one name are one node. Source: `lines/hydra/spec.md` 3.

use super::refusal::refuses;
use crate::line::LineRefused;

/// A node of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HydraNode {
    pub(crate) name: String,
    pub(crate) slots: u32,
    /// `binding=` of the host file.
    pub(crate) binding: Option<String>,
}

/// The most nodes that are listed one by one.
const NODES_MAX: usize = 1 << 20;

/// Adds a host: its slots go to the node before if that has the same name.
pub(crate) fn add(
    nodes: &mut Vec<HydraNode>,
    name: String,
    slots: u32,
    binding: Option<String>,
) -> Result<(), LineRefused> {
    if let Some(last) = nodes.last_mut().filter(|last| last.name == name) {
        last.slots = last.slots.saturating_add(slots);
        if binding.is_some() && last.binding.is_some() {
            return Err(refuses(&format!("{name} has two bindings")));
        }
        last.binding = last.binding.take().or(binding);
        return Ok(());
    }
    if nodes.len() >= NODES_MAX {
        return Err(LineRefused::new(
            "job-too-large",
            format!("more than {NODES_MAX} hosts are named one by one"),
        ));
    }
    nodes.push(HydraNode {
        name,
        slots,
        binding,
    });
    Ok(())
}
