//! What policies made of node states: a pure function, so it is kept for later apps, and later plans.

use crate::define_id;
use crate::id::{Column, Id as _};
use crate::policy::ObjKind;
use crate::stage::node::capacity::Capacity;
use crate::stage::node::layout::Layout;
use crate::stage::resolve::size::Size;
use crate::table::apps::PolicyId;
use crate::table::interner::{ById, Guess, InTurn};
use crate::table::patterns::PatternId;
use crate::table::states::StateId;
use smallvec::SmallVec;

/// What apps found: the same policy on the same state finds the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cache {
    keys: InTurn<CacheKey>,
    found: Column<FindingId, Finding>,
    /// How many of so many processes a layout can place.
    fits: ById<CacheKey, SmallVec<[Fit; 1]>>,
    /// The size of the job that settled policies, whose ids another job's of another size may have.
    size: Option<Size>,
}

define_id! {
    /// A finding: a row of [`Cache`].
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    FindingId
}

/// Whose finding it is.
pub(crate) type CacheKey = (StateId, PolicyId);

/// How many of the processes wanted a layout can place.
#[derive(Clone, Debug)]
struct Fit {
    layout: Layout,
    want: u32,
    procs: u32,
}

/// So many processes in a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Want {
    pub(crate) layout: Layout,
    pub(crate) procs: u32,
    /// The most that nodes of this state got in it: their pattern serves the others.
    pub(crate) longest: u32,
}

/// What nodes got, and what it left of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct KeptOutcome {
    pub(crate) pattern: PatternId,
    pub(crate) state: StateId,
    /// The kind of the objects that the processes were mapped to.
    pub(crate) kind: Option<ObjKind>,
}

/// What an app found on a state, and what came of it.
#[derive(Clone, Debug)]
struct Finding {
    capacity: Option<Capacity>,
    placed: SmallVec<[(Want, KeptOutcome); 1]>,
}

impl Cache {
    /// Forgets what was found under policies that the job's size settled otherwise.
    pub(crate) fn settle(&mut self, size: Size) {
        if self.size.is_some_and(|settled| settled != size) {
            self.keys.clear();
            self.found.clear();
            self.fits.clear();
        }
        self.size = Some(size);
    }
    /// What was found on a state under a policy.
    pub(crate) fn find(&self, key: CacheKey, guess: &mut Guess) -> Option<FindingId> {
        self.keys.find(key, guess).map(FindingId::from_row)
    }
    /// What there was on the state.
    pub(crate) fn capacity(&self, found: FindingId) -> Option<&Capacity> {
        self.found[found].capacity.as_ref()
    }
    /// What so many processes came to.
    pub(crate) fn placed(&self, found: FindingId, went: Want) -> Option<KeptOutcome> {
        let same = |placed: &&(Want, KeptOutcome)| placed.0 == went;
        let placed = self.found[found].placed.iter().find(same);
        placed.map(|placed| placed.1)
    }
    /// Keeps what was found.
    pub(crate) fn keep(
        &mut self,
        key: CacheKey,
        capacity: Option<Capacity>,
        went: Want,
        entry: KeptOutcome,
    ) {
        let found = self.found(key, capacity);
        if !found.placed.contains(&(went, entry)) {
            found.placed.push((went, entry));
        }
    }
    /// Keeps what there was on a state.
    pub(crate) fn keep_capacity(&mut self, key: CacheKey, capacity: Capacity) {
        self.found(key, Some(capacity));
    }
    fn found(&mut self, key: CacheKey, capacity: Option<Capacity>) -> &mut Finding {
        let known = self.find(key, &mut Guess::default());
        let id = known.unwrap_or_else(|| {
            self.keys.push(key);
            self.found.push(Finding {
                capacity,
                placed: SmallVec::new(),
            })
        });
        let found = &mut self.found[id];
        found.capacity = found.capacity.or(capacity);
        found
    }
    /// How many of so many processes a layout can place.
    pub(crate) fn fit(&self, key: CacheKey, layout: Layout, want: u32) -> Option<u32> {
        let known = self.fits.get(&key)?.iter();
        let mut same = known.filter(|known| (known.layout, known.want) == (layout, want));
        same.next().map(|known| known.procs)
    }
    /// Keeps that.
    pub(crate) fn keep_fit(&mut self, key: CacheKey, layout: Layout, want: u32, procs: u32) {
        let known = self.fits.entry(key).or_default();
        known.push(Fit {
            layout,
            want,
            procs,
        });
    }
    /// Makes room for so many states more.
    pub(crate) fn reserve(&mut self, states: usize) {
        self.keys.reserve(states);
        self.found.reserve(states);
    }
}
