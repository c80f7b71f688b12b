//! By the cpus of a list: each cpu serves one process of a node. Source: `semantics` 3.4, 4.7.

use super::filling::{self, Lays};
use super::group::NodeTake;
use super::map_policy::{Counting, GroupView, MapPolicy, Pass};
use super::placement::Placement;
use super::refuse;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::policy::{BindTo, Ordered, Oversubscribe};
use crate::stage::alloc::selected::Candidate;
use crate::stage::node::bind::Failure;
use crate::stage::node::layout::{Binding, Layout};
use crate::table::apps::{AppTable, Policy};

/// `--map-by pe-list=LIST`.
pub(crate) struct ByPeList;

/// How many cpus the list has.
fn cpus(apps: &AppTable, policy: &Policy) -> u64 {
    let cpus = |&(first, last): &(u32, u32)| u64::from(last - first) + 1;
    let list = policy.list.map(|list| &apps.lists[list]);
    list.map_or(0, |list| list.iter().map(cpus).sum())
}

fn list_length(placement: &Placement<'_>) -> u32 {
    u32::try_from(cpus(placement.apps, &placement.policy)).unwrap_or(u32::MAX)
}

impl MapPolicy for ByPeList {
    /// As many as the list has cpus, counted once and not for each node (3.4).
    fn count(&self, app: &mut Counting<'_>, _nodes: &[Candidate]) -> Result<u64, MapError> {
        Ok(cpus(app.apps, app.policy))
    }

    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        filling::place(placement, self, Lays::EachPass)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let capacity = view.capacity();
        let (placement, row) = (&view.placement, view.row());
        if let Some((cpu, reason)) = capacity.pe_list_closed {
            return Err(conflict(placement, view.group, cpu, reason));
        }
        let overload = placement.overload();
        let procs = match view.pass {
            Pass::Second => row.room(),
            Pass::First => {
                let own = if overload && placement.policy.ordered == Ordered::No {
                    row.avail()
                } else {
                    list_length(placement)
                };
                let own = match placement.policy.oversubscribe {
                    Oversubscribe::Allowed => own,
                    Oversubscribe::Refused => own.min(row.avail()),
                };
                own.min(row.room())
            }
        };
        let procs = if overload || placement.binding == Binding::Off {
            procs
        } else {
            procs.min(capacity.pe_list_free)
        };
        Ok(NodeTake {
            layout: Layout::List(placement.binding),
            procs,
        })
    }

    /// Only under a default binding or no binding, or if cpus may be shared (4.7).
    fn has_second_pass(&self, placement: &Placement<'_>) -> bool {
        !placement.explicit() || placement.overload() || placement.policy.bind == BindTo::Nothing
    }

    /// Gives up the default binding of the list (4.7).
    fn begin_second_pass(&self, placement: &mut Placement<'_>) {
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
            Failure::SpanPackages => placement
                .refused_at(group)
                .span_packages("the pe-list".to_owned()),
            Failure::ListedTaken(cpu) => conflict(placement, group, cpu, "taken"),
            Failure::NoTarget(_) | Failure::Limit | Failure::NoCpu => {
                refuse::unbindable(placement, placed, group, failure)
            }
        }
    }

    fn out_of_cpus(&self, placement: &Placement<'_>, placed: u64) -> MapError {
        PlaceError::PeListExhausted {
            app: placement.app.number(),
            asked: placement.asked,
            placed,
            listed: list_length(placement),
            nodes: placement.node_count(),
        }
        .into()
    }
}

fn conflict(placement: &Placement<'_>, group: usize, cpu: u32, reason: &'static str) -> MapError {
    PlaceError::PeListConflict {
        app: placement.app.number(),
        cpu,
        reason,
        node: refuse::node(placement, group),
        there: placement.refused_at(group).cpus_there(),
    }
    .into()
}
