//! How many processes each mapped object still takes.

use super::LayoutView;
use crate::stage::node::bits::{Bits, shared};
use crate::stage::node::cpus::Cpus;

/// In which order processes go round the objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RoundOrder {
    /// In each round one process on every object that has room.
    Sweep,
    /// From each object in turn, one process on the next that has room.
    Walk,
}

/// How many processes an object can take: its free cpus by PE.
pub(super) struct Room<'g> {
    node: &'g LayoutView<'g>,
    /// Where cpus may be shared, those that may be used at all: then there is no end where PE of them are.
    shared: Option<Bits>,
}

impl<'g> Room<'g> {
    pub(super) fn new(node: &'g LayoutView<'g>) -> Self {
        let binder = &node.view.binder;
        let shared = binder
            .overloads()
            .then(|| binder.units.within(node.sets.allowed));
        Self { node, shared }
    }

    /// That of an object, of the machine for none.
    pub(super) fn of(&self, at: Option<usize>, cpus: &Cpus) -> u32 {
        let view = self.node.view;
        let units = self.shared.as_ref().unwrap_or(&cpus.units);
        let count = view
            .binder
            .units
            .count_inside(units.words(), view.place(at).pus);
        match count / u32::from(view.binder.policy.pe) {
            0 => 0,
            _ if self.shared.is_some() => u32::MAX,
            room => room,
        }
    }
}

/// How many processes each mapped object still takes.
pub(super) struct Rooms<'g> {
    room: Room<'g>,
    /// Shape `[objects]`.
    left: Vec<u32>,
    /// Objects that have room.
    open: usize,
    /// The objects that share a cpu with each, itself among them; empty where no two objects do.
    near: Vec<Vec<usize>>,
}

impl<'g> Rooms<'g> {
    pub(super) fn new(node: &'g LayoutView<'g>, cpus: &Cpus) -> Self {
        let room = Room::new(node);
        let of = |at| room.of(Some(at), cpus);
        let left: Vec<u32> = (0..node.view.objects.len()).map(of).collect();
        Self {
            room,
            open: left.iter().filter(|&&room| room > 0).count(),
            left,
            near: near(node),
        }
    }

    /// Whether an object has room.
    pub(super) fn has(&self, at: usize) -> bool {
        self.left[at] > 0
    }

    /// The object that is next at this place of a round.
    pub(super) fn next(&self, order: RoundOrder, start: usize) -> Option<usize> {
        match order {
            RoundOrder::Sweep => Some(start).filter(|&at| self.has(at)),
            RoundOrder::Walk if self.open == 0 => None,
            RoundOrder::Walk => {
                let mut all = (start..self.left.len()).chain(0..start);
                all.find(|&at| self.has(at))
            }
        }
    }

    /// A process was bound on an object: its room shrinks, and that of the objects with which it shares cpus. Cpus that may be
    /// shared have no end.
    ///
    /// A thread of a core that is no longer whole takes no room (4.3).
    pub(super) fn take(&mut self, at: usize, cpus: &Cpus) {
        let binder = &self.room.node.view.binder;
        if binder.overloads() {
            return;
        }
        let threads = self.near.is_empty() && binder.fills_cores();
        if threads && self.room.of(Some(at), cpus) >= self.left[at] {
            return;
        }
        let alone = [at];
        for &object in self.near.get(at).map_or(&alone[..], Vec::as_slice) {
            if self.left[object] > 0 {
                self.left[object] -= 1;
                self.open -= usize::from(self.left[object] == 0);
            }
        }
    }
}

/// The mapped objects that share a cpu with each, itself among them: only GPUs do.
fn near(node: &LayoutView<'_>) -> Vec<Vec<usize>> {
    if !node.view.binder.maps_gpus() {
        return Vec::new();
    }
    let gpus = 0..node.view.objects.len();
    let pus = |at| node.view.place(Some(at)).pus;
    let meets = |own, other| !shared(pus(own), pus(other)).is_empty();
    let of = |own| gpus.clone().filter(|&other| meets(own, other)).collect();
    gpus.clone().map(of).collect()
}
