//! The ids of the tables, and sets of them.

use crate::id_set::IdSet;
use stowplan_engine::define_id;

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
