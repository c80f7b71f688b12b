//! How many processes each app has, and what that settles. Source: `semantics` 3.4, 3.6.

use super::site::Site;
use crate::count::ProcCount;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::limit::RANKS_MAX;
use crate::policy::{CpuMode, MapBy};
use crate::stage::alloc::claim::Candidate;
use crate::stage::alloc::requested;
use crate::stage::alloc::select;
use crate::stage::place::{entries, pe_list};
use crate::stage::resolve::Resolved;
use crate::table::apps::{AppId, Numbering, Policy};

/// Processes of an app, as far as they are known before anything is placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Procs {
    /// A hole.
    Hole,
    /// Given by `-n`.
    Given(ProcCount),
    /// Counted.
    Counted(ProcCount),
    /// Counted with the job's PE, and by slots where the app turns out not to use it.
    ByPe { with: ProcCount, without: ProcCount },
    /// ppr counts at the app's turn, over its nodes that are not full; lsf, what the earlier apps left.
    AtItsTurn,
}

impl Procs {
    /// Those of an app that does without the job's PE.
    pub(crate) const fn without_pe(self) -> Self {
        match self {
            Self::ByPe { without, .. } => Self::Counted(without),
            Self::Hole | Self::Given(_) | Self::Counted(_) | Self::AtItsTurn => self,
        }
    }
}

/// Counts the apps without `-n` on the empty pool. `counts`: shape `[apps]` then.
///
/// # Errors
/// What an app's hosts get wrong, `no-processes`, `job-too-large`.
pub(crate) fn count(
    site: &mut Site,
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
            (Some(policy), None) => counted(site, resolved, app, policy)?,
        };
        sum += match procs {
            Procs::Given(procs) | Procs::Counted(procs) | Procs::ByPe { with: procs, .. } => {
                u64::from(procs.0)
            }
            Procs::Hole | Procs::AtItsTurn => 0,
        };
        counts.push(procs);
    }
    too_large(sum)
}

/// # Errors
/// `job-too-large` when ranks cannot count the processes.
pub(crate) fn too_large(asked: u64) -> Result<(), MapError> {
    let limit = u64::from(RANKS_MAX);
    if asked > limit {
        Err(PlaceError::JobTooLarge {
            what: "processes",
            asked,
            limit,
        }
        .into())
    } else {
        Ok(())
    }
}

fn counted(
    site: &mut Site,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Procs, MapError> {
    let apps = &resolved.apps;
    let map = policy.map;
    // A task map of the job has what the earlier apps left.
    let left_over = map == MapBy::Seq && numbering(resolved, app) == Numbering::Job;
    if matches!(map, MapBy::Ppr { .. } | MapBy::Lsf) || left_over {
        return Ok(Procs::AtItsTurn);
    }
    let count = if map == MapBy::Seq {
        match entries::sequence(&site.pool, resolved, app, policy, 0) {
            // That there is no entry, or that NOLOCAL leaves none, is said at the app's turn.
            Err(MapError::Place(PlaceError::BadSeqfile { .. } | PlaceError::NoNodes { .. })) => {
                return Ok(Procs::AtItsTurn);
            }
            steps => entries::entry_count(&steps?),
        }
    } else if map == MapBy::Rankfile {
        let listing = apps.listing[app].map(|(id, _)| &apps.listings[id]);
        let entries = listing.into_iter().flat_map(|listing| &listing.entries);
        entries.map(|entry| u64::from(entry.count)).sum()
    } else if map == MapBy::PeList {
        // What its hosts get wrong is said before anything is placed.
        slots(site, resolved, app, policy)?;
        pe_list::count(apps, policy)
    } else {
        let candidates = slots(site, resolved, app, policy)?;
        let avail = candidates
            .iter()
            .map(|candidate| u64::from(candidate.avail) * u64::from(candidate.nodes.count));
        let slots: u64 = avail.sum();
        let by_cpus = |site: &mut Site| by_cpus(site, &candidates, apps.count_mode[app], policy.pe);
        if policy.pe <= 1 {
            slots
        } else {
            let with = slots.min(by_cpus(site)).max(1);
            if apps.without_pe[app].is_some() {
                let (with, without) = (narrow(with)?, narrow(slots)?);
                return Ok(Procs::ByPe { with, without });
            }
            with
        }
    };
    if count == 0 {
        return Err(none(site, app));
    }
    narrow(count).map(Procs::Counted)
}

/// A count that ranks can number.
fn narrow(count: u64) -> Result<ProcCount, MapError> {
    too_large(count)?;
    Ok(ProcCount(
        u32::try_from(count).expect("checked against RANKS_MAX"),
    ))
}

/// The policy gives no processes, though nodes are left.
pub(crate) fn none(site: &Site, app: AppId) -> MapError {
    let nodes = site.pool.nodes.names.len();
    let slots = site
        .pool
        .nodes
        .runs
        .iter()
        .map(|(nodes, state)| {
            u64::from(site.pool.tables.states.get(state).slots) * u64::from(nodes.count)
        })
        .sum();
    let app = u32::try_from(app.row()).expect("limit.rs keeps apps below 2^32");
    PlaceError::NoProcesses { app, nodes, slots }.into()
}

fn slots(
    site: &mut Site,
    resolved: &Resolved,
    app: AppId,
    policy: &Policy,
) -> Result<Vec<Candidate>, MapError> {
    let named = requested::recall(&mut site.pool, &resolved.hosts, app)?;
    // What the claims raise is for the app's own turn.
    let hosts = &resolved.hosts;
    let candidates =
        select::candidates(&mut site.pool, hosts, app, policy, &named, &mut Vec::new())?;
    requested::keep(&mut site.pool, hosts, app, named);
    Ok(candidates.candidates)
}

/// Processes that the cpus of the app's nodes take by PE: whole topologies, in the mode of the words (3.4).
fn by_cpus(site: &mut Site, candidates: &[Candidate], mode: CpuMode, pe: u16) -> u64 {
    let mut sum = 0;
    for candidate in candidates {
        let topology = site.pool.tables.topology_of(candidate.state);
        let units = u64::from(site.pool.tables.hardware(topology).units(mode).len());
        sum += units / u64::from(pe) * u64::from(candidate.nodes.count);
    }
    sum
}

/// The processes of a job by which its size is measured, as far as they are counted before it is placed: what the mapper
/// computes itself counts 0 (3.6).
pub(crate) fn total(resolved: &Resolved, counts: &[Procs]) -> u64 {
    let apps = &resolved.apps;
    let by_mapper = |app: AppId| {
        let map = apps.policy(app).map(|policy| policy.map);
        map.is_some_and(MapBy::counts_itself) && apps.np[app].is_none()
    };
    let procs = |(app, procs): (AppId, &Procs)| match procs {
        _ if by_mapper(app) => 0,
        Procs::Given(procs) | Procs::Counted(procs) | Procs::ByPe { with: procs, .. } => {
            u64::from(procs.0)
        }
        Procs::Hole | Procs::AtItsTurn => 0,
    };
    apps.ids().zip(counts).map(procs).sum()
}

/// Whether an app's entries go on where earlier apps ended.
pub(crate) fn numbering(resolved: &Resolved, app: AppId) -> Numbering {
    resolved.apps.listing[app].map_or(Numbering::App, |(_, numbering)| numbering)
}
