//! What a placement asks about a node of a group: its capacity, how many processes fit, and what a number of processes gets.

use super::memo::{Fit, Trial, TrialId};
use super::placement::Placement;
use crate::stage::map_all::map_all;
use crate::stage::node::bits::Bits;
use crate::stage::node::capacity::{Capacity, TopologyView};
use crate::stage::node::cpus::Cpus;
use crate::stage::node::layout::on_node::place_on_node;
use crate::stage::node::layout::{End, Laid, Layout, LayoutView};
use crate::stage::node::sets::NodeSets;
use crate::table::topologies::TopologyId;

/// The least number of groups whose capacity is worked out together.
const AHEAD: usize = 64;

/// The view made last, kept because neighbours mostly have the same topology.
pub(super) type KeptView<'t> = Option<TopologyView<'t>>;

impl Placement<'_> {
    /// A topology under this policy.
    pub(crate) fn view(&self, topology: TopologyId) -> TopologyView<'_> {
        let device = self.apps.device.get(self.app);
        TopologyView::new(
            &self.tables.topologies,
            self.tables.prepared(topology),
            &self.policy,
            self.apps,
            device.and_then(|device| device.as_deref()),
        )
    }

    fn view_kept<'p, 'k>(
        &'p self,
        kept: &'k mut KeptView<'p>,
        trial: &Trial,
    ) -> &'k TopologyView<'p> {
        let topology = self.tables.topology_of(trial.found);
        let same = kept.take_if(|view| view.binder.hardware.topology == topology);
        kept.insert(same.unwrap_or_else(|| self.view(topology)))
    }

    fn cpus(&self, view: &TopologyView<'_>, trial: &Trial) -> Cpus {
        let free = self
            .tables
            .pusets
            .words(self.tables.states.get(trial.now).free);
        if trial.from.is_none() {
            return view.binder.cpus(free);
        }
        let free = Bits::of(free, view.binder.hardware.pus);
        let mut cpus = view.binder.left(free, trial.bound.clone());
        cpus.shared = trial.shares_cpus;
        cpus
    }

    /// The capacity of each node of a group. Cost: working it out, with some groups after it, if it is not yet known.
    #[inline]
    pub(crate) fn capacity(&mut self, group: usize) -> Capacity {
        let trial = self.groups[group].trial;
        if self.memo[trial].capacity.is_none() {
            self.learn(group);
        }
        self.memo[trial].capacity.expect("learnt just now")
    }

    /// Works out the capacity of a group and of the groups after it that will probably be needed: first as many as the slots say,
    /// and if these were not enough, as many again.
    fn learn(&mut self, from: usize) {
        let mut needed = u64::from(self.left);
        let mut least = if from == 0 { 1 } else { AHEAD.max(from) };
        let ahead = self.groups[from..].iter().take_while(|group| {
            let asked = needed > 0 || least > 0;
            let slots = u64::from(group.avail().max(1)) * u64::from(group.nodes.count);
            needed = needed.saturating_sub(slots);
            least = least.saturating_sub(1);
            asked
        });
        let ahead = ahead.map(|group| group.trial);
        let mut unknown: Vec<TrialId> = ahead
            .filter(|&trial| self.memo[trial].capacity.is_none())
            .collect();
        unknown.sort_unstable();
        unknown.dedup();
        let this = &*self;
        let found = map_all(
            &unknown,
            this.tables.threading,
            KeptView::default,
            |kept, &trial| {
                let trial = &this.memo[trial];
                let view = this.view_kept(kept, trial);
                let allowed = this.tables.states.get(trial.found).allowed;
                view.capacity(&this.cpus(view, trial), this.tables.pusets.words(allowed))
            },
        );
        for (trial, found) in unknown.into_iter().zip(found) {
            self.memo[trial].capacity = Some(found);
        }
    }

    /// How many of `want` processes a layout would place on each node of a group, and how it ends.
    pub(crate) fn fit(&mut self, group: usize, layout: Layout, want: u32) -> (u32, End) {
        let trial = self.groups[group].trial;
        let mut known = self.memo[trial].fits.iter();
        let same = |fit: &&Fit| (fit.layout, fit.want) == (layout, want);
        if let Some(&Fit { procs, end, .. }) = known.find(same) {
            return (procs, end);
        }
        let Laid { procs, end, .. } = self.lay_on(&mut None, trial, layout, want);
        self.memo[trial].fits.push(Fit {
            layout,
            want,
            procs,
            end,
        });
        (procs, end)
    }

    /// Lays `want` more processes on a node of a trial.
    pub(super) fn lay_on<'p>(
        &'p self,
        kept: &mut KeptView<'p>,
        trial: TrialId,
        layout: Layout,
        want: u32,
    ) -> Laid {
        let trial = &self.memo[trial];
        let view = self.view_kept(kept, trial);
        let found = self.tables.states.get(trial.found);
        let node = LayoutView {
            binder: &view.binder,
            objects: &view.objects,
            sets: NodeSets {
                free_at_start: self.tables.pusets.words(found.free),
                allowed: self.tables.pusets.words(found.allowed),
            },
            pe_list: &view.pe_list,
            chosen: match layout {
                Layout::Chosen(list, _) => &self.chosen[list as usize],
                Layout::Plain(_)
                | Layout::HalfBound(_)
                | Layout::Sweep(_)
                | Layout::Walk(_)
                | Layout::Blocks(..)
                | Layout::Mpibind(_)
                | Layout::List(_) => &[],
            },
        };
        place_on_node(&node, layout, self.cpus(view, trial), trial.placed, want)
    }
}
