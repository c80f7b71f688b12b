//! A set of rows of one table.

use roaring::RoaringBitmap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;
use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeInclusive;
use stowplan_engine::id::Id;

/// How many ids are stored in place. Most records have so few nodes, owners and roots, and a bitmap costs two allocations
/// and two cache lines (measured: a quarter of the time of a grant).
const IN_PLACE: usize = 8;

/// Up to this many ids are looked up one by one.
const FEW: u64 = 64;

/// A set of ids of one table. The numbers inside are rows, from 0, ascending.
#[derive(Clone)]
pub struct IdSet<I> {
    kept: Kept,
    id: PhantomData<I>,
}

/// The id of a row.
#[inline]
pub(crate) fn id_of<I: Id>(row: u32) -> I {
    I::from_row(row as usize)
}

/// An id as a snapshot has it: its row, from 0.
#[derive(Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct AtRow(pub(crate) u32);

impl TryFrom<u32> for AtRow {
    type Error = &'static str;
    fn try_from(row: u32) -> Result<Self, Self::Error> {
        // Whether the table has the row is judged when all rows are there.
        let possible = row != u32::MAX;
        possible
            .then_some(Self(row))
            .ok_or("a row that no table has")
    }
}

#[derive(Clone)]
enum Kept {
    /// At most [`IN_PLACE`] rows, ascending.
    InPlace(SmallVec<[u32; IN_PLACE]>),
    Bitmap(RoaringBitmap),
}

impl<I> IdSet<I> {
    fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        let (in_place, bitmap) = match &self.kept {
            Kept::InPlace(rows) => (rows.as_slice(), None),
            Kept::Bitmap(rows) => (&[][..], Some(rows)),
        };
        in_place.iter().copied().chain(bitmap.into_iter().flatten())
    }
    /// The bitmap. If the ids are still in place, it is made from them.
    fn bitmap(&mut self) -> &mut RoaringBitmap {
        if let Kept::InPlace(rows) = &self.kept {
            self.kept = Kept::Bitmap(rows.iter().copied().collect());
        }
        match &mut self.kept {
            Kept::Bitmap(rows) => rows,
            Kept::InPlace(_) => unreachable!("it was just made a bitmap"),
        }
    }
    /// The bitmaps of two large sets. For others, looking up each id is faster than set algebra, which also looks at all ids
    /// around them. It is for the nodes of one request beside those of the DVM (measured: a sixth of the time of an event).
    fn both_large<'s>(&'s self, other: &'s Self) -> Option<(&'s RoaringBitmap, &'s RoaringBitmap)> {
        match (&self.kept, &other.kept) {
            (Kept::Bitmap(one), Kept::Bitmap(two)) if one.len().min(two.len()) > FEW => {
                Some((one, two))
            }
            (Kept::InPlace(_) | Kept::Bitmap(_), Kept::InPlace(_) | Kept::Bitmap(_)) => None,
        }
    }
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an id; false when it was there already.
    #[inline]
    pub fn insert(&mut self, id: I) -> bool {
        let row = id.number();
        if let Kept::InPlace(rows) = &mut self.kept {
            match rows.binary_search(&row) {
                Ok(_) => return false,
                Err(at) if rows.len() < IN_PLACE => {
                    rows.insert(at, row);
                    return true;
                }
                Err(_) => {}
            }
        }
        self.bitmap().insert(row)
    }
    /// Takes an id out; false when it was not there.
    #[inline]
    pub fn remove(&mut self, id: I) -> bool {
        match &mut self.kept {
            Kept::InPlace(rows) => {
                let found = rows.binary_search(&id.number());
                found.map(|at| rows.remove(at)).is_ok()
            }
            Kept::Bitmap(rows) => rows.remove(id.number()),
        }
    }
    /// Whether an id is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        match &self.kept {
            Kept::InPlace(rows) => rows.contains(&id.number()),
            Kept::Bitmap(rows) => rows.contains(id.number()),
        }
    }
    /// How many ids are in the set. Cost: one step per 65,536 rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.kept {
            Kept::InPlace(rows) => rows.len() as u64,
            Kept::Bitmap(rows) => rows.len(),
        }
    }
    /// Whether there is no id in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.kept {
            Kept::InPlace(rows) => rows.is_empty(),
            Kept::Bitmap(rows) => rows.is_empty(),
        }
    }
    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.rows().map(id_of)
    }
    /// Adds a range of rows, first and last.
    pub(crate) fn insert_range(&mut self, range: RangeInclusive<u32>) {
        if u64::from(range.end() - range.start()) < FEW {
            range.for_each(|row| _ = self.insert(id_of(row)));
            return;
        }
        let rows = self.bitmap();
        rows.insert_range(range);
        // A full block becomes a list of runs. It stays one, and grows with every hole that is made in it (measured: half
        // of the time of a grant, once ten thousand reservations are cut out of two blocks).
        rows.remove_run_compression();
    }
    /// Whether all of a range, first and last, is in the set.
    #[doc(hidden)]
    pub fn has_range(&self, mut range: RangeInclusive<u32>) -> bool {
        match &self.kept {
            Kept::InPlace(_) => range.all(|row| self.contains(id_of(row))),
            Kept::Bitmap(rows) => rows.contains_range(range),
        }
    }
    /// The runs of the set: (first, how many after it). Equal sets give equal runs, however they were made.
    #[doc(hidden)]
    pub fn runs(&self) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for row in self.rows() {
            match runs.last_mut() {
                Some((first, more)) if *first + *more + 1 == row => *more += 1,
                Some(_) | None => runs.push((row, 0)),
            }
        }
        runs
    }
    /// The ids that are in both sets.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        match self.both_large(other) {
            Some((one, two)) => Self::from(one & two),
            None if other.len() < self.len() => other.and(self),
            None => self.iter().filter(|&id| other.contains(id)).collect(),
        }
    }
    /// The ids of this set that are not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.remove_all(other);
        rest
    }
    /// Adds all of another set.
    #[doc(hidden)]
    pub fn add_all(&mut self, other: &Self) {
        match &other.kept {
            Kept::Bitmap(rows) if rows.len() > FEW => *self.bitmap() |= rows,
            Kept::Bitmap(_) | Kept::InPlace(_) => {
                other.iter().for_each(|id| _ = self.insert(id));
            }
        }
    }
    /// Takes all ids of another set out.
    #[doc(hidden)]
    pub fn remove_all(&mut self, other: &Self) {
        match (&mut self.kept, &other.kept) {
            (Kept::InPlace(rows), _) => rows.retain(|row| !other.contains(id_of(*row))),
            (Kept::Bitmap(rows), Kept::Bitmap(others)) if others.len() > FEW => *rows -= others,
            (Kept::Bitmap(rows), _) => other.rows().for_each(|row| _ = rows.remove(row)),
        }
    }
    /// Whether no id is in both sets.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        match self.both_large(other) {
            Some((one, two)) => one.is_disjoint(two),
            None if other.len() < self.len() => other.is_disjoint(self),
            None => !self.iter().any(|id| other.contains(id)),
        }
    }
    /// Whether all ids of this set are in the other.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        match self.both_large(other) {
            Some((one, two)) => one.is_subset(two),
            None => self.len() <= other.len() && self.iter().all(|id| other.contains(id)),
        }
    }
    /// The lowest id.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.iter().next()
    }
}

impl<I> From<RoaringBitmap> for IdSet<I> {
    fn from(rows: RoaringBitmap) -> Self {
        Self {
            kept: Kept::Bitmap(rows),
            id: PhantomData,
        }
    }
}

impl<I> Default for IdSet<I> {
    #[inline]
    fn default() -> Self {
        Self {
            kept: Kept::InPlace(SmallVec::new()),
            id: PhantomData,
        }
    }
}

impl<I> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.kept, &other.kept) {
            (Kept::Bitmap(one), Kept::Bitmap(two)) => one == two,
            (Kept::InPlace(_) | Kept::Bitmap(_), Kept::InPlace(_) | Kept::Bitmap(_)) => {
                self.rows().eq(other.rows())
            }
        }
    }
}

impl<I> Eq for IdSet<I> {}

impl<I> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.rows()).finish()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = Self::default();
        ids.into_iter().for_each(|id| _ = set.insert(id));
        set
    }
}

/// The rows, ascending.
impl<I> Serialize for IdSet<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.rows().collect::<Vec<u32>>().serialize(to)
    }
}

impl<'de, I: Id> Deserialize<'de> for IdSet<I> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let rows = Vec::<AtRow>::deserialize(from)?;
        Ok(rows.into_iter().map(|row| id_of(row.0)).collect())
    }
}
