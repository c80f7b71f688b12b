//! Builds a layout: processes go onto one node, one after the other, in sweeps, blocks, a walk or as a component chose. Source:
//! `semantics` 4.

use super::rooms::{near, room, rooms, shared_cpus, take_room};
use crate::limit::PATTERN_RUNS_MAX;
use crate::policy::Overload;
use crate::stage::node::bind::{Bound, Failure, Mask};
use crate::stage::node::bits::Bits;
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::{Binding, DraftRun, DraftSegment, End, Laid, Layout, LayoutView};
use crate::stage::node::units::narrow;
use crate::table::patterns::ShareRun;
use std::collections::HashMap;

/// How many runs a segment reserves memory for at its start: on nearly every node enough for one process each.
const ROOM: usize = 128;

/// A layout while it is built.
pub(crate) struct LayoutBuilder<'g> {
    pub(crate) node: &'g LayoutView<'g>,
    pub(crate) cpus: Cpus,
    done: Vec<DraftSegment>,
    open: DraftSegment,
    procs: u32,
    pub(crate) want: u32,
    /// Moments at which a cycle could begin, with the runs and processes before each.
    cycle_starts: HashMap<(u128, u128), (u32, u32)>,
    /// Runs before this one take no more processes, because a cycle begins at a run.
    barrier: usize,
}

impl<'g> LayoutBuilder<'g> {
    pub(crate) fn new(node: &'g LayoutView<'g>, cpus: Cpus, want: u32) -> Self {
        Self {
            node,
            cpus,
            done: Vec::new(),
            open: DraftSegment::default(),
            procs: 0,
            want,
            cycle_starts: HashMap::new(),
            barrier: 0,
        }
    }

    pub(crate) const fn left(&self) -> u32 {
        self.want - self.procs
    }

    pub(super) fn overload(&self) -> bool {
        self.node.binder.policy.overload == Overload::Allowed
    }

    /// Appends the threads and GPUs of `count` processes.
    pub(crate) fn share(&mut self, count: u32, threads: u32, gpus: &[u32]) {
        match self.open.shares.last_mut() {
            Some(last) if last.threads == threads && last.gpus == gpus => last.count += count,
            Some(_) | None => self.open.shares.push(ShareRun {
                count,
                threads,
                gpus: gpus.to_vec(),
            }),
        }
    }

    /// Appends `count` processes that get the same object and mask.
    #[inline]
    pub(crate) fn push(&mut self, count: u32, object: Option<u32>, mask: Option<Mask>) {
        if count == 0 {
            return;
        }
        self.procs += count;
        self.open.procs += count;
        let joinable = self.open.runs.len() > self.barrier;
        match self.open.runs.last_mut() {
            Some(last) if joinable && last.object == object && last.mask == mask => {
                last.count += count
            }
            _ => {
                if self.open.runs.is_empty() {
                    let each = narrow(ROOM).min(self.want);
                    self.open.runs.reserve(each as usize);
                }
                self.open.runs.push(DraftRun {
                    count,
                    object,
                    mask,
                });
            }
        }
    }

    /// Ends the segment: the next process starts a new one.
    pub(crate) fn close(&mut self) {
        self.cycle_starts.clear();
        self.barrier = 0;
        if self.open.procs > 0 {
            if self.done.len() >= ROOM {
                // Where there are many segments, most are short: without this they would hold mostly unused memory.
                self.open.runs.shrink_to_fit();
            }
            self.done.push(std::mem::take(&mut self.open));
        }
    }

    /// Fills the rest of what is wanted by repeating the runs from run `from` on.
    pub(crate) fn come_round(&mut self, from: u32) {
        let left = self.left();
        self.open.cycle = Some(from);
        self.open.procs = u32::MAX;
        self.procs += left;
    }

    /// Like [`Self::come_round`], but the open segment ends up with `count` processes in all.
    fn come_round_for(&mut self, from: u32, count: u32) {
        self.procs += count - self.open.procs;
        self.open.cycle = Some(from);
        self.open.procs = count;
    }

    /// Called where a cycle could begin. If the cpus were like this at an earlier call, everything since then repeats forever.
    /// Returns the run where the cycle begins, and the number of processes in a cycle.
    fn repeats(&mut self) -> Option<(u32, u32)> {
        let here = (narrow(self.open.runs.len()), self.open.procs);
        self.barrier = self.open.runs.len();
        // Above LIMIT only differences between targets matter.
        let limit = self.node.binder.policy.limit.map_or(0, u32::from);
        let key = self.cpus.moment(limit);
        match self.cycle_starts.get(&key) {
            Some(&(run, procs)) if procs < here.1 => Some((run, here.1 - procs)),
            Some(_) => None,
            None => {
                self.cycle_starts.insert(key, here);
                None
            }
        }
    }

    pub(crate) fn finish(mut self, end: End) -> Laid {
        self.close();
        Laid {
            segments: self.done,
            procs: self.procs,
            end,
            cpus: self.cpus,
        }
    }

    fn too_long(&self) -> bool {
        self.open.runs.len() >= PATTERN_RUNS_MAX
    }

    /// Leaves the rest unbound, on no object or on one.
    pub(crate) fn unbound(&mut self, object: Option<u32>) -> End {
        if self.left() > 0 {
            self.close();
            self.open = DraftSegment {
                procs: 0,
                runs: vec![DraftRun {
                    count: 1,
                    object,
                    mask: None,
                }],
                cycle: None,
                shares: Vec::new(),
            };
            self.come_round(0);
        }
        End::Wanted
    }

    /// Binds processes that are mapped to no object.
    pub(crate) fn plain(&mut self) -> End {
        while self.left() > 0 {
            match self.bind(None) {
                Bound::To(mask) => {
                    if self.cpus.refilled
                        && let Some((run, round)) = self.repeats()
                    {
                        let rest = (self.left() - 1) % round;
                        (0..rest).for_each(|_| drop(self.bind(None)));
                        self.come_round(run);
                        return End::Wanted;
                    }
                    self.push(1, None, Some(mask));
                }
                // Nothing was consumed, so the same happens to all later processes.
                Bound::Nothing => return self.unbound(None),
                Bound::Fails(failure) => return End::Fails(failure),
            }
            if self.too_long() {
                return End::TooLong;
            }
        }
        End::Wanted
    }

    /// Called before the next process, where a cycle could begin. If the rest repeats a cycle, this adds the cycle, lays the
    /// beginning of one more to bring the cpus to their final state, and returns true.
    fn comes_round(&mut self, again: fn(&mut LayoutBuilder<'_>) -> End) -> bool {
        let Some((run, round)) = self.repeats() else {
            return false;
        };
        let mut rest = LayoutBuilder::new(self.node, self.cpus.clone(), self.left() % round);
        again(&mut rest);
        self.cpus = rest.cpus;
        self.come_round(run);
        true
    }

    pub(crate) fn half_bound(&mut self, first: u32) -> End {
        let count = first.min(self.left());
        self.push(count, None, None);
        self.close();
        self.plain()
    }

    #[inline]
    pub(crate) fn bind(&mut self, object: Option<usize>) -> Bound {
        let mapped = object.map(|at| (at, self.node.objects.get(narrow(at))));
        self.node
            .binder
            .bind(&mut self.cpus, mapped, self.node.sets)
    }

    /// Places processes unbound, on one object after the other, again and again.
    pub(crate) fn unbound_round(&mut self, placed: u32, layout: Layout) -> End {
        let objects = self.node.objects;
        if objects.is_empty() {
            return End::Full;
        }
        if self.left() > 0 {
            let start = if matches!(layout, Layout::Walk(_)) {
                placed % objects.len()
            } else {
                0
            };
            let runs = (start..objects.len())
                .chain(0..start)
                .map(|at| DraftRun {
                    count: 1,
                    object: Some(self.node.logical(at)),
                    mask: None,
                })
                .collect();
            self.open = DraftSegment {
                procs: 0,
                runs,
                cycle: None,
                shares: Vec::new(),
            };
            self.come_round(0);
        }
        End::Wanted
    }

    pub(crate) fn sweep(&mut self) -> End {
        let mut rooms = rooms(self.node, &self.cpus);
        let near = near(self.node);
        // Objects that have room. A full object stays full.
        let mut open: Vec<usize> = (0..rooms.len()).collect();
        loop {
            open.retain(|&at| rooms[at] > 0);
            if self.overload() && self.comes_round(|builder| builder.sweep()) {
                return End::Wanted;
            }
            let (before, run) = (self.procs, self.open.runs.len());
            let mut consumed = false;
            for &at in &open {
                if self.left() == 0 {
                    return End::Wanted;
                }
                if rooms[at] == 0 {
                    continue;
                }
                match self.place(at) {
                    Ok(true) => {
                        consumed = true;
                        take_room(self.node, &self.cpus, &mut rooms, at, near.as_deref());
                    }
                    Ok(false) => {}
                    Err(failure) => return End::Fails(failure),
                }
            }
            if self.procs == before {
                return if self.left() == 0 {
                    End::Wanted
                } else {
                    End::Full
                };
            }
            if self.node.binder.policy.map.one_each() {
                return match self.left() {
                    0 => End::Wanted,
                    _ => End::Full,
                };
            }
            if !consumed {
                // A sweep that left every process unbound repeats exactly.
                return self.repeat_sweep(run, before);
            }
            if self.too_long() {
                return End::TooLong;
            }
        }
    }

    /// Repeats the sweep that began after process `before` of the layout. It begins at run `run`, or inside the run before it.
    fn repeat_sweep(&mut self, run: usize, before: u32) -> End {
        let count = self.procs - before;
        let mut swept: Vec<DraftRun> = self.open.runs.split_off(run);
        let inside: u32 = swept.iter().map(|run| run.count).sum();
        if inside < count {
            // The sweep's first process joined the run before it.
            let last = self
                .open
                .runs
                .last_mut()
                .expect("a joined run has a run before it");
            last.count -= count - inside;
            swept.insert(
                0,
                DraftRun {
                    count: count - inside,
                    ..last.clone()
                },
            );
        }
        self.open.procs -= count;
        self.procs -= count;
        self.close();
        self.open = DraftSegment {
            procs: 0,
            runs: swept,
            cycle: None,
            shares: Vec::new(),
        };
        self.come_round(0);
        End::Wanted
    }

    /// One process on each object that a component lists.
    pub(crate) fn chosen(&mut self, binding: Binding) -> End {
        for &at in self.node.chosen {
            if self.left() == 0 || self.too_long() {
                break;
            }
            if binding == Binding::Off {
                self.push(1, Some(self.node.logical(narrow(at))), None);
            } else if let Err(failure) = self.place(at) {
                return End::Fails(failure);
            }
        }
        match self.left() {
            0 => End::Wanted,
            _ if self.too_long() => End::TooLong,
            _ => End::Full,
        }
    }

    /// Places one process on an object. Returns whether it was bound.
    #[inline]
    fn place(&mut self, at: usize) -> Result<bool, Failure> {
        let logical = self.node.logical(narrow(at));
        match self.bind(Some(at)) {
            Bound::To(mask) => {
                self.push(1, Some(logical), Some(mask));
                Ok(true)
            }
            Bound::Nothing => {
                self.push(1, Some(logical), None);
                Ok(false)
            }
            Bound::Fails(failure) => Err(failure),
        }
    }

    pub(crate) fn walk(&mut self, placed: u32) -> End {
        let mut rooms = rooms(self.node, &self.cpus);
        let near = near(self.node);
        let objects = rooms.len();
        let mut open = rooms.iter().filter(|&&room| room > 0).count();
        let (mut idle, mut run, mut since) = (0, 0, 0);
        while self.left() > 0 {
            if open == 0 {
                return End::Full;
            }
            let next = (u64::from(placed) + u64::from(self.procs)) % objects as u64;
            let start = usize::try_from(next).expect("an object number is a usize");
            if start == 0 {
                if self.overload() && self.comes_round(|builder| builder.walk(0)) {
                    return End::Wanted;
                }
                (idle, run, since) = (0, self.open.runs.len(), self.procs);
            }
            let at = (start..objects)
                .chain(0..start)
                .find(|&at| rooms[at] > 0)
                .expect("an object is open");
            match self.place(at) {
                Ok(true) => {
                    open -= take_room(self.node, &self.cpus, &mut rooms, at, near.as_deref());
                }
                Ok(false) => {
                    idle += 1;
                    if idle == objects && self.procs - since == narrow(objects) {
                        return self.repeat_sweep(run, since);
                    }
                }
                Err(failure) => return End::Fails(failure),
            }
            if self.too_long() {
                return End::TooLong;
            }
        }
        End::Wanted
    }

    pub(crate) fn blocks(&mut self, per: u32, binding: Binding) -> End {
        let shared = shared_cpus(self.node);
        if self.node.objects.is_empty() {
            // `ppr:N:node`: the machine is the only object, and processes are mapped to none.
            let block = self.block(None, per, binding, shared.as_ref());
            return block.unwrap_or(End::Full);
        }
        for at in 0..self.node.objects.len() as usize {
            if self.left() == 0 {
                return End::Wanted;
            }
            if let Some(end) = self.block(Some(at), per, binding, shared.as_ref()) {
                return end;
            }
        }
        if self.left() == 0 {
            End::Wanted
        } else {
            End::Full
        }
    }

    /// Places `per` processes on one object. Returns an end if the layout ends there. `shared`: the result of [`shared_cpus`].
    fn block(
        &mut self,
        at: Option<usize>,
        per: u32,
        binding: Binding,
        shared: Option<&Bits>,
    ) -> Option<End> {
        let binder = self.node.binder;
        let logical = at.map(|at| self.node.logical(narrow(at)));
        let count = per.min(self.left());
        if binding == Binding::Off {
            self.push(count, logical, None);
            return (self.left() == 0).then_some(End::Wanted);
        }
        let pus = binder.pus_of(at.map(|at| self.node.objects.get(narrow(at))));
        let bound = !matches!(binder.target, crate::stage::node::bind::Target::Nothing);
        if bound && room(self.node, &self.cpus, &pus, shared) < per {
            return None;
        }
        if self.overload() {
            // Cycles are found for each object by itself, so each object gets segments of its own.
            self.close();
        }
        let mut left = count;
        while left > 0 {
            match self.bind(at) {
                Bound::To(mask) => {
                    if self.cpus.refilled
                        && let Some((run, round)) = self.repeats()
                    {
                        self.come_round_for(run, count);
                        (0..(left - 1) % round).for_each(|_| drop(self.bind(at)));
                        break;
                    }
                    self.push(1, logical, Some(mask));
                    left -= 1;
                }
                Bound::Nothing => {
                    self.push(left, logical, None);
                    left = 0;
                }
                Bound::Fails(failure) => return Some(End::Fails(failure)),
            }
            if self.too_long() {
                return Some(End::TooLong);
            }
        }
        if self.overload() {
            self.close();
        }
        (self.left() == 0).then_some(End::Wanted)
    }
}
