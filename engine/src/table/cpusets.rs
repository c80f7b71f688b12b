//! Cpu sets, interned: equal sets share one id, and a table column holds the id.

use super::interner::{Distinct, START, mix_pair};
use crate::define_id;
use roaring::RoaringBitmap;
use std::fmt::Write as _;
use std::sync::Arc;

define_id! {
    /// A row of [`Cpusets`].
    CpusetId
}

/// Interned sets of PUs by **OS number**. Ids come in first-seen order.
#[derive(Clone, Default, Debug)]
pub struct Cpusets {
    /// Shared by copies of the table: a launcher plans many jobs on the same machines.
    sets: Distinct<CpusetId, Arc<RoaringBitmap>>,
}

impl Cpusets {
    /// The id of this set, new or known. Cost: its runs.
    pub fn intern(&mut self, set: RoaringBitmap) -> CpusetId {
        self.intern_runs(runs(&set), || set.clone())
    }
    /// The id of the set of these PUs, new or known. Known sets cost no bitmap. Shape `[PUs]`, in any order, repeats count
    /// once.
    pub fn intern_pus(&mut self, pus: &mut [u32]) -> CpusetId {
        if !pus.is_sorted() {
            pus.sort_unstable();
        }
        let runs = pus.chunk_by(|pu, next| next - pu <= 1);
        let runs = runs.map(|run| (run[0], run[run.len() - 1]));
        self.intern_runs(runs.clone(), || {
            let mut set = RoaringBitmap::new();
            for (first, last) in runs {
                set.insert_range(first..=last);
            }
            set
        })
    }
    fn intern_runs(
        &mut self,
        wanted: impl Iterator<Item = (u32, u32)> + Clone,
        make: impl FnOnce() -> RoaringBitmap,
    ) -> CpusetId {
        let digest = wanted
            .clone()
            .fold(START, |digest, (first, last)| mix_pair(digest, first, last));
        let known = |known: &Arc<RoaringBitmap>| runs(known).eq(wanted.clone());
        self.sets.find_by(digest, known).unwrap_or_else(|| {
            let mut set = make();
            set.optimize();
            // A copy takes only the memory it needs: a third of what a set that grew takes.
            self.sets.add(digest, Arc::new(set.clone()))
        })
    }
    /// The set of an id.
    #[must_use]
    pub fn get(&self, id: CpusetId) -> &RoaringBitmap {
        self.sets.get(id)
    }
    /// Sets with their ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (CpusetId, &RoaringBitmap)> {
        self.sets.iter().map(|(id, set)| (id, &**set))
    }
    /// Number of distinct sets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// Whether there are no sets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}

/// The runs of a set, ascending: first and last PU of each.
pub(crate) fn runs(set: &RoaringBitmap) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
    let mut pus = set.iter();
    std::iter::from_fn(move || {
        let run = pus.next_range()?;
        Some((*run.start(), *run.end()))
    })
}

/// hwloc's list form of a set: ascending, runs of two or more as `a-b`; `-` when empty.
///
/// ```
/// use stowplan_engine::table::cpusets::list_form;
/// assert_eq!(list_form(&[0, 1, 2, 128].into_iter().collect()), "0-2,128");
/// assert_eq!(list_form(&Default::default()), "-");
/// ```
#[must_use]
pub fn list_form(set: &RoaringBitmap) -> String {
    let mut text = String::new();
    for (first, last) in runs(set) {
        let comma = if text.is_empty() { "" } else { "," };
        let written = match first == last {
            true => write!(text, "{comma}{first}"),
            false => write!(text, "{comma}{first}-{last}"),
        };
        written.expect("a String takes every character");
    }
    if text.is_empty() {
        text.push('-');
    }
    text
}
