//! Places the job of a plan again, on the nodes as the plan found them: whoever holds a plan can tell whether these rules give
//! the places that it has.

use crate::error::MapError;
use crate::map::{Components, make_plan};
use crate::plan::claimed::{Claim, Fixed, Named};
use crate::plan::{Derived, Plan, World};
use crate::policy::{MapBy, RankBy, Span};
use crate::stage::alloc::Pool;
use crate::stage::job::JobOutcome;
use crate::stage::job::all_apps::place_in_order;
use crate::stage::place::workspace::Workspace;
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, AppTable, Policy};
use crate::text::host_types::Hosts;
use std::sync::Arc;

/// What can be said of the job of a plan.
#[derive(Clone, Debug)]
pub enum Again {
    /// The plan that the rules give.
    Plan(Box<Plan>),
    /// The same, but the plan does not tell what its apps claimed of the nodes: each is taken to have named no node. `None`: then
    /// the nodes cannot honor the job.
    Supposed(Option<Box<Plan>>),
    /// A launcher's own component or rules placed an app.
    Elsewhere,
    /// The table of apps says what no request can.
    Incoherent,
}

/// Places the job of a plan again.
///
/// # Errors
/// A [`MapError`] when the nodes cannot honor the job.
///
/// Cost: that of [`crate::map::map_resolved`], without reading a request.
pub fn map_again(plan: &Plan) -> Result<Again, MapError> {
    map_again_on(plan, plan.world())
}

/// Places the job of a plan again as if its nodes were in other states, for example of other hardware. `world`: has the plan's nodes.
///
/// # Errors
/// As [`map_again`].
///
/// Cost: as [`map_again`].
pub fn map_again_on(plan: &Plan, world: &World) -> Result<Again, MapError> {
    let apps = plan.resolved_apps();
    let policies = || apps.ids().filter_map(|app| apps.policy(app));
    let elsewhere = plan
        .apps()
        .iter()
        .any(|app| app.claimed().0 == Claim::Elsewhere);
    // An app that is asked for and was not placed was left to another mapper.
    let left_out = apps
        .ids()
        .any(|app| apps.policy[app].is_some() && plan.app(app).policy().is_none());
    if elsewhere || left_out || policies().any(|policy| policy.map == MapBy::Given) {
        return Ok(Again::Elsewhere);
    }
    if !apps.ids().all(|app| is_coherent(apps, app)) {
        return Ok(Again::Incoherent);
    }
    let told = plan
        .apps()
        .iter()
        .all(|app| app.policy().is_none() || matches!(app.claimed().0, Claim::Of(..)));
    let mut resolved = resolved(plan);
    let mut work = Workspace::new(pool(plan, world, &resolved));
    let mut outcome = JobOutcome::default();
    let standard = Components::standard();
    match place_in_order(&mut work, &mut resolved, &standard, &mut outcome) {
        Err(_) if !told => return Ok(Again::Supposed(None)),
        placed => placed?,
    }
    let before = world.before.clone();
    let derived = &mut Derived::default();
    let mapped = make_plan(&work, resolved.apps, before, derived, &mut outcome)?;
    let again = Box::new(mapped.plan);
    Ok(match told {
        true => Again::Plan(again),
        false => Again::Supposed(Some(again)),
    })
}

/// Whether the options of an app go together, as every request's do: a plan that was read may say anything.
fn is_coherent(apps: &AppTable, app: AppId) -> bool {
    let own = [apps.policy[app], apps.without_pe[app]];
    own.into_iter().flatten().all(|id| {
        let policy = &apps.policies[id];
        let map = policy.map;
        let objects = map.object_kind().is_some();
        let file = apps.listing[app].is_some() || map == MapBy::Seq;
        let ranked = match policy.rank {
            RankBy::Fill | RankBy::Span => objects,
            RankBy::Slot | RankBy::Node | RankBy::Listed => true,
        };
        ranked
            && (!map.is_listed() || file)
            && (map == MapBy::PeList) == policy.list.is_some()
            && (map != MapBy::Dist || apps.device[app].is_some())
            && (policy.span == Span::No || spans(map))
    })
}

/// Whether a map may go round the objects of all nodes.
const fn spans(map: MapBy) -> bool {
    matches!(map, MapBy::Object(_) | MapBy::Dist | MapBy::Device(_))
}

/// The nodes as the plan found them.
fn pool(plan: &Plan, world: &World, resolved: &Resolved) -> Pool {
    let mut pool = Pool::of(world);
    let whole = Arc::new(Named::whole(world.names.len()));
    for app in resolved.apps.ids() {
        let key = (resolved.hosts.list[app], [].as_slice().into());
        let named = match &plan.app(app).claimed().0 {
            Claim::Of(named, lowered) => {
                if !lowered.is_empty() {
                    pool.nodes.told_slots.insert(app, lowered.clone());
                }
                named
            }
            Claim::Untold | Claim::Elsewhere => &whole,
        };
        pool.nodes.named.insert(key, Arc::clone(named));
    }
    pool
}

/// The apps, each with a host list of its own: what it names is known.
fn resolved(plan: &Plan) -> Resolved {
    let mut apps = plan.resolved_apps().clone();
    let mut hosts = Hosts::default();
    let mut lowered_before = false;
    for app in plan.resolved_apps().ids() {
        let list = hosts.lists.push(Vec::new());
        hosts.list.push(Some(list));
        let claimed = &plan.app(app).claimed().0;
        // An app is counted before any is placed, and the plan tells its nodes and slots at its turn. They may be others if it counts
        // by nodes without processes, or if the hostfile of an app before it lowered slots: then the plan's number is taken.
        if let Claim::Of(named, lowered) = claimed {
            let slots_differ = lowered_before && apps.np[app].is_none();
            let counted = apps
                .policy(app)
                .is_some_and(|policy| !policy.map.counts_itself());
            if counted && (named.fixed == Fixed::AtItsTurn || slots_differ) {
                apps.np[app] = Some(plan.app(app).procs());
            }
            lowered_before |= !lowered.is_empty();
        }
        let Some(&policy) = apps.policy(app) else {
            continue;
        };
        // An order of ranks that was given afterwards moves no process.
        if policy.rank == RankBy::Listed && !policy.map.is_listed() {
            let rank = RankBy::Slot;
            let settled = apps.intern(Policy { rank, ..policy });
            apps.policy[app] = Some(settled);
        }
    }
    Resolved {
        apps,
        hosts,
        ..Resolved::default()
    }
}
