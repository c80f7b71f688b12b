//! Who uses what: I-11, and the indexes that find the users of a node.

use super::broken::{Held, hold};
use crate::name::Name;
use crate::state::State;
use crate::tables::{Extent, NodeSet, NsSet, RunId, Session};
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn check(state: &State) -> Held {
    let mut jobs: BTreeMap<RunId, NsSet> = BTreeMap::new();
    for ns in state.spaces.rows() {
        if let Some(run) = state.spaces.row[ns].run {
            jobs.entry(run).or_default().insert(ns);
        }
    }
    let none = Name::default();
    let (mut listed, mut shared, mut times) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    for (run, members, extent) in state.users.runs() {
        let same = jobs.remove(&run).is_some_and(|jobs| jobs == *members);
        hold(same, "index a run with other jobs than it says", &none)?;
        match extent {
            Extent::Session(time) => {
                let alone = members.iter().all(|ns| {
                    let space = &state.spaces.row[ns];
                    space.sessions.as_slice() == [Session::Default]
                });
                hold(
                    alone,
                    "index a job of another session in a run of the default one",
                    &none,
                )?;
                times.insert(*time, run);
            }
            Extent::Shared(nodes) => {
                shared.insert(run);
                sound(state, nodes)?;
                reach(state, members, nodes)?;
            }
            Extent::Listed(nodes) => {
                for ns in members.iter() {
                    listed.extend(nodes.iter().map(|node| (node, ns)));
                }
                sound(state, nodes)?;
                let holds = members.len() == 1;
                hold(holds, "index a list of nodes of several jobs", &none)?;
            }
        }
    }
    hold(jobs.is_empty(), "index a run that is not there", &none)?;
    let holds = state.users.indexed() == (&listed, &shared);
    hold(holds, "index users that do not match the jobs", &none)?;
    let holds = state.nodes.times.used().eq(times);
    hold(holds, "index times that no run is of", &none)?;
    spans(state)
}

/// I-11 for a set that is stored.
fn sound(state: &State, nodes: &NodeSet) -> Held {
    hold(
        !nodes.is_empty() && nodes.is_subset(state.nodes.up()),
        "I-11 a job without nodes, or on one that is gone or down",
        &Name::default(),
    )
}

/// Nodes that no job of a shared set uses from outside are used only by jobs of their own record.
fn reach(state: &State, members: &NsSet, nodes: &NodeSet) -> Held {
    for node in nodes.minus(state.nodes.shown()).iter() {
        let holder = state.nodes.alloc(node);
        let inside = holder.is_some_and(|alloc| members.is_subset(&state.allocs.row[alloc].owners));
        hold(
            inside,
            "index a user outside the record of a hidden node",
            state.nodes.name(node),
        )?;
    }
    Ok(())
}

/// I-11 for former states of the default session: at each time that jobs use, it had a node, and all nodes it had are up.
/// The spans of a node do not overlap, and the last one is open while the node is in the session and up.
fn spans(state: &State) -> Held {
    let times: Vec<u64> = state.nodes.times.used().map(|row| row.0).collect();
    let place = |time: u64| times.partition_point(|&other| other < time);
    let now = state.nodes.times.now();
    // How many more nodes there are at a time than at the time before.
    let mut more = vec![0_i64; times.len() + 1];
    for node in state.nodes.all().iter() {
        let name = state.nodes.name(node);
        let seen = state.nodes.seen(node);
        let here = state.nodes.pool_up().contains(node);
        hold(
            seen.since().is_some() == here,
            "index a node that is or is not in the default session",
            name,
        )?;
        let up = state.nodes.up().contains(node);
        let mut before = u64::MAX;
        for (from, to) in state.nodes.times.spans(seen) {
            let over = to == u64::MAX || to <= now;
            let ordered = from < to && to <= before && from <= now && over;
            hold(ordered, "index spans of time out of order", name)?;
            before = from;
            let (first, end) = (place(from), place(to));
            let holds = up || first == end;
            hold(holds, "I-11 a job on a node that is down", name)?;
            more[first] += 1;
            more[end] -= 1;
        }
    }
    let mut nodes = 0;
    for (at, change) in more.iter().take(times.len()).enumerate() {
        nodes += change;
        let named = Name::new(&format!("time {}", times[at]));
        hold(nodes > 0, "I-11 a job without nodes", &named)?;
    }
    let last = times.last().copied();
    let present = state.nodes.times.present().is_some();
    let holds = last.is_none_or(|last| last <= now) && present == (last == Some(now));
    hold(holds, "index a time that is not now", &Name::default())
}
