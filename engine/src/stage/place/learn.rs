//! What a placement learns of nodes before it places anything there: their capacity, and how many a layout fits.

use super::placement::Placement;
use super::trial::TrialId;
use crate::id::Id as _;
use crate::stage::node::capacity::{Capacity, TopologyView};
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::on_node::place_on_node;
use crate::stage::node::layout::{End, Laid, Layout, LayoutView};
use crate::stage::node::sets::NodeSets;
use crate::stage::parallel::emptied;
use crate::stage::parallel::{Grain, over};
use crate::table::topologies::TopologyId;
use std::ops::Range;

impl Placement<'_> {
    /// Free cpus of the mode on each node of a group, as the app found it.
    pub(crate) fn found_free(&self, group: usize) -> u32 {
        let trial = self.groups[group].trial;
        let state = self.tables.states.get(self.trial[trial].state);
        let free = self.tables.pusets.words(state.free);
        self.view(state.topology).binder.free_units(free).count()
    }

    /// The topology of a trial, under this policy.
    pub(crate) fn view(&self, topology: TopologyId) -> TopologyView<'_> {
        let hardware = self.tables.hardware[topology]
            .as_ref()
            .expect("hardware of every candidates state is known");
        let device = self
            .apps
            .device
            .get(self.app)
            .and_then(|device| device.as_deref());
        TopologyView::new(
            &self.tables.topologies,
            hardware,
            &self.policy,
            self.apps,
            device,
        )
    }

    fn cpus(&self, view: &TopologyView<'_>, trial: TrialId) -> Cpus {
        match self.pass(trial) {
            Some(pass) => {
                let (free, bound) = (pass.free.clone(), pass.bound.clone());
                let mut cpus = view.binder.left(free, bound);
                cpus.shared = pass.shared;
                cpus
            }
            None => {
                let free = self.tables.states.get(self.trial[trial].state).free;
                view.binder.cpus(self.tables.pusets.words(free))
            }
        }
    }

    /// What was learnt of a trial, now or by earlier apps.
    #[inline]
    pub(crate) fn known_capacity(&self, trial: TrialId) -> Option<&Capacity> {
        let learnt = self.learnt.get(trial.row()).and_then(Option::as_ref);
        learnt.or_else(|| self.cache.capacity(self.trial[trial].found?))
    }

    /// Works out the capacity of the groups in a range of `groups`, those not yet known, in parallel where there are many.
    pub(crate) fn learn(&mut self, groups: Range<usize>) {
        let mut wanted = emptied(&mut self.scratch.unknown);
        let groups = self.groups[groups].iter().map(|group| group.trial);
        wanted.extend(groups.filter(|&trial| self.known_capacity(trial).is_none()));
        if wanted.is_empty() {
            self.scratch.unknown = wanted;
            return;
        }
        wanted.sort_unstable();
        wanted.dedup();
        let rows = wanted[0].row()..wanted[wanted.len() - 1].row() + 1;
        let mut capacity = std::mem::take(&mut self.learnt);
        // Nearly always all of those that nobody asked about yet: written where they stay.
        let in_place = capacity.len() <= rows.start && wanted.len() == rows.len();
        capacity.resize(
            if in_place {
                rows.start
            } else {
                capacity.len().max(rows.end)
            },
            None,
        );
        let mut apart = Vec::new();
        let this = &*self;
        over(
            &wanted,
            this.tables.sharing,
            Grain::Fine,
            |trial| this.topology(*trial),
            |view, &trial| {
                let state = this.tables.states.get(this.trial[trial].state);
                Some(view.capacity(
                    &this.cpus(view, trial),
                    this.tables.pusets.words(state.allowed),
                ))
            },
            |topology| this.view(topology),
            if in_place { &mut capacity } else { &mut apart },
        );
        for (trial, found) in wanted.iter().zip(apart) {
            capacity[trial.row()] = found;
        }
        self.learnt = capacity;
        self.scratch.unknown = wanted;
    }

    /// The capacity of a group. Cost: those of a group never asked before.
    #[inline]
    pub(crate) fn capacity(&mut self, group: usize) -> Capacity {
        let trial = self.groups[group].trial;
        if let Some(&capacity) = self.known_capacity(trial) {
            return capacity;
        }
        self.learn(group..group + 1);
        *self.known_capacity(trial).expect("learnt just now")
    }

    /// How many of `want` processes a layout would place on a group.
    pub(crate) fn fit(&self, group: usize, layout: Layout, want: u32) -> u32 {
        let trial = self.groups[group].trial;
        self.known_fit(trial, layout, want)
            .unwrap_or_else(|| self.laid_fit(trial, layout, want))
    }

    fn known_fit(&self, trial: TrialId, layout: Layout, want: u32) -> Option<u32> {
        self.cache.fit(self.key(trial)?, layout, want)
    }

    fn laid_fit(&self, trial: TrialId, layout: Layout, want: u32) -> u32 {
        let view = self.view(self.topology(trial));
        self.lay_on(&view, trial, layout, want).procs
    }

    /// The same, and later apps of equal policy need not ask again.
    pub(crate) fn learn_fit(&mut self, group: usize, layout: Layout, want: u32) -> u32 {
        let trial = self.groups[group].trial;
        if let Some(procs) = self.known_fit(trial, layout, want) {
            return procs;
        }
        let procs = self.laid_fit(trial, layout, want);
        if let Some(key) = self.key_to_keep(trial) {
            self.cache.keep_fit(key, layout, want, procs);
        }
        procs
    }

    /// How a layout of `want` processes would end on a group.
    pub(crate) fn ending(&self, group: usize, layout: Layout, want: u32) -> End {
        let group = &self.groups[group];
        let view = self.view(self.topology(group.trial));
        self.lay_on(&view, group.trial, layout, want).end
    }

    pub(crate) fn lay_on(
        &self,
        view: &TopologyView<'_>,
        trial: TrialId,
        layout: Layout,
        want: u32,
    ) -> Laid {
        let row = &self.trial[trial];
        let state = self.tables.states.get(row.state);
        let node = LayoutView {
            binder: &view.binder,
            objects: &view.objects,
            sets: NodeSets {
                free_at_start: self.tables.pusets.words(state.free),
                allowed: self.tables.pusets.words(state.allowed),
            },
            listed: &view.listed,
            written: match layout {
                Layout::Written(list, _) => &self.written[list as usize],
                Layout::Plain(_)
                | Layout::HalfBound(_)
                | Layout::Sweep(_)
                | Layout::Walk(_)
                | Layout::Blocks(..)
                | Layout::Mpibind(_)
                | Layout::List(_) => &[],
            },
        };
        place_on_node(&node, layout, self.cpus(view, trial), row.placed, want)
    }
}
