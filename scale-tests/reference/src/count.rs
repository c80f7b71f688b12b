//! How many processes an app without a count has. `docs/semantics.md` section 3, "absent".

use crate::devices;
use crate::place::entries_of;
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::select;
use crate::turn::Seat;
use stowplan_engine::policy::{MapBy, PprObject};
use stowplan_engine::stage::resolve::Resolved;
use stowplan_engine::table::apps::{AppId, Numbering, Policy};

/// The process counts that are known before any app is placed: `None` for holes and for ppr without `-n`. Shape: `[apps]`.
pub(crate) fn all(pool: &Pool<'_>, resolved: &Resolved) -> Result<Vec<Option<u64>>, Refusal> {
    let apps = &resolved.apps;
    let count = |app: AppId| match (apps.np[app], apps.policy(app)) {
        (_, None) => Ok(None),
        (Some(np), Some(_)) => Ok(Some(u64::from(np.0))),
        (None, Some(policy)) => absent(&mut pool.clone(), resolved, app, policy),
    };
    let known = |app: AppId| match count(app)? {
        Some(0) if !written(resolved, app) => {
            Refusal::err("no-processes", format!("{app:?} has none"))
        }
        known => Ok(known),
    };
    apps.ids().map(known).collect()
}

/// Whether an app is placed entry by entry. If it has no entries, its own turn reports that.
fn written(resolved: &Resolved, app: AppId) -> bool {
    let map = resolved.apps.policy(app).map(|policy| policy.map);
    matches!(map, Some(MapBy::Seq | MapBy::Lsf))
}

/// The processes of an app without `-n`, on the pool before anything is placed; `None`: they are counted at its turn.
pub(crate) fn absent(
    pool: &mut Pool<'_>,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Option<u64>, Refusal> {
    let listing = resolved.apps.listing[app];
    // A file of the job's ranks: the app gets the entries that earlier apps leave.
    let job_wide = listing.is_some_and(|(_, numbering)| numbering == Numbering::Job);
    if policy.map == MapBy::Seq && job_wide {
        return Ok(None);
    }
    if matches!(policy.map, MapBy::Seq | MapBy::Lsf | MapBy::Rankfile) {
        let entries = entries_of(pool, resolved, app, policy)?;
        return Ok(Some(entries.items.len() as u64));
    }
    // Counted at the app's turn, over its nodes that are not full.
    if matches!(policy.map, MapBy::Ppr { .. }) {
        return Ok(None);
    }
    let picks = select::picks(pool, &resolved.hosts, app, policy.nolocal)?;
    let list = select::available(pool, &picks, policy)?;
    let slots: u64 = list.iter().map(|available| available.slots).sum();
    if policy.map == MapBy::PeList {
        return Ok(Some(listed(resolved, policy).len() as u64));
    }
    if policy.pe == 1 {
        return Ok(Some(slots));
    }
    let mode = resolved.apps.count_mode[app];
    let whole =
        |node: usize| pool.nodes[node].machine.units(mode).len() as u64 / u64::from(policy.pe);
    let fit: u64 = list.iter().map(|available| whole(available.node)).sum();
    Ok(Some(slots.min(fit).max(1)))
}

/// The cpus of a pe-list, ranges written out.
pub(crate) fn listed(resolved: &Resolved, policy: &Policy) -> Vec<u32> {
    let ranges = policy
        .list
        .map_or(&[][..], |list| &resolved.apps.lists[list]);
    ranges
        .iter()
        .flat_map(|&(first, last)| first..=last)
        .collect()
}

/// ppr without `-n`: N processes for each object of the app's nodes.
pub(crate) fn by_pattern(pool: &Pool<'_>, seats: &[Seat], map: MapBy) -> u64 {
    let MapBy::Ppr { per, on } = map else {
        return 0;
    };
    let objects = |seat: &Seat| match on {
        PprObject::Node => 1,
        PprObject::Devices(_) => {
            let machine = pool.nodes[seat.node].machine;
            let options = map.devices().unwrap_or_default();
            devices::groups(machine, options).len() as u64
        }
        PprObject::Kind(kind) => pool.nodes[seat.node].machine.objects(kind).len() as u64,
    };
    u64::from(per) * seats.iter().map(objects).sum::<u64>()
}

/// The size of the job for the default binding. Apps whose processes the mapper counts do not add to it (section 3, "bind").
pub(crate) fn total(resolved: &Resolved, counts: &[Option<u64>]) -> u64 {
    let apps = &resolved.apps;
    let counted = |app: AppId| match (apps.np[app], apps.policy(app).map(|policy| policy.map)) {
        (None, Some(MapBy::Seq | MapBy::Rankfile | MapBy::Lsf | MapBy::Ppr { .. }) | None) => 0,
        (_, _) => 1,
    };
    apps.ids()
        .zip(counts)
        .map(|(app, count)| counted(app) * count.unwrap_or(0))
        .sum()
}
