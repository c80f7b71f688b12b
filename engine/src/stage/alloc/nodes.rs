//! The site: the nodes of a job while its apps are placed, one after the other.

use super::requested::Named;
use crate::id::{Column, Id as _, ROWS_PER_SPARE};
use crate::plan::{Derived, PlacedRun, Plan, World};
use crate::stage::node::bind::Mask;
use crate::stage::node::bits::{Bits, ones};
use crate::stage::node::layout::{DraftRun, DraftSegment};
use crate::stage::node::units::Hardware;
use crate::stage::parallel::{Sharing, each};
use crate::stage::place::cache::Memo;
use crate::stage::place::groups::Keeping;
use crate::stage::place::scratch::Spare;
use crate::table::alike::{Alike, START, mix};
use crate::table::apps::AppTable;
use crate::table::cpusets::{CpusetId, Cpusets};
use crate::table::intervals::NodeOrder;
use crate::table::machine::Machine;
use crate::table::names::{NameRange, NameStretch, Names, NodeId, NodeRange};
use crate::table::patterns::{
    Drafted, PatternDraft, PatternId, Patterns, Place, PlaceRun, Segment,
};
use crate::table::pusets::PuSets;
use crate::table::states::{NodeState, StateId, StateRuns, States};
use crate::table::topologies::{Topologies, TopologyId};
use std::sync::Arc;

/// All that passes from app to app: node states, and the order in which nodes were first used.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) names: Arc<Names>,
    pub(crate) topologies: Arc<Topologies>,
    pub(crate) cpusets: Cpusets,
    /// Sets that stand before those of `cpusets`: a branch counts on from its site's.
    pub(crate) cpusets_before: usize,
    pub(crate) pusets: PuSets,
    pub(crate) states: States,
    pub(crate) patterns: Patterns,
    /// The state of each node now.
    pub(crate) runs: StateRuns,
    /// The local node, if it is in the pool.
    pub(crate) local: Option<NodeId>,
    /// What nodes had before an app's own hostfile lowered their slots: that comes back when the job is placed (1.4).
    pub(crate) lowered: Vec<(NodeRange, u32)>,
    /// The job's node order so far.
    pub(crate) order: NodeOrder,
    /// Each topology as the inner loops see it; filled where a topology is used.
    pub(crate) hardware: Column<TopologyId, Option<Hardware>>,
    /// Whether it is filled: what is asked most often, of every node. Shape `[topologies]`, as far as was asked.
    known: Vec<bool>,
    masks: Masks,
    pub(crate) memo: Memo,
    pub(crate) sharing: Sharing,
    pub(crate) spare: Spare,
    /// The nodes that each app names, where they are kept from plan to plan. Shape `[apps]`, as far as apps were asked.
    pub(crate) named: Option<Vec<Option<Named>>>,
    /// Nodes that the job lost: who names them names nothing.
    pub(crate) lost: Names,
    /// Nodes before this one have no free slot.
    pub(crate) full: u32,
    claims: Claims,
}

/// Whether what claims change about slots may have to be taken back.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
enum Claims {
    /// It may not.
    #[default]
    Alone,
    /// It may; nothing has changed so far.
    Watched,
    /// It may: the states before the first change, and how many parts had been lowered.
    Changed(StateRuns, usize),
}

/// Masks by logical number, each with its set by OS number.
#[derive(Clone, Debug, Default)]
struct Masks {
    rows: Vec<(TopologyId, Bits, CpusetId)>,
    ids: Alike<usize>,
    /// PUs of the mask at hand.
    scratch: Vec<u32>,
}

/// What a layout made, on the thread that laid it.
pub(crate) enum Finished {
    /// All cpu sets are whole objects: nothing is left to intern but the pattern.
    Ready(Drafted),
    /// Masks are to be interned, in order.
    Drafts(Vec<DraftSegment>),
}

impl Finished {
    pub(crate) fn new(topologies: &Topologies, drafts: Vec<DraftSegment>) -> Self {
        let masks = drafts.iter().flat_map(|draft| &draft.runs);
        let whole = |run: &DraftRun| !matches!(run.mask, Some(Mask::Bits(_)));
        if !{ masks }.all(whole) {
            return Self::Drafts(drafts);
        }
        let cpuset = |mask: Mask| match mask {
            Mask::Whole(object) => topologies.cpuset(object),
            Mask::Bits(_) => unreachable!("looked at just now"),
        };
        let segments: PatternDraft = drafts
            .into_iter()
            .map(|draft| segment(draft, cpuset))
            .collect();
        Self::Ready(Drafted::new(segments))
    }

    /// The pattern, all its masks interned.
    pub(crate) fn drafted(self, site: &mut Site, topology: TopologyId) -> Drafted {
        match self {
            Self::Ready(drafted) => drafted,
            Self::Drafts(drafts) => {
                let segments: PatternDraft = drafts
                    .into_iter()
                    .map(|draft| site.segment(topology, draft))
                    .collect();
                Drafted::new(segments)
            }
        }
    }
}

/// A stretch of a pattern, its masks turned into sets.
fn segment(draft: DraftSegment, mut cpuset: impl FnMut(Mask) -> CpusetId) -> Segment {
    let runs = draft.runs.into_iter().map(|run| PlaceRun {
        count: run.count,
        place: Place {
            object: run.object,
            cpus: run.mask.map(&mut cpuset),
        },
    });
    // Gathered anew: a draft has room for more runs, each larger.
    let mut gathered = Vec::with_capacity(runs.len());
    gathered.extend(runs);
    Segment {
        procs: draft.procs,
        runs: gathered,
        cycle: draft.cycle,
    }
}

impl Site {
    /// A site without node states. Takes the machine's topologies: there may be thousands.
    pub(crate) fn new(machine: &mut Machine, names: Names, local: Option<NodeId>) -> Self {
        let topologies = std::mem::take(&mut machine.topologies);
        Self {
            hardware: topologies.ids().map(|_| None).collect(),
            names: Arc::new(names),
            topologies,
            cpusets: std::mem::take(&mut machine.cpusets),
            cpusets_before: 0,
            pusets: PuSets::default(),
            states: States::default(),
            patterns: Patterns::default(),
            runs: StateRuns::default(),
            local,
            lowered: Vec::new(),
            order: NodeOrder::default(),
            known: Vec::new(),
            masks: Masks::default(),
            memo: Memo::default(),
            sharing: Sharing::default(),
            spare: Spare::default(),
            named: None,
            lost: Names::default(),
            full: 0,
            claims: Claims::default(),
        }
    }

    /// A copy for apps of their own, which finds sets and patterns by itself; see `branch.rs`.
    ///
    /// Cost: a copy of the states and runs; names and topologies are shared.
    pub(crate) fn branch(&self) -> Self {
        Self {
            names: Arc::clone(&self.names),
            topologies: Arc::clone(&self.topologies),
            cpusets: Cpusets::default(),
            cpusets_before: self.cpusets_before + self.cpusets.len(),
            pusets: self.pusets.clone(),
            states: self.states.clone(),
            patterns: Patterns::default(),
            runs: self.runs.clone(),
            local: self.local,
            lowered: Vec::new(),
            order: self.order.clone(),
            hardware: self.topologies.ids().map(|_| None).collect(),
            known: Vec::new(),
            masks: Masks::default(),
            memo: Memo::default(),
            sharing: self.sharing,
            spare: Spare::default(),
            named: None,
            lost: self.lost.clone(),
            full: 0,
            claims: Claims::default(),
        }
    }

    /// What earlier jobs left, for a new job: none of its processes is anywhere yet.
    pub(crate) fn resume(world: &World) -> Self {
        let mut states = world.states.clone();
        let mut runs = StateRuns::default();
        for (nodes, state) in world.after.iter() {
            let row = NodeState {
                own: 0,
                ..*states.get(state)
            };
            runs.push(nodes.count, states.intern(row));
        }
        Self {
            names: Arc::new(world.names.clone()),
            topologies: Arc::clone(&world.topologies),
            cpusets: world.cpusets.clone(),
            cpusets_before: 0,
            pusets: world.pusets.clone(),
            states,
            patterns: Patterns::default(),
            runs,
            local: world.local,
            lowered: Vec::new(),
            order: NodeOrder::default(),
            hardware: world.topologies.ids().map(|_| None).collect(),
            known: Vec::new(),
            masks: Masks::default(),
            memo: Memo::default(),
            sharing: Sharing::default(),
            spare: Spare::default(),
            named: None,
            lost: Names::default(),
            full: 0,
            claims: Claims::default(),
        }
    }

    /// The topology as the inner loops see it.
    pub(crate) fn hardware(&mut self, topology: TopologyId) -> &Hardware {
        let topologies = &*self.topologies;
        self.hardware[topology].get_or_insert_with(|| Hardware::new(topologies, topology))
    }

    /// Whether a topology was made known to the inner loops.
    pub(crate) fn knows(&self, topology: TopologyId) -> bool {
        self.known.get(topology.row()).copied().unwrap_or(false)
    }

    /// Makes all these topologies known to the inner loops.
    pub(crate) fn know(&mut self, wanted: &mut Vec<TopologyId>) {
        if wanted.is_empty() {
            return;
        }
        self.known.resize(self.hardware.len(), false);
        for &topology in &*wanted {
            self.known[topology.row()] = true;
        }
        wanted.retain(|&topology| self.hardware[topology].is_none());
        wanted.sort_unstable();
        wanted.dedup();
        let topologies = &self.topologies;
        let made = each((wanted, self.sharing), |(_, &topology)| {
            Hardware::new(topologies, topology)
        });
        for (topology, hardware) in wanted.drain(..).zip(made) {
            self.hardware[topology] = Some(hardware);
        }
    }

    /// The topology of a state.
    pub(crate) fn topology_of(&self, state: StateId) -> TopologyId {
        self.states.get(state).topology
    }

    /// The name of a node, for messages.
    pub(crate) fn name(&self, node: u32) -> String {
        self.names.name(NodeId::from_row(node as usize))
    }

    /// The OS numbers of a mask, interned.
    pub(crate) fn cpuset(&mut self, topology: TopologyId, mask: Mask) -> CpusetId {
        let bits = match mask {
            Mask::Whole(object) => return self.topologies.cpuset(object),
            Mask::Bits(bits) => *bits,
        };
        let Masks { rows, ids, scratch } = &mut self.masks;
        let digest = mix(START, topology.row() as u64);
        let digest = bits
            .words()
            .iter()
            .fold(digest, |digest, &word| mix(digest, word));
        let is = |row: usize| rows[row].0 == topology && rows[row].1 == bits;
        match ids.find(digest, is) {
            Ok(row) => rows[row].2,
            Err(free) => {
                let os = self.topologies.pus_os(topology);
                let all = [(0, bits.len())];
                let pus = ones(bits.words(), &all).map(|pu| os[pu as usize]);
                scratch.clear();
                scratch.extend(pus);
                let id = behind(self.cpusets.intern_pus(scratch), self.cpusets_before);
                rows.push((topology, bits, id));
                ids.keep(free, rows.len() - 1);
                id
            }
        }
    }

    /// A stretch of a pattern with its masks interned.
    pub(crate) fn segment(&mut self, topology: TopologyId, draft: DraftSegment) -> Segment {
        segment(draft, |mask| self.cpuset(topology, mask))
    }

    /// Makes room for so many states and patterns more, and for what few later losses add.
    pub(crate) fn reserve(&mut self, new: usize, keeping: Keeping) {
        let new = new + new / ROWS_PER_SPARE;
        self.states.reserve(new);
        self.patterns.reserve(new);
        if keeping == Keeping::Yes {
            self.memo.reserve(new);
        }
    }

    /// A pattern, interned.
    pub(crate) fn pattern(&mut self, segments: PatternDraft) -> PatternId {
        self.patterns.intern(segments)
    }

    /// Gives new states to nodes.
    pub(crate) fn change(&mut self, changes: &mut [(NodeRange, StateId)]) {
        self.runs.change_with(changes, &mut self.spare.states);
    }

    /// Gives nodes states with fewer slots, until the job is placed.
    fn lower(&mut self, changes: &mut [(NodeRange, StateId)]) {
        for &(nodes, _) in changes.iter() {
            let states = &self.states;
            let parts = self.runs.within(nodes);
            self.lowered
                .extend(parts.map(|(part, state)| (part, states.get(state).slots)));
        }
        self.change(changes);
    }

    /// Changes slots to what an app claims of its nodes.
    pub(crate) fn claim(
        &mut self,
        lowered: &mut [(NodeRange, StateId)],
        raised: &mut [(NodeRange, StateId)],
    ) {
        if self.claims == Claims::Watched && !(lowered.is_empty() && raised.is_empty()) {
            self.claims = Claims::Changed(self.runs.clone(), self.lowered.len());
        }
        self.lower(lowered);
        self.change(raised);
    }

    /// From here on, what claims change can be taken back: an app may have to be tried again.
    pub(crate) fn watch_claims(&mut self) {
        self.claims = Claims::Watched;
    }

    /// What there was before the first claim since then that changed anything.
    pub(crate) fn claimed_before(&mut self) -> Option<(StateRuns, usize)> {
        match std::mem::take(&mut self.claims) {
            Claims::Changed(runs, lowered) => Some((runs, lowered)),
            Claims::Watched | Claims::Alone => None,
        }
    }

    /// Comes back to the states of a while ago.
    pub(crate) fn slots_back(&mut self, (runs, lowered): (StateRuns, usize)) {
        self.full = 0;
        self.runs = runs;
        self.lowered.truncate(lowered);
    }

    /// Lowered slots are put back when the job has been mapped (1.4): the next one finds them.
    pub(crate) fn put_back(&mut self) {
        self.full = 0;
        for (nodes, slots) in std::mem::take(&mut self.lowered) {
            let parts: Vec<_> = self.runs.within(nodes).collect();
            let mut changes: Vec<_> = parts
                .into_iter()
                .map(|(part, state)| {
                    let row = *self.states.get(state);
                    let slots = row.slots.max(slots);
                    (part, self.states.intern(NodeState { slots, ..row }))
                })
                .collect();
            self.change(&mut changes);
        }
    }

    /// Keeps the nodes that apps name for later plans.
    pub(crate) fn keep_named(&mut self) {
        self.named = Some(Vec::new());
    }

    /// As the job finds the nodes, all that was worked out about them being known.
    pub(crate) fn start_again(&mut self, found: &StateRuns) {
        self.runs.copy(found);
        self.full = 0;
        self.order.clear();
        self.lowered.clear();
    }

    /// Takes a node away; those behind it move up.
    pub(crate) fn lose(&mut self, node: NodeId) {
        let row = crate::stage::node::units::narrow(node.row());
        let stretch = self.names.around(node);
        let name = range_of(stretch, row);
        // A name more than ids can count would have been refused before.
        let _ = self.lost.add(&name);
        Arc::make_mut(&mut self.names).remove(node);
        // The local node is the first of the pool: no other moves it.
        self.local = self.local.filter(|&local| local != node);
        for named in self.named.iter_mut().flatten().flatten() {
            named.lose(row);
        }
    }

    /// What the plan keeps, and the patterns. The tables are the plan's then: see [`Self::take_back`].
    pub(crate) fn lend(&mut self, before: StateRuns) -> (World, Patterns, Derived) {
        let world = World {
            names: Arc::unwrap_or_clone(std::mem::take(&mut self.names)),
            topologies: Arc::clone(&self.topologies),
            cpusets: std::mem::take(&mut self.cpusets),
            pusets: std::mem::take(&mut self.pusets),
            states: std::mem::take(&mut self.states),
            before,
            after: std::mem::take(&mut self.runs),
            local: self.local,
        };
        let derived = std::mem::take(&mut self.spare.derived);
        (world, std::mem::take(&mut self.patterns), derived)
    }

    /// Vectors of placed runs to fill again, those of the first app first.
    pub(crate) fn keep_room(&mut self, runs: impl Iterator<Item = Vec<PlacedRun>>) {
        let kept = &mut self.spare.placed;
        kept.clear();
        kept.extend(runs.filter(|runs| runs.capacity() > 0));
        // They are taken from the end.
        kept.reverse();
    }

    /// A vector for so many placed runs of an app: the one that it filled before.
    pub(crate) fn room_for_runs(&mut self, runs: usize) -> Vec<PlacedRun> {
        let mut room = self.spare.placed.pop().unwrap_or_default();
        room.clear();
        room.reserve(runs);
        room
    }

    /// Room for placing so many apps again.
    pub(crate) fn even_out(&mut self, apps: usize) {
        self.spare.placed.reserve(apps);
        self.spare.roots.resize(self.states.len(), None);
    }

    /// As the job finds the nodes, for a plan.
    pub(crate) fn found_again(&mut self, found: &StateRuns) -> StateRuns {
        let mut before = std::mem::take(&mut self.spare.before);
        before.copy(found);
        before
    }

    /// The tables that a plan had are the site's again; gives that of its apps.
    pub(crate) fn take_back(&mut self, plan: Plan) -> AppTable {
        let (world, table, patterns, derived, placed) = plan.into_tables();
        self.spare.derived = derived;
        self.keep_room(placed);
        self.spare.before = world.before;
        self.names = Arc::new(world.names);
        self.cpusets = world.cpusets;
        self.pusets = world.pusets;
        self.states = world.states;
        self.runs = world.after;
        self.patterns = patterns;
        table
    }
}

/// One node of a stretch of names, as a range.
fn range_of(stretch: NameStretch<'_>, row: u32) -> NameRange {
    NameRange {
        prefix: stretch.prefix.to_owned(),
        first: stretch.number + u64::from(row - stretch.nodes.first),
        count: 1,
        width: stretch.digits,
        suffix: stretch.suffix.to_owned(),
    }
}

/// An id of a table whose rows are counted on from another's.
fn behind<I: crate::id::Id>(row: I, before: usize) -> I {
    I::from_row(row.row() + before)
}
