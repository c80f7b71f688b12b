//! The nodes that an app names, and what it claims of them. Source: `semantics` 1.2 to 1.4.

use super::Pool;
use super::select::named;
use crate::error::MapError;
use crate::id::Id as _;
use crate::table::apps::AppId;
use crate::table::names::NodeRange;
use crate::text::hosts::{HostEntry, Hosts};
use std::ops::{Add, Sub};

/// What an app claims of a node by its `-H` entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Claim {
    pub(crate) slots: u64,
    /// `n:*`, or chosen by a relative entry: all that is left, so many times.
    pub(crate) all_left: u32,
}

impl Add for Claim {
    type Output = Self;
    /// Both made of one node. Entries are fewer than 2^32 and each claims less than 2^32: a sum stays below 2^64.
    fn add(self, other: Self) -> Self {
        Self {
            slots: self.slots + other.slots,
            all_left: self.all_left + other.all_left,
        }
    }
}

impl Sub for Claim {
    type Output = Self;
    fn sub(self, less: Self) -> Self {
        Self {
            slots: self.slots - less.slots,
            all_left: self.all_left - less.all_left,
        }
    }
}

/// The nodes an app names: in order, without repeats, and its claims.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    /// In list order.
    pub(crate) list: Vec<NodeRange>,
    /// Every mention, in order: what a sequence without a file goes by.
    pub(crate) mentions: Vec<NodeRange>,
    pub(crate) claims: Option<Vec<(NodeRange, Claim)>>,
}

impl Named {
    /// A node is gone, and those behind it have moved up.
    pub(crate) fn lose(&mut self, row: u32) {
        let lose = |nodes: &mut NodeRange| {
            let left = nodes.without(row);
            *nodes = left.unwrap_or(*nodes);
            left.is_some()
        };
        self.list.retain_mut(lose);
        self.mentions.retain_mut(lose);
        if let Some(claims) = &mut self.claims {
            claims.retain_mut(|(nodes, _)| lose(nodes));
        }
    }
}

/// The nodes an app names, kept from an earlier plan or looked up.
///
/// # Errors
/// As [`named`].
pub(crate) fn recall(pool: &mut Pool, hosts: &Hosts, app: AppId) -> Result<Named, MapError> {
    let kept = pool
        .nodes
        .named
        .as_mut()
        .and_then(|kept| kept.get_mut(app.row()));
    match kept.and_then(Option::take) {
        Some(known) => Ok(known),
        None => named(pool, hosts, app),
    }
}

/// Keeps the nodes that an app named for later plans, unless they hang on where processes are.
pub(crate) fn keep(pool: &mut Pool, hosts: &Hosts, app: AppId, named: Named) {
    let entries = hosts.entries(app);
    let empty = |entry: &HostEntry| matches!(entry, HostEntry::Empty(_) | HostEntry::Nth(_));
    if let Some(kept) = &mut pool.nodes.named
        && !entries.unwrap_or_default().iter().any(empty)
    {
        let rows = kept.len().max(app.row() + 1);
        kept.resize(rows, None);
        kept[app.row()] = Some(named);
    }
}
