//! Why an event was refused, in words. Source: reservations "Clauses".

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "an event has few of the statuses, the last function names all"
)]

use stowplan_session::{Effects, Event, Status};

/// The reason of a refusal; `None` if nothing is refused.
pub fn reason(event: &Event<'_>, status: Status, effects: &Effects) -> Option<String> {
    if !status.is_error() {
        return None;
    }
    if status == Status::NotAvailable {
        return Some("the DVM has ended".to_owned());
    }
    let known = match event {
        Event::Alloc { from, .. } => of_alloc(from, status),
        Event::Grant { req, .. } => of_grant(*req, status),
        Event::Deny { req, .. } if effects.answered.is_some() => {
            Some(format!("the scheduler denies request {req}"))
        }
        Event::Deny { req, .. } => match status {
            Status::NotFound => Some(format!("no request {req} is pending")),
            _ => Some(
                "\"status\" is no error of PMIx that sessions know; the request stays".to_owned(),
            ),
        },
        Event::Spawn { from, job, .. } => of_spawn(from, job, status),
        Event::JobEnd { ns } => Some(format!("no live job is called {ns}")),
        Event::ToolAttach { ns, .. } => match status {
            Status::BadParam => Some(format!(
                "{ns:?} is no name: 1 to max_name bytes without a colon"
            )),
            Status::Exists => Some(format!(
                "a namespace {ns} is or was there, or there is a scheduler already"
            )),
            _ => Some("max_namespaces is reached".to_owned()),
        },
        Event::ToolDetach { ns } => Some(format!("no live tool is called {ns}")),
        Event::NodeDown { node } | Event::NodeUp { node } => {
            Some(format!("no node is called {node}"))
        }
        Event::Warn { alloc_id, .. } => match status {
            Status::NotSupported => Some("PMIX_ALLOC_WARN_TIMEOUT is not available".to_owned()),
            Status::Unreach => Some("the process that would be warned is gone".to_owned()),
            _ => Some(format!("no allocation is called {alloc_id}")),
        },
        Event::Reclaim { alloc_id, .. } => Some(format!("no allocation is called {alloc_id}")),
        Event::DvmEnd => None,
    };
    known.or_else(|| Some(by_status(status).to_owned()))
}

fn of_alloc(from: &str, status: Status) -> Option<String> {
    let text = match status {
        Status::NoPermissions => {
            return Some(format!(
                "{from} is no live process, or the allocation is not its own, or it names a target as a job"
            ));
        }
        Status::NotSupported => "the directive, or the value of an attribute, is not supported",
        Status::BadParam => {
            "an attribute is missing, has another type, or is not allowed with this directive"
        }
        Status::NotFound => "the allocation, request, node or target that it names is not there",
        Status::Exists => {
            "this namespace has a request or an allocation with this PMIX_ALLOC_REQ_ID"
        }
        Status::OutOfResource => "max_allocations or max_pending is reached",
        Status::ResourceBusy => "a node that is to be released is held by an allocation",
        _ => return None,
    };
    Some(text.to_owned())
}

fn of_grant(req: u64, status: Status) -> Option<String> {
    let text = match status {
        Status::NotFound => {
            return Some(format!(
                "no request {req} is pending, or what it was made for has ended"
            ));
        }
        Status::BadParam => {
            "\"nodes\" or \"alloc_id\" is malformed, empty, or not what the request is about"
        }
        Status::ResourceBusy => "a node is held by another allocation, or is there already",
        Status::Exists => "a live allocation has this \"alloc_id\"",
        Status::OutOfResource => {
            "max_nodes, max_allocations or the numbers of sessions are used up"
        }
        Status::NoPermissions => "the requester owns the allocation no more",
        _ => return None,
    };
    Some(text.to_owned())
}

fn of_spawn(from: &str, job: &str, status: Status) -> Option<String> {
    Some(match status {
        Status::NoPermissions => {
            format!("{from} is no live process, or may not use a session that it targets")
        }
        Status::BadParam => "\"job\", \"hosts\" or \"target\" is malformed".to_owned(),
        Status::Exists => format!("a namespace {job} is or was there"),
        Status::NotFound => "a target is no live session".to_owned(),
        Status::NotSupported => "PMIX_SPAWN_TARGET is not available".to_owned(),
        Status::OutOfResource => "max_namespaces or max_targets is reached".to_owned(),
        Status::FailedToMap => {
            "no node of its sessions may be used, or one of \"hosts\" is not among them".to_owned()
        }
        _ => return None,
    })
}

const fn by_status(status: Status) -> &'static str {
    match status {
        Status::Success | Status::InProgress => "it is not refused",
        Status::Exists => "the name or id is in use",
        Status::NoPermissions => "the requester may not",
        Status::Unreach => "the one to be told is gone",
        Status::BadParam => "the request is malformed",
        Status::ResourceBusy => "a node is held by another allocation, or is there already",
        Status::OutOfResource => "a limit is reached",
        Status::NotFound => "there is no such thing",
        Status::NotSupported => "the directive, attribute or value is not supported",
        Status::NotAvailable => "the DVM has ended",
        Status::FailedToMap => "no node may be used, or a host is not among them",
    }
}
