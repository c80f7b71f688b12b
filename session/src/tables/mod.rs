//! The tables of a DVM: one file, one table. Struct of arrays, one id type per table.

mod allocs;
mod ids;
mod named;
mod nodes;
mod paged;
mod pending;
mod spaces;
mod ties;
mod times;
mod users;

pub use ids::{AllocId, NodeId, NodeSet, NsId};
pub use nodes::NodeOrigin;
pub use pending::Wanted;
pub use spaces::SpaceKind;

pub(crate) use allocs::{Alloc, AllocTable, Process};
pub(crate) use ids::{NsSet, RunId};
pub(crate) use named::Named;
pub(crate) use nodes::NodeTable;
pub(crate) use pending::{Asker, PendingTable, Record, Request};
pub(crate) use spaces::{Session, Sessions, Space, SpaceTable};
pub(crate) use ties::{Tie, Ties};
pub(crate) use users::{Extent, LISTED_MAX, Users};
