//! Cpu sets, interned: equal sets share one id, and a table column holds the id.

use crate::define_id;
use crate::id::{Column, Id as _};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::fmt::Write as _;

define_id! {
    /// A row of [`Cpusets`].
    CpusetId
}

/// Interned sets of PUs by **OS number**. Ids come in first-seen order.
#[derive(Clone, Default, Debug)]
pub struct Cpusets {
    sets: Column<CpusetId, RoaringBitmap>,
    ids: HashMap<Box<[u8]>, CpusetId>,
}

impl Cpusets {
    /// The id of this set, new or known. Cost: one serialisation of the set.
    pub fn intern(&mut self, mut set: RoaringBitmap) -> CpusetId {
        set.optimize();
        let mut key = Vec::with_capacity(set.serialized_size());
        set.serialize_into(&mut key)
            .expect("a Vec takes every byte");
        if let Some(&id) = self.ids.get(key.as_slice()) {
            return id;
        }
        let id = self.sets.push(set);
        self.ids.insert(key.into_boxed_slice(), id);
        id
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
        self.sets.iter()
    }
    /// Whether the id is of a row here.
    #[must_use]
    pub fn contains(&self, id: CpusetId) -> bool {
        id.row() < self.sets.len()
    }
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
