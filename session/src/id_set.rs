//! A set of rows of one table.

use roaring::RoaringBitmap;
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
pub struct IdSet<I> {
    rows: Rows,
    id: PhantomData<I>,
}

#[derive(Clone)]
enum Rows {
    Few(Few),
    Many(RoaringBitmap),
}

/// The first `len` rows count; they ascend.
#[derive(Clone, Copy)]
struct Few {
    len: u8,
    rows: [u32; IN_PLACE],
}

impl Few {
    const NONE: Self = Self {
        len: 0,
        rows: [0; IN_PLACE],
    };
    #[inline]
    fn rows(&self) -> &[u32] {
        &self.rows[..usize::from(self.len)]
    }
    /// Inserts a row in order; false if it is there already, `None` if there is no room.
    fn insert(&mut self, row: u32) -> Option<bool> {
        let len = usize::from(self.len);
        let at = self.rows().partition_point(|&other| other < row);
        if at < len && self.rows[at] == row {
            return Some(false);
        }
        if len == IN_PLACE {
            return None;
        }
        self.rows.copy_within(at..len, at + 1);
        self.rows[at] = row;
        self.len += 1;
        Some(true)
    }
    fn remove(&mut self, row: u32) -> bool {
        let len = usize::from(self.len);
        let Some(at) = self.rows().iter().position(|&other| other == row) else {
            return false;
        };
        self.rows.copy_within(at + 1..len, at);
        self.len -= 1;
        true
    }
}

/// The number that stands for an id in a set: its row.
#[inline]
pub(crate) fn bit<I: Id>(id: I) -> u32 {
    u32::try_from(id.row()).expect("limit.rs keeps tables below 2^32 rows")
}

/// The id behind a number in a set.
#[inline]
pub(crate) fn id_of<I: Id>(bit: u32) -> I {
    I::from_row(bit as usize)
}

/// Rows one by one, from either form.
enum Each<'a> {
    Range(RangeInclusive<u32>),
    Few(std::iter::Copied<std::slice::Iter<'a, u32>>),
    Many(Box<roaring::bitmap::Iter<'a>>),
}

impl Iterator for Each<'_> {
    type Item = u32;
    #[inline]
    fn next(&mut self) -> Option<u32> {
        match self {
            Self::Range(rows) => rows.next(),
            Self::Few(rows) => rows.next(),
            Self::Many(rows) => rows.next(),
        }
    }
}

impl<I> IdSet<I> {
    fn each(&self) -> Each<'_> {
        match &self.rows {
            Rows::Few(few) => Each::Few(few.rows().iter().copied()),
            Rows::Many(rows) => match self.as_range() {
                Some(range) => Each::Range(range),
                None => Each::Many(Box::new(rows.iter())),
            },
        }
    }
    /// The bitmap. If the ids are still in place, it is made from them.
    fn many(&mut self) -> &mut RoaringBitmap {
        if let Rows::Few(few) = &self.rows {
            self.rows = Rows::Many(few.rows().iter().copied().collect());
        }
        match &mut self.rows {
            Rows::Many(rows) => rows,
            Rows::Few(_) => unreachable!("it was just made a bitmap"),
        }
    }
    fn count(&self) -> u64 {
        match &self.rows {
            Rows::Few(few) => u64::from(few.len),
            Rows::Many(rows) => rows.len(),
        }
    }
    /// First and last row, if no row between them is missing. This holds for most sets of nodes, because nodes join together.
    fn as_range(&self) -> Option<RangeInclusive<u32>> {
        let (first, last) = match &self.rows {
            Rows::Few(few) => (*few.rows().first()?, *few.rows().last()?),
            Rows::Many(rows) => (rows.min()?, rows.max()?),
        };
        (u64::from(last - first) + 1 == self.count()).then_some(first..=last)
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
        let row = bit(id);
        match &mut self.rows {
            Rows::Many(rows) => return rows.insert(row),
            Rows::Few(few) => {
                if let Some(new) = few.insert(row) {
                    return new;
                }
            }
        }
        self.many().insert(row)
    }
    /// Takes an id out; false when it was not there.
    #[inline]
    pub fn remove(&mut self, id: I) -> bool {
        match &mut self.rows {
            Rows::Few(few) => few.remove(bit(id)),
            Rows::Many(rows) => rows.remove(bit(id)),
        }
    }
    /// Whether an id is in the set.
    #[must_use]
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        match &self.rows {
            Rows::Few(few) => few.rows().contains(&bit(id)),
            Rows::Many(rows) => rows.contains(bit(id)),
        }
    }
    /// How many ids are in the set. Cost: one step per 65,536 rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count()
    }
    /// Whether there is no id in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match &self.rows {
            Rows::Few(few) => few.len == 0,
            Rows::Many(rows) => rows.is_empty(),
        }
    }
    /// The ids, ascending.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.each().map(id_of)
    }
    /// Adds all ids from one to another.
    pub(crate) fn insert_run(&mut self, first: I, last: I) {
        self.insert_range(bit(first)..=bit(last));
    }
    /// Adds a range of rows, first and last.
    pub(crate) fn insert_range(&mut self, range: RangeInclusive<u32>) {
        if range.start() == range.end() {
            self.insert(id_of(*range.start()));
            return;
        }
        let more = u64::from(range.end() - range.start()) + 1;
        if let Rows::Few(few) = &mut self.rows
            && more + u64::from(few.len) <= IN_PLACE as u64
        {
            for row in range {
                few.insert(row);
            }
            return;
        }
        let many = self.many();
        many.insert_range(range);
        // A full block becomes a list of runs. It stays one, and grows with every hole that is made in it (measured: half
        // of the time of a grant, once ten thousand reservations are cut out of two blocks).
        many.remove_run_compression();
    }
    /// Whether all of a range, first and last, is in the set.
    pub(crate) fn has_range(&self, range: RangeInclusive<u32>) -> bool {
        match &self.rows {
            Rows::Few(few) => {
                let inside = few.rows().iter().filter(|row| range.contains(*row));
                inside.count() as u64 == u64::from(range.end() - range.start()) + 1
            }
            Rows::Many(rows) => rows.contains_range(range),
        }
    }
    /// The runs of the set: (first, how many after it). Equal sets give equal runs, however they were made.
    pub(crate) fn runs(&self) -> Vec<(u32, u32)> {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for row in self.each() {
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
        match (&self.rows, &other.rows) {
            (Rows::Many(one), Rows::Many(two)) if !self.is_few() => Self::from(one & two),
            _ => self.iter().filter(|&id| other.contains(id)).collect(),
        }
    }
    /// The ids of this set that are not in the other.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        if self.is_few() {
            return self.iter().filter(|&id| !other.contains(id)).collect();
        }
        let mut rest = self.clone();
        rest.remove_all(other);
        rest
    }
    /// Adds all of another set.
    pub(crate) fn add_all(&mut self, other: &Self) {
        match (other.as_range(), &other.rows) {
            (Some(range), _) => self.insert_range(range),
            (None, Rows::Few(few)) => {
                for &row in few.rows() {
                    self.insert(id_of(row));
                }
            }
            (None, Rows::Many(rows)) => *self.many() |= rows,
        }
    }
    /// Takes all ids of another set out.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        match (&mut self.rows, other.as_range(), &other.rows) {
            (Rows::Many(mine), Some(range), _) if range.start() < range.end() => {
                mine.remove_range(range);
            }
            (Rows::Many(mine), _, Rows::Many(rows)) if !other.is_few() => *mine -= rows,
            (Rows::Many(mine), _, _) => {
                for row in other.each() {
                    mine.remove(row);
                }
            }
            (Rows::Few(few), _, _) => {
                for row in few.rows().to_vec() {
                    if other.contains(id_of(row)) {
                        few.remove(row);
                    }
                }
            }
        }
    }
    /// Whether no id is in both sets.
    #[must_use]
    pub fn is_disjoint(&self, other: &Self) -> bool {
        if self.is_few() {
            return !self.iter().any(|id| other.contains(id));
        }
        if other.is_few() {
            return !other.iter().any(|id| self.contains(id));
        }
        match (&self.rows, &other.rows) {
            (Rows::Many(one), Rows::Many(two)) => one.is_disjoint(two),
            _ => !self.iter().any(|id| other.contains(id)),
        }
    }
    /// Whether all ids of this set are in the other.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        match (&self.rows, &other.rows) {
            (Rows::Many(one), Rows::Many(two)) if !self.is_few() => one.is_subset(two),
            _ => self.count() <= other.count() && self.iter().all(|id| other.contains(id)),
        }
    }
    /// Whether looking up each id is faster than set algebra, which also looks at all ids around them. It is for the nodes of
    /// one request beside those of the DVM (measured: a sixth of the time of an event).
    fn is_few(&self) -> bool {
        match &self.rows {
            Rows::Few(_) => true,
            Rows::Many(rows) => rows.len() <= FEW,
        }
    }
    /// The lowest id.
    #[must_use]
    pub fn first(&self) -> Option<I> {
        self.each().next().map(id_of)
    }
}

impl<I> From<RoaringBitmap> for IdSet<I> {
    fn from(rows: RoaringBitmap) -> Self {
        Self {
            rows: Rows::Many(rows),
            id: PhantomData,
        }
    }
}

impl<I> Default for IdSet<I> {
    #[inline]
    fn default() -> Self {
        Self {
            rows: Rows::Few(Few::NONE),
            id: PhantomData,
        }
    }
}

impl<I> Clone for IdSet<I> {
    fn clone(&self) -> Self {
        Self {
            rows: self.rows.clone(),
            id: PhantomData,
        }
    }
}

impl<I> PartialEq for IdSet<I> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.rows, &other.rows) {
            (Rows::Few(one), Rows::Few(two)) => one.rows() == two.rows(),
            (Rows::Many(one), Rows::Many(two)) => one == two,
            (Rows::Few(_), Rows::Many(_)) | (Rows::Many(_), Rows::Few(_)) => {
                self.count() == other.count() && self.each().eq(other.each())
            }
        }
    }
}

impl<I> Eq for IdSet<I> {}

impl<I> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.each()).finish()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = Self::default();
        let mut ids = ids.into_iter();
        for id in ids.by_ref() {
            set.insert(id);
            if matches!(set.rows, Rows::Many(_)) {
                break;
            }
        }
        if let Rows::Many(rows) = &mut set.rows {
            rows.extend(ids.map(bit));
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    stowplan_engine::define_id! {
        /// A row of these tests.
        RowId
    }

    fn set(rows: &[u32]) -> IdSet<RowId> {
        rows.iter().map(|&row| id_of(row)).collect()
    }

    /// Sets of about the size that is stored in place, dense and sparse, each with each.
    #[test]
    fn both_forms_do_what_a_plain_set_does() {
        let samples: Vec<Vec<u32>> = (0..12)
            .flat_map(|len: u32| {
                [1, 3, 70_000].map(|gap| (0..len).map(|at| 5 + at * gap).collect())
            })
            .chain([(0..100).collect(), (50..300).collect()])
            .collect();
        for one in &samples {
            for two in &samples {
                let (a, b) = (set(one), set(two));
                let (x, y): (BTreeSet<u32>, BTreeSet<u32>) =
                    (one.iter().copied().collect(), two.iter().copied().collect());
                let list = |set: &IdSet<RowId>| set.each().collect::<BTreeSet<u32>>();
                assert_eq!(list(&a.and(&b)), &x & &y);
                assert_eq!(list(&a.minus(&b)), &x - &y);
                assert_eq!(a.is_disjoint(&b), x.is_disjoint(&y));
                assert_eq!(a.is_subset(&b), x.is_subset(&y));
                let mut both = a.clone();
                both.add_all(&b);
                assert_eq!(list(&both), &x | &y);
                both.remove_all(&b);
                assert_eq!(list(&both), &x - &y);
                assert_eq!(both == a, x.is_disjoint(&y));
                assert_eq!(a == b, x == y);
            }
        }
    }

    #[test]
    fn a_set_that_shrank_equals_one_that_never_grew() {
        let mut shrunk = set(&(0..20).collect::<Vec<_>>());
        for row in 3..20 {
            assert!(shrunk.remove(id_of(row)));
        }
        assert_eq!(shrunk, set(&[0, 1, 2]));
        assert_eq!(shrunk.runs(), [(0, 2)]);
        assert!(shrunk.has_range(0..=2) && !shrunk.has_range(0..=3));
    }
}
