//! How many processes each app has, before anything is placed. Source: `semantics` 3.4, 3.6.
//!
//! What each policy counts: `place/map_policy.rs` (slots), `place/by_ppr.rs`, `place/by_pe_list.rs`, `place/entries.rs`.

use crate::count::ProcCount;
use crate::error::MapError;
use crate::policy::MapBy;
use crate::stage::alloc::Pool;
use crate::stage::alloc::select::select;
use crate::stage::alloc::selected::Selected;
use crate::stage::place::app::Procs;
use crate::stage::place::map_policy::{Counting, Counts};
use crate::stage::place::refuse::{check_size, no_processes};
use crate::stage::place::{by_policy, entries};
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Policy};

/// Counts the processes of apps without `-n`, on the empty pool. Fills `counts`, shape `[apps]`.
///
/// # Errors
/// Wrong hosts of an app, `no-processes`, `job-too-large`.
pub(crate) fn count(
    pool: &mut Pool,
    resolved: &Resolved,
    counts: &mut Vec<Procs>,
) -> Result<(), MapError> {
    let apps = &resolved.apps;
    counts.clear();
    counts.reserve(apps.len());
    let mut sum = 0_u64;
    for app in apps.ids() {
        let procs = match (apps.policy(app), apps.np[app]) {
            (None, _) => Procs::Hole,
            (Some(_), Some(given)) => Procs::Given(given),
            (Some(policy), None) => counted(pool, resolved, app, policy)?,
        };
        sum += u64::from(procs.known().unwrap_or_default().0);
        counts.push(procs);
    }
    check_size(sum).map(drop)
}

fn counted(
    pool: &mut Pool,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Procs, MapError> {
    if policy.map.is_listed() {
        let entries = entries::count(pool, resolved, app, policy)?;
        return match entries {
            // None that NOLOCAL leaves is reported at the app's turn, behind what earlier apps are refused for.
            Some(0) if policy.map == MapBy::Seq => Ok(Procs::Counted(ProcCount(0))),
            Some(entries) => some(pool, app, entries).map(Procs::Counted),
            None => Ok(Procs::AtItsTurn),
        };
    }
    if by_policy(policy.map, |map| map.counts()) == Counts::AtItsTurn {
        return Ok(Procs::AtItsTurn);
    }
    // Wrong hosts are reported before anything is placed. The claims take effect at the app's own turn.
    let hosts = &resolved.hosts;
    let Selected { candidates, .. } = select(pool, hosts, app, policy, &mut Vec::new())?;
    let mut number = |policy: &Policy| {
        let mut counting = Counting {
            pool,
            apps: &resolved.apps,
            app,
            policy,
        };
        by_policy(policy.map, |map| map.count(&mut counting, &candidates))
    };
    let with = number(policy)?;
    let without = resolved.apps.without_pe[app].map(|id| number(&resolved.apps.policies[id]));
    let with = some(pool, app, with)?;
    Ok(match without {
        None => Procs::Counted(with),
        Some(without) => Procs::ByPe {
            with,
            without: ProcCount(check_size(without?)?),
        },
    })
}

/// The count, if it is not 0 and ranks can number it.
fn some(pool: &Pool, app: AppId, count: u64) -> Result<ProcCount, MapError> {
    match check_size(count)? {
        0 => Err(no_processes(pool, app)),
        count => Ok(ProcCount(count)),
    }
}

/// The number of processes by which the size of a job is measured, as far as it is known before placement. A count that the
/// mapper computes itself is taken as 0 (3.6).
pub(crate) fn total(resolved: &Resolved, counts: &[Procs]) -> u64 {
    let apps = &resolved.apps;
    let by_mapper = |app: AppId| {
        let map = apps.policy(app).map(|policy| policy.map);
        map.is_some_and(MapBy::counts_itself) && apps.np[app].is_none()
    };
    let procs = |(app, procs): (AppId, &Procs)| match procs.known() {
        Some(procs) if !by_mapper(app) => u64::from(procs.0),
        Some(_) | None => 0,
    };
    apps.ids().zip(counts).map(procs).sum()
}
