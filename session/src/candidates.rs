//! Which nodes a job may be mapped on: the one function behind every mapper.

use super::config::Feature;
use super::event::EventValue;
use super::name::Name;
use super::state::State;
use super::status::Status;
use super::tables::{AllocTable, NodeSet, NsId, Session, Sessions};
use std::sync::Arc;

/// On whose behalf a job is started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpawnedBy<'a> {
    /// The scheduler, who may target any session, whether one is attached or not.
    Scheduler,
    /// A namespace, by name.
    Namespace(&'a str),
}

/// The nodes a job may use, and the sessions they come from.
#[derive(Clone, Debug)]
pub struct SessionCandidates {
    /// The nodes of all its sessions that are up. The order for mapping is that of the ids.
    pub nodes: Arc<NodeSet>,
    /// The sessions in the order of first mention: allocation ids, `""` for the default session.
    pub sessions: Vec<Name>,
}

impl SessionCandidates {
    /// The names in the order for mapping. Cost: one step per node.
    pub fn names<'a>(&'a self, state: &'a State) -> impl Iterator<Item = &'a str> + 'a {
        self.nodes
            .iter()
            .map(|node| state.nodes.name(node).as_str())
    }
    /// Whether a node of this name is among them. Cost: one look-up.
    #[must_use]
    pub fn has(&self, state: &State, name: &str) -> bool {
        state
            .nodes
            .find(name)
            .is_some_and(|node| self.nodes.contains(node))
    }
}

/// Why no candidates are given.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The DVM has ended.
    #[error("the DVM of this state has ended: it has no sessions")]
    Ended,
    /// The namespace is not live.
    #[error("no live namespace is called {name:?}")]
    NoSuchNamespace {
        /// As given.
        name: Name,
    },
    /// A target names no live session.
    #[error("no live session is called {target:?}; sessions there are: {}", listed(.sessions))]
    NoSuchSession {
        /// As given.
        target: Name,
        /// The sessions there are, `""` for the default session, at most [`LISTED_MAX`] of them.
        sessions: Vec<Name>,
    },
    /// The namespace does not own the session.
    #[error("session {target:?} is not among those the job may use: {}", listed(.sessions))]
    NotOwned {
        /// As given.
        target: Name,
        /// The sessions it may use, `""` for the default session, at most [`LISTED_MAX`] of them.
        sessions: Vec<Name>,
    },
    /// More targets than a list may have.
    #[error("{asked} targets, a list has at most {max}")]
    TooManyTargets {
        /// Entries given.
        asked: usize,
        /// Entries allowed.
        max: u64,
    },
}

/// How many sessions a refusal names at most.
pub const LISTED_MAX: usize = 32;

fn listed(sessions: &[Name]) -> String {
    let words: Vec<String> = sessions
        .iter()
        .map(|name| format!("{:?}", name.as_str()))
        .collect();
    words.join(", ")
}

impl Refusal {
    /// The error class (`errors.md`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Ended | Self::NoSuchNamespace { .. } | Self::NoSuchSession { .. } => {
                "no-such-session"
            }
            Self::NotOwned { .. } => "not-in-session",
            Self::TooManyTargets { .. } => "bad-value",
        }
    }
}

/// Whose permissions count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Requester {
    Scheduler,
    Namespace(NsId),
}

/// A target list that is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BadTarget<'a> {
    pub(crate) status: Status,
    /// The entry that failed, if one did.
    pub(crate) entry: Option<&'a str>,
}

/// The sessions of a spawn, judged entry by entry. Source: reservations "Clauses".
pub(crate) fn sessions<'a>(
    state: &State,
    requester: Requester,
    target: &EventValue<'a>,
) -> Result<Sessions, BadTarget<'a>> {
    let malformed = BadTarget {
        status: Status::BadParam,
        entry: None,
    };
    let one;
    let entries: &[&str] = match target {
        _ if !state.has(Feature::SpawnTarget) => return Ok(unsaid(state, requester)),
        EventValue::Absent => return Ok(unsaid(state, requester)),
        EventValue::Text(text) => {
            one = [*text];
            &one
        }
        EventValue::Texts(list) => list,
        EventValue::Bool(_) | EventValue::Int(_) | EventValue::Other(_) => return Err(malformed),
    };
    if entries.is_empty() || entries.len() as u64 > state.config.limits.max_targets {
        return Err(malformed);
    }
    let mut found = Sessions::new();
    let mut seen = std::collections::BTreeSet::new();
    for &entry in entries {
        let session = session(state, requester, entry).map_err(|status| BadTarget {
            status,
            entry: Some(entry),
        })?;
        if entries.len() == 1 || seen.insert(session) {
            found.push(session);
        }
    }
    Ok(found)
}

/// One entry of a target list.
fn session(state: &State, requester: Requester, entry: &str) -> Result<Session, Status> {
    if entry.is_empty() {
        return Ok(Session::Default);
    }
    let alloc = state.allocs.find(entry).ok_or(Status::NotFound)?;
    if state.allocs.row[alloc].shared {
        return Ok(Session::Default);
    }
    let entitled = match requester {
        Requester::Scheduler => true,
        Requester::Namespace(ns) => state.may_act(alloc, ns),
    };
    if entitled {
        Ok(Session::Reserved(alloc))
    } else {
        Err(Status::NoPermissions)
    }
}

/// The session of a spawn that names no target (A-19).
fn unsaid(state: &State, requester: Requester) -> Sessions {
    let first = match requester {
        Requester::Namespace(ns) if state.spaces.is_job(ns) => {
            state.spaces.row[ns].sessions.first().copied()
        }
        Requester::Namespace(_) | Requester::Scheduler => None,
    };
    std::iter::once(first.unwrap_or(Session::Default)).collect()
}

/// The nodes of these sessions that are up: the candidates. Source: reservations "Invariants".
///
/// Cost: nothing for the default session alone, whose set is kept and shared, and nothing for a large reservation that a job
/// took before, if it did not change since. Else one union.
pub(crate) fn pool(state: &State, sessions: &[Session]) -> Arc<NodeSet> {
    match sessions {
        [Session::Default] => return Arc::clone(state.nodes.pool_up()),
        [Session::Reserved(alloc)] => {
            if let Some((kept, _)) = &state.allocs.row[*alloc].kept {
                return Arc::clone(kept);
            }
        }
        _ => {}
    }
    let mut union = NodeSet::new();
    for session in sessions {
        match *session {
            Session::Default => union.add_all(state.nodes.pool_up()),
            Session::Reserved(alloc) => {
                union.add_all(&state.allocs.row[alloc].nodes.and(state.nodes.up()))
            }
        }
    }
    Arc::new(union)
}

/// The candidates of a job that is started in these sessions on behalf of `by`. Empty `targets`: the spawn names no target.
///
/// # Errors
/// [`Refusal`]: the first failing entry in list order decides; nothing is narrowed to what is permitted.
///
/// Cost: one look-up per target and one union. Source: reservations "Clauses" and "Invariants".
/// ```
/// use stowplan_session::{SpawnedBy, Config, Initial, State, candidates};
/// let initial = Initial { nodes: vec!["n0".into(), "n1".into()], ..Initial::default() };
/// let state = State::new(Config::default(), &initial).unwrap();
/// let found = candidates(&state, SpawnedBy::Scheduler, &[]).unwrap();
/// assert_eq!(found.names(&state).collect::<Vec<_>>(), ["n0", "n1"]);
/// assert_eq!(candidates(&state, SpawnedBy::Scheduler, &["a1"]).unwrap_err().class(), "no-such-session");
/// ```
pub fn candidates(
    state: &State,
    by: SpawnedBy<'_>,
    targets: &[&str],
) -> Result<SessionCandidates, Refusal> {
    if state.dvm == super::state::Dvm::Down {
        return Err(Refusal::Ended);
    }
    let requester = match by {
        SpawnedBy::Scheduler => Requester::Scheduler,
        SpawnedBy::Namespace(name) => {
            let ns = state.spaces.find_live(name);
            Requester::Namespace(ns.ok_or_else(|| Refusal::NoSuchNamespace {
                name: Name::new(name),
            })?)
        }
    };
    let target = if targets.is_empty() {
        EventValue::Absent
    } else {
        EventValue::Texts(targets.to_vec())
    };
    let found = sessions(state, requester, &target)
        .map_err(|bad| refusal(state, requester, &bad, targets.len()))?;
    Ok(SessionCandidates {
        nodes: pool(state, &found),
        sessions: names(&state.allocs, &found).collect(),
    })
}

/// The names of sessions, `""` for the default one.
pub(crate) fn names<'a>(
    allocs: &'a AllocTable,
    sessions: &'a [Session],
) -> impl Iterator<Item = Name> + 'a {
    sessions.iter().map(|session| match *session {
        Session::Default => Name::default(),
        Session::Reserved(alloc) => allocs.row[alloc].id.clone(),
    })
}

fn refusal(state: &State, requester: Requester, bad: &BadTarget<'_>, asked: usize) -> Refusal {
    let Some(entry) = bad.entry else {
        return Refusal::TooManyTargets {
            asked,
            max: state.config.limits.max_targets,
        };
    };
    let target = Name::new(entry);
    if bad.status == Status::NoPermissions {
        Refusal::NotOwned {
            target,
            sessions: usable(state, requester),
        }
    } else {
        Refusal::NoSuchSession {
            target,
            sessions: usable(state, Requester::Scheduler),
        }
    }
}

/// The sessions that a requester may target, the default one first, then by id; the first [`LISTED_MAX`] of them.
fn usable(state: &State, requester: Requester) -> Vec<Name> {
    let may = |&alloc: &_| match requester {
        Requester::Scheduler => true,
        Requester::Namespace(ns) => state.may_act(alloc, ns),
    };
    let reserved = state
        .allocs
        .rows()
        .filter(|&alloc| !state.allocs.row[alloc].shared)
        .filter(may);
    let mut ids: Vec<Name> = reserved
        .map(|alloc| state.allocs.row[alloc].id.clone())
        .collect();
    ids.sort();
    std::iter::once(Name::default())
        .chain(ids)
        .take(LISTED_MAX)
        .collect()
}
