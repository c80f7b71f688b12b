//! The tables of a DVM: one file, one table. Struct of arrays, one id type per table.

mod allocs;
mod nodes;
mod paged;
mod pending;
mod spaces;
mod ties;
mod times;
mod users;

pub use allocs::AllocId;
pub use nodes::{NodeId, Origin};
pub use spaces::{Kind, NsId};

pub(crate) use allocs::{Alloc, AllocTable, Process};
pub(crate) use nodes::NodeTable;
pub(crate) use pending::{PendingTable, Record, Request, Wanted};
pub(crate) use spaces::{Seats, Session, Sessions, SpaceTable};
pub(crate) use ties::{Tie, Ties};
pub(crate) use users::{Extent, LISTED_MAX, RunId, Users};

use super::id_set::IdSet;

/// A set of nodes. The numbers inside are node ids, that is the order of joining.
pub type NodeSet = IdSet<NodeId>;
/// A set of namespaces.
pub(crate) type NsSet = IdSet<NsId>;
