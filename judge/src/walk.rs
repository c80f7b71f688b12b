//! Checks one app on one node against the promises, process by process. Rounds that repeat are walked once.

use super::bindings::{Binder, Binding};
use super::bits::{Bits, Mask, Ranges};
use super::fault::{Broken, Promise, Seen};
use super::hardware::{Hardware, OsIndex, logical_mask};
use super::kept_sets::Masks;
use super::mpibind::{self, Dealt};
use super::places::{ChosenBy, Room, Turns};
use stowplan_engine::policy::{
    BindStrength, BindTo, IfSupported, MapBy, Mpibind, ObjKind, Overload,
};
use stowplan_engine::table::apps::Policy;
use stowplan_engine::table::cpusets::{CpusetId, Cpusets};
use stowplan_engine::table::patterns::{Pattern, Place};
use stowplan_engine::table::topologies::ObjectId;

/// One app on one node.
pub(super) struct Case<'t> {
    pub(super) hardware: Hardware<'t>,
    pub(super) cpusets: &'t Cpusets,
    pub(super) policy: &'t Policy,
    pub(super) by: ChosenBy,
    pub(super) device: Option<&'t str>,
    /// The kind that the plan names for the objects.
    pub(super) kind: Option<ObjKind>,
    pub(super) pattern: &'t Pattern,
    pub(super) procs: u32,
    pub(super) allowed: Bits,
    /// The cpus that are free when the app starts on the node.
    pub(super) free: Bits,
    /// The cpus of a pe-list, in its order.
    pub(super) list: Vec<Ranges>,
    /// The exact cpus that an entry names for each process; empty if no entry names cpus. Shape `[procs]`.
    pub(super) exact: Vec<Option<Mask>>,
    /// The node's PUs by OS number.
    pub(super) os: OsIndex,
    pub(super) passes: Passes,
    /// Whether an app mapped to objects gave up its default binding, which it does as a whole. `None`: it may not give it up,
    /// or does so node by node.
    pub(super) given_up: Option<bool>,
}

/// The passes in which processes came to a node.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Passes {
    /// The plan is from a time when plans did not record passes.
    Untold,
    /// How many processes were on the node at the end of each pass but the last.
    Told(Vec<u32>),
}

/// What the walk leaves.
pub(super) enum Left {
    /// The cpus that are still free.
    Free(Bits),
    /// Not known: the walk is too long, or the plan does not tell.
    Unknown,
}

/// The object whose turn it is: its row among the turns, and its PUs.
type Turn<'t> = (usize, &'t [(u32, u32)]);

pub(super) struct Walk<'c, 't> {
    pub(super) case: &'c Case<'t>,
    pub(super) turns: Turns<'t>,
    pub(super) binder: Option<Binder<'t>>,
    pub(super) free: Bits,
    /// Whether a search that the plan does not record may have made cpus count as free again.
    frees_in_vain: bool,
    masks: &'c mut Masks,
    /// What mpibind deals; empty until the first process is checked.
    dealt: Vec<Dealt>,
    /// Processes walked one by one.
    steps: u64,
    /// The next process.
    pub(super) local: u32,
    /// Whether a default binding was given up from the first pass on.
    pub(super) given_up: bool,
    /// How many passes have ended.
    pub(super) ended: u32,
    /// Position in the current pass of a pe-list, and the cpus that were free when the pass began.
    pub(super) pass: u32,
    pub(super) pass_free: Bits,
    /// The mask that the pass gives its processes, once it is known.
    pub(super) pass_mask: Option<Mask>,
}

/// The state of a walk between two processes. After two equal moments the walk repeats itself.
#[derive(PartialEq, Eq)]
struct Moment(Bits, (usize, u32), Vec<u32>, (u32, u32));

impl<'t> Case<'t> {
    /// Walks the case. A default binding may have been given up, so the walk is tried with limited and with endless room.
    pub(super) fn walk(&self, masks: &mut Masks) -> Result<Left, Broken> {
        let bound = match (self.policy.bind, self.policy.overload) {
            (BindTo::Nothing, _) => Room::Endless,
            (BindTo::Object(_) | BindTo::BySize, Overload::Allowed) => Room::Shared,
            (BindTo::Object(_) | BindTo::BySize, Overload::Refused) => Room::ByCpus,
        };
        if self.given_up == Some(true) {
            // When cpus may be shared, each process may have failed to find a cpu by itself.
            let one_by_one = (bound == Room::Shared).then(|| self.walk_with(bound, masks));
            return match one_by_one {
                Some(Ok(left)) => Ok(left),
                _ => self.walk_with(Room::Endless, masks),
            };
        }
        let first = self.walk_with(bound, masks);
        match (&first, self.policy.strength) {
            (Err(_), BindStrength::Default)
                if bound != Room::Endless && self.given_up.is_none() =>
            {
                self.walk_with(Room::Endless, masks).or(first)
            }
            _ => first,
        }
    }

    fn walk_with(&self, room: Room, masks: &mut Masks) -> Result<Left, Broken> {
        let mut turns = Turns::new(
            self.hardware,
            self.policy,
            self.device,
            room,
            &self.free,
            &self.allowed,
        );
        if self.by == ChosenBy::Component {
            turns = turns.chosen(self.kind);
        }
        if self.procs > 0 && turns.kind != self.kind {
            let seen = |kind: Option<ObjKind>| kind.map_or(Seen::Nothing, Seen::Kind);
            return Err(Broken {
                local: 0,
                promise: Promise::ObjectKind,
                found: seen(self.kind),
                promised: seen(turns.kind),
            });
        }
        let binder = match self.policy.bind {
            BindTo::Nothing | BindTo::BySize => None,
            BindTo::Object(kind) => Some(Binder::new(
                self.hardware,
                Binding {
                    mode: self.hardware.mode(self.policy.mode),
                    target: self.hardware.kind(kind),
                    pe: self.policy.pe,
                    overload: self.policy.overload,
                    limit: self.policy.limit,
                    mapped: self.kind,
                    devices: self.policy.map.devices(),
                },
                self.free.clone(),
                self.allowed.clone(),
            )),
        };
        let mut walk = Walk {
            case: self,
            turns,
            binder,
            free: self.free.clone(),
            frees_in_vain: false,
            steps: 0,
            masks,
            dealt: Vec::new(),
            local: 0,
            given_up: room == Room::Endless && self.policy.bind != BindTo::Nothing,
            ended: 0,
            pass: 0,
            pass_free: self.free.clone(),
            pass_mask: None,
        };
        walk.all()
    }

    /// How many processes are walked one by one at most. If the node does not repeat itself by then, the walk is given up.
    fn patience(&self) -> u64 {
        4 * u64::from(self.hardware.pus) + 4096
    }
}

impl<'t> Walk<'_, 't> {
    fn all(&mut self) -> Result<Left, Broken> {
        let case = self.case;
        let mut left = case.procs;
        for segment in case.pattern.segments() {
            let mut inside = left.min(segment.procs);
            left -= inside;
            let cycle = segment.cycle.map(|at| at as usize);
            let round: u64 = segment.runs[cycle.unwrap_or(0)..]
                .iter()
                .map(|run| u64::from(run.count))
                .sum();
            let mut last: Option<Moment> = None;
            let mut at = 0;
            while inside > 0 {
                if cycle == Some(at) && last.as_ref() == Some(&self.moment()) {
                    // Skip the rounds that are like this one, up to the end of the pass.
                    let reach = inside.min(self.until_end());
                    let rest = u64::from(reach) % round.max(1);
                    let leap = reach - u32::try_from(rest).unwrap_or(reach);
                    self.local += leap;
                    inside -= leap;
                    last = None;
                    if leap > 0 {
                        continue;
                    }
                }
                if cycle == Some(at) {
                    last = Some(self.moment());
                }
                let Some(run) = segment.runs.get(at) else {
                    let short = u64::from(case.procs - left - inside);
                    return Err(self.broken(
                        Promise::PatternLength,
                        Seen::Number(short),
                        Seen::Number(u64::from(case.procs)),
                    ));
                };
                let count = run.count.min(inside);
                if !self.run(run.place, count)? {
                    return Ok(Left::Unknown);
                }
                inside -= count;
                at += 1;
                if at == segment.runs.len() && cycle.is_some() {
                    at = cycle.unwrap_or(0);
                }
            }
        }
        if left > 0 {
            return Err(self.broken(
                Promise::PatternLength,
                Seen::Number(u64::from(case.procs - left)),
                Seen::Number(u64::from(case.procs)),
            ));
        }
        if self.frees_in_vain {
            return Ok(Left::Unknown);
        }
        Ok(Left::Free(self.binder.as_ref().map_or_else(
            || self.free.clone(),
            |binder| binder.free.clone(),
        )))
    }

    pub(super) fn free(&self) -> &Bits {
        self.binder
            .as_ref()
            .map_or(&self.free, |binder| &binder.free)
    }

    fn moment(&self) -> Moment {
        let loads = self.binder.as_ref().map_or_else(Vec::new, Binder::loads);
        Moment(
            self.free().clone(),
            self.turns.moment(),
            loads,
            (self.ended, self.place_in_list()),
        )
    }

    pub(super) fn broken(&self, promise: Promise, found: Seen, promised: Seen) -> Broken {
        Broken {
            local: self.local,
            promise,
            found,
            promised,
        }
    }

    /// Walks processes that get the same place. `false`: no patience is left.
    fn run(&mut self, place: Place, count: u32) -> Result<bool, Broken> {
        let mut left = count;
        let plain = !matches!(self.case.policy.map, MapBy::Mpibind(_))
            && place.object.is_none()
            && place.cpus.is_none()
            && self.turns.kind.is_none()
            && self.case.exact.is_empty();
        while left > 0 {
            self.steps += 1;
            if self.steps > self.case.patience() {
                return Ok(false);
            }
            self.one(place)?;
            self.local += 1;
            left -= 1;
            if plain && self.may_be_unbound() {
                // The process that begins a pass is walked by itself.
                let leap = left.min(self.until_end());
                self.local += leap;
                self.pass = self.pass.saturating_add(leap);
                left -= leap;
            } else if place.cpus.is_none() && self.may_be_unbound() {
                let more = self.turns.take_more(left);
                self.local += more;
                left -= more;
            }
        }
        Ok(true)
    }

    fn one(&mut self, place: Place) -> Result<(), Broken> {
        self.turn_to_next_pass();
        let turn = self.object(place)?;
        let object = turn.map(|(_, ranges)| ranges);
        let mask = self.mask(place.cpus)?;
        if let Some(exact) = self.case.exact.get(self.local as usize) {
            return self.listed(exact.clone(), mask);
        }
        let map = self.case.policy.map;
        if let MapBy::Mpibind(options) = map {
            return self.dealt(options, mask);
        }
        if map == MapBy::PeList {
            return self.pe_list(mask);
        }
        // In a rankfile, only an entry with a slot list is bound (4.6).
        if map == MapBy::Rankfile {
            return self.listed(None, mask);
        }
        let Some(mask) = mask else {
            return self.unbound(turn);
        };
        let Some(binder) = &mut self.binder else {
            let found = Seen::Cpus(self.case.hardware.os_of(&mask));
            return Err(self.broken(Promise::Unbound, found, Seen::Nothing));
        };
        match binder.next(turn.map(|(row, _)| row), object) {
            Some(promised) if promised == mask => {
                // A process bound to a thread of a core that was not whole takes no room.
                if let Some((row, _)) = turn
                    && (self.turns.has_cpu(row, &binder.took)
                        || self.turns.kind.is_some_and(ObjKind::is_device))
                {
                    self.turns.consumed(row);
                }
                Ok(())
            }
            promised => Err(self.differs(Promise::Cpus, &mask, promised.as_ref())),
        }
    }

    /// A process of mpibind has what the rule deals to it, even if other processes have its cpus too.
    fn dealt(&mut self, options: Mpibind, mask: Option<Mask>) -> Result<(), Broken> {
        let case = self.case;
        if self.dealt.is_empty() {
            self.dealt = mpibind::deal(case.hardware, &case.free, options, case.procs);
        }
        let at = self.dealt.partition_point(|dealt| dealt.end <= self.local);
        let Some(promised) = self.dealt.get(at) else {
            return Err(self.broken(Promise::Cpus, Seen::Some, Seen::Nothing));
        };
        let share = case.pattern.share(self.local);
        if let Some((promise, found, promised)) = promised.differs(share) {
            return Err(self.broken(promise, found, promised));
        }
        let promised = self.binder.as_ref().map(|_| promised.cpus.clone());
        match mask {
            mask if mask == promised => mask.iter().for_each(|mask| self.consume(mask)),
            Some(mask) => return Err(self.differs(Promise::Cpus, &mask, promised.as_ref())),
            None => return Err(self.broken(Promise::Bound, Seen::Nothing, Seen::Some)),
        }
        Ok(())
    }

    /// Whether a process may be unbound without a further reason: nothing is bound, or a default was given up (4.1, 4.2, 4.4,
    /// 4.8).
    pub(super) fn may_be_unbound(&self) -> bool {
        let policy = self.case.policy;
        let objectless = matches!(
            policy.map,
            MapBy::Slot | MapBy::Node | MapBy::Ppr { .. } | MapBy::PeList
        );
        let gives_up = objectless || self.given_up && self.case.given_up == Some(true);
        match policy.bind {
            BindTo::Nothing => true,
            BindTo::Object(_) | BindTo::BySize => {
                policy.strength == BindStrength::Default && gives_up
            }
        }
    }

    /// Whether a search for an unbound process would find nothing, and yet make cpus count as free again (7.5). If a default
    /// may have been given up before any search, the plan does not tell whether there was a search.
    fn would_free_in_vain(&self, turn: Option<Turn<'t>>) -> bool {
        let shared = self.case.policy.overload == Overload::Allowed;
        let binder = self.binder.as_ref().filter(|_| shared);
        binder.is_some_and(|binder| {
            let (row, object) = (turn.map(|(row, _)| row), turn.map(|(_, ranges)| ranges));
            if binder.would_find(object) {
                return false;
            }
            let mut tried = binder.clone();
            tried.next(row, object).is_none() && tried.free != binder.free
        })
    }

    pub(super) fn unbound(&mut self, turn: Option<Turn<'t>>) -> Result<(), Broken> {
        if self.may_be_unbound() {
            self.frees_in_vain = self.frees_in_vain || self.would_free_in_vain(turn);
            return Ok(());
        }
        let best_effort = self.case.policy.strength == BindStrength::Default
            || self.case.policy.if_supported == IfSupported::Yes;
        let Some(binder) = &mut self.binder else {
            return Ok(());
        };
        if best_effort && binder.no_target() {
            return Ok(());
        }
        match binder.next(turn.map(|(row, _)| row), turn.map(|(_, ranges)| ranges)) {
            None if best_effort => Ok(()),
            promised => {
                let promised =
                    promised.map_or(Seen::Some, |set| Seen::Cpus(self.case.hardware.os_of(&set)));
                Err(self.broken(Promise::Bound, Seen::Nothing, promised))
            }
        }
    }

    /// The object whose turn it is: the next one. If the plan does not record passes, it may be the first one again.
    fn object(&mut self, place: Place) -> Result<Option<Turn<'t>>, Broken> {
        let hardware = self.case.hardware;
        let Some(kind) = self.turns.kind else {
            return match place.object {
                None => Ok(None),
                Some(at) => {
                    let found = Seen::Object(self.case.kind.unwrap_or(ObjKind::Machine), at);
                    Err(self.broken(Promise::Object, found, Seen::Nothing))
                }
            };
        };
        let mark = self.turns.mark();
        let free = self
            .binder
            .as_ref()
            .map_or(&self.free, |binder| &binder.free);
        let mut turn = self.turns.next(place.object, free);
        let is = |turns: &Turns<'t>, turn: Option<(usize, ObjectId)>| {
            turn.is_some_and(|(row, object)| place.object == Some(turns.name(row, object)))
        };
        let again = self.case.passes == Passes::Untold;
        if !is(&self.turns, turn) && again {
            self.turns.reset(mark);
            self.turns.restart(free);
            turn = self.turns.next(place.object, free);
        }
        if let (true, Some((row, object))) = (is(&self.turns, turn), turn) {
            return Ok(Some((row, hardware.ranges(object))));
        }
        let seen = |at: Option<u32>| at.map_or(Seen::Nothing, |at| Seen::Object(kind, at));
        let promised = seen(turn.map(|(row, object)| self.turns.name(row, object)));
        Err(self.broken(Promise::Object, seen(place.object), promised))
    }

    /// The mask of a process by logical PU. All its PUs must be allowed.
    fn mask(&mut self, cpus: Option<CpusetId>) -> Result<Option<Mask>, Broken> {
        let Some(id) = cpus else {
            return Ok(None);
        };
        let (case, hardware) = (self.case, self.case.hardware);
        let mask = self
            .masks
            .of(hardware.topology, id, || {
                logical_mask(&case.os, case.cpusets.get(id))
            })
            .filter(|mask| !mask.is_empty() && case.allowed.has_all(mask));
        if mask.is_none() {
            let set = Seen::Cpus(case.cpusets.get(id).clone());
            let allowed = Seen::Cpus(hardware.os(&case.allowed));
            return Err(self.broken(Promise::CpusAllowed, set, allowed));
        }
        Ok(mask)
    }

    pub(super) fn differs(
        &self,
        promise: Promise,
        found: &Mask,
        promised: Option<&Mask>,
    ) -> Broken {
        let os = |set: &Mask| Seen::Cpus(self.case.hardware.os_of(set));
        self.broken(promise, os(found), promised.map_or(Seen::Nothing, os))
    }

    pub(super) fn consume(&mut self, cpus: &[(u32, u32)]) {
        match &mut self.binder {
            Some(binder) => binder.exact(cpus),
            None => self.free.remove(cpus),
        }
    }
}
