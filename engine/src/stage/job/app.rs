//! One app, from its nodes to its place in the plan.

use super::count::{self, Procs};
use super::full;
use crate::count::ProcCount;
use crate::error::words::Counted;
use crate::error::{MapError, Note, PlaceError};
use crate::id::Id as _;
use crate::plan::Placed;
use crate::policy::{MapBy, ObjKind, PprObject};
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::hostfile::lowered;
use crate::stage::alloc::requested;
use crate::stage::alloc::select;
use crate::stage::component::{ComponentPattern, Count, Functions};
use crate::stage::job::site::Site;
use crate::stage::node::units::narrow;
use crate::stage::place;
use crate::stage::place::custom::{self, Custom};
use crate::stage::place::entries;
use crate::stage::place::listed::Asked;
use crate::stage::place::listed_app::{self, Listed};
use crate::stage::place::outcome;
use crate::stage::place::placement::{Placement, Reuse};
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Numbering, Policy, PolicyId};
use crate::table::listings::Listing;

/// An app about to be placed.
#[derive(Clone, Copy)]
pub(crate) struct AppJob<'r> {
    pub(crate) resolved: &'r Resolved,
    pub(crate) app: AppId,
    /// The policy, its binding settled.
    pub(crate) policy: &'r Policy,
    pub(crate) id: PolicyId,
    pub(crate) procs: Procs,
    pub(crate) reuse: Reuse,
    /// Processes of the apps before this one.
    pub(crate) base: u32,
    /// Entries of the affinity file that earlier apps took.
    pub(crate) lines: u32,
    /// How the component that takes the app places.
    pub(crate) functions: &'r Functions,
    /// Its name.
    pub(crate) component: &'r str,
}

/// Places one app; the site is changed only when it succeeds as a whole.
///
/// # Errors
/// The first thing that cannot be honoured.
pub(crate) fn place_app(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    if let Functions::Own { count, pattern } = job_of_app.functions {
        return by_component(site, job_of_app, *count, *pattern, notes);
    }
    let map = job_of_app.policy.map;
    if map == MapBy::Rankfile {
        rankfile(site, job_of_app, notes)
    } else if map.is_listed() {
        sequence(site, job_of_app, notes)
    } else {
        on_groups(site, job_of_app, notes)
    }
}

/// How much of each node an app may take, with what its claims change about slots kept for the rest of the job.
///
/// # Errors
/// As [`requested::recall`] and [`select::candidates`].
fn candidates(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    notes: &mut Vec<Note>,
) -> Result<Vec<Candidate>, MapError> {
    let (hosts, app) = (&job_of_app.resolved.hosts, job_of_app.app);
    let named = requested::recall(&mut site.pool, hosts, app)?;
    let mut candidates =
        select::candidates(&mut site.pool, hosts, app, job_of_app.policy, &named, notes)?;
    candidates.keep(&mut site.pool);
    requested::keep(&mut site.pool, hosts, app, named);
    Ok(candidates.candidates)
}

fn on_groups(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let AppJob {
        resolved,
        app,
        policy,
        ..
    } = job_of_app;
    let candidates = candidates(site, job_of_app, notes)?;
    let (procs, counted) = match (job_of_app.procs, policy.map) {
        (Procs::Given(procs), _) => (procs, Counted::Given),
        (Procs::Counted(procs) | Procs::ByPe { with: procs, .. }, _) => (procs, Counted::Counted),
        (Procs::Hole | Procs::AtItsTurn, MapBy::Ppr { per, on }) => {
            let count = place::ppr::count(&site.pool.tables, &candidates, per, on);
            if count == 0
                && let (PprObject::Kind(ObjKind::Gpu), Some(candidate)) = (on, candidates.first())
            {
                let (app, node) = (
                    narrow(app.row()),
                    site.pool.nodes.name(candidate.nodes.first),
                );
                return Err(PlaceError::DeviceNotFound { app, node }.into());
            }
            if count == 0 {
                return Err(count::none(site, app));
            }
            count::too_large(count + u64::from(job_of_app.base))?;
            (
                ProcCount(u32::try_from(count).expect("checked just now")),
                Counted::Counted,
            )
        }
        (Procs::Hole | Procs::AtItsTurn, _) => {
            unreachable!("only ppr and lsf are counted at their job_of_app")
        }
    };
    let (apps, id) = (&resolved.apps, Some(job_of_app.id));
    let mut placement = Placement::new(site.on(), apps, app, *policy, id, &candidates);
    placement.reuse = job_of_app.reuse;
    if let Err(error) = place::place(&mut placement, procs, counted) {
        let asking = full::Asking {
            hosts: &job_of_app.resolved.hosts,
            app: job_of_app.app,
        };
        return Err(full::named(error, site, asking, &candidates));
    }
    super::notes::of_app(&placement, notes);
    let outcome = outcome::groups(placement, job_of_app.id);
    site.pool.scratch.candidates = candidates;
    Ok(site.commit(outcome))
}

/// Places an app by the functions of a launcher's component.
fn by_component(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    count: Count,
    pattern: ComponentPattern,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let candidates = candidates(site, job_of_app, notes)?;
    let (apps, app) = (&job_of_app.resolved.apps, job_of_app.app);
    let policy = custom::laid(job_of_app.policy, pattern);
    let mut placement = Placement::new(site.on(), apps, app, policy, None, &candidates);
    let procs = match job_of_app.procs {
        Procs::Given(procs) | Procs::Counted(procs) | Procs::ByPe { with: procs, .. } => {
            Some(procs)
        }
        Procs::Hole | Procs::AtItsTurn => None,
    };
    let custom = Custom {
        component: job_of_app.component,
        policy: job_of_app.policy,
        procs,
        count,
        pattern,
    };
    custom::place(&mut placement, custom)?;
    super::notes::of_app(&placement, notes);
    let outcome = outcome::groups(placement, job_of_app.id);
    site.pool.scratch.candidates = candidates;
    Ok(site.commit(outcome))
}

fn listing(job_of_app: AppJob<'_>) -> Option<&Listing> {
    job_of_app.resolved.apps.listing[job_of_app.app]
        .map(|(id, _)| &job_of_app.resolved.apps.listings[id])
}

fn listed<'r>(job_of_app: AppJob<'r>, procs: u32, first: u32) -> Listed<'r> {
    let asked = if matches!(job_of_app.procs, Procs::Given(_)) {
        Asked::Given
    } else {
        Asked::Absent
    };
    let AppJob {
        resolved,
        app,
        policy,
        id,
        ..
    } = job_of_app;
    Listed {
        apps: &resolved.apps,
        app,
        policy,
        id,
        listing: listing(job_of_app),
        asked,
        procs,
        first,
    }
}

fn sequence(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let numbering = count::numbering(job_of_app.resolved, job_of_app.app);
    // Lines of LSF's file count over the apps that it takes, the nodes of a task map over all ranks of the job.
    let before = if job_of_app.policy.map == MapBy::Lsf {
        job_of_app.lines
    } else {
        job_of_app.base
    };
    let first = entries::first_entry(numbering, before);
    let steps = entries::sequence(
        &site.pool,
        job_of_app.resolved,
        job_of_app.app,
        job_of_app.policy,
        first,
    )?;
    let there = entries::entry_count(&steps);
    let procs = match job_of_app.procs {
        Procs::Given(procs) | Procs::Counted(procs) | Procs::ByPe { with: procs, .. } => procs.0,
        Procs::Hole | Procs::AtItsTurn => u32::try_from(there).unwrap_or(u32::MAX),
    };
    let app = u32::try_from(job_of_app.app.row()).expect("limit.rs keeps apps below 2^32");
    let path = listing(job_of_app).map_or_else(
        || "the list of the app's hosts".to_owned(),
        |listing| listing.path.clone(),
    );
    if there < u64::from(procs) || there == 0 {
        return Err(PlaceError::SeqTooFew {
            app,
            asked: procs,
            entries: there,
            path,
        }
        .into());
    }
    let is_last = job_of_app.app.row() + 1 == job_of_app.resolved.apps.len();
    let goes_on = job_of_app.policy.map == MapBy::Seq && numbering == Numbering::Job;
    let ends_here = is_last || !goes_on;
    if there > u64::from(procs) && ends_here {
        notes.push(Note::UnusedEntries {
            app,
            path,
            procs,
            entries: there,
        });
    }
    let steps = entries::first_steps(&steps, procs)?;
    listed_app::place(&mut site.on(), listed(job_of_app, procs, first), &steps)
        .map(|outcome| site.commit(outcome))
}

fn rankfile(
    site: &mut Site,
    job_of_app: AppJob<'_>,
    notes: &mut Vec<Note>,
) -> Result<Placed, MapError> {
    let list = entries::allowed(
        &site.pool,
        job_of_app.resolved,
        job_of_app.app,
        job_of_app.policy,
        notes,
    )?;
    let mut lowered = lowered(&mut site.pool, &job_of_app.resolved.hosts, job_of_app.app)?;
    site.pool.claim(&mut lowered, &mut []);
    let file = listing(job_of_app).expect("resolve refuses a rankfile map without a file");
    let first = entries::first_entry(
        count::numbering(job_of_app.resolved, job_of_app.app),
        job_of_app.base,
    );
    let procs = match job_of_app.procs {
        Procs::Given(procs) | Procs::Counted(procs) | Procs::ByPe { with: procs, .. } => procs.0,
        Procs::Hole | Procs::AtItsTurn => 0,
    };
    let there: u64 = file
        .entries
        .iter()
        .map(|entry| u64::from(entry.count))
        .sum();
    if there > u64::from(first) + u64::from(procs)
        && job_of_app.app.row() + 1 == job_of_app.resolved.apps.len()
    {
        let app = u32::try_from(job_of_app.app.row()).expect("limit.rs keeps apps below 2^32");
        notes.push(Note::UnusedEntries {
            app,
            path: file.path.clone(),
            procs,
            entries: there,
        });
    }
    let steps = entries::ranks(&site.pool, file, &list, first, procs);
    listed_app::place(&mut site.on(), listed(job_of_app, procs, first), &steps)
        .map(|outcome| site.commit(outcome))
}
