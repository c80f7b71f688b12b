//! A set of rows of one table.

use crate::id::Id;
use roaring::RoaringBitmap;
use std::fmt;
use std::marker::PhantomData;

/// Up to so many ids are asked for one by one.
const FEW: u64 = 64;

/// A compressed set of ids of one table. The numbers inside are rows, from 0, ascending.
pub struct IdSet<I> {
    rows: RoaringBitmap,
    id: PhantomData<I>,
}

/// The number that stands for an id in a bitmap: its row.
#[inline]
pub(crate) fn bit<I: Id>(id: I) -> u32 {
    u32::try_from(id.row()).expect("limit.rs keeps tables below 2^32 rows")
}

/// The id behind a number in a bitmap.
#[inline]
pub(crate) fn id_of<I: Id>(bit: u32) -> I {
    I::from_row(bit as usize)
}

impl<I: Id> IdSet<I> {
    /// The empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::from(RoaringBitmap::new())
    }
    /// Adds an id; false when it was there already.
    pub fn insert(&mut self, id: I) -> bool {
        self.rows.insert(bit(id))
    }
    /// Takes an id out; false when it was not there.
    pub fn remove(&mut self, id: I) -> bool {
        self.rows.remove(bit(id))
    }
    /// Whether an id is in the set.
    #[must_use]
    pub fn contains(&self, id: I) -> bool {
        self.rows.contains(bit(id))
    }
    /// How many ids are in the set. Cost: one step per 65,536 rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.rows.len()
    }
    /// No id.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.rows.iter().map(id_of)
    }
    /// The rows as a bitmap, for set algebra.
    #[must_use]
    pub fn rows(&self) -> &RoaringBitmap {
        &self.rows
    }
    /// What is in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        if self.is_few() {
            return self.iter().filter(|&id| other.contains(id)).collect();
        }
        Self::from(&self.rows & &other.rows)
    }
    /// What is here and not there.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        if self.is_few() {
            return self.iter().filter(|&id| !other.contains(id)).collect();
        }
        Self::from(&self.rows - &other.rows)
    }
    /// Adds all of another set.
    pub fn add_all(&mut self, other: &Self) {
        if other.is_few() {
            self.rows.extend(other.rows.iter());
        } else {
            self.rows |= &other.rows;
        }
    }
    /// Takes all of another set out.
    pub fn remove_all(&mut self, other: &Self) {
        if other.is_few() {
            for row in &other.rows {
                self.rows.remove(row);
            }
        } else {
            self.rows -= &other.rows;
        }
    }
    /// Whether nothing is in both.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        if self.is_few() {
            return !self.iter().any(|id| other.contains(id));
        }
        if other.is_few() {
            return !other.iter().any(|id| self.contains(id));
        }
        self.rows.is_disjoint(&other.rows)
    }
    /// Whether all of this is in the other.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        if self.is_few() {
            return self.iter().all(|id| other.contains(id));
        }
        self.rows.is_subset(&other.rows)
    }
    /// Whether asking for each id is faster than set algebra, which looks at all ids around them: the nodes of one
    /// request beside those of the DVM (measured: a sixth of the time of an event).
    fn is_few(&self) -> bool {
        self.rows.len() <= FEW
    }
    /// The lowest id.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.rows.min().map(id_of)
    }
}

impl<I> From<RoaringBitmap> for IdSet<I> {
    fn from(rows: RoaringBitmap) -> Self {
        Self {
            rows,
            id: PhantomData,
        }
    }
}

impl<I> Default for IdSet<I> {
    fn default() -> Self {
        Self::from(RoaringBitmap::new())
    }
}

impl<I> Clone for IdSet<I> {
    fn clone(&self) -> Self {
        Self::from(self.rows.clone())
    }
}

impl<I> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
    }
}

impl<I> Eq for IdSet<I> {}

impl<I> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.rows.iter()).finish()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        Self::from(ids.into_iter().map(bit).collect::<RoaringBitmap>())
    }
}
