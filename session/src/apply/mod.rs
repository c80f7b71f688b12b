//! Applies judged events to the tables. Every change of a [`State`] is made in this folder.

mod ending;
mod grant;
mod request;

use super::candidates::names;
use super::effects::{Effects, Ended, How, Notify, Spawned, Why};
use super::event::Event;
use super::judge::{Change, Judged, Spawn, judge};
use super::state::{Dvm, State};
use super::status::Status;
use super::tables::{
    AllocId, Extent, LISTED_MAX, NodeId, NodeSet, NsId, Process, RunId, Session, SpaceKind, Tie,
};
use ending::settled;
use request::{ask, forget};
use std::sync::Arc;

/// Applies an event that was judged on this very state. No other event may be applied in between.
///
/// A rejected event changes nothing, except that a rejected grant or deny takes its request away.
///
/// Cost: the rows and nodes that change, and bitmap operations on them. Source: reservations "Clauses".
pub fn apply(state: &mut State, judged: Judged<'_>) -> Effects {
    let mut effects = Effects::default();
    change(state, judged.change, &mut effects);
    effects
}

fn change(state: &mut State, change: Change<'_>, effects: &mut Effects) {
    match change {
        Change::Nothing => {}
        Change::Ask(request) => effects.request = Some(ask(state, request)),
        Change::Withdraw(numbers) => {
            for &number in &numbers {
                forget(state, number);
            }
            effects.dropped = numbers;
        }
        Change::End(alloc, why) => settled(state, effects, |work| {
            work.end(alloc, How::Released, why);
        }),
        Change::Part(alloc, nodes) => settled(state, effects, |work| work.part(alloc, &nodes)),
        Change::Lend(alloc, nodes) => lend(state, effects, alloc, &nodes),
        Change::Loose(nodes) => settled(state, effects, |work| work.depart(None, &nodes)),
        Change::Refuse(number) => {
            forget(state, number);
            effects.answered = Some(number);
        }
        Change::Grant(granted) => grant::grant(state, effects, *granted),
        Change::Spawn(spawn) => start(state, effects, spawn),
        Change::Stop(ns) => settled(state, effects, |work| work.stop(ns)),
        Change::Attach(name, kind) => attach(state, name, kind),
        Change::Down(node) => {
            let holder = changed(state, node);
            state.nodes.set_down(node);
            let lost = std::iter::once(node).collect();
            settled(state, effects, |work| work.kill_users(holder, &lost));
        }
        Change::Up(node) => {
            changed(state, node);
            state.nodes.set_up(node);
        }
        Change::Notify(alloc, to, time_remaining) => {
            effects.notify = Some(notify(state, alloc, to, time_remaining))
        }
        Change::Teardown => teardown(state, effects),
    }
}

/// The record that holds a node that fails or is back. Its candidates changed, so the kept ones are dropped.
fn changed(state: &mut State, node: NodeId) -> Option<AllocId> {
    let holder = state.nodes.alloc(node);
    if let Some(alloc) = holder {
        state.allocs.row[alloc].kept = None;
    }
    holder
}

/// Judges an event and applies it: the whole transition, for callers that keep no journal.
///
/// ```
/// use stowplan_session::{Config, Event, Initial, State, Status, EventValue, step};
/// let initial = Initial { nodes: vec!["n0".into()], tools: vec!["t".into()], ..Initial::default() };
/// let mut state = State::new(Config::default(), &initial).unwrap();
/// let spawn = Event::Spawn { from: "t", job: "j", target: EventValue::Absent, hosts: EventValue::Absent };
/// assert_eq!(step(&mut state, &spawn).0, Status::Success);
/// assert_eq!(step(&mut state, &spawn).0, Status::Exists);
/// ```
pub fn step(state: &mut State, event: &Event<'_>) -> (Status, Effects) {
    let judged = judge(state, event);
    (judged.status, apply(state, judged))
}

fn lend(state: &mut State, effects: &mut Effects, alloc: AllocId, nodes: &NodeSet) {
    let mut lent: Vec<_> = nodes
        .iter()
        .map(|node| state.nodes.name(node).clone())
        .collect();
    lent.sort_unstable();
    state.allocs.row[alloc].lent.extend(lent.iter().cloned());
    effects.lent = lent;
    settled(state, effects, |work| work.part(alloc, nodes));
}

fn start(state: &mut State, effects: &mut Effects, spawn: Spawn<'_>) {
    let Spawn {
        parent,
        job,
        sessions,
        candidates,
        uses,
    } = spawn;
    let ns = state.spaces.add(job, SpaceKind::Job, Some(parent));
    for session in &sessions {
        if let Session::Reserved(alloc) = *session {
            state.allocs.row[alloc].owners.insert(ns);
            state.allocs.row[alloc].roots.insert(ns);
            state.ties.add(ns, Tie::Root, alloc);
        }
    }
    let run = take_nodes(state, ns, &sessions, &candidates, &uses);
    let space = &mut state.spaces.row[ns];
    space.run = Some(run);
    space.sessions = sessions;
    effects.spawned = Some(Spawned {
        sessions: names(&state.allocs, &space.sessions).collect(),
        candidates,
        uses,
    });
}

/// A job takes its nodes: it joins the run of jobs that use the same nodes, or begins a run.
fn take_nodes(
    state: &mut State,
    ns: NsId,
    sessions: &[Session],
    candidates: &Arc<NodeSet>,
    uses: &Arc<NodeSet>,
) -> RunId {
    let takes_all = Arc::ptr_eq(candidates, uses);
    if takes_all && sessions == [Session::Default] {
        if let Some(run) = state.nodes.times.present() {
            state.users.join(ns, run);
            return run;
        }
        let now = state.nodes.times.now();
        let run = state.users.open(ns, Extent::Session(now));
        state.nodes.times.remember(now, run);
        return run;
    }
    if !takes_all && uses.len() <= LISTED_MAX {
        return state.users.open(ns, Extent::Listed(Arc::clone(uses)));
    }
    if let ([Session::Reserved(alloc)], true) = (sessions, takes_all) {
        if let Some((kept, run)) = &state.allocs.row[*alloc].kept
            && Arc::ptr_eq(kept, uses)
            && state.users.share(*run, uses)
        {
            state.users.join(ns, *run);
            return *run;
        }
        let run = state.users.open(ns, Extent::Shared(Arc::clone(uses)));
        state.allocs.row[*alloc].kept = Some((Arc::clone(uses), run));
        return run;
    }
    if sessions.contains(&Session::Default) {
        state.nodes.show(uses);
    }
    state.users.open(ns, Extent::Shared(Arc::clone(uses)))
}

fn attach(state: &mut State, name: &str, kind: SpaceKind) {
    let ns = state.spaces.add(name, kind, None);
    if kind == SpaceKind::Scheduler {
        state.scheduler = Some(ns);
    }
}

fn notify(state: &State, alloc: AllocId, to: Process, time_remaining: u32) -> Notify {
    Notify {
        ns: state.spaces.row[to.ns].name.clone(),
        rank: to.rank,
        alloc_id: state.allocs.row[alloc].id.clone(),
        time_remaining,
        req_id: state.allocs.row[alloc].req_id.clone(),
    }
}

/// Everything ends at once; nothing cascades (A-28).
fn teardown(state: &mut State, effects: &mut Effects) {
    for alloc in state.allocs.rows() {
        let alloc_id = state.allocs.row[alloc].id.clone();
        effects.ended.push(Ended {
            alloc_id,
            how: How::Released,
            why: Why::Teardown,
        });
    }
    let jobs = state
        .spaces
        .rows()
        .filter(|&ns| state.spaces.row[ns].live && state.spaces.is_job(ns));
    effects.killed = jobs
        .map(|ns: NsId| state.spaces.row[ns].name.clone())
        .collect();
    effects.departed = state
        .nodes
        .all()
        .iter()
        .map(|id: NodeId| (id, state.nodes.name(id).clone()))
        .collect();
    effects.dropped = state.pending.iter().map(|row| row.0).collect();
    *state = State {
        dvm: Dvm::Down,
        next_request: state.next_request,
        next_session: state.next_session,
        ..State::bare(state.config)
    };
}
