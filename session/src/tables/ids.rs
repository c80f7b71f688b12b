//! The ids of the tables, and sets of them.

use crate::id_set::IdSet;
use stowplan_engine::define_id;
use stowplan_engine::id::Id as _;

/// Defines the ids of rows. A snapshot has their rows, from 0.
macro_rules! define_ids {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        define_id! {
            $(#[$meta])*
            #[serde(into = "u32", try_from = "u32")]
            $name
        }

        impl From<$name> for u32 {
            fn from(id: $name) -> u32 {
                id.number()
            }
        }

        impl TryFrom<u32> for $name {
            type Error = &'static str;
            fn try_from(row: u32) -> Result<Self, Self::Error> {
                // Whether the table has the row is judged when all rows are there.
                let possible = row != u32::MAX;
                possible.then(|| crate::id_set::id_of(row)).ok_or("a row that no table has")
            }
        }
    )+};
}

define_ids! {
    /// A row of the allocation table. Rows are reused; the session number of a record never is.
    AllocId;
    /// A node, numbered in the order of joining. A number is never used twice while the DVM lives.
    NodeId;
    /// A row of the namespace table. A row is reused when nothing points at it any more.
    NsId;
    /// Jobs that use the same nodes.
    RunId;
}

/// A set of nodes. The numbers inside are node ids, and so follow the order of joining.
pub type NodeSet = IdSet<NodeId>;
/// A set of namespaces.
pub(crate) type NsSet = IdSet<NsId>;
