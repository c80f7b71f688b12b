//! The entries of one node, for processes that the user listed: sequences, rankfiles, affinity files. Source:
//! `semantics` 4.5, 4.6, `per-app` 9.1.

use super::app::App;
use crate::error::phrases::Counted;
use crate::policy::{BindStrength, BindTo, CpuMode, MapBy, ObjKind, Overload, Oversubscribe};
use crate::stage::node::bind::{Failure, Mask, Target};
use crate::stage::node::bits::Bits;
use crate::stage::node::capacity::TopologyView;
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::on_node::place_on_node;
use crate::stage::node::layout::{Binding, DraftRun, DraftSegment, End, Layout, LayoutView};
use crate::stage::node::sets::NodeSets;
use crate::stage::node::slot_list;
use crate::stage::node::units::Targets;
use crate::stage::node::window::Window;
use crate::table::listings::SlotListId;
use crate::table::states::NodeState;

/// What the entries of one node ask for, in order: cpus, and a number of processes.
pub(crate) type Items = Vec<(Option<SlotListId>, u32)>;

/// Why an entry of a node cannot be placed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Stuck {
    /// No slot is left, or no room under max_slots.
    Full,
    /// The named cpus do not exist; the text says which.
    Lacking(String),
    /// The named cpus are not all free.
    Taken,
    /// No cpu is free.
    NoCpu,
    /// The binder must bind the process and cannot.
    Unbindable(Failure),
}

/// The result of a node's entries.
#[derive(Clone, Debug)]
pub(crate) struct NodeEntries {
    pub(crate) segments: Vec<DraftSegment>,
    pub(crate) cpus: Cpus,
    /// The first process of the node that cannot be placed, and why.
    pub(crate) stuck: Option<(u32, Stuck)>,
}

/// Places the entries of one node.
pub(crate) fn on_node(
    view: &TopologyView<'_>,
    state: &NodeState,
    sets: NodeSets<'_>,
    items: &Items,
    app: &App<'_>,
) -> NodeEntries {
    let mut row = NodeRow {
        view,
        sets,
        app,
        out: NodeEntries {
            segments: Vec::new(),
            cpus: view.binder.cpus(sets.free_at_start),
            stuck: None,
        },
        procs: 0,
        room: room(view, state),
    };
    for &(cpus, count) in items {
        if row.out.stuck.is_none() {
            row.item(cpus, count);
        }
    }
    row.out
}

fn room(view: &TopologyView<'_>, state: &NodeState) -> u32 {
    let slots = match view.binder.policy.oversubscribe {
        Oversubscribe::Refused => state.left(),
        Oversubscribe::Allowed => u32::MAX,
    };
    slots.min(state.room())
}

struct NodeRow<'t> {
    view: &'t TopologyView<'t>,
    sets: NodeSets<'t>,
    app: &'t App<'t>,
    out: NodeEntries,
    procs: u32,
    room: u32,
}

impl NodeRow<'_> {
    fn item(&mut self, cpus: Option<SlotListId>, count: u32) {
        let fits = count.min(self.room - self.procs);
        let rankfile = self.view.binder.policy.map == MapBy::Rankfile;
        // The checks of an entry come in this order: its slot, a free cpu, then the cpus that it names (4.6).
        let placed = match cpus {
            _ if fits == 0 => Err(Stuck::Full),
            _ if self.needs_a_cpu() && self.out.cpus.units.is_empty() => Err(Stuck::NoCpu),
            Some(list) if !rankfile || self.binds_lists() => self.exact(list, fits),
            Some(list) => self.named(list).map(|_| self.push(fits, None)),
            None if rankfile => {
                self.push(fits, None);
                Ok(())
            }
            None => self.as_by_slot(fits),
        };
        match placed {
            Err(stuck) => self.out.stuck = Some((self.procs, stuck)),
            Ok(()) if fits < count => self.out.stuck = Some((self.procs, Stuck::Full)),
            Ok(()) => {}
        }
    }

    fn overload(&self) -> bool {
        self.view.binder.policy.overload == Overload::Allowed
    }

    /// The slot lists of a rankfile bind, except under bind none; `none:overload-allowed` binds all the same (4.6).
    fn binds_lists(&self) -> bool {
        self.view.binder.policy.bind != BindTo::Nothing || self.overload()
    }

    /// With `-n`, a bound rankfile process needs a free cpu on its node (4.6).
    fn needs_a_cpu(&self) -> bool {
        let policy = &self.view.binder.policy;
        policy.map == MapBy::Rankfile
            && policy.bind != BindTo::Nothing
            && !self.overload()
            && self.app.procs.counted() == Counted::Given
    }

    /// The PUs of a slot list, free or taken.
    fn named(&self, list: SlotListId) -> Result<Bits, Stuck> {
        let listing = self.app.listing().expect("a slot list stands in a listing");
        let named = slot_list::pus(&self.view.binder, &listing.slot_lists[list]);
        usable(named.map_err(Stuck::Lacking)?)
    }

    /// Binds to exactly the named cpus: all must be free, and all are consumed.
    fn exact(&mut self, list: SlotListId, count: u32) -> Result<(), Stuck> {
        let mut mask = self.named(list)?;
        mask.intersect(self.sets.allowed);
        let (mask, binder) = (usable(mask)?, &self.view.binder);
        for _ in 0..count {
            if self.needs_a_cpu() && self.out.cpus.units.is_empty() {
                return Err(Stuck::NoCpu);
            }
            let mut taken = mask.clone();
            taken.subtract(self.out.cpus.free.words());
            if !taken.is_empty() && !self.overload() {
                return Err(Stuck::Taken);
            }
            let cpus = &mut self.out.cpus;
            cpus.free.subtract(mask.words());
            cpus.units = binder.free_units(cpus.free.words());
            self.push(1, Some(Mask::Some(Box::new(Window::of(&mask)))));
            if self.overload() {
                // Nothing changes any more: the other processes get the same.
                self.push(count - 1, Some(Mask::Some(Box::new(Window::of(&mask)))));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Binds as by slot. While processes are bound, also by default, PE cpus must be free (4.5).
    fn as_by_slot(&mut self, count: u32) -> Result<(), Stuck> {
        // A hwthread of a partly taken core takes no cpu away, so the free cpus are checked for each process by itself.
        let binder = &self.view.binder;
        let bound = &binder.target;
        let (hwthreads, cores) = (ObjKind::Hwthread, binder.policy.mode == CpuMode::Core);
        let each = matches!(bound, Target::Objects { kind, .. } if *kind == hwthreads && cores);
        if each && !self.overload() {
            return (0..count).try_for_each(|_| self.next_by_slot(1));
        }
        self.next_by_slot(count)
    }

    fn next_by_slot(&mut self, count: u32) -> Result<(), Stuck> {
        let binder = &self.view.binder;
        if matches!(binder.target, Target::Nothing) {
            self.push(count, None);
            return Ok(());
        }
        let missing = match &binder.target {
            Target::Objects { kind, objects } if objects.is_empty() => {
                Some(Failure::NoTarget(*kind))
            }
            Target::Cpus(pe) if !self.packages_hold(*pe) => Some(Failure::SpanPackages),
            Target::Objects { .. } | Target::Cpus(_) | Target::Nothing => None,
        };
        let explicit = binder.policy.strength == BindStrength::Explicit;
        if let Some(failure) = missing.filter(|_| explicit) {
            return Err(Stuck::Unbindable(failure));
        }
        let pe = u32::from(binder.policy.pe);
        let lacks = |cpus: &Cpus| !self.overload() && cpus.units.count() < pe;
        if lacks(&self.out.cpus) {
            return Err(Stuck::NoCpu);
        }
        let node = LayoutView {
            binder,
            objects: &Targets::NONE,
            sets: self.sets,
            pe_list: &[],
            chosen: &[],
        };
        let laid = place_on_node(
            &node,
            Layout::Plain(Binding::On),
            self.out.cpus.clone(),
            self.procs,
            count,
        );
        let unbound = laid
            .segments
            .iter()
            .position(|segment| segment.runs.iter().any(|run| run.mask.is_none()));
        let starved = unbound.is_some() && lacks(&laid.cpus);
        let placed = match unbound.filter(|_| starved) {
            Some(segment) => laid.segments[..segment]
                .iter()
                .map(|segment| segment.procs)
                .sum(),
            None => laid.procs,
        };
        self.out.cpus = laid.cpus;
        let mut left = count;
        for segment in laid.segments {
            let procs = segment.procs.min(left);
            left -= procs;
            self.out.segments.push(ending(segment, procs));
        }
        self.procs += placed;
        match laid.end {
            _ if placed == count => Ok(()),
            // A PE that no package can ever hold was refused above: here the cpus are taken.
            End::Fails(Failure::SpanPackages) => Err(Stuck::NoCpu),
            End::Fails(failure) => Err(Stuck::Unbindable(failure)),
            End::Wanted | End::Full | End::TooLong => Err(Stuck::NoCpu),
        }
    }

    /// Whether some package has `pe` cpus that may be used, free or taken.
    fn packages_hold(&self, pe: u32) -> bool {
        let binder = &self.view.binder;
        let may = binder.free_units(self.sets.allowed);
        let mut packages = binder.packages().into_iter();
        packages.any(|package| binder.count_free(may.words(), &package) >= pe)
    }

    fn push(&mut self, count: u32, mask: Option<Mask>) {
        if count == 0 {
            return;
        }
        self.procs += count;
        let run = DraftRun {
            count,
            object: None,
            mask,
        };
        match self.out.segments.last_mut() {
            Some(last) if last.cycle.is_none() => {
                last.procs += count;
                match last.runs.last_mut().filter(|open| open.mask == run.mask) {
                    Some(open) => open.count += count,
                    None => last.runs.push(run),
                }
            }
            _ => self.out.segments.push(DraftSegment {
                procs: count,
                runs: vec![run],
                cycle: None,
                shares: Vec::new(),
            }),
        }
    }
}

/// The PUs, if there are any.
fn usable(pus: Bits) -> Result<Bits, Stuck> {
    if pus.is_empty() {
        return Err(Stuck::Lacking("cpu among them that may be used".to_owned()));
    }
    Ok(pus)
}

/// A segment that ends after `procs` processes.
fn ending(segment: DraftSegment, procs: u32) -> DraftSegment {
    let mut segment = DraftSegment { procs, ..segment };
    if segment.runs.len() == 1 && segment.cycle.is_some() {
        segment.cycle = None;
        segment.runs[0].count = procs;
    }
    segment
}
