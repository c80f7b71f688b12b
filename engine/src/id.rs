//! Ids and columns: each table has its own id type, and its columns are indexed by that type only.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Index, IndexMut, Range};

/// The id of a row of one table. Made by [`define_id!`](crate::define_id).
pub trait Id: Copy + Eq + Ord + std::hash::Hash + fmt::Debug {
    /// The id of row `row`.
    ///
    /// # Panics
    /// When `row` is 2^32 - 1 or more: `limit.rs` keeps tables below that.
    fn from_row(row: usize) -> Self;
    /// The row, from 0.
    fn row(self) -> usize;
    /// The row, from 0, as a `u32`: the number that messages and node ranges use.
    fn number(self) -> u32;
}

/// Defines a row id: four bytes, and four bytes as an `Option`.
#[macro_export]
macro_rules! define_id {
    ($(#[$meta:meta])* $name:ident) => {
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        $(#[$meta])*
        pub struct $name(std::num::NonZeroU32);

        impl $crate::id::Id for $name {
            #[inline]
            fn from_row(row: usize) -> Self {
                Self($crate::id::row_to_key(row))
            }
            #[inline]
            fn row(self) -> usize {
                self.0.get() as usize - 1
            }
            #[inline]
            fn number(self) -> u32 {
                self.0.get() - 1
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", stringify!($name), self.0.get() - 1)
            }
        }
    };
}

/// The key of a row, which is row + 1: for the ids of [`define_id!`](crate::define_id).
///
/// # Panics
/// When the row does not fit; tables are bounded in `limit.rs`.
#[inline]
#[must_use]
pub fn row_to_key(row: usize) -> NonZeroU32 {
    u32::try_from(row)
        .ok()
        .and_then(|row| row.checked_add(1))
        .and_then(NonZeroU32::new)
        .expect("limit.rs keeps tables below 2^32 - 1 rows")
}

/// A copy of a column has room for one more row per this many rows, as it will grow.
pub(crate) const ROWS_PER_SPARE: usize = 64;

/// One column of a table, indexed by the table's id. Shape: `[rows]`.
#[derive(PartialEq, Eq)]
pub struct Column<I, T> {
    values: Vec<T>,
    id: PhantomData<I>,
}

impl<I, T: Clone> Clone for Column<I, T> {
    /// The copy has room for some more rows. Without it, a job planned again from a copy would move thousands of rows
    /// to add the first new one.
    fn clone(&self) -> Self {
        let rows = self.values.len();
        let mut values = Vec::with_capacity(rows + rows / ROWS_PER_SPARE);
        values.extend_from_slice(&self.values);
        Self {
            values,
            id: PhantomData,
        }
    }
}

impl<I: Id, T> Column<I, T> {
    /// An empty column.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            values: Vec::new(),
            id: PhantomData,
        }
    }
    /// Adds a row. No other function makes a new id of this column's table.
    pub fn push(&mut self, value: T) -> I {
        let id = I::from_row(self.values.len());
        self.values.push(value);
        id
    }
    /// Removes all rows, but keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }
    /// Removes the last row.
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.values.pop()
    }
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// As [`Column::push`], but a full column grows by an eighth instead of doubling: for many wide rows.
    pub fn push_tight(&mut self, value: T) -> I {
        if self.values.len() == self.values.capacity() {
            self.values.reserve_exact(self.values.len() / 8 + 16);
        }
        self.push(value)
    }
    /// No rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// The value of a row, or `None` when this column has no such row. Ids read from bytes are checked this way.
    #[must_use]
    pub fn get(&self, id: I) -> Option<&T> {
        self.values.get(id.row())
    }
    /// Rows with their ids, ascending.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.values
            .iter()
            .enumerate()
            .map(|(row, value)| (I::from_row(row), value))
    }
    /// All ids, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.values.len()).map(I::from_row)
    }
    /// The values alone, in row order.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }
}

impl<I, T> Default for Column<I, T> {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I, T: fmt::Debug> fmt::Debug for Column<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

impl<I: Id, T> Index<I> for Column<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.values[id.row()]
    }
}

impl<I: Id, T> IndexMut<I> for Column<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.values[id.row()]
    }
}

impl<I: Id, T> FromIterator<T> for Column<I, T> {
    fn from_iter<It: IntoIterator<Item = T>>(values: It) -> Self {
        Self {
            values: values.into_iter().collect(),
            id: PhantomData,
        }
    }
}

impl<I: Id, T: serde::Serialize> serde::Serialize for Column<I, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values.serialize(serializer)
    }
}

impl<'de, I: Id, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Column<I, T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self {
            values: Vec::deserialize(deserializer)?,
            id: PhantomData,
        })
    }
}

/// A list per row, as offsets and values: two flat vectors. Shape: `[rows][any]`.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(bound(
    serialize = "T: serde::Serialize",
    deserialize = "T: serde::Deserialize<'de>"
))]
pub struct Lists<I, T> {
    /// Where each row's list ends in `values`.
    ends: Vec<u32>,
    values: Vec<T>,
    #[serde(skip)]
    id: PhantomData<I>,
}

impl<I, T> Default for Lists<I, T> {
    fn default() -> Self {
        Self {
            ends: Vec::new(),
            values: Vec::new(),
            id: PhantomData,
        }
    }
}

impl<I: Id, T> Lists<I, T> {
    /// Adds a row with this list.
    ///
    /// # Panics
    /// When the values of all lists pass 2^32 - 1; `limit.rs` keeps them below.
    pub fn push(&mut self, list: impl IntoIterator<Item = T>) -> I {
        let id = I::from_row(self.ends.len());
        self.values.extend(list);
        self.ends.push(
            u32::try_from(self.values.len()).expect("limit.rs keeps lists below 2^32 values"),
        );
        id
    }
    /// Rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }
    /// No rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
    /// The part of [`Lists::values`] that is the list of a row.
    #[must_use]
    #[inline]
    pub fn range(&self, id: I) -> Range<usize> {
        let row = id.row();
        let start = if row == 0 {
            0
        } else {
            self.ends[row - 1] as usize
        };
        start..self.ends[row] as usize
    }
    /// All lists, one after the other.
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }
    /// Whether the offsets ascend and the last one is the number of values. True for all lists made here; checked for
    /// lists read from bytes.
    #[must_use]
    #[doc(hidden)]
    pub fn is_sound(&self) -> bool {
        self.ends.is_sorted()
            && self.ends.last().map_or(0, |&end| end as usize) == self.values.len()
    }
}

impl<I: Id, T> Index<I> for Lists<I, T> {
    type Output = [T];
    #[inline]
    fn index(&self, id: I) -> &[T] {
        &self.values[self.range(id)]
    }
}
