//! `ppr:N:object`: so many processes on each object, node after node. Source: `semantics` 3.4, 4.4.

use super::filling::{fill_group, look_ahead};
use super::object;
use super::placement::Placement;
use super::policy::{GroupView, Pass, PlacePolicy, lay};
use super::refuse;
use super::trial::Limit;
use crate::count::counted;
use crate::error::words::FullNodes;
use crate::error::{MapError, PlaceError};
use crate::policy::{Oversubscribe, PprObject};
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::tables::Tables;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::{Binding, End, Layout};
use crate::stage::node::units::Targets;
use crate::stage::parallel::emptied;

/// `--map-by ppr:N:object`.
struct ByPpr {
    per: u32,
    on: PprObject,
}

/// Processes of an app without `-n`: N per object over its nodes that are not full (3.4).
pub(crate) fn count(tables: &Tables, candidates: &[Candidate], per: u32, on: PprObject) -> u64 {
    let each = |candidate: &Candidate| {
        let objects = match on {
            PprObject::Node => 1,
            PprObject::Kind(kind) => {
                let topology = tables.topology_of(candidate.state);
                u64::from(Targets::new(&tables.topologies, topology, kind).len())
            }
        };
        objects * u64::from(candidate.nodes.count)
    };
    let objects: u64 = candidates.iter().map(each).sum();
    objects.saturating_mul(u64::from(per))
}

pub(crate) fn place(
    placement: &mut Placement<'_>,
    per: u32,
    on: PprObject,
) -> Result<(), MapError> {
    let policy = ByPpr { per, on };
    let mut allotments = emptied(&mut placement.scratch.allotments);
    let mut skipped = Skipped::default();
    let (mut group, mut known) = (0, 0);
    while group < placement.groups.len() && placement.left > 0 {
        if group >= known {
            known = look_ahead(placement, group);
            placement.learn(group..known);
        }
        let needs = policy.needs(placement, group)?;
        let row = placement.groups[group];
        let slots = u64::from(row.avail);
        if needs.procs > slots && placement.policy.oversubscribe == Oversubscribe::Refused {
            skipped.for_slots(placement, group, needs.procs);
            group += 1;
            continue;
        }
        let Limit { layout, .. } = policy.limit(&GroupView::new(placement, group, Pass::First))?;
        let most = u32::try_from(needs.procs).unwrap_or(u32::MAX);
        let want = placement.left.min(row.room).min(most);
        let fit = placement.learn_fit(group, layout, want);
        if u64::from(fit) < needs.procs.min(u64::from(want)) {
            skipped.for_cpus(placement, group, needs);
        }
        if fit < want {
            check_end(placement, group, layout, want)?;
        }
        let limit = Limit { layout, procs: fit };
        let rows = fill_group(placement, group, limit, &mut allotments);
        known += rows - 1;
        group += rows;
    }
    lay(placement, &policy, &allotments)?;
    placement.scratch.allotments = allotments;
    if placement.left > 0 {
        return Err(policy.too_many(placement, skipped));
    }
    Ok(())
}

/// What the whole pattern takes of a node.
#[derive(Clone, Copy)]
struct Needs {
    procs: u64,
    cpus: u64,
    /// Free cpus that there are.
    free: u32,
}

impl ByPpr {
    fn needs(&self, placement: &mut Placement<'_>, group: usize) -> Result<Needs, MapError> {
        let Capacity { objects, free, .. } = placement.capacity(group);
        let objects = match self.on {
            PprObject::Node => 1,
            PprObject::Kind(_) => objects,
        };
        if objects == 0 {
            return Err(object::not_found(placement, group));
        }
        let procs = u64::from(self.per) * u64::from(objects);
        let cpus = procs.saturating_mul(u64::from(placement.policy.pe));
        Ok(Needs { procs, cpus, free })
    }

    fn too_many(&self, placement: &Placement<'_>, skipped: Skipped) -> MapError {
        let object = match self.on {
            PprObject::Node => "node",
            PprObject::Kind(kind) => kind.word(),
        };
        PlaceError::PprTooMany {
            app: placement.app_number(),
            asked: placement.asked,
            placed: u32::try_from(placement.dealt()).unwrap_or(u32::MAX),
            pattern: format!("ppr:{}:{object}", self.per),
            skipped: skipped.nodes,
            full: FullNodes::default(),
            why: skipped.first.unwrap_or_default(),
        }
        .into()
    }
}

impl PlacePolicy for ByPpr {
    fn limit(&self, view: &GroupView<'_, '_>) -> Result<Limit, MapError> {
        let (placement, capacity) = (view.placement, view.capacity);
        let objects = match self.on {
            PprObject::Node => 1,
            PprObject::Kind(_) => capacity.objects,
        };
        let whole = u64::from(self.per) * u64::from(objects);
        let cpus = whole.saturating_mul(u64::from(placement.policy.pe));
        let given_up = cpus > u64::from(capacity.free)
            && whole <= u64::from(view.row().avail)
            && !placement.explicit();
        let binding = if given_up {
            Binding::Off
        } else {
            placement.binding
        };
        view.check_target(binding)?;
        match self.on {
            PprObject::Node => view.check_packages()?,
            PprObject::Kind(_) => object::check_pe(view)?,
        }
        Ok(Limit {
            layout: Layout::Blocks(self.per, binding),
            procs: u32::try_from(whole).unwrap_or(u32::MAX),
        })
    }
}

/// A layout that ended early: fine when the node is full, an error when a process must be bound and cannot be.
fn check_end(
    placement: &Placement<'_>,
    group: usize,
    layout: Layout,
    want: u32,
) -> Result<(), MapError> {
    match placement.ending(group, layout, want) {
        End::Fails(failure) => {
            let fit = placement.fit(group, layout, want);
            let placed = placement.dealt() + u64::from(fit);
            Err(refuse::unbindable(placement, placed, group, failure))
        }
        End::TooLong => Err(refuse::too_long()),
        End::Wanted | End::Full => Ok(()),
    }
}

/// Nodes that the pattern passed over, and why the first of them was.
#[derive(Clone, Debug, Default)]
struct Skipped {
    nodes: u32,
    first: Option<String>,
}

impl Skipped {
    fn for_slots(&mut self, placement: &Placement<'_>, group: usize, needed: u64) {
        let avail = placement.groups[group].avail;
        self.note(placement, group, |node| {
            format!(": {node} needs {} and has {avail}", counted(needed, "slot"))
        });
    }

    fn for_cpus(&mut self, placement: &Placement<'_>, group: usize, needs: Needs) {
        let Needs { cpus, free, .. } = needs;
        self.note(placement, group, |node| {
            format!(
                ": {node} needs {} and has {free}",
                counted(cpus, "free cpu")
            )
        });
    }

    fn note(
        &mut self,
        placement: &Placement<'_>,
        group: usize,
        why: impl FnOnce(String) -> String,
    ) {
        self.nodes = (self.nodes).saturating_add(placement.groups[group].nodes.count);
        self.first
            .get_or_insert_with(|| why(refuse::node(placement, group)));
    }
}
