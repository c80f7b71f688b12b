//! How many processes each mapped object still takes.

use super::Ground;
use super::sweep::Row;
use crate::policy::ObjKind;
use crate::stage::node::bits::Bits;
use crate::stage::node::units::shared;
use crate::table::topologies::ObjectId;

impl Row<'_> {
    /// The cpus that may be used at all, where they may be shared.
    pub(super) fn shared_cpus(&self) -> Option<Bits> {
        let binder = self.ground.binder;
        self.overload()
            .then(|| binder.free_units(self.ground.allowed))
    }

    /// Processes an object can take: its free cpus by PE; without end where cpus may be shared and PE of them are there.
    #[inline]
    pub(super) fn room(&self, pus: &[(u32, u32)], shared: Option<&Bits>) -> u32 {
        let binder = self.ground.binder;
        let pe = u32::from(binder.policy.pe);
        match shared {
            None if pe == 1 => binder.count_free(self.cpus.units.words(), pus),
            None => binder.count_free(self.cpus.units.words(), pus) / pe,
            Some(may) if binder.count_free(may.words(), pus) >= pe => u32::MAX,
            Some(_) => 0,
        }
    }

    /// The same for each mapped object.
    pub(super) fn rooms(&self) -> Vec<u32> {
        let shared = self.shared_cpus();
        let objects = self.ground.objects.iter();
        let ranges = objects.map(|object| self.ground.binder.topologies.ranges(object));
        ranges.map(|pus| self.room(pus, shared.as_ref())).collect()
    }

    /// The mapped objects that share a cpu with each, itself among them; `None` where no two objects do.
    pub(super) fn near(&self) -> Option<Vec<Vec<usize>>> {
        let Ground {
            binder, objects, ..
        } = self.ground;
        let of_gpus = |object: ObjectId| binder.topologies.kind(object) == ObjKind::Gpu;
        if !objects.iter().next().is_some_and(of_gpus) {
            return None;
        }
        let ranges: Vec<_> = objects
            .iter()
            .map(|object| binder.topologies.ranges(object))
            .collect();
        let meet = |one: &[(u32, u32)], other: &[(u32, u32)]| !shared(one, other).is_empty();
        let of = |own: &&[(u32, u32)]| {
            let meeting = ranges
                .iter()
                .enumerate()
                .filter(|(_, other)| meet(own, other));
            meeting.map(|(at, _)| at).collect()
        };
        Some(ranges.iter().map(of).collect())
    }
}

/// A process was bound on an object: its room shrinks, and that of the objects with which it shares cpus. Gives how many
/// became full. Cpus that may be shared have no end.
pub(super) fn take_room(rooms: &mut [u32], at: usize, near: Option<&[Vec<usize>]>) -> usize {
    let alone = [at];
    let objects = near.map_or(&alone[..], |near| &near[at]);
    let mut full = 0;
    for &object in objects {
        let room = &mut rooms[object];
        if *room > 0 && *room < u32::MAX {
            *room -= 1;
            full += usize::from(*room == 0);
        }
    }
    full
}
