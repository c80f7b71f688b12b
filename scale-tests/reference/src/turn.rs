//! One app's turn: its nodes as it found them, and how one process is placed. `docs/semantics.md` section 4.

use crate::cpus::Cpus;
use crate::devices;
use crate::machine::{Machine, Object};
use crate::pool::{Node, Pool};
use crate::refusal::Refusal;
use crate::select::Available;
use std::collections::BTreeMap;
use stowplan_engine::policy::{
    BindStrength, CpuMode, Devices, MapBy, ObjKind, Overload, Oversubscribe, PprObject,
};
use stowplan_engine::table::apps::{AppId, Policy};

/// A placed process, before it has a rank.
#[derive(Clone, Debug)]
pub(crate) struct Proc {
    pub(crate) app: AppId,
    /// Position of its node in the pool.
    pub(crate) node: usize,
    /// The object that it was mapped to, and the position of this object among those of its kind (or in the order of `dist`).
    pub(crate) object: Option<(Object, usize)>,
    /// The cpus that it is bound to.
    pub(crate) cpus: Option<Cpus>,
    /// Number of processes that were on its node before it.
    pub(crate) before: u64,
    /// GPUs by logical number, when the map policy deals them (mpibind).
    pub(crate) dealt: Option<Vec<usize>>,
}

/// The state that is handed from app to app (section 5).
pub(crate) struct Job<'a> {
    pub(crate) pool: Pool<'a>,
    /// Nodes in the order in which they first received a process.
    pub(crate) order: Vec<usize>,
    /// All processes, in placement order.
    pub(crate) procs: Vec<Proc>,
}

/// A node of the list, as the app sees it.
pub(crate) struct Seat {
    /// Its position in the pool.
    pub(crate) node: usize,
    /// How many slots the app may still take.
    pub(crate) avail: u64,
    /// The cpus that were free when the app came. Masks are cut from these.
    pub(crate) snap: Cpus,
    /// How many processes of this app are here.
    pub(crate) placed: u64,
    /// Whether a default binding was given up here.
    pub(crate) gave_up: bool,
    /// How many processes of this app are bound to each target object (for LIMIT).
    pub(crate) bound_to: BTreeMap<u32, u64>,
}

/// One app being placed.
pub(crate) struct Turn<'t, 'a> {
    pub(crate) job: &'t mut Job<'a>,
    pub(crate) app: AppId,
    pub(crate) policy: Policy,
    /// The kind of object that processes are bound to. `None`: unbound, also when a default was given up for the whole app.
    pub(crate) target: Option<ObjKind>,
    /// How many processes are still to be placed.
    pub(crate) left: u64,
    /// How many processes found cpus.
    pub(crate) bound: u64,
    pub(crate) seats: Vec<Seat>,
    /// The cpus of a pe-list, ranges written out.
    pub(crate) list: Vec<u32>,
    /// The device of `dist`.
    pub(crate) device: Option<&'t str>,
}

impl<'t, 'a> Turn<'t, 'a> {
    /// One seat for each of these nodes.
    pub(crate) fn seats(pool: &Pool<'_>, list: &[Available]) -> Vec<Seat> {
        let seat = |available: &Available| Seat {
            node: available.node,
            avail: available.slots,
            snap: pool.nodes[available.node].free.clone(),
            placed: 0,
            gave_up: false,
            bound_to: BTreeMap::new(),
        };
        list.iter().map(seat).collect()
    }
    pub(crate) fn node(&self, seat: usize) -> &Node<'a> {
        &self.job.pool.nodes[self.seats[seat].node]
    }
    pub(crate) fn machine(&self, seat: usize) -> &'a Machine {
        self.node(seat).machine
    }
    /// How many more processes `max_slots` lets onto the node.
    pub(crate) fn room(&self, seat: usize) -> u64 {
        self.node(seat).room()
    }
    pub(crate) fn pe(&self) -> u64 {
        u64::from(self.policy.pe)
    }
    pub(crate) fn mode(&self) -> CpuMode {
        self.policy.mode
    }
    pub(crate) fn oversubscribes(&self) -> bool {
        self.policy.oversubscribe == Oversubscribe::Allowed
    }
    pub(crate) fn overloads(&self) -> bool {
        self.policy.overload == Overload::Allowed
    }
    pub(crate) fn by_default(&self) -> bool {
        self.policy.strength == BindStrength::Default
    }
    /// Whether processes on this node are bound.
    pub(crate) fn is_bound(&self, seat: usize) -> bool {
        self.target.is_some() && !self.seats[seat].gave_up
    }
    /// Number of free cpus of the mode on the node: `F(n)`.
    pub(crate) fn free(&self, seat: usize) -> u64 {
        let node = self.node(seat);
        node.machine.count_in(self.mode(), &node.free)
    }
    /// Number of free cpus of the mode inside a set: `F(o)`.
    pub(crate) fn free_in(&self, seat: usize, set: &Cpus) -> u64 {
        let node = self.node(seat);
        node.machine.count_in(self.mode(), &node.free.and(set))
    }
    /// How many processes with PE cpus each fit into the packages: `pkgcap(n)`.
    pub(crate) fn package_cap(&self, seat: usize) -> u64 {
        let packages = self.machine(seat).packages();
        packages
            .iter()
            .map(|package| self.free_in(seat, package) / self.pe())
            .sum()
    }

    /// Refuses an explicit target that the node does not have, when the mapper gets to the node (section 7, "no cpu").
    pub(crate) fn meets_target(&self, seat: usize) -> Result<(), Refusal> {
        let Some(target) = self
            .target
            .filter(|_| self.is_bound(seat) && !self.by_default())
        else {
            return Ok(());
        };
        let machine = self.machine(seat);
        let targets = machine.objects(machine.meant(target));
        // For processes mapped to devices, a target counts only if it lies inside the locality of a device.
        let by_device = self.objects_mapped_to().is_some_and(ObjKind::is_device);
        if target.is_device() {
            return Ok(());
        }
        let near = self.mapped_objects(seat);
        let inside = |target: &Object| near.iter().any(|device| device.cpus.holds(&target.cpus));
        if targets.is_empty() || by_device && !targets.iter().any(inside) {
            return Err(self.no_target(seat, target));
        }
        Ok(())
    }

    /// The refusal where a node has no such target, or none inside what is near a device.
    pub(crate) fn no_target(&self, seat: usize, target: ObjKind) -> Refusal {
        let machine = self.machine(seat);
        let there = !machine.objects(machine.meant(target)).is_empty();
        let class = match self.policy.map.devices() {
            Some(_) if there => "bind-above-map",
            Some(_) | None => "bind-target-not-found",
        };
        let why = format!("no {} on {}", target.word(), self.node(seat).name);
        Refusal::new(class, why)
    }

    /// Places one process and binds it by the rules of section 7. Says whether it found cpus.
    pub(crate) fn put(
        &mut self,
        seat: usize,
        object: Option<(&Object, usize)>,
    ) -> Result<Found, Refusal> {
        let cpus = self.bind(seat, object.map(|(object, _)| object))?;
        Ok(self.record(seat, object, cpus))
    }

    /// Places one process, bound to these cpus.
    pub(crate) fn record(
        &mut self,
        seat: usize,
        object: Option<(&Object, usize)>,
        cpus: Option<Cpus>,
    ) -> Found {
        let found = if cpus.is_some() {
            Found::Cpus
        } else {
            Found::Nothing
        };
        self.bound += u64::from(found == Found::Cpus);
        self.left -= 1;
        let on = self.seats[seat].node;
        self.seats[seat].avail = self.seats[seat].avail.saturating_sub(1);
        self.seats[seat].placed += 1;
        if !self.job.order.contains(&on) {
            self.job.order.push(on);
        }
        let node = &mut self.job.pool.nodes[on];
        self.job.procs.push(Proc {
            app: self.app,
            node: on,
            object: object.map(|(object, at)| (object.clone(), at)),
            cpus,
            before: node.used,
            dealt: None,
        });
        node.used += 1;
        found
    }

    /// Removes cpus from the free cpus.
    pub(crate) fn consume(&mut self, seat: usize, cpus: &Cpus) {
        let node = &mut self.job.pool.nodes[self.seats[seat].node];
        node.free = node.free.minus(cpus);
    }

    /// The class when cpus are lacking. It depends on whether any process of the app found cpus.
    pub(crate) fn lack_of_cpus(&self) -> Refusal {
        let why = format!("{:?}: {} processes found no cpus", self.app, self.left);
        let begun = self.alone() && self.has_begun();
        let class = if self.bound == 0 && !begun {
            "no-available-cpus"
        } else {
            "not-enough-cpus"
        };
        Refusal::new(class, why)
    }

    /// Refuses a PE that can never fit, when the mapper gets to the node: no object of the node has as many cpus, taken or not.
    /// When the app maps to no object, packages are counted (errors "Which class").
    pub(crate) fn fits(&self, seat: usize) -> Result<(), Refusal> {
        if !self.is_bound(seat) || !self.never_fits(seat) {
            return Ok(());
        }
        let class = match self.objects_mapped_to() {
            Some(_) => "pe-exceeds-object",
            None => "span-packages",
        };
        Refusal::err(
            class,
            format!("PE {} on {}", self.pe(), self.node(seat).name),
        )
    }

    /// Whether each device takes one process alone.
    pub(crate) fn alone(&self) -> bool {
        self.policy.map.one_each()
    }

    /// Whether a process of the app is placed.
    pub(crate) fn has_begun(&self) -> bool {
        self.seats.iter().any(|seat| seat.placed > 0)
    }

    /// The kind of object that processes are mapped to.
    pub(crate) fn objects_mapped_to(&self) -> Option<ObjKind> {
        if let Some(options) = self.policy.map.devices() {
            return Some(match options.of {
                Devices::Gpus => ObjKind::Gpu,
                Devices::Networks | Devices::Blocks | Devices::Named(_) => ObjKind::Device,
            });
        }
        if let MapBy::Object(kind)
        | MapBy::Ppr {
            on: PprObject::Kind(kind),
            ..
        } = self.policy.map
        {
            return Some(kind);
        }
        (self.policy.map == MapBy::Dist).then_some(ObjKind::Numa)
    }

    /// The objects of a node that processes are mapped to, devices in the order of the map.
    pub(crate) fn mapped_objects(&self, seat: usize) -> Vec<Object> {
        let machine = self.machine(seat);
        if let Some(options) = self.policy.map.devices() {
            let groups = devices::groups(machine, options).into_iter();
            return groups.map(|group| group.object).collect();
        }
        self.objects_mapped_to().map_or_else(Vec::new, |kind| {
            machine.objects(machine.meant(kind)).to_vec()
        })
    }

    /// Whether the node never has PE cpus in one object, or, when the app maps to no object, in one package.
    pub(crate) fn never_fits(&self, seat: usize) -> bool {
        let node = self.node(seat);
        let holds =
            |set: &Cpus| node.machine.count_in(self.mode(), &node.usable.and(set)) >= self.pe();
        let fits = match self.objects_mapped_to() {
            Some(_) => self
                .mapped_objects(seat)
                .iter()
                .any(|object| holds(&object.cpus)),
            None => node.machine.packages().into_iter().any(holds),
        };
        self.pe() > 1 && !fits
    }
}

/// Whether a process found cpus.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// It is bound.
    Cpus,
    /// It is not bound.
    Nothing,
}
