//! The ids of the tables, and sets of them.

use crate::id_set::{AtRow, IdSet, id_of};
use stowplan_engine::define_id;
use stowplan_engine::id::Id as _;

/// Defines the ids of rows.
macro_rules! define_ids {
    ($($(#[$meta:meta])* $name:ident;)+) => {$(
        define_id! {
            $(#[$meta])*
            #[serde(into = "AtRow", from = "AtRow")]
            $name
        }

        #[doc(hidden)]
        impl From<$name> for AtRow {
            fn from(id: $name) -> Self {
                Self(id.number())
            }
        }

        #[doc(hidden)]
        impl From<AtRow> for $name {
            fn from(row: AtRow) -> Self {
                id_of(row.0)
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
