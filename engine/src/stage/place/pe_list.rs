//! By the cpus of a list: each serves one process of a node. Source: `semantics` 3.4, 4.7.

use super::filling;
use super::placement::Placement;
use super::policy::{GroupView, Pass, PlacePolicy};
use super::refuse;
use super::trial::Limit;
use crate::error::{MapError, PlaceError};
use crate::policy::{BindTo, Ordered, Oversubscribe};
use crate::stage::node::bind::Failure;
use crate::stage::node::layout::{Binding, Layout};
use crate::table::apps::{AppTable, Policy};

/// `--map-by pe-list=LIST`.
struct ByPeList;

/// Processes of an app without `-n`: the cpus of its list (3.4).
pub(crate) fn count(apps: &AppTable, policy: &Policy) -> u64 {
    let cpus = |&(first, last): &(u32, u32)| u64::from(last - first) + 1;
    let list = policy.list.map(|list| &apps.lists[list]);
    list.map_or(0, |list| list.iter().map(cpus).sum())
}

pub(crate) fn place(placement: &mut Placement<'_>) -> Result<(), MapError> {
    filling::place(placement, &ByPeList)
}

fn listed(placement: &Placement<'_>) -> u32 {
    u32::try_from(count(placement.apps, &placement.policy)).unwrap_or(u32::MAX)
}

impl PlacePolicy for ByPeList {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        let (placement, capacity, row) = (view.placement, view.capacity, view.row());
        if let Some((cpu, reason)) = capacity.listed_closed {
            return Err(PlaceError::PeListConflict {
                app: placement.app_number(),
                cpu,
                reason,
                node: refuse::node(placement, view.group),
                there: refuse::cpus_there(placement, view.group),
            }
            .into());
        }
        let overload = placement.overload();
        let procs = match view.pass {
            Pass::Sharing => row.room,
            Pass::First => {
                let own = if overload && placement.policy.ordered == Ordered::No {
                    row.avail
                } else {
                    listed(placement)
                };
                let own = match placement.policy.oversubscribe {
                    Oversubscribe::Allowed => own,
                    Oversubscribe::Refused => own.min(row.avail),
                };
                own.min(row.room)
            }
        };
        let procs = if overload || placement.binding == Binding::Off {
            procs
        } else {
            procs.min(capacity.listed_free)
        };
        Ok(Limit {
            layout: Layout::List(placement.binding),
            procs,
        })
    }

    /// Only when its binding was given up, or cpus may be shared (4.7).
    fn shares(&self, placement: &Placement<'_>) -> bool {
        !placement.explicit() || placement.overload() || placement.policy.bind == BindTo::Nothing
    }

    /// The list's default binding is given up now (4.7).
    fn begin_sharing(&self, placement: &mut Placement<'_>) {
        if !placement.explicit() {
            placement.binding = Binding::Off;
        }
    }

    fn unbindable(
        &self,
        placement: &Placement<'_>,
        placed: u64,
        group: usize,
        failure: Failure,
    ) -> MapError {
        match failure {
            Failure::SpanPackages => {
                refuse::span_packages(placement, group, "the pe-list".to_owned())
            }
            Failure::ListedTaken(cpu) => PlaceError::PeListConflict {
                app: placement.app_number(),
                cpu,
                reason: "taken",
                node: refuse::node(placement, group),
                there: refuse::cpus_there(placement, group),
            }
            .into(),
            Failure::NoTarget(_) | Failure::Limit | Failure::NoCpu => {
                refuse::unbindable(placement, placed, group, failure)
            }
        }
    }

    fn out_of_cpus(&self, placement: &Placement<'_>, placed: u64) -> MapError {
        PlaceError::PeListExhausted {
            app: placement.app_number(),
            asked: placement.asked,
            placed,
            listed: listed(placement),
            nodes: placement.node_count(),
        }
        .into()
    }
}
