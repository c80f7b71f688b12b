//! The result of judging an event: its status, and what it changes.

use crate::effects::Why;
use crate::name::Name;
use crate::state::State;
use crate::status::Status;
use crate::tables::{AllocId, NodeId, NodeSet, NsId, Process, Request, Sessions, SpaceKind};
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
    /// Nodes leave a record and are remembered as lent.
    Lend(AllocId, NodeSet),
    /// Nodes that no record holds depart.
    Loose(NodeSet),
    /// A request is answered, and nothing else changes.
    Refuse(u64),
    /// A request is granted.
    Grant(Box<Granted<'a>>),
    Spawn(Spawn<'a>),
    Stop(NsId),
    Attach(&'a str, SpaceKind),
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
    /// Names of the list that are not in the DVM, in list order.
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

pub(super) type Verdict<'a> = Result<Change<'a>, Status>;

/// A request for the scheduler is in progress, all else is done.
pub(super) fn judged(verdict: Verdict<'_>) -> Judged<'_> {
    let change = match verdict {
        Ok(change) => change,
        Err(status) => return refused(status),
    };
    let status = if matches!(change, Change::Ask(_)) {
        Status::InProgress
    } else {
        Status::Success
    };
    Judged { status, change }
}

pub(super) fn refused<'a>(status: Status) -> Judged<'a> {
    Judged {
        status,
        change: Change::Nothing,
    }
}

/// Who sent the event: `namespace` or `namespace:rank`. With a malformed rank, it is nobody.
pub(super) fn requester(state: &State, from: &str) -> Result<Process, Status> {
    let (name, rank) = match from.split_once(':') {
        Some((name, digits)) => (name, rank(digits).ok_or(Status::NoPermissions)?),
        None => (from, 0),
    };
    let ns = state.spaces.find_live(name).ok_or(Status::NoPermissions)?;
    Ok(Process { ns, rank })
}

/// 1 to 10 decimal digits of a u32.
pub(super) fn rank(digits: &str) -> Option<u32> {
    let well_formed =
        (1..=10).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if well_formed {
        digits.parse().ok()
    } else {
        None
    }
}
