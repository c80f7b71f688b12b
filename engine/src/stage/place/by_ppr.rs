//! `ppr:N:object`: N processes on each object, node after node. Source: `semantics` 3.4, 4.4.

use super::filling::{self, Lays};
use super::group::NodeTake;
use super::map_policy::{Counting, Counts, GroupView, MapPolicy};
use super::placement::Placement;
use super::{by_object, refuse};
use crate::count::counted;
use crate::error::phrases::FullNodes;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::policy::{Devices, ObjKind, Oversubscribe, PprObject};
use crate::stage::alloc::selected::Candidate;
use crate::stage::node::layout::{Binding, End, Layout};
use crate::stage::node::units::Targets;
use crate::table::device_order;

/// `--map-by ppr:N:object`.
pub(crate) struct ByPpr {
    per: u32,
    on: PprObject,
    /// Nodes that the pattern passed over, and the reason for the first of them.
    passed_over: u32,
    why: Option<String>,
}

impl ByPpr {
    pub(crate) const fn new(per: u32, on: PprObject) -> Self {
        Self {
            per,
            on,
            passed_over: 0,
            why: None,
        }
    }

    /// Records nodes that lack room for the whole pattern.
    fn pass_over(&mut self, view: &GroupView<'_, '_>, needed: u64, noun: &'static str, has: u32) {
        self.passed_over = (self.passed_over).saturating_add(view.row().nodes.count);
        self.why.get_or_insert_with(|| {
            let node = refuse::node(view.placement, view.group);
            let outside = view.placement.refused_at(view.group).left_out();
            match outside.filter(|_| noun != "slot") {
                Some(why) => format!(": {node}: {why}"),
                None => format!(": {node} needs {} and has {has}", counted(needed, noun)),
            }
        });
    }
}

impl MapPolicy for ByPpr {
    fn counts(&self) -> Counts {
        Counts::AtItsTurn
    }

    /// N processes for each object.
    fn count(&self, app: &mut Counting<'_>, nodes: &[Candidate]) -> Result<u64, MapError> {
        let tables = &app.pool.tables;
        let each = |of: &Candidate| {
            let objects = match self.on {
                PprObject::Node => 1,
                PprObject::Kind(kind) => {
                    let topology = tables.topology_of(of.state);
                    Targets::new(&tables.topologies, topology, kind).len()
                }
                PprObject::Devices(devices) => {
                    let topology = tables.topology_of(of.state);
                    device_order::count(&tables.topologies, topology, devices)
                }
            };
            u64::from(objects) * u64::from(of.nodes.count)
        };
        let objects: u64 = nodes.iter().map(each).sum();
        match (objects, self.on, nodes.first()) {
            (0, PprObject::Kind(ObjKind::Gpu), Some(first)) => {
                let node = app.pool.nodes.name(first.nodes.first);
                let (app, of) = (app.app.number(), Devices::Gpus);
                Err(PlaceError::DeviceNotFound { app, of, node }.into())
            }
            (0, PprObject::Devices(devices), Some(first)) => {
                let node = app.pool.nodes.name(first.nodes.first);
                let topology = tables.topology_of(first.state);
                let topologies = &tables.topologies;
                Err(refuse::no_device(
                    topologies,
                    topology,
                    devices,
                    app.app.number(),
                    node,
                ))
            }
            (objects, ..) => Ok(objects.saturating_mul(u64::from(self.per))),
        }
    }

    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        filling::place(placement, self, Lays::EachPass)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let capacity = view.capacity();
        let objects = match self.on {
            PprObject::Node => 1,
            PprObject::Kind(_) | PprObject::Devices(_) => capacity.objects,
        };
        if objects == 0 {
            return Err(by_object::not_found(view.placement, view.group));
        }
        let whole = u64::from(self.per) * u64::from(objects);
        let cpus = whole.saturating_mul(u64::from(view.placement.policy.pe));
        let (row, explicit) = (*view.row(), view.placement.explicit());
        let slots = u64::from(row.avail());
        let given_up = cpus > u64::from(capacity.free) && whole <= slots && !explicit;
        let binding = if given_up {
            Binding::Off
        } else {
            view.placement.binding
        };
        let layout = Layout::Blocks(self.per, binding);
        if whole > slots && view.placement.policy.oversubscribe == Oversubscribe::Refused {
            self.pass_over(view, whole, "slot", row.avail());
            return Ok(NodeTake { layout, procs: 0 });
        }
        view.check_target(binding)?;
        match self.on {
            PprObject::Node => view.check_packages()?,
            PprObject::Kind(_) | PprObject::Devices(_) => by_object::check_pe(view)?,
        }
        let most = u32::try_from(whole).unwrap_or(u32::MAX);
        let want = view.placement.left.min(row.room()).min(most);
        let (procs, end) = view.placement.fit(view.group, layout, want);
        if u64::from(procs) < whole.min(u64::from(want)) {
            self.pass_over(view, cpus, "free cpu", capacity.free);
        }
        // If the layout ended early, the node is full, or a process must be bound and cannot be.
        match end {
            End::Wanted | End::Full => Ok(NodeTake { layout, procs }),
            End::TooLong => Err(refuse::too_long()),
            End::Fails(failure) => {
                let placed = view.placement.dealt() + u64::from(procs);
                let (placement, group) = (&view.placement, view.group);
                Err(refuse::unbindable(placement, placed, group, failure))
            }
        }
    }

    fn has_second_pass(&self, _placement: &Placement<'_>) -> bool {
        false
    }

    fn out_of_cpus(&self, placement: &Placement<'_>, _placed: u64) -> MapError {
        PlaceError::PprTooMany {
            app: placement.app.number(),
            asked: placement.asked,
            placed: u32::try_from(placement.dealt()).unwrap_or(u32::MAX),
            pattern: format!("ppr:{}:{}", self.per, self.on),
            skipped: self.passed_over,
            full: FullNodes::default(),
            why: self.why.clone().unwrap_or_default(),
        }
        .into()
    }
}
