//! Cpu sets, interned: equal sets share one id, and a table column holds the id.

use super::interner::{Interner, START, mix_pair};
use crate::define_id;
use crate::id::{Column, Id as _};
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
    sets: Column<CpusetId, Arc<RoaringBitmap>>,
    ids: Interner<CpusetId>,
    /// Runs of the set that is looked for, first and last PU of each, ascending: scratch.
    runs: Vec<(u32, u32)>,
    /// A set being made: scratch, with room that the sets kept do not need.
    room: RoaringBitmap,
}

impl Cpusets {
    /// The id of this set, new or known. Cost: its runs.
    pub fn intern(&mut self, set: RoaringBitmap) -> CpusetId {
        self.runs.clear();
        let mut iter = set.iter();
        while let Some(range) = iter.next_range() {
            self.runs.push((*range.start(), *range.end()));
        }
        self.known_or_new()
    }
    /// The id of the set of these PUs, new or known. Known sets cost no bitmap. Shape `[PUs]`, in any order, repeats count
    /// once.
    pub fn intern_pus(&mut self, pus: &mut [u32]) -> CpusetId {
        if !pus.is_sorted() {
            pus.sort_unstable();
        }
        self.runs.clear();
        for &pu in &*pus {
            match self.runs.last_mut() {
                Some((_, last)) if pu - *last <= 1 => *last = pu,
                Some(_) | None => self.runs.push((pu, pu)),
            }
        }
        self.known_or_new()
    }
    fn known_or_new(&mut self) -> CpusetId {
        let runs = &self.runs;
        let digest = runs.iter().fold(START, |digest, &(first, last)| {
            mix_pair(digest, first, last)
        });
        match self.ids.find(digest, |id| has_runs(&self.sets[id], runs)) {
            Ok(id) => id,
            Err(free) => {
                self.room.clear();
                for &(first, last) in runs {
                    self.room.insert_range(first..=last);
                }
                self.room.optimize();
                // A copy takes as much room as it needs: a third of what a set that grew holds.
                let id = self.sets.push(Arc::new(self.room.clone()));
                self.ids.keep(free, id);
                id
            }
        }
    }
    /// The set of an id.
    #[must_use]
    pub fn get(&self, id: CpusetId) -> &RoaringBitmap {
        &self.sets[id]
    }
    /// Distinct sets.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sets.len()
    }
    /// No sets.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
    /// Sets with their ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (CpusetId, &RoaringBitmap)> {
        self.sets.iter().map(|(id, set)| (id, &**set))
    }
    /// Whether the id is of a row here.
    #[must_use]
    pub fn contains(&self, id: CpusetId) -> bool {
        id.row() < self.sets.len()
    }
}

/// Whether a set is made of these runs.
fn has_runs(set: &RoaringBitmap, runs: &[(u32, u32)]) -> bool {
    let mut iter = set.iter();
    let same = |&(first, last): &(u32, u32)| iter.next_range() == Some(first..=last);
    runs.iter().all(same) && iter.next().is_none()
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
    if set.is_empty() {
        return "-".to_owned();
    }
    let mut text = String::new();
    let mut iter = set.iter();
    while let Some(range) = iter.next_range() {
        if !text.is_empty() {
            text.push(',');
        }
        let (first, last) = (range.start(), range.end());
        let written = if first == last {
            write!(text, "{first}")
        } else {
            write!(text, "{first}-{last}")
        };
        written.expect("a String takes every character");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_share_one_id_however_they_come() {
        let mut cpusets = Cpusets::default();
        let a = cpusets.intern([0, 1, 2, 128].into_iter().collect());
        assert_eq!(cpusets.intern_pus(&mut [128, 2, 1, 0, 1]), a);
        let empty = cpusets.intern_pus(&mut []);
        assert_eq!(cpusets.intern(RoaringBitmap::new()), empty);
        let large = cpusets.intern_pus(&mut [u32::MAX, 0]);
        assert_eq!(list_form(cpusets.get(large)), "0,4294967295");
        assert_eq!(cpusets.len(), 3);
    }
}
