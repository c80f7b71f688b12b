//! How the threads of a process are bound, before their number is known.

use super::seats::Bind;
use roaring::RoaringBitmap;

/// A place of the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// As the runtime tells it.
    pub(super) told: RoaringBitmap,
    /// The cpus that its threads get.
    pub(super) cpus: RoaringBitmap,
}

impl Place {
    pub(super) fn plain(cpus: RoaringBitmap) -> Self {
        let told = cpus.clone();
        Self { told, cpus }
    }
}

/// Which thread goes to which place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// By the word of each level; the last one repeats.
    Words(Vec<Bind>),
    /// Thread i to place (i + offset) mod P.
    Number {
        /// The offset.
        offset: usize,
    },
}

/// The size of a unit to which `balanced` binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fineness {
    Thread,
    Core,
    Package,
}

/// How the threads of a process are bound.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Binding {
    /// Not at all: every thread may run on these cpus.
    Unbound {
        /// The cpus.
        cpus: RoaringBitmap,
        /// What `omp_get_proc_bind` says.
        word: &'static str,
    },
    /// To places.
    Places {
        /// The places.
        list: Vec<Place>,
        /// Which thread goes to which.
        rule: Rule,
        /// What `omp_get_proc_bind` says.
        word: &'static str,
        /// How many cpus the places cover, if that is how many threads there are where nobody says it.
        covers: Option<u32>,
    },
    /// `KMP_AFFINITY=balanced`: without places, by the number of threads.
    Balanced(Fineness),
}

impl Binding {
    pub(super) fn unbound(cpus: RoaringBitmap, word: &'static str) -> Self {
        Self::Unbound { cpus, word }
    }
}
