//! Ids by their row: the number that stands for an id in a set, and in a snapshot.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stowplan_engine::id::Id;

/// The number that stands for an id: its row.
#[inline]
pub(crate) fn bit<I: Id>(id: I) -> u32 {
    u32::try_from(id.row()).expect("limit.rs keeps tables below 2^32 rows")
}

/// The id behind a number.
#[inline]
pub(crate) fn id_of<I: Id>(bit: u32) -> I {
    I::from_row(bit as usize)
}

/// An id as a snapshot has it: its row, from 0.
pub(crate) struct AtRow<I>(pub(crate) I);

impl<I: Id> Serialize for AtRow<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u32(bit(self.0))
    }
}

impl<'de, I: Id> Deserialize<'de> for AtRow<I> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let row = u32::deserialize(from)?;
        // No table has so many rows. Whether this one has the row is judged when all rows are there.
        if row == u32::MAX {
            return Err(serde::de::Error::custom("a row that no table has"));
        }
        Ok(Self(id_of(row)))
    }
}

/// For `serde(with)`: an id by its row.
pub(crate) mod at_row {
    use super::{AtRow, Deserialize, Deserializer, Id, Serialize, Serializer};

    pub(crate) fn serialize<I: Id, S: Serializer>(id: &I, to: S) -> Result<S::Ok, S::Error> {
        AtRow(*id).serialize(to)
    }
    pub(crate) fn deserialize<'de, I: Id, D: Deserializer<'de>>(from: D) -> Result<I, D::Error> {
        AtRow::deserialize(from).map(|at| at.0)
    }
}

/// For `serde(with)`: an id by its row, or none.
pub(crate) mod maybe_at_row {
    use super::{AtRow, Deserialize, Deserializer, Id, Serialize, Serializer};

    pub(crate) fn serialize<I: Id, S: Serializer>(
        id: &Option<I>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        id.map(AtRow).serialize(to)
    }
    pub(crate) fn deserialize<'de, I: Id, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<I>, D::Error> {
        Option::<AtRow<I>>::deserialize(from).map(|id| id.map(|at| at.0))
    }
}
