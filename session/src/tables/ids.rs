//! The ids of the tables, and sets of them.

use crate::id_set::IdSet;
use serde::{Deserialize, Serialize};
use stowplan_engine::define_id;
use stowplan_engine::id::Id as _;

/// An id as a snapshot has it: its row, from 0.
#[derive(Serialize, Deserialize)]
struct AtRow(u32);

/// Defines the ids of rows.
macro_rules! define_ids {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        define_id! {
            $(#[$meta])*
            #[serde(into = "AtRow", try_from = "AtRow")]
            $name
        }

        impl From<$name> for AtRow {
            fn from(id: $name) -> Self {
                Self(id.number())
            }
        }

        impl TryFrom<AtRow> for $name {
            type Error = &'static str;
            fn try_from(AtRow(row): AtRow) -> Result<Self, Self::Error> {
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
