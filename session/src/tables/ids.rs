//! The ids of the tables, sets of them, and how ids are written.

use crate::id_set::{IdSet, bit, id_of};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stowplan_engine::define_id;
use stowplan_engine::id::Id;

define_id! {
    /// A row of the allocation table. Rows are reused; the session number of a record never is.
    AllocId
}

define_id! {
    /// A node, numbered in the order of joining. A number is never used twice while the DVM lives.
    NodeId
}

define_id! {
    /// A row of the namespace table. A row is reused when nothing points at it any more.
    NsId
}

define_id! {
    /// Jobs that use the same nodes.
    RunId
}

/// A set of nodes. The numbers inside are node ids, and so follow the order of joining.
pub type NodeSet = IdSet<NodeId>;
/// A set of namespaces.
pub(crate) type NsSet = IdSet<NsId>;

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
