//! Placing one app: which policy counts and lays how. Source: `semantics` 4.

// What policies made of node states.
pub(crate) mod cache;
// Vectors kept from app to app.
pub(crate) mod scratch;
// How many go to each node: arithmetic.
pub(crate) mod share;
// How far equal nodes have come.
pub(crate) mod progress;
// Nodes that fare alike while an app is placed.
pub(crate) mod placement;
// So many processes more.
pub(crate) mod trial;
// Processes being dealt to the nodes of an app.
pub(crate) mod deal;
// Refusals of the placing stages.
pub(crate) mod refuse;
// What each policy does with one node.
pub(crate) mod policy;
// Nodes filled by slots, each laid once.
pub(crate) mod memory;
// What an app wrote out: which nodes, in which order.
pub(crate) mod entries;
// Placing what was written out.
pub(crate) mod listed;
// Where a component of the launcher's own puts an app.
pub(crate) mod custom;
// What an app comes to.
pub(crate) mod outcome;
// Giving the nodes their new states.
pub(crate) mod commit;
// What listed apps come to, entry by entry.
pub(crate) mod listed_app;

use crate::count::ProcCount;
use crate::error::words::Counted;
use crate::error::{MapError, PlaceError};
use crate::policy::{BindStrength, BindTo, MapBy, Oversubscribe, PprObject, Span};
use crate::stage::node::layout::{Binding, End, Layout};
use crate::stage::parallel::emptied;
use deal::Deal;
use placement::Work;
use policy::{Case, Pass};
use progress::Choice;
use share::{Share, Water, even, fill, level, water};

/// Groups looked at in one go, at least, where slots did not tell how many: then what they need is worked out together.
const AHEAD: usize = 64;

/// Places `procs` processes of the app on its groups.
///
/// # Errors
/// The classes of errors "Room" and "Objects and cpus".
pub(crate) fn place(
    work: &mut Work<'_>,
    procs: ProcCount,
    counted: Counted,
) -> Result<(), MapError> {
    let avail: u64 = work
        .groups
        .iter()
        .map(|group| u64::from(group.avail) * u64::from(group.nodes.count))
        .sum();
    let short = u64::from(procs.0) > avail;
    if short && work.policy.oversubscribe == Oversubscribe::Refused {
        let (app, nodes) = (work.app_number(), work.node_count());
        let asked = u64::from(procs.0);
        return Err(PlaceError::NotEnoughSlots {
            app,
            asked,
            counted,
            left: avail,
            nodes,
        }
        .into());
    }
    let unbound = work.policy.bind == BindTo::Nothing
        || (short && work.policy.strength == BindStrength::Default);
    let mut deal = Deal {
        binding: if unbound { Binding::Off } else { Binding::On },
        asked: procs.0,
        left: procs.0,
    };
    match work.policy.map {
        MapBy::Slot => deal.by_filling(work, policy::slot_layout),
        MapBy::PeList => deal.by_filling(work, policy::list_layout),
        MapBy::Object(_) | MapBy::Dist if work.policy.span == Span::No => {
            deal.by_filling(work, policy::sweep_layout)
        }
        MapBy::Object(_) | MapBy::Dist => deal.by_rounds(work, policy::walk_layout),
        MapBy::Node => deal.by_rounds(work, policy::node_layout),
        MapBy::Ppr { per, on } => deal.by_pattern(work, per, on),
        MapBy::Mpibind(_) => deal.by_memory(work),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => {
            unreachable!("entries are placed by listed.rs")
        }
    }
}

/// Decides for one group, given what there is; errors of a node that cannot ever serve come from here.
type Choose = fn(&Case<'_, '_>) -> Result<Choice, MapError>;

impl Deal {
    /// Nodes in list order, each filled before the next (slot, pe-list, objects without SPAN).
    fn by_filling(&mut self, work: &mut Work<'_>, choose: Choose) -> Result<(), MapError> {
        let mut counts = emptied(&mut work.scratch.counts);
        let mut group = 0;
        let mut known = 0;
        while group < work.groups.len() && self.left > 0 {
            if group >= known {
                known = self.look_ahead(work, group);
                work.learn(group..known);
            }
            let (layout, cap) = self.choice(work, (group, Pass::First), choose, &counts)?;
            let rows = self.fill_group(work, group, (layout, cap), &mut counts);
            known += rows - 1;
            group += rows;
        }
        self.lay(work, &counts)?;
        work.scratch.counts = counts;
        if self.left == 0 {
            return Ok(());
        }
        if work.policy.oversubscribe == Oversubscribe::Refused || !self.shares(work) {
            return Err(self.out_of_cpus(work));
        }
        if work.policy.map == MapBy::PeList && !Self::explicit(work) {
            // The list's default binding is given up now (4.7).
            self.binding = Binding::Off;
        }
        self.by_sharing(work, choose)
    }

    /// A group whose turn it is, and what there is on its nodes.
    fn case<'w, 's>(&'w self, work: &'w mut Work<'s>, group: usize, pass: Pass) -> Case<'w, 's> {
        Case {
            deal: self,
            facts: work.facts(group),
            work,
            group,
            pass,
        }
    }

    /// What a group takes. Node by node: what fails on an earlier one, of those that `counts` tells of, is said first.
    #[inline]
    fn choice(
        &self,
        work: &mut Work<'_>,
        (group, pass): (usize, Pass),
        choose: Choose,
        counts: &[(usize, Layout, u32)],
    ) -> Result<Choice, MapError> {
        choose(&self.case(work, group, pass)).or_else(|error| {
            self.lay(work, counts)?;
            Err(error)
        })
    }

    /// Gives each node of a group its cap while processes are left. Gives the number of groups it became.
    #[inline]
    fn fill_group(
        &mut self,
        work: &mut Work<'_>,
        group: usize,
        (layout, cap): Choice,
        counts: &mut Vec<(usize, Layout, u32)>,
    ) -> usize {
        let nodes = work.groups[group].nodes.count;
        let parts = fill(Share { nodes, cap }, self.left);
        let rows = work.split(group, &parts.map(|(nodes, _)| nodes));
        let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
        for (row, &(nodes, procs)) in rows.clone().zip(taking) {
            self.left -= nodes * procs;
            counts.push((row, layout, procs));
        }
        rows.len()
    }

    /// Whether a pe-list shares at all: only when its binding was given up, or cpus may be shared (4.7).
    fn shares(&self, work: &Work<'_>) -> bool {
        work.policy.map != MapBy::PeList
            || !Self::explicit(work)
            || Self::overload(work)
            || work.policy.bind == BindTo::Nothing
    }

    /// One behind the last group that may be needed, slots alone considered; where these were not enough, some more.
    fn look_ahead(&self, work: &Work<'_>, from: usize) -> usize {
        let mut enough = u64::from(self.left);
        let mut group = from;
        let least = if from == 0 { 0 } else { from + AHEAD };
        while group < work.groups.len() && (enough > 0 || group < least) {
            let row = &work.groups[group];
            enough =
                enough.saturating_sub(u64::from(row.avail.max(1)) * u64::from(row.nodes.count));
            group += 1;
        }
        group
    }

    /// The second pass: even shares of what is left, again and again (4.8).
    fn by_sharing(&mut self, work: &mut Work<'_>, choose: Choose) -> Result<(), MapError> {
        let mut listed: Vec<bool> = vec![true; work.groups.len()];
        let mut given_up: Vec<bool> = (0..work.groups.len())
            .map(|group| self.gave_up(work, group))
            .collect();
        while self.left > 0 {
            let nodes = |work: &Work<'_>, listed: &[bool]| -> u64 {
                work.groups
                    .iter()
                    .zip(listed)
                    .filter(|(_, on)| **on)
                    .map(|(group, _)| u64::from(group.nodes.count))
                    .sum()
            };
            let (all, share) = (nodes(work, &listed), self.left);
            let before = listed.clone();
            if all == 0 {
                return Err(refuse::out_of_resource(work, self.so_far()));
            }
            let (mut at, mut group) = (0_u64, 0);
            let mut counts = Vec::new();
            while group < work.groups.len() {
                let row = work.groups[group];
                if !listed[group] {
                    group += 1;
                    continue;
                }
                if row.room == 0 {
                    listed[group] = false;
                    at += u64::from(row.nodes.count);
                    group += 1;
                    continue;
                }
                let parts = even(row.nodes.count, at, all, share);
                at += u64::from(row.nodes.count);
                let rows = work.split(group, &parts.map(|(nodes, _)| nodes));
                if rows.len() > 1 {
                    listed.insert(group, true);
                    given_up.insert(group, given_up[group]);
                }
                let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
                for (part, &(nodes, procs)) in rows.clone().zip(taking) {
                    let (layout, cap) = if given_up[part] {
                        (Layout::Plain(Binding::Off), u32::MAX)
                    } else {
                        self.choice(work, (part, Pass::Sharing), choose, &counts)?
                    };
                    let procs = procs.min(cap).min(work.groups[part].room);
                    self.left -= nodes * procs;
                    counts.push((part, layout, procs));
                }
                group += rows.len();
            }
            self.lay(work, &counts)?;
            if self.left == share && listed == before {
                return Err(self.out_of_cpus(work));
            }
        }
        Ok(())
    }

    /// Whether the first pass gave up a default binding on a group for its slots: there it stays given up (4.1).
    fn gave_up(&self, work: &Work<'_>, group: usize) -> bool {
        let row = &work.groups[group];
        let slots = row.avail.saturating_add(row.placed);
        work.policy.map == MapBy::Slot
            && self.binding == Binding::On
            && !Self::explicit(work)
            && slots > work.found_free(group)
    }

    /// Cpus ran out: only bound processes found theirs, some may have been left unbound (7.6).
    fn out_of_cpus(&self, work: &mut Work<'_>) -> MapError {
        let deal = self.stopped(work.bound());
        refuse::out_of_cpus(work, deal)
    }

    /// Round-robin over the nodes, each up to its cap (node, objects with SPAN).
    fn by_rounds(&mut self, work: &mut Work<'_>, choose: Choose) -> Result<(), MapError> {
        let choices = self.choices(work, choose)?;
        let mut shares = emptied(&mut work.scratch.shares);
        let caps = work.groups.iter().zip(&choices);
        shares.extend(caps.map(|(group, &(_, cap))| Share {
            nodes: group.nodes.count,
            cap,
        }));
        let mut caps = emptied(&mut work.scratch.caps);
        let found = water(shares.iter().copied(), self.asked, &mut caps);
        work.scratch.caps = caps;
        let Some(found) = found else {
            let placed: u64 = shares
                .iter()
                .map(|share| u64::from(share.cap) * u64::from(share.nodes))
                .sum();
            self.left = self.asked - u32::try_from(placed).unwrap_or(self.asked);
            let allowed = work.policy.oversubscribe == Oversubscribe::Allowed;
            if self.binding == Binding::Off && allowed {
                return Err(refuse::out_of_resource(work, self.so_far()));
            }
            let caps = choices.iter().enumerate();
            let caps: Vec<_> = caps
                .map(|(group, &(layout, cap))| (group, layout, cap))
                .collect();
            return Err(refuse::out_of_rounds(work, self.so_far(), &caps));
        };
        work.scratch.shares = shares;
        self.deal_rounds(work, found, &choices)?;
        work.scratch.choices = choices;
        Ok(())
    }

    /// What each group takes; nodes behind the one where the first round ends are not looked at.
    fn choices(&self, work: &mut Work<'_>, choose: Choose) -> Result<Vec<Choice>, MapError> {
        let mut choices = emptied(&mut work.scratch.choices);
        let mut reached = 0_u64;
        let mut known = 0;
        for group in 0..work.groups.len() {
            if reached >= u64::from(self.asked) {
                choices.push((Layout::Plain(Binding::Off), 0));
                continue;
            }
            if group >= known {
                known = work.groups.len().min(group + AHEAD.max(self.asked as usize));
                work.learn(group..known);
            }
            let pass = Pass::of_rounds(work);
            let choice = choose(&self.case(work, group, pass))?;
            let nodes = u64::from(work.groups[group].nodes.count);
            reached += if choice.1 > 0 { nodes } else { 0 };
            choices.push(choice);
        }
        Ok(choices)
    }

    fn deal_rounds(
        &mut self,
        work: &mut Work<'_>,
        found: Water,
        choices: &[Choice],
    ) -> Result<(), MapError> {
        let Water { mut extra, .. } = found;
        let mut counts = emptied(&mut work.scratch.counts);
        let mut group = 0;
        for &(layout, cap) in choices {
            let share = Share {
                nodes: work.groups[group].nodes.count,
                cap,
            };
            let parts = level(share, found, &mut extra);
            let rows = work.split(group, &parts.map(|(nodes, _)| nodes));
            let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
            group += rows.len();
            counts.extend(
                rows.zip(taking)
                    .map(|(row, &(_, procs))| (row, layout, procs)),
            );
        }
        self.left = 0;
        self.lay(work, &counts)?;
        work.scratch.counts = counts;
        Ok(())
    }

    /// `ppr:N:object` (4.4).
    fn by_pattern(&mut self, work: &mut Work<'_>, per: u32, on: PprObject) -> Result<(), MapError> {
        let mut counts = emptied(&mut work.scratch.counts);
        let mut skipped = refuse::Skipped::default();
        let (mut group, mut known) = (0, 0);
        while group < work.groups.len() && self.left > 0 {
            if group >= known {
                known = self.look_ahead(work, group);
                work.learn(group..known);
            }
            let facts = work.facts(group);
            let row = work.groups[group];
            let objects = if on == PprObject::Node {
                1
            } else {
                facts.objects
            };
            if objects == 0 {
                return Err(refuse::object_not_found(work, group));
            }
            let whole = u64::from(per) * u64::from(objects);
            let slots = u64::from(row.avail);
            if whole > slots && work.policy.oversubscribe == Oversubscribe::Refused {
                skipped.for_slots(work, group, whole);
                group += 1;
                continue;
            }
            let needed = whole.saturating_mul(u64::from(work.policy.pe));
            let given_up =
                needed > u64::from(facts.free) && whole <= slots && !Self::explicit(work);
            let binding = if given_up { Binding::Off } else { self.binding };
            let case = self.case(work, group, Pass::First);
            case.check_target(binding)?;
            if on == PprObject::Node {
                case.check_packages()?;
            } else {
                case.check_objects()?;
            }
            let layout = Layout::Blocks(per, binding);
            let want = self
                .left
                .min(row.room)
                .min(u32::try_from(whole).unwrap_or(u32::MAX));
            let cap = work.learn_capacity(group, layout, want);
            if u64::from(cap) < whole.min(u64::from(want)) {
                skipped.for_cpus(work, group, needed, facts);
            }
            let cap = if cap < want {
                self.fails(work, group, layout, want, cap)?
            } else {
                cap
            };
            let rows = self.fill_group(work, group, (layout, cap), &mut counts);
            known += rows - 1;
            group += rows;
        }
        self.lay(work, &counts)?;
        work.scratch.counts = counts;
        if self.left > 0 {
            Err(refuse::ppr_too_many(work, self.so_far(), per, on, &skipped))
        } else {
            Ok(())
        }
    }

    /// A ppr layout that ended early: fine when the node is full, an error when a process must be bound and cannot be.
    fn fails(
        &self,
        work: &Work<'_>,
        group: usize,
        layout: Layout,
        want: u32,
        cap: u32,
    ) -> Result<u32, MapError> {
        match work.ending(group, layout, want) {
            End::Fails(failure) => {
                let placed = u64::from(self.asked - self.left) + u64::from(cap);
                Err(refuse::unbindable(work, self.stopped(placed), group, failure))
            }
            End::TooLong => Err(refuse::too_long()),
            End::Wanted | End::Full => Ok(cap),
        }
    }

    pub(crate) fn lay(
        &self,
        work: &mut Work<'_>,
        counts: &[(usize, Layout, u32)],
    ) -> Result<(), MapError> {
        work.place(counts).map_err(|(group, placed, end)| match end {
            End::Fails(failure) => refuse::unbindable(work, self.stopped(placed), group, failure),
            End::TooLong => refuse::too_long(),
            End::Wanted | End::Full => refuse::out_of_cpus(work, self.stopped(placed)),
        })
    }
}
