//! The nodes that an app names, kept from plan to plan. Source: `semantics` 1.2 to 1.4.

use super::claim::Named;
use super::pool::Pool;
use super::select::named;
use crate::error::MapError;
use crate::id::Id as _;
use crate::table::apps::AppId;
use crate::text::hosts::{HostEntry, Hosts};

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
