//! A layout under way: processes going onto one node, one after the other. Source: `semantics` 4.

use super::rooms::{Room, Rooms, RoundOrder};
use crate::limit::PATTERN_RUNS_MAX;
use crate::stage::node::bind::{Mask, Target};
use crate::stage::node::bits::narrow;
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::{Binding, DraftRun, DraftSegment, End, Laid, LayoutView};
use crate::table::patterns::ShareRun;
use std::collections::HashMap;

/// Runs that a segment has room for from the start: a process each on nearly every node there is.
const ROOM: u32 = 128;

/// A layout under way.
pub(crate) struct LayoutBuilder<'g> {
    pub(crate) node: &'g LayoutView<'g>,
    pub(crate) cpus: Cpus,
    done: Vec<DraftSegment>,
    open: DraftSegment,
    procs: u32,
    want: u32,
    /// What the cpus were like at the turns of the open segment, and the run and process where each was.
    turns: HashMap<(u128, u128), (u32, u32)>,
    /// Runs before this one take no more processes: a round begins at a run.
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
            turns: HashMap::new(),
            barrier: 0,
        }
    }

    pub(crate) const fn left(&self) -> u32 {
        self.want - self.procs
    }

    fn too_long(&self) -> bool {
        self.open.runs.len() >= PATTERN_RUNS_MAX
    }

    /// Appends what `count` processes run and were given beside their cpus.
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

    /// Appends `count` processes that get the same.
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
                last.count += count;
            }
            _ => {
                if self.open.runs.is_empty() {
                    self.open.runs.reserve(ROOM.min(self.want) as usize);
                }
                self.open.runs.push(DraftRun {
                    count,
                    object,
                    mask,
                });
            }
        }
    }

    /// Ends the segment: what follows counts from here.
    pub(crate) fn close(&mut self) {
        self.turns.clear();
        self.barrier = 0;
        if self.open.procs > 0 {
            self.done.push(std::mem::take(&mut self.open));
        }
    }

    /// Ends the layout, where it has an end of its own or as it has no more processes.
    pub(super) fn finish(mut self, laid: Result<(), End>) -> Laid {
        self.close();
        let end = match laid {
            Ok(()) if self.left() == 0 => End::Wanted,
            Ok(()) => End::Full,
            Err(end) => end,
        };
        Laid {
            segments: self.done,
            procs: self.procs,
            end,
            cpus: self.cpus,
        }
    }

    /// Fills the rest of what is wanted with rounds that begin at run `from`.
    pub(crate) fn come_round(&mut self, from: u32) {
        self.procs = self.want;
        self.open.cycle = Some(from);
        self.open.procs = u32::MAX;
    }

    /// At a turn: if the cpus were like this at an earlier turn, everything since comes round for ever.
    /// Gives the run where the round begins, and the processes of a round.
    fn repeats(&mut self) -> Option<(u32, u32)> {
        let (run, procs) = (narrow(self.open.runs.len()), self.open.procs);
        self.barrier = self.open.runs.len();
        // Above LIMIT only differences decide.
        let limit = self.node.view.binder.policy.limit.map_or(0, u32::from);
        let first = *(self.turns.entry(self.cpus.moment(limit))).or_insert((run, procs));
        (first.1 < procs).then(|| (first.0, procs - first.1))
    }

    /// The rest, if any, unbound on these objects, or on none, again and again.
    fn unbound_on(&mut self, objects: impl IntoIterator<Item = Option<usize>>) -> Result<(), End> {
        if self.left() > 0 {
            self.close();
            for at in objects {
                self.push(1, at.map(|at| self.node.logical(at)), None);
            }
            self.come_round(0);
        }
        Ok(())
    }

    /// The rest unbound, on no object.
    pub(super) fn unbound(&mut self) -> Result<(), End> {
        self.unbound_on([None])
    }

    /// The rest unbound, on one object after the other.
    pub(super) fn unbound_round(&mut self, placed: u32) -> Result<(), End> {
        let objects = self.node.view.objects.len();
        let first = (placed as usize).checked_rem(objects).ok_or(End::Full)?;
        self.unbound_on((first..objects).chain(0..first).map(Some))
    }

    /// The processes of the last round, all left unbound on these objects, come again just so: nothing was consumed.
    fn last_again(&mut self, objects: &[usize]) -> Result<(), End> {
        for _ in objects {
            let last = self.open.runs.last_mut();
            let last = last.expect("a process was pushed on each");
            last.count -= 1;
            if last.count == 0 {
                self.open.runs.pop();
            }
        }
        let count = narrow(objects.len());
        (self.open.procs, self.procs) = (self.open.procs - count, self.procs - count);
        self.unbound_on(objects.iter().copied().map(Some))
    }

    /// Binds one process, mapped to an object or to none.
    #[inline]
    fn bind(&mut self, at: Option<usize>) -> Result<Option<Mask>, End> {
        let LayoutView { view, sets, .. } = *self.node;
        let bound = view.binder.bind(&mut self.cpus, view.place(at), sets);
        bound.map_err(End::Fails)
    }

    /// Places one process on an object; whether it was bound.
    #[inline]
    fn place(&mut self, at: usize) -> Result<bool, End> {
        let mask = self.bind(Some(at))?;
        let bound = mask.is_some();
        self.push(1, Some(self.node.logical(at)), mask);
        Ok(bound)
    }

    /// `count` processes on one object, or on none, one after the other, up to one that is left unbound: gives how many are
    /// left. What comes round makes a segment of `whole` processes.
    fn fill(&mut self, at: Option<usize>, count: u32, whole: u32) -> Result<u32, End> {
        let logical = at.map(|at| self.node.logical(at));
        for left in (1..=count).rev() {
            let mask = self.bind(at)?;
            if mask.is_none() {
                // Nothing was consumed: all that follow fare alike.
                return Ok(left);
            }
            if self.cpus.refilled
                && let Some((run, round)) = self.repeats()
            {
                // The cpus are brought to the right turn.
                for _ in 0..(left - 1) % round {
                    self.bind(at)?;
                }
                self.procs += left;
                self.open.cycle = Some(run);
                self.open.procs = whole;
                return Ok(0);
            }
            self.push(1, logical, mask);
            if self.too_long() {
                return Err(End::TooLong);
            }
        }
        Ok(0)
    }

    /// No object, bound.
    pub(super) fn plain(&mut self) -> Result<(), End> {
        self.fill(None, self.left(), u32::MAX)?;
        self.unbound()
    }

    /// No object, the first so many unbound.
    pub(super) fn half_bound(&mut self, first: u32) -> Result<(), End> {
        self.push(first.min(self.left()), None, None);
        self.close();
        self.plain()
    }

    /// Round after round over the objects, `placed` processes being there already.
    pub(super) fn rounds(&mut self, order: RoundOrder, placed: u32) -> Result<(), End> {
        let objects = self.node.view.objects.len();
        let mut rooms = Rooms::new(self.node, &self.cpus);
        let mut starts: Vec<usize> = (0..objects).collect();
        // A walk goes on with a part of a round.
        let mut begun = match order {
            RoundOrder::Sweep => 0,
            RoundOrder::Walk => (placed as usize).checked_rem(objects).unwrap_or(0),
        };
        loop {
            match order {
                RoundOrder::Walk if self.left() == 0 => return Ok(()),
                RoundOrder::Walk => {}
                // Those that were full stay so.
                RoundOrder::Sweep => starts.retain(|&at| rooms.has(at)),
            }
            let overload = self.node.view.binder.overloads();
            if overload && begun == 0 && self.comes_round(order)? {
                return Ok(());
            }
            let (mut round, mut bound) = (Vec::with_capacity(starts.len()), false);
            for &start in &starts[begun..] {
                if self.left() == 0 {
                    return Ok(());
                }
                let Some(at) = rooms.next(order, start) else {
                    continue;
                };
                round.push(at);
                if self.place(at)? {
                    bound = true;
                    rooms.take(at, &self.cpus);
                }
                if self.too_long() {
                    return Err(End::TooLong);
                }
            }
            if round.is_empty() {
                return Ok(());
            }
            if begun == 0 && !bound {
                return self.last_again(&round);
            }
            begun = 0;
        }
    }

    /// At the turn of a round: whether the rest comes round. The cpus are brought to the right turn by laying the beginning of
    /// one more.
    fn comes_round(&mut self, order: RoundOrder) -> Result<bool, End> {
        let Some((run, round)) = self.repeats() else {
            return Ok(false);
        };
        let mut rest = LayoutBuilder::new(self.node, self.cpus.clone(), self.left() % round);
        rest.rounds(order, 0)?;
        self.cpus = rest.cpus;
        self.come_round(run);
        Ok(true)
    }

    /// `per` processes on each object in turn; where there are none, on the node: `ppr:N:node`.
    pub(super) fn blocks(&mut self, per: u32, binding: Binding) -> Result<(), End> {
        let binder = &self.node.view.binder;
        let bound = !matches!(binder.target, Target::Nothing);
        let room = Room::new(self.node);
        let objects = self.node.view.objects.len();
        for at in (0..objects).map(Some).chain((objects == 0).then_some(None)) {
            let logical = at.map(|at| self.node.logical(at));
            let count = per.min(self.left());
            if binding == Binding::Off {
                self.push(count, logical, None);
            } else if !bound || room.of(at, &self.cpus) >= per {
                if binder.overloads() {
                    // An object's turns are its own: a stretch of the pattern that comes round by itself.
                    self.close();
                }
                let unbound = self.fill(at, count, count)?;
                self.push(unbound, logical, None);
                if binder.overloads() {
                    self.close();
                }
            }
        }
        Ok(())
    }

    /// One process on each object that was written out.
    pub(super) fn written(&mut self, binding: Binding) -> Result<(), End> {
        for &at in self.node.written.iter().take(self.left() as usize) {
            if self.too_long() {
                return Err(End::TooLong);
            }
            match binding {
                Binding::Off => self.push(1, Some(self.node.logical(at)), None),
                Binding::On => drop(self.place(at)?),
            }
        }
        Ok(())
    }
}
