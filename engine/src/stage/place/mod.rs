//! Placing one app: which policy counts and lays how. Source: `semantics` 4.

// What policies made of node states.
pub(crate) mod cache;
// Vectors kept from app to app.
pub(crate) mod scratch;
// How many go to each node: arithmetic.
pub(crate) mod share;
// How far equal nodes have come.
pub(crate) mod trial;
// Nodes that fare alike while an app is placed.
pub(crate) mod placement;
// So many processes more.
pub(crate) mod steps;
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
use placement::Placement;
use policy::{Case, Pass};
use share::{RoundRobin, Share, dealt, even, fill, round_robin};
use trial::Choice;

/// Groups looked at in one go, at least, where slots did not tell how many: then what they need is worked out together.
const AHEAD: usize = 64;

/// Places `procs` processes of the app on its groups.
///
/// # Errors
/// The classes of errors "Room" and "Objects and cpus".
pub(crate) fn place(
    placement: &mut Placement<'_>,
    procs: ProcCount,
    counted: Counted,
) -> Result<(), MapError> {
    let avail: u64 = placement
        .groups
        .iter()
        .map(|group| u64::from(group.avail) * u64::from(group.nodes.count))
        .sum();
    let short = u64::from(procs.0) > avail;
    if short && placement.policy.oversubscribe == Oversubscribe::Refused {
        let (app, nodes) = (placement.app_number(), placement.node_count());
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
    let unbound = placement.policy.bind == BindTo::Nothing
        || (short && placement.policy.strength == BindStrength::Default);
    let mut deal = Deal {
        binding: if unbound { Binding::Off } else { Binding::On },
        asked: procs.0,
        left: procs.0,
    };
    match placement.policy.map {
        MapBy::Slot => deal.by_filling(placement, policy::slot_layout),
        MapBy::PeList => deal.by_filling(placement, policy::list_layout),
        MapBy::Object(_) | MapBy::Dist if placement.policy.span == Span::No => {
            deal.by_filling(placement, policy::sweep_layout)
        }
        MapBy::Object(_) | MapBy::Dist => deal.by_rounds(placement, policy::walk_layout),
        MapBy::Node => deal.by_rounds(placement, policy::node_layout),
        MapBy::Ppr { per, on } => deal.by_pattern(placement, per, on),
        MapBy::Mpibind(_) => deal.by_memory(placement),
        MapBy::Seq | MapBy::Rankfile | MapBy::Lsf => {
            unreachable!("entries are placed by listed.rs")
        }
    }
}

/// Decides for one group, given what there is; errors of a node that cannot ever serve come from here.
type Choose = fn(&Case<'_, '_>) -> Result<Choice, MapError>;

impl Deal {
    /// Nodes in list order, each filled before the next (slot, pe-list, objects without SPAN).
    fn by_filling(
        &mut self,
        placement: &mut Placement<'_>,
        choose: Choose,
    ) -> Result<(), MapError> {
        let mut counts = emptied(&mut placement.scratch.counts);
        let mut group = 0;
        let mut known = 0;
        while group < placement.groups.len() && self.left > 0 {
            if group >= known {
                known = self.look_ahead(placement, group);
                placement.learn(group..known);
            }
            let (layout, cap) = self.choice(placement, (group, Pass::First), choose, &counts)?;
            let rows = self.fill_group(placement, group, (layout, cap), &mut counts);
            known += rows - 1;
            group += rows;
        }
        self.lay(placement, &counts)?;
        placement.scratch.counts = counts;
        if self.left == 0 {
            return Ok(());
        }
        if placement.policy.oversubscribe == Oversubscribe::Refused || !self.shares(placement) {
            return Err(self.out_of_cpus(placement));
        }
        if placement.policy.map == MapBy::PeList && !Self::explicit(placement) {
            // The list's default binding is given up now (4.7).
            self.binding = Binding::Off;
        }
        self.by_sharing(placement, choose)
    }

    /// A group at hand, and what there is on its nodes.
    fn case<'w, 's>(
        &'w self,
        placement: &'w mut Placement<'s>,
        group: usize,
        pass: Pass,
    ) -> Case<'w, 's> {
        Case {
            deal: self,
            capacity: placement.capacity(group),
            placement,
            group,
            pass,
        }
    }

    /// What a group takes. Node by node: what fails on an earlier one, of those that `counts` tells of, is said first.
    #[inline]
    fn choice(
        &self,
        placement: &mut Placement<'_>,
        (group, pass): (usize, Pass),
        choose: Choose,
        counts: &[(usize, Layout, u32)],
    ) -> Result<Choice, MapError> {
        choose(&self.case(placement, group, pass)).or_else(|error| {
            self.lay(placement, counts)?;
            Err(error)
        })
    }

    /// Gives each node of a group its cap while processes are left. Gives the number of groups it became.
    #[inline]
    fn fill_group(
        &mut self,
        placement: &mut Placement<'_>,
        group: usize,
        (layout, cap): Choice,
        counts: &mut Vec<(usize, Layout, u32)>,
    ) -> usize {
        let nodes = placement.groups[group].nodes.count;
        let parts = fill(Share { nodes, cap }, self.left);
        let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
        let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
        for (row, &(nodes, procs)) in rows.clone().zip(taking) {
            self.left -= nodes * procs;
            counts.push((row, layout, procs));
        }
        rows.len()
    }

    /// Whether a pe-list shares at all: only when its binding was given up, or cpus may be shared (4.7).
    fn shares(&self, placement: &Placement<'_>) -> bool {
        placement.policy.map != MapBy::PeList
            || !Self::explicit(placement)
            || Self::overload(placement)
            || placement.policy.bind == BindTo::Nothing
    }

    /// One behind the last group that may be needed, slots alone considered; where these were not enough, some more.
    fn look_ahead(&self, placement: &Placement<'_>, from: usize) -> usize {
        let mut enough = u64::from(self.left);
        let mut group = from;
        let least = if from == 0 { 0 } else { from + AHEAD };
        while group < placement.groups.len() && (enough > 0 || group < least) {
            let row = &placement.groups[group];
            enough =
                enough.saturating_sub(u64::from(row.avail.max(1)) * u64::from(row.nodes.count));
            group += 1;
        }
        group
    }

    /// The second pass: even shares of what is left, again and again (4.8).
    fn by_sharing(
        &mut self,
        placement: &mut Placement<'_>,
        choose: Choose,
    ) -> Result<(), MapError> {
        let mut listed: Vec<bool> = vec![true; placement.groups.len()];
        let mut given_up: Vec<bool> = (0..placement.groups.len())
            .map(|group| self.gave_up(placement, group))
            .collect();
        while self.left > 0 {
            let nodes = |placement: &Placement<'_>, listed: &[bool]| -> u64 {
                placement
                    .groups
                    .iter()
                    .zip(listed)
                    .filter(|(_, on)| **on)
                    .map(|(group, _)| u64::from(group.nodes.count))
                    .sum()
            };
            let (all, share) = (nodes(placement, &listed), self.left);
            let before = listed.clone();
            if all == 0 {
                return Err(refuse::out_of_resource(placement, self.so_far()));
            }
            let (mut at, mut group) = (0_u64, 0);
            let mut counts = Vec::new();
            while group < placement.groups.len() {
                let row = placement.groups[group];
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
                let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
                if rows.len() > 1 {
                    listed.insert(group, true);
                    given_up.insert(group, given_up[group]);
                }
                let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
                for (part, &(nodes, procs)) in rows.clone().zip(taking) {
                    let (layout, cap) = if given_up[part] {
                        (Layout::Plain(Binding::Off), u32::MAX)
                    } else {
                        self.choice(placement, (part, Pass::Sharing), choose, &counts)?
                    };
                    let procs = procs.min(cap).min(placement.groups[part].room);
                    self.left -= nodes * procs;
                    counts.push((part, layout, procs));
                }
                group += rows.len();
            }
            self.lay(placement, &counts)?;
            if self.left == share && listed == before {
                return Err(self.out_of_cpus(placement));
            }
        }
        Ok(())
    }

    /// Whether the first pass gave up a default binding on a group for its slots: there it stays given up (4.1).
    fn gave_up(&self, placement: &Placement<'_>, group: usize) -> bool {
        let row = &placement.groups[group];
        let slots = row.avail.saturating_add(row.placed);
        placement.policy.map == MapBy::Slot
            && self.binding == Binding::On
            && !Self::explicit(placement)
            && slots > placement.found_free(group)
    }

    /// Cpus ran out: only bound processes found theirs, some may have been left unbound (7.6).
    fn out_of_cpus(&self, placement: &mut Placement<'_>) -> MapError {
        let deal = self.stopped(placement.bound());
        refuse::out_of_cpus(placement, deal)
    }

    /// Round-robin over the nodes, each up to its cap (node, objects with SPAN).
    fn by_rounds(&mut self, placement: &mut Placement<'_>, choose: Choose) -> Result<(), MapError> {
        let choices = self.choices(placement, choose)?;
        let mut shares = emptied(&mut placement.scratch.shares);
        let caps = placement.groups.iter().zip(&choices);
        shares.extend(caps.map(|(group, &(_, cap))| Share {
            nodes: group.nodes.count,
            cap,
        }));
        let mut caps = emptied(&mut placement.scratch.caps);
        let found = round_robin(shares.iter().copied(), self.asked, &mut caps);
        placement.scratch.caps = caps;
        let Some(found) = found else {
            let placed: u64 = shares
                .iter()
                .map(|share| u64::from(share.cap) * u64::from(share.nodes))
                .sum();
            self.left = self.asked - u32::try_from(placed).unwrap_or(self.asked);
            let allowed = placement.policy.oversubscribe == Oversubscribe::Allowed;
            if self.binding == Binding::Off && allowed {
                return Err(refuse::out_of_resource(placement, self.so_far()));
            }
            let caps = choices.iter().enumerate();
            let caps: Vec<_> = caps
                .map(|(group, &(layout, cap))| (group, layout, cap))
                .collect();
            return Err(refuse::out_of_rounds(placement, self.so_far(), &caps));
        };
        placement.scratch.shares = shares;
        self.deal_rounds(placement, found, &choices)?;
        placement.scratch.choices = choices;
        Ok(())
    }

    /// What each group takes; nodes behind the one where the first round ends are not looked at.
    fn choices(
        &self,
        placement: &mut Placement<'_>,
        choose: Choose,
    ) -> Result<Vec<Choice>, MapError> {
        let mut choices = emptied(&mut placement.scratch.choices);
        let mut reached = 0_u64;
        let mut known = 0;
        for group in 0..placement.groups.len() {
            if reached >= u64::from(self.asked) {
                choices.push((Layout::Plain(Binding::Off), 0));
                continue;
            }
            if group >= known {
                known = placement
                    .groups
                    .len()
                    .min(group + AHEAD.max(self.asked as usize));
                placement.learn(group..known);
            }
            let pass = Pass::of_rounds(placement);
            let choice = choose(&self.case(placement, group, pass))?;
            let nodes = u64::from(placement.groups[group].nodes.count);
            reached += if choice.1 > 0 { nodes } else { 0 };
            choices.push(choice);
        }
        Ok(choices)
    }

    fn deal_rounds(
        &mut self,
        placement: &mut Placement<'_>,
        found: RoundRobin,
        choices: &[Choice],
    ) -> Result<(), MapError> {
        let RoundRobin { mut extra, .. } = found;
        let mut counts = emptied(&mut placement.scratch.counts);
        let mut group = 0;
        for &(layout, cap) in choices {
            let share = Share {
                nodes: placement.groups[group].nodes.count,
                cap,
            };
            let parts = dealt(share, found, &mut extra);
            let rows = placement.split(group, &parts.map(|(nodes, _)| nodes));
            let taking = parts.iter().filter(|(nodes, _)| *nodes > 0);
            group += rows.len();
            counts.extend(
                rows.zip(taking)
                    .map(|(row, &(_, procs))| (row, layout, procs)),
            );
        }
        self.left = 0;
        self.lay(placement, &counts)?;
        placement.scratch.counts = counts;
        Ok(())
    }

    /// `ppr:N:object` (4.4).
    fn by_pattern(
        &mut self,
        placement: &mut Placement<'_>,
        per: u32,
        on: PprObject,
    ) -> Result<(), MapError> {
        let mut counts = emptied(&mut placement.scratch.counts);
        let mut skipped = refuse::Skipped::default();
        let (mut group, mut known) = (0, 0);
        while group < placement.groups.len() && self.left > 0 {
            if group >= known {
                known = self.look_ahead(placement, group);
                placement.learn(group..known);
            }
            let capacity = placement.capacity(group);
            let row = placement.groups[group];
            let objects = if on == PprObject::Node {
                1
            } else {
                capacity.objects
            };
            if objects == 0 {
                return Err(refuse::object_not_found(placement, group));
            }
            let whole = u64::from(per) * u64::from(objects);
            let slots = u64::from(row.avail);
            if whole > slots && placement.policy.oversubscribe == Oversubscribe::Refused {
                skipped.for_slots(placement, group, whole);
                group += 1;
                continue;
            }
            let needed = whole.saturating_mul(u64::from(placement.policy.pe));
            let given_up =
                needed > u64::from(capacity.free) && whole <= slots && !Self::explicit(placement);
            let binding = if given_up { Binding::Off } else { self.binding };
            let case = self.case(placement, group, Pass::First);
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
            let cap = placement.learn_fit(group, layout, want);
            if u64::from(cap) < whole.min(u64::from(want)) {
                skipped.for_cpus(placement, group, needed, capacity);
            }
            let cap = if cap < want {
                self.fails(placement, group, layout, want, cap)?
            } else {
                cap
            };
            let rows = self.fill_group(placement, group, (layout, cap), &mut counts);
            known += rows - 1;
            group += rows;
        }
        self.lay(placement, &counts)?;
        placement.scratch.counts = counts;
        if self.left > 0 {
            Err(refuse::ppr_too_many(
                placement,
                self.so_far(),
                per,
                on,
                &skipped,
            ))
        } else {
            Ok(())
        }
    }

    /// A ppr layout that ended early: fine when the node is full, an error when a process must be bound and cannot be.
    fn fails(
        &self,
        placement: &Placement<'_>,
        group: usize,
        layout: Layout,
        want: u32,
        cap: u32,
    ) -> Result<u32, MapError> {
        match placement.ending(group, layout, want) {
            End::Fails(failure) => {
                let placed = u64::from(self.asked - self.left) + u64::from(cap);
                Err(refuse::unbindable(
                    placement,
                    self.stopped(placed),
                    group,
                    failure,
                ))
            }
            End::TooLong => Err(refuse::too_long()),
            End::Wanted | End::Full => Ok(cap),
        }
    }

    pub(crate) fn lay(
        &self,
        placement: &mut Placement<'_>,
        counts: &[(usize, Layout, u32)],
    ) -> Result<(), MapError> {
        placement
            .place(counts)
            .map_err(|(group, placed, end)| match end {
                End::Fails(failure) => {
                    refuse::unbindable(placement, self.stopped(placed), group, failure)
                }
                End::TooLong => refuse::too_long(),
                End::Wanted | End::Full => refuse::out_of_cpus(placement, self.stopped(placed)),
            })
    }
}
