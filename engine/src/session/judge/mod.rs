//! An event against the present state: its status, and what it would change. Nothing is changed here.

mod alloc;
mod attrs;
mod grant;

use super::candidates::{Requester, pool, sessions};
use super::config::Feature;
use super::effects::Why;
use super::event::{Event, ToolRole, Value};
use super::name::Name;
use super::state::{Dvm, State};
use super::status::Status;
use super::tables::{AllocId, Kind, NodeId, NodeSet, NsId, Process, Request, Sessions};
use std::sync::Arc;

/// The outcome of an event, before it is applied: the status is decided, the change is ready.
///
/// It holds rows of the state it was judged on and must be applied to that state.
#[derive(Debug)]
pub struct Judged<'a> {
    pub(crate) status: Status,
    pub(crate) change: Change<'a>,
}

impl Judged<'_> {
    /// What the requester is told.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }
}

/// What an event changes, in ids.
#[derive(Debug)]
pub(crate) enum Change<'a> {
    Nothing,
    /// A request goes to the scheduler.
    Ask(Box<Request>),
    /// Requests are withdrawn.
    Withdraw(Vec<u64>),
    /// A record ends, released.
    End(AllocId, Why),
    /// Nodes leave a record.
    Part(AllocId, NodeSet),
    /// Nodes leave a record and are remembered.
    Lend(AllocId, NodeSet),
    /// Nodes that no record holds depart.
    Loose(NodeSet),
    /// A request is answered, and that is all.
    Refuse(u64),
    /// A request is granted.
    Grant(Box<Granted<'a>>),
    Spawn(Spawn<'a>),
    Stop(NsId),
    Attach(&'a str, Kind),
    Down(NodeId),
    Up(NodeId),
    Notify(AllocId, Process, u32),
    Teardown,
}

/// A grant that holds.
#[derive(Debug)]
pub(crate) struct Granted<'a> {
    pub(crate) req: u64,
    /// Nodes of the list that are in the DVM.
    pub(crate) known: NodeSet,
    /// Those that are not, in list order.
    pub(crate) fresh: Vec<&'a str>,
    pub(crate) record: GrantedTo,
}

/// Which record gets the nodes.
#[derive(Debug)]
pub(crate) enum GrantedTo {
    New { id: Name, session: u32 },
    Old(AllocId),
}

/// A spawn that holds.
#[derive(Debug)]
pub(crate) struct Spawn<'a> {
    pub(crate) parent: NsId,
    pub(crate) job: &'a str,
    pub(crate) sessions: Sessions,
    pub(crate) candidates: Arc<NodeSet>,
    pub(crate) uses: Arc<NodeSet>,
}

type Verdict<'a> = Result<Change<'a>, Status>;

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
        } => return alloc::judge(state, from, directive, attrs),
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
        Event::JobEnd { ns } => stop(state, ns, Kind::is_job),
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
    match verdict {
        Ok(change) => Judged {
            status: Status::Success,
            change,
        },
        Err(status) => refused(status),
    }
}

fn refused<'a>(status: Status) -> Judged<'a> {
    Judged {
        status,
        change: Change::Nothing,
    }
}

/// Who speaks: `namespace` or `namespace:rank`. A malformed rank makes it nobody.
fn requester(state: &State, from: &str) -> Result<Process, Status> {
    let (name, rank) = match from.split_once(':') {
        Some((name, digits)) => (name, rank(digits).ok_or(Status::NoPermissions)?),
        None => (from, 0),
    };
    let ns = state.spaces.find_live(name).ok_or(Status::NoPermissions)?;
    Ok(Process { ns, rank })
}

/// 1 to 10 decimal digits of a u32.
fn rank(digits: &str) -> Option<u32> {
    let well_formed =
        (1..=10).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if well_formed {
        digits.parse().ok()
    } else {
        None
    }
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
    target: &Value<'a>,
    hosts: &Value<'a>,
) -> Verdict<'a> {
    let parent = requester(state, from)?.ns;
    if !state.is_namespace_name(job) {
        return Err(Status::BadParam);
    }
    let hosts: Option<&[&str]> = match hosts {
        Value::Absent => None,
        Value::Texts(list) if !list.is_empty() => Some(list),
        Value::Texts(_) | Value::Text(_) | Value::Bool(_) | Value::Int(_) | Value::Other(_) => {
            return Err(Status::BadParam);
        }
    };
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

fn stop<'a>(state: &State, name: &str, is_meant: impl Fn(Kind) -> bool) -> Verdict<'a> {
    let ns = state.spaces.find_live(name).ok_or(Status::NotFound)?;
    if state.spaces.row[ns].kind.is_some_and(is_meant) {
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
        ToolRole::Tool => Kind::Tool,
        ToolRole::Scheduler => Kind::Scheduler,
    };
    if state.spaces.find(name).is_some() || (kind == Kind::Scheduler && state.scheduler.is_some()) {
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
