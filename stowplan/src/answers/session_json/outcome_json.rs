//! The line that says what an event did.

use serde_json::{Map, Value as Json, json};
use stowplan_session::{Effects, Name, NodeSet, Spawned, State, Status};

/// So many candidates of a job are named in the answer to its spawn; for more there is a number.
pub const CANDIDATES_NAMED: usize = 256;

/// Which nodes of a spawn are named.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// All of them.
    All,
    /// The first [`CANDIDATES_NAMED`] candidates, in the order in which nodes came to the DVM, so that an answer costs what changed.
    First,
}

/// The effects of an event; `state` is the state after it. Empty effects are left out; lists ascend.
#[must_use]
pub fn effects(state: &State, effects: &Effects, which: Named) -> Json {
    let mut object = Map::new();
    let mut set = |key: &str, json: Json| {
        let empty = json.is_null() || json.as_array().is_some_and(Vec::is_empty);
        if !empty {
            object.insert(key.to_owned(), json);
        }
    };
    set("request", json!(effects.request));
    set("answered", json!(Vec::from_iter(effects.answered)));
    if let Some(reply) = &effects.reply {
        let told = json!({"alloc_id": reply.alloc_id});
        set("reply", with_id(told, reply.req_id.as_ref()));
    }
    set("joined", json!(effects.names(state, &effects.joined)));
    set("reserved", json!(effects.names(state, &effects.reserved)));
    if let Some(spawned) = &effects.spawned {
        set("sessions", json!(spawned.sessions));
        for (key, nodes) in [("candidates", &spawned.candidates), ("uses", &spawned.uses)] {
            let (named, more) = named_of(spawned, nodes, which);
            set(
                key,
                json!(effects.names(state, named.as_ref().unwrap_or(nodes))),
            );
            set(&format!("{key}_more"), json!(more));
        }
    }
    let mut ended = effects.ended.clone();
    ended.sort();
    let row = |row: &stowplan_session::Ended| json!({"alloc_id": row.alloc_id, "how": row.how.name(), "why": row.why.name()});
    set("ended", ended.iter().map(row).collect());
    set("departed", json!(effects.departed_names()));
    set("reverted", json!(effects.names(state, &effects.reverted)));
    let mut killed = effects.killed.clone();
    killed.sort();
    set("killed", json!(killed));
    let mut dropped = effects.dropped.clone();
    dropped.sort_unstable();
    set("dropped", json!(dropped));
    set("lent", json!(effects.lent));
    if let Some(notify) = &effects.notify {
        let (to, id) = (format!("{}:{}", notify.ns, notify.rank), &notify.alloc_id);
        let told = json!({"to": to, "alloc_id": id, "time_remaining": notify.time_remaining});
        set("notify", with_id(told, notify.req_id.as_ref()));
    }
    Json::Object(object)
}

/// The nodes of a spawn that are named, if not all are, and how many others there are. Hosts that a mapper chose are all named.
fn named_of(spawned: &Spawned, nodes: &NodeSet, which: Named) -> (Option<NodeSet>, Option<u64>) {
    let all = which == Named::All || nodes.len() < spawned.candidates.len();
    let more = nodes.len().saturating_sub(CANDIDATES_NAMED as u64);
    if all || more == 0 {
        return (None, None);
    }
    let named = nodes.iter().take(CANDIDATES_NAMED).collect();
    (Some(named), Some(more))
}

/// Adds the id of a request that has one.
fn with_id(mut told: Json, id: Option<&Name>) -> Json {
    if let Some(id) = id {
        told["req_id"] = json!(id);
    }
    told
}

/// The line of one step.
#[must_use]
pub fn step(
    scenario: &str,
    number: usize,
    event: &str,
    status: Status,
    effects: Json,
) -> Map<String, Json> {
    let mut line = Map::new();
    line.insert("scenario".to_owned(), json!(scenario));
    line.insert("step".to_owned(), json!(number));
    line.insert("event".to_owned(), json!(event));
    line.insert("status".to_owned(), json!(status.name()));
    line.insert("effects".to_owned(), effects);
    line
}
