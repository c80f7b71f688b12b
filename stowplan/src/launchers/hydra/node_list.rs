//! The entries of Hydra's node list: neighbours of one name are one node. Source: `lines/hydra/spec.md` 3.

use super::refusal::refuses;
use crate::launchers::line::LineRefused;
use stowplan_engine::table::names::{NameRange, range_name};

/// Neighbouring nodes of the list that have the same slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HydraNodes {
    /// At least one name.
    pub(crate) names: NameRange,
    /// Slots of each.
    pub(crate) slots: u32,
    /// `binding=` of the host file.
    pub(crate) binding: Option<String>,
}

/// The most nodes of a list.
const NODES_MAX: u64 = 1 << 20;

/// Refuses a list of too many nodes.
pub(crate) fn within_bounds<'n>(
    names: impl IntoIterator<Item = &'n NameRange>,
) -> Result<(), LineRefused> {
    let count: u64 = { names.into_iter() }
        .map(|names| u64::from(names.count))
        .sum();
    match count <= NODES_MAX {
        true => Ok(()),
        false => Err(LineRefused::new(
            "job-too-large",
            format!("more than {NODES_MAX} hosts are named one by one"),
        )),
    }
}

/// Adds hosts: the slots of the first go to the node before if that has the same name.
///
/// # Errors
/// `launcher-refuses` for two bindings of one node.
///
/// Cost: that of a name, however many the range has.
pub(crate) fn add(
    nodes: &mut Vec<HydraNodes>,
    names: NameRange,
    slots: u32,
    binding: Option<String>,
) -> Result<(), LineRefused> {
    let first = range_name(&names, 0);
    let meets = |last: &mut HydraNodes| range_name(&last.names, last.names.count - 1) == first;
    let Some(last) = nodes.pop_if(meets) else {
        nodes.push(HydraNodes {
            names,
            slots,
            binding,
        });
        return Ok(());
    };
    if binding.is_some() && last.binding.is_some() {
        return Err(refuses(&format!("{first} has two bindings")));
    }
    let ahead = last.names.count - 1;
    let both = HydraNodes {
        names: part(&names, 0, 1),
        slots: last.slots.saturating_add(slots),
        binding: last.binding.clone().or_else(|| binding.clone()),
    };
    let behind = HydraNodes {
        names: part(&names, 1, names.count - 1),
        slots,
        binding,
    };
    let ahead = HydraNodes {
        names: part(&last.names, 0, ahead),
        ..last
    };
    let parts = [ahead, both, behind].into_iter();
    nodes.extend(parts.filter(|run| run.names.count > 0));
    Ok(())
}

fn part(names: &NameRange, skip: u32, count: u32) -> NameRange {
    NameRange {
        first: names.first + u64::from(skip),
        count,
        ..names.clone()
    }
}

/// The list without the nodes of this name.
///
/// Cost: the names.
pub(crate) fn without(nodes: Vec<HydraNodes>, name: &str) -> Vec<HydraNodes> {
    let mut left = Vec::new();
    for run in nodes {
        let names = (0..run.names.count).filter(|&at| range_name(&run.names, at) != name);
        left.extend(names.map(|at| HydraNodes {
            names: part(&run.names, at, 1),
            ..run.clone()
        }));
    }
    left
}
