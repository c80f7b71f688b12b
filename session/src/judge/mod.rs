//! Judges an event on the present state: its status, and what it would change. Nothing is changed here.

mod alloc;
mod attrs;
mod change;
mod grant;

use super::candidates::{Requester, pool, sessions};
use super::config::Feature;
use super::effects::Why;
use super::event::{Event, EventValue, ToolRole};
use super::state::{Dvm, State};
use super::status::Status;
use super::tables::{NodeSet, SpaceKind};
pub use change::Judged;
pub(crate) use change::{Change, Granted, GrantedTo, Spawn};
use change::{Verdict, judged, refused, requester};
use std::sync::Arc;

/// Judges an event on a state. Pure: the same state and event give the same answer.
///
/// Cost: what the event names, plus bitmap operations on the nodes it touches; never the size of a table.
/// Source: reservations "Clauses".
#[must_use]
pub fn judge<'a>(state: &State, event: &Event<'a>) -> Judged<'a> {
    if state.dvm == Dvm::Down {
        return refused(Status::NotAvailable);
    }
    let verdict = match event {
        Event::Alloc {
            from,
            directive,
            attrs,
        } => alloc::judge(state, from, directive, attrs),
        Event::Grant {
            req,
            nodes,
            alloc_id,
        } => return grant::judge(state, *req, nodes, alloc_id),
        Event::Deny { req, status } => return deny(state, *req, status),
        Event::Spawn {
            from,
            job,
            target,
            hosts,
        } => spawn(state, from, job, target, hosts),
        Event::JobEnd { ns } => stop(state, ns, SpaceKind::is_job),
        Event::ToolDetach { ns } => stop(state, ns, |kind| !kind.is_job()),
        Event::ToolAttach { ns, role } => attach(state, ns, *role),
        Event::NodeDown { node } => state
            .nodes
            .find(node)
            .ok_or(Status::NotFound)
            .map(Change::Down),
        Event::NodeUp { node } => state
            .nodes
            .find(node)
            .ok_or(Status::NotFound)
            .map(Change::Up),
        Event::Warn {
            alloc_id,
            time_remaining,
        } => warn(state, alloc_id, *time_remaining),
        Event::Reclaim { alloc_id, .. } => state
            .allocs
            .find(alloc_id)
            .ok_or(Status::NotFound)
            .map(|alloc| Change::End(alloc, Why::Reclaim)),
        Event::DvmEnd => Ok(Change::Teardown),
    };
    judged(verdict)
}

fn deny<'a>(state: &State, req: u64, status: &str) -> Judged<'a> {
    if state.pending.get(req).is_none() {
        return refused(Status::NotFound);
    }
    match Status::error_named(status) {
        Some(status) => Judged {
            status,
            change: Change::Refuse(req),
        },
        None => refused(Status::BadParam),
    }
}

fn spawn<'a>(
    state: &State,
    from: &str,
    job: &'a str,
    target: &EventValue<'a>,
    hosts: &EventValue<'a>,
) -> Verdict<'a> {
    let parent = requester(state, from)?.ns;
    if !state.is_namespace_name(job) {
        return Err(Status::BadParam);
    }
    let hosts = attrs::given(hosts, |hosts| hosts.texts().filter(|list| !list.is_empty()))?;
    let sessions =
        sessions(state, Requester::Namespace(parent), target).map_err(|bad| bad.status)?;
    if state.spaces.find(job).is_some() {
        return Err(Status::Exists);
    }
    if state.spaces.len() >= state.config.limits.max_namespaces {
        return Err(Status::OutOfResource);
    }
    let candidates = pool(state, &sessions);
    if candidates.is_empty() {
        return Err(Status::FailedToMap);
    }
    let uses = match hosts {
        None => Arc::clone(&candidates),
        Some(names) => {
            let mut uses = NodeSet::new();
            for name in names {
                let node = state
                    .nodes
                    .find(name)
                    .filter(|&node| candidates.contains(node));
                uses.insert(node.ok_or(Status::FailedToMap)?);
            }
            Arc::new(uses)
        }
    };
    Ok(Change::Spawn(Spawn {
        parent,
        job,
        sessions,
        candidates,
        uses,
    }))
}

fn stop<'a>(state: &State, name: &str, is_meant: impl Fn(SpaceKind) -> bool) -> Verdict<'a> {
    let ns = state.spaces.find_live(name).ok_or(Status::NotFound)?;
    if is_meant(state.spaces.row[ns].kind) {
        Ok(Change::Stop(ns))
    } else {
        Err(Status::NotFound)
    }
}

fn attach<'a>(state: &State, name: &'a str, role: ToolRole) -> Verdict<'a> {
    if !state.is_namespace_name(name) {
        return Err(Status::BadParam);
    }
    let kind = match role {
        ToolRole::Tool => SpaceKind::Tool,
        ToolRole::Scheduler => SpaceKind::Scheduler,
    };
    if state.spaces.find(name).is_some()
        || (kind == SpaceKind::Scheduler && state.scheduler.is_some())
    {
        return Err(Status::Exists);
    }
    if state.spaces.len() >= state.config.limits.max_namespaces {
        return Err(Status::OutOfResource);
    }
    Ok(Change::Attach(name, kind))
}

fn warn<'a>(state: &State, alloc_id: &str, time_remaining: u32) -> Verdict<'a> {
    if !state.has(Feature::WarnTimeout) {
        return Err(Status::NotSupported);
    }
    let alloc = state.allocs.find(alloc_id).ok_or(Status::NotFound)?;
    let to = state.allocs.row[alloc].requestor.ok_or(Status::Unreach)?;
    Ok(Change::Notify(alloc, to, time_remaining))
}
