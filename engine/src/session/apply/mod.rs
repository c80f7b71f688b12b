//! A judged event into the tables. Every change of a [`State`] is made in this folder.

mod ending;
mod granting;

use super::candidates::names;
use super::effects::{Effects, Ended, How, Notify, Spawned, Why};
use super::event::Event;
use super::judge::{Change, Judged, Spawn, judge};
use super::state::{Dvm, State};
use super::status::Status;
use super::tables::{AllocId, NodeId, NsId};
use super::tables::{
    AllocTable, Kind, NodeTable, PendingTable, Process, Request, Session, SpaceTable, Tie, Ties,
    Users,
};
use crate::id::Id;
use ending::Work;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Applies an event that was judged on this very state, with no other applied in between.
///
/// A rejected event changes nothing; a grant or deny that is one takes its request away and changes nothing else.
///
/// Cost: the rows and nodes that change, and bitmap operations on them. Source: `reservations.md` 3 and 6.
pub fn apply(state: &mut State, judged: Judged<'_>) -> Effects {
    let mut effects = Effects::default();
    match judged.change {
        Change::Nothing => {}
        Change::Ask(request) => effects.request = Some(ask(state, *request)),
        Change::Withdraw(numbers) => {
            for &number in &numbers {
                forget(state, number);
            }
            effects.dropped = numbers;
        }
        Change::End(alloc, why) => {
            let mut work = Work::new(state, &mut effects);
            work.end(alloc, How::Released, why);
            work.settle();
        }
        Change::Part(alloc, nodes) => {
            let mut work = Work::new(state, &mut effects);
            work.part(alloc, &nodes);
            work.settle();
        }
        Change::Lend(alloc, nodes) => lend(state, &mut effects, alloc, &nodes),
        Change::Loose(nodes) => {
            let mut work = Work::new(state, &mut effects);
            work.depart(None, &nodes);
            work.settle();
        }
        Change::Refuse(number) => {
            forget(state, number);
            effects.answered = Some(number);
        }
        Change::Grant(granted) => granting::grant(state, &mut effects, *granted),
        Change::Spawn(spawn) => effects.spawned = Some(start(state, spawn)),
        Change::Stop(ns) => {
            let mut work = Work::new(state, &mut effects);
            work.stop(ns);
            work.settle();
        }
        Change::Attach(name, kind) => attach(state, name, kind),
        Change::Down(node) => {
            state.nodes.set_down(node);
            let mut work = Work::new(state, &mut effects);
            work.kill_users(None, &std::iter::once(node).collect());
            work.settle();
        }
        Change::Up(node) => state.nodes.set_up(node),
        Change::Notify(alloc, to, time_remaining) => {
            effects.notify = Some(notify(state, alloc, to, time_remaining))
        }
        Change::Teardown => teardown(state, &mut effects),
    }
    effects
}

/// Judges an event and applies it: the whole transition, for those who keep no journal.
///
/// ```
/// use stowplan_engine::session::{Config, Event, Initial, State, Status, Value, step};
/// let initial = Initial { nodes: vec!["n0".into()], tools: vec!["t".into()], ..Initial::default() };
/// let mut state = State::new(Config::default(), &initial).unwrap();
/// let spawn = Event::Spawn { from: "t", job: "j", target: Value::Absent, hosts: Value::Absent };
/// assert_eq!(step(&mut state, &spawn).0, Status::Success);
/// assert_eq!(step(&mut state, &spawn).0, Status::Exists);
/// ```
pub fn step(state: &mut State, event: &Event<'_>) -> (Status, Effects) {
    let judged = judge(state, event);
    (judged.status, apply(state, judged))
}

/// The number of a row in the table of ties.
pub(super) fn row(alloc: AllocId) -> u64 {
    alloc.row() as u64
}

/// The row behind a number in the table of ties.
pub(super) fn alloc_at(row: u64) -> AllocId {
    AllocId::from_row(usize::try_from(row).expect("a row fits an index"))
}

fn ask(state: &mut State, request: Request) -> u64 {
    let number = state.next_request;
    state.next_request += 1;
    state.tie(request.from.ns, Tie::Asked, number);
    if let Some(target) = request.target_ns {
        state.tie(target, Tie::Target, number);
    }
    state.pending.add(number, request);
    number
}

/// Takes a request out of the table.
pub(super) fn forget(state: &mut State, number: u64) -> Option<Request> {
    let request = state.pending.remove(number)?;
    state.untie(request.from.ns, Tie::Asked, number);
    if let Some(target) = request.target_ns {
        state.untie(target, Tie::Target, number);
    }
    Some(request)
}

fn lend(state: &mut State, effects: &mut Effects, alloc: AllocId, nodes: &super::tables::NodeSet) {
    let mut lent: Vec<_> = nodes
        .iter()
        .map(|node| state.nodes.name(node).clone())
        .collect();
    lent.sort_unstable();
    state.allocs.lent[alloc].extend(lent.iter().cloned());
    effects.lent = lent;
    let mut work = Work::new(state, effects);
    work.part(alloc, nodes);
    work.settle();
}

fn start(state: &mut State, spawn: Spawn<'_>) -> Spawned {
    let Spawn {
        parent,
        job,
        sessions,
        candidates,
        uses,
    } = spawn;
    let ns = state.spaces.add(job, Kind::Job, Some(parent));
    for session in &sessions {
        if let Session::Reserved(alloc) = *session {
            state.allocs.owners[alloc].insert(ns);
            state.allocs.roots[alloc].insert(ns);
            state.tie(ns, Tie::Root, row(alloc));
        }
    }
    state.spaces.seat[ns].run = state.users.add(ns, &uses);
    state.spaces.seat[ns].uses = Some(Arc::clone(&uses));
    let spawned = Spawned {
        sessions: names(state, &sessions),
        candidates,
        uses,
    };
    state.spaces.seat[ns].sessions = sessions;
    spawned
}

fn attach(state: &mut State, name: &str, kind: Kind) {
    let ns = state.spaces.add(name, kind, None);
    if kind == Kind::Scheduler {
        state.scheduler = Some(ns);
    }
}

fn notify(state: &State, alloc: AllocId, to: Process, time_remaining: u32) -> Notify {
    Notify {
        ns: state.spaces.name[to.ns].clone(),
        rank: to.rank,
        alloc_id: state.allocs.id[alloc].clone(),
        time_remaining,
        req_id: state.allocs.req_id[alloc].clone(),
    }
}

/// Everything ends at once; nothing cascades (A-28).
fn teardown(state: &mut State, effects: &mut Effects) {
    for alloc in state.allocs.live() {
        let alloc_id = state.allocs.id[alloc].clone();
        effects.ended.push(Ended {
            alloc_id,
            how: How::Released,
            why: Why::Teardown,
        });
    }
    let jobs = state
        .spaces
        .rows()
        .filter(|&ns| state.spaces.life[ns].live && state.spaces.is_job(ns));
    effects.killed = jobs.map(|ns: NsId| state.spaces.name[ns].clone()).collect();
    effects.departed = state
        .nodes
        .all()
        .iter()
        .map(|id: NodeId| (id, state.nodes.name(id).clone()))
        .collect();
    effects.dropped = state.pending.iter().map(|row| row.0).collect();
    state.dvm = Dvm::Down;
    state.scheduler = None;
    state.nodes = NodeTable::default();
    state.allocs = AllocTable::default();
    state.spaces = SpaceTable::default();
    state.pending = PendingTable::default();
    state.ties = Ties::default();
    state.users = Users::default();
    state.holders = BTreeMap::new();
}
