//! Which devices a rank is mapped to, by their names.

use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;

/// The names of the devices of a rank that is mapped to devices other than GPUs.
pub(super) fn sentence(plan: &Plan, rank: Rank) -> Option<String> {
    let place = plan.place(rank)?;
    let (kind, logical) = place.object?;
    let names = plan.device_names(plan.on_devices(&place)?);
    let others = kind == ObjKind::Device && !names.is_empty();
    others.then(|| match names.len() {
        1 => format!("device:{logical} is {}", names[0]),
        _ => format!(
            "its devices are {}: the first is device:{logical}",
            names.join(", ")
        ),
    })
}
