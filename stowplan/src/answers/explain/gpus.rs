//! Which GPUs a rank is given, and why: the places of the processes on its node and the words of their apps decide.

use crate::answers::gpus::list;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::gpus::GpuReason;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::{GpuShare, MapBy};

/// The GPUs of a rank as a list; `None`: none.
pub(super) fn given(plan: &Plan, rank: Rank) -> Option<String> {
    // Most plans have no GPUs, and dealing none still goes through the processes of the node.
    if !plan.tells_gpus() {
        return None;
    }
    let place = plan.place(rank)?;
    let given = plan.given_gpus_on(place.node);
    let own = given.of(place.node, place.local_rank);
    (!own.is_empty()).then(|| list(own))
}

/// Whether a launcher's own rules placed the process.
fn is_given(plan: &Plan, place: &ProcPlace) -> bool {
    let policy = plan.app(place.app).policy();
    policy.is_some_and(|id| plan.resolved_apps().policies[id].map == MapBy::Given)
}

/// Why the rank has these GPUs. `None`: its node has no GPUs.
pub(super) fn sentence(plan: &Plan, rank: Rank) -> Option<String> {
    let place = plan.place(rank)?;
    let reason = plan.gpu_reason(&place)?;
    let own = given(plan, rank);
    let own = own.map_or_else(
        || "no GPU".to_owned(),
        |own| {
            if own.contains([',', '-']) {
                format!("GPUs {own} (visible numbers)")
            } else {
                format!("GPU {own} (visible number)")
            }
        },
    );
    Some(match reason {
        GpuReason::NoGpus => return None,
        GpuReason::None => "--gpus none: it is given no GPU".to_owned(),
        GpuReason::Mapped(gpu) => {
            format!("so it is given {own}, which is gpu:{gpu} of its node in logical order")
        }
        GpuReason::Map if is_given(plan, &place) => format!("its launcher shows it {own}"),
        GpuReason::Map => format!("mpibind deals the GPUs in its domains: it is given {own}"),
        GpuReason::Dealt { near, .. } if near.is_empty() => {
            "it is given no GPU: none is near its cpus".to_owned()
        }
        GpuReason::Dealt {
            share,
            near,
            size,
            at,
        } => {
            let words = match share {
                None => "--gpus split (by default)".to_owned(),
                Some(GpuShare::Split) => "--gpus split".to_owned(),
                Some(GpuShare::Share) => "--gpus share".to_owned(),
                Some(GpuShare::None) => "--gpus none".to_owned(),
                Some(GpuShare::PerRank(each)) => format!("--gpus-per-rank {each}"),
            };
            let near: Vec<String> = near.iter().map(u32::to_string).collect();
            let of = match size {
                1 => "it is the only process with these near".to_owned(),
                size => format!("it is number {at} of the {size} processes with these near"),
            };
            format!(
                "GPUs near it are {} in logical order, and {of}: {words} gives it {own}",
                near.join(" ")
            )
        }
    })
}
