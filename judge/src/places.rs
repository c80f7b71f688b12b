//! Objects in turn, dealt again by the text of `semantics` 4: which object the next process of a node is mapped to.

use super::bits::Bits;
use super::hardware::{Hardware, inside};
use stowplan_engine::policy::{CpuMode, MapBy, ObjKind, PprObject, Sharing, Span};
use stowplan_engine::table::apps::Policy;
use stowplan_engine::table::topologies::ObjectId;

/// Whether the room of objects is limited. It is while the app is bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Room {
    /// As many processes as there are free cpus for. Consumed cpus no longer count.
    ByCpus,
    /// Any number, but none on an object without cpus.
    Shared,
    /// Any number.
    Endless,
}

/// Who chose the objects of an app.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ChosenBy {
    /// The rules of its policy.
    Rules,
    /// A launcher's own component: any objects, in any order.
    Component,
}

/// The order in which objects get processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deal {
    /// No objects.
    Nothing,
    /// One process per object and sweep.
    Sweep,
    /// The k-th process starts its search at object k.
    Span,
    /// This many processes per object.
    Ppr(u32),
    /// As a component chose.
    Chosen,
}

/// The objects of a node, in turn.
#[derive(Clone, Debug)]
pub(super) struct Turns<'t> {
    hardware: Hardware<'t>,
    /// The kind that processes are mapped to.
    pub(super) kind: Option<ObjKind>,
    deal: Deal,
    mode: CpuMode,
    pe: u64,
    room: Room,
    /// In the order of their turns.
    objects: Vec<ObjectId>,
    /// The logical numbers of objects that stand for others: of the first GPU of each group.
    names: Vec<u32>,
    /// How many processes still fit; while cpus are shared, how many fit at all. Shape `[objects]`; empty while unbound.
    fits: Vec<u64>,
    /// The next object to ask.
    at: usize,
    /// How many processes are on that object already (ppr).
    held: u32,
    /// How many processes were mapped so far.
    placed: u64,
    /// Whether each object takes one process alone.
    one_each: bool,
}

impl<'t> Turns<'t> {
    /// `device`: that of `dist`; `free`: the cpus that are free when the app starts on the node; `allowed`: all cpus that may be
    /// used there.
    pub(super) fn new(
        hardware: Hardware<'t>,
        policy: &Policy,
        device: Option<&str>,
        room: Room,
        free: &Bits,
        allowed: &Bits,
    ) -> Self {
        let swept = || match policy.span {
            Span::No => Deal::Sweep,
            Span::Yes => Deal::Span,
        };
        let (kind, deal) = if let MapBy::Object(kind) = policy.map {
            (Some(hardware.kind(kind)), swept())
        } else if let MapBy::Device(options) = policy.map {
            (Some(super::devices::kind(options.of)), swept())
        } else if policy.map == MapBy::Dist {
            (Some(ObjKind::Numa), swept())
        } else if let MapBy::Ppr {
            per,
            on: PprObject::Kind(kind),
        } = policy.map
        {
            (Some(kind), Deal::Ppr(per))
        } else if let MapBy::Ppr {
            per,
            on: PprObject::Devices(of),
        } = policy.map
        {
            (Some(super::devices::kind(of)), Deal::Ppr(per))
        } else {
            (None, Deal::Nothing)
        };
        let mut objects = kind.map_or_else(Vec::new, |kind| hardware.targets(kind));
        let mut names = Vec::new();
        if let Some(options) = policy.map.devices() {
            let groups = super::devices::groups(hardware, options, std::mem::take(&mut objects));
            names = groups
                .iter()
                .map(|(_, gpus)| hardware.logical(gpus[0]))
                .collect();
            objects = groups.into_iter().map(|(near, _)| near).collect();
        }
        if policy.map == MapBy::Dist {
            by_distance(hardware, device.unwrap_or(""), &mut objects);
        }
        let mode = hardware.mode(policy.mode);
        let pe = u64::from(policy.pe.max(1));
        let mut turns = Self {
            hardware,
            kind,
            deal,
            mode,
            pe,
            room,
            objects,
            names,
            fits: Vec::new(),
            at: 0,
            held: 0,
            placed: 0,
            one_each: matches!(policy.map, MapBy::Device(options) if options.sharing == Sharing::One),
        };
        turns.fits = match room {
            Room::ByCpus => turns.rooms(free),
            Room::Shared => turns.rooms(allowed),
            Room::Endless => Vec::new(),
        };
        turns
    }

    /// How many processes these cpus have room for, object by object.
    fn rooms(&self, cpus: &Bits) -> Vec<u64> {
        let ranges = self.objects.iter().map(|&at| self.hardware.ranges(at));
        ranges
            .map(|ranges| self.hardware.count(ranges, cpus, self.mode) / self.pe)
            .collect()
    }

    /// The logical number by which a place names the object of a row.
    pub(super) fn name(&self, row: usize, object: ObjectId) -> u32 {
        let name = self.names.get(row).copied();
        name.unwrap_or_else(|| self.hardware.logical(object))
    }

    /// Whether a cpu lies in an object.
    pub(super) fn has_cpu(&self, row: usize, cpu: &[(u32, u32)]) -> bool {
        !cpu.is_empty() && inside(cpu, self.hardware.ranges(self.objects[row]))
    }

    /// Objects of this kind, as a component chose them.
    pub(super) fn chosen(self, kind: Option<ObjKind>) -> Self {
        Self {
            kind,
            deal: Deal::Chosen,
            room: Room::Endless,
            objects: kind.map_or_else(Vec::new, |kind| self.hardware.targets(kind)),
            names: Vec::new(),
            fits: Vec::new(),
            one_each: false,
            ..self
        }
    }

    /// The next object, with its row among the turns; `None`: no object has room. `found`: the object that the plan has there.
    pub(super) fn next(&mut self, found: Option<u32>, free: &Bits) -> Option<(usize, ObjectId)> {
        let count = self.objects.len();
        if count == 0 {
            return None;
        }
        if self.deal == Deal::Chosen {
            let mut rows = (0..).zip(self.objects.iter().copied());
            return rows.find(|&(row, object)| Some(self.name(row, object)) == found);
        }
        if let Deal::Ppr(per) = self.deal {
            return self.next_of_ppr(per, free);
        }
        if self.one_each {
            // Rooms only shrink: who comes later gets a later object.
            let row = (self.at..count).find(|&row| self.has_room(row))?;
            self.at = row + 1;
            self.placed += 1;
            return Some((row, self.objects[row]));
        }
        let start = match self.deal {
            Deal::Span => usize::try_from(self.placed).unwrap_or(0) % count,
            Deal::Nothing | Deal::Sweep | Deal::Ppr(_) | Deal::Chosen => self.at,
        };
        let row = (0..count)
            .map(|ahead| (start + ahead) % count)
            .find(|&row| self.has_room(row))?;
        self.at = (row + 1) % count;
        self.placed += 1;
        Some((row, self.objects[row]))
    }

    fn has_room(&self, row: usize) -> bool {
        match self.room {
            Room::ByCpus | Room::Shared => self.fits[row] > 0,
            Room::Endless => true,
        }
    }

    fn next_of_ppr(&mut self, per: u32, free: &Bits) -> Option<(usize, ObjectId)> {
        if self.held == per {
            self.held = 0;
            self.at += 1;
        }
        if self.held == 0 {
            while self.at < self.objects.len() && !self.takes_pattern(per, free) {
                self.at += 1;
            }
        }
        let object = *self.objects.get(self.at)?;
        self.held += 1;
        self.placed += 1;
        Some((self.at, object))
    }

    fn takes_pattern(&self, per: u32, free: &Bits) -> bool {
        match self.room {
            Room::ByCpus => {
                let ranges = self.hardware.ranges(self.objects[self.at]);
                self.hardware.count(ranges, free, self.mode) / self.pe >= u64::from(per)
            }
            Room::Shared | Room::Endless => self.has_room(self.at),
        }
    }

    /// Puts several processes at once on the object whose turn it is (ppr, unbound). Gives how many it took.
    pub(super) fn take_more(&mut self, most: u32) -> u32 {
        match self.deal {
            Deal::Ppr(per) => {
                let more = (per - self.held.min(per)).min(most);
                self.held += more;
                self.placed += u64::from(more);
                more
            }
            Deal::Chosen => most,
            Deal::Nothing | Deal::Sweep | Deal::Span => 0,
        }
    }

    /// Notes that a process on the object consumed its cpus.
    pub(super) fn consumed(&mut self, row: usize) {
        // Shared cpus never run out.
        let counted = self.room == Room::ByCpus;
        if self.kind.is_some_and(ObjKind::is_device) && counted && self.fits.len() > row {
            // Cpus near several devices count once.
            let own = self.hardware.ranges(self.objects[row]);
            for (fits, &other) in self.fits.iter_mut().zip(&self.objects) {
                if !super::hardware::meet(self.hardware.ranges(other), own).is_empty() {
                    *fits = fits.saturating_sub(1);
                }
            }
            return;
        }
        if let Some(fits) = self.fits.get_mut(row).filter(|_| counted) {
            *fits = fits.saturating_sub(1);
        }
    }

    /// Starts a later pass: at the first object again, with the cpus that are still free (4.8).
    pub(super) fn restart(&mut self, free: &Bits) {
        self.at = 0;
        if self.room == Room::ByCpus {
            self.fits = self.rooms(free);
        }
    }

    /// The current position among the turns, to come back to.
    pub(super) const fn mark(&self) -> (usize, u32, u64) {
        (self.at, self.held, self.placed)
    }
    /// Comes back to a mark.
    pub(super) const fn reset(&mut self, mark: (usize, u32, u64)) {
        (self.at, self.held, self.placed) = mark;
    }

    /// The part of a moment that the turns have: the object whose turn it is.
    pub(super) fn moment(&self) -> (usize, u32) {
        let count = self.objects.len().max(1);
        match self.deal {
            Deal::Span => (usize::try_from(self.placed).unwrap_or(0) % count, 0),
            Deal::Nothing | Deal::Sweep | Deal::Ppr(_) | Deal::Chosen => (self.at, self.held),
        }
    }
}

/// Sorts domains by distance to a device, then by logical index (`per-app` 9.2).
fn by_distance(hardware: Hardware<'_>, device: &str, domains: &mut [ObjectId]) {
    let tables = hardware.tables();
    let devices = tables.devices(hardware.topology).iter();
    let named = devices
        .filter(|found| found.name == device)
        .map(|found| found.pus.iter().map(|range| (range.start, range.end)));
    let gpus = tables.gpus(hardware.topology).iter();
    let gpus = gpus
        .zip(hardware.targets(ObjKind::Gpu))
        .filter(|(gpu, _)| gpu.name == device)
        .map(|(_, near)| hardware.ranges(near).to_vec());
    let mut places = named.map(Iterator::collect).chain(gpus);
    let place: Vec<(u32, u32)> = places.next().unwrap_or_default();
    let meets = |object: ObjectId, ranges: &[(u32, u32)]| {
        !super::hardware::meet(hardware.ranges(object), ranges).is_empty()
    };
    let near: Vec<u32> = domains
        .iter()
        .filter(|&&domain| meets(domain, &place))
        .map(|&domain| hardware.logical(domain))
        .collect();
    let latency = tables
        .latency(hardware.topology)
        .filter(|_| !near.is_empty());
    let distance = |domain: ObjectId| {
        if let Some(latency) = latency {
            let column = |logical: u32| latency.nodes.iter().position(|&node| node == logical);
            let to = column(hardware.logical(domain));
            let values = near.iter().filter_map(|&from| {
                latency
                    .values
                    .get(column(from)? * latency.nodes.len() + to?)
                    .copied()
            });
            return values.min().unwrap_or(u64::MAX);
        }
        if meets(domain, &place) {
            return 0;
        }
        let packages = hardware.targets(ObjKind::Package);
        let shared = packages
            .into_iter()
            .any(|package| meets(package, &place) && meets(domain, hardware.ranges(package)));
        if shared { 1 } else { 2 }
    };
    domains.sort_by_cached_key(|&domain| (distance(domain), domain));
}
