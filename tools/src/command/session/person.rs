//! A DVM for people: who holds which nodes, since which event, and what would end this.

use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stowplan_engine::count::counted;
use stowplan_engine::text::printable::disturbs;
use stowplan_session::{
    AllocRow, Dvm, Effects, Event, Inheritance, Name, NodeRow, NodeState, NsRow, SpaceKind, State,
    Status,
};

/// The most names shown of a long list.
const SHOWN: usize = 12;

/// A text without control characters: names come from users and are shown on terminals.
pub(super) fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if disturbs(letter) {
            safe.extend(letter.escape_unicode());
        } else {
            safe.push(letter);
        }
    }
    safe
}

/// The event that made each record and namespace.
#[derive(Debug, Default)]
pub(super) struct Since {
    records: BTreeMap<String, u64>,
    spaces: BTreeMap<String, u64>,
}

impl Since {
    /// Records what an event made, and forgets what it ended.
    pub(super) fn observe(
        &mut self,
        number: u64,
        event: &Event<'_>,
        status: Status,
        effects: &Effects,
    ) {
        if let Some(reply) = &effects.reply {
            self.records
                .entry(reply.alloc_id.to_string())
                .or_insert(number);
        }
        for ended in &effects.ended {
            self.records.remove(ended.alloc_id.as_str());
        }
        let made = match event {
            Event::Spawn { job, .. } => job,
            Event::ToolAttach { ns, .. } => ns,
            Event::Alloc { .. }
            | Event::Grant { .. }
            | Event::Deny { .. }
            | Event::JobEnd { .. }
            | Event::ToolDetach { .. }
            | Event::NodeDown { .. }
            | Event::NodeUp { .. }
            | Event::Warn { .. }
            | Event::Reclaim { .. }
            | Event::DvmEnd => return,
        };
        if status == Status::Success {
            self.spaces.insert((*made).to_owned(), number);
        }
    }
}

/// One step as one line.
pub(super) fn step(line: &Map<String, Json>) -> String {
    let word = |key: &str| line.get(key).and_then(Json::as_str).unwrap_or_default();
    let number = line.get("step").map(Json::to_string).unwrap_or_default();
    let mut told = format!("{number:>4} {:<11} {}", word("event"), word("status"));
    let effects = line.get("effects").and_then(Json::as_object);
    let more = |key: &str| {
        let more = effects.and_then(|effects| effects.get(&format!("{key}_more")));
        more.and_then(Json::as_u64).unwrap_or(0)
    };
    for (key, json) in effects.into_iter().flatten() {
        // The number of names that are left out belongs to the names.
        if key.ends_with("_more") {
            continue;
        }
        let text = match json.as_array() {
            Some(list) => names(list, more(key)),
            None => said(json),
        };
        let _ = write!(told, "; {key} {text}");
    }
    if let Some(expected) = line.get("expected") {
        let _ = write!(told, "; EXPECTED {expected}");
    }
    plain(&told)
}

fn said(json: &Json) -> String {
    match json {
        Json::Array(list) => names(list, 0),
        Json::Object(object) => {
            let words: Vec<String> = object.values().map(said).collect();
            words.join(" ")
        }
        Json::String(text) if text.is_empty() => "(default)".to_owned(),
        Json::String(text) => text.clone(),
        Json::Null | Json::Bool(_) | Json::Number(_) => json.to_string(),
    }
}

/// A list of names, of which so many more are not in it.
fn names(list: &[Json], more: u64) -> String {
    let all = list.len() as u64 + more;
    listed(list.iter().take(SHOWN).map(said), all)
}

fn shown(list: &[Name]) -> String {
    let first = list.iter().take(SHOWN).map(|name| match name.as_str() {
        "" => "(default)".to_owned(),
        name => name.to_owned(),
    });
    listed(first, list.len() as u64)
}

/// The first names of a list, and the number of the others.
fn listed(first: impl Iterator<Item = String>, all: u64) -> String {
    let mut told: Vec<String> = first.collect();
    let left = all.saturating_sub(told.len() as u64);
    if left > 0 {
        told.push(format!("and {left} more"));
    }
    if told.is_empty() {
        "nothing".to_owned()
    } else {
        told.join(" ")
    }
}

fn when(map: &BTreeMap<String, u64>, name: &str) -> String {
    map.get(name).map_or_else(
        || "since before the first event".to_owned(),
        |number| format!("since event {number}"),
    )
}

/// The final state: who holds which nodes, and what would end this. Jobs on many nodes are told by those that use the same.
///
/// Cost: linear in the tables, however many jobs use the same nodes.
pub(super) fn view(state: &State, since: &Since) -> String {
    let rows = state.short_rows(SHOWN);
    let mut told = String::new();
    let names = |chosen: &dyn Fn(&NodeRow) -> bool| -> Vec<Name> {
        let nodes = rows.nodes().filter(chosen);
        nodes.map(|node| node.name).collect()
    };
    let down = names(&|node| node.state == NodeState::Down);
    let free = names(&|node| node.session == Name::default());
    let dvm = match state.dvm() {
        Dvm::Up => "up",
        Dvm::Down => "down",
    };
    let scheduler = rows.scheduler();
    let scheduler = scheduler.map_or("no scheduler".to_owned(), |name| {
        format!("scheduler {name}")
    });
    let count = counted(rows.nodes().len() as u64, "node");
    let _ = writeln!(told, "DVM {dvm}, {count}, {scheduler}");
    let _ = writeln!(told, "default session: {}", shown(&free));
    if !down.is_empty() {
        let _ = writeln!(told, "down: {}", shown(&down));
    }
    for row in rows.allocations() {
        record(&mut told, &row, since);
    }
    for row in rows.namespaces() {
        namespace(&mut told, &row, since);
    }
    for row in rows.pending() {
        let about = row.alloc_id.as_ref();
        let about = about.map_or(String::new(), |id| format!(" for {id}"));
        let (number, asked, from) = (row.request, row.directive.name(), row.from);
        let _ = writeln!(
            told,
            "request {number}: {asked}{about} by {from}, waits for the scheduler"
        );
    }
    told.lines().map(|line| plain(line) + "\n").collect()
}

fn record(told: &mut String, row: &AllocRow, since: &Since) {
    let (id, owner) = (row.id.as_str(), row.owner.as_str());
    let kind = if row.shared {
        "shared allocation"
    } else {
        "reservation"
    };
    let nodes = shown(&row.nodes);
    let _ = writeln!(told, "{kind} {id} (session {}): {nodes}", row.session_id);
    let alive = if row.owner_live {
        ""
    } else {
        ", which has ended"
    };
    let made = when(&since.records, id);
    let _ = writeln!(told, "  held for {owner}{alive}, {made}");
    if !row.owners.is_empty() {
        let _ = writeln!(told, "  may be used by {}", shown(&row.owners));
    }
    if !row.lent.is_empty() {
        let _ = writeln!(told, "  lent: {}", shown(&row.lent));
    }
    let end = match row.inheritance {
        Inheritance::None | Inheritance::Default => format!("{owner} ends"),
        Inheritance::Child | Inheritance::ChildDefault => {
            format!("{} and all they spawned have ended", shown(&row.roots))
        }
    };
    let what = match row.inheritance {
        Inheritance::None | Inheritance::Child => "the scheduler gets its nodes back",
        Inheritance::Default | Inheritance::ChildDefault => "its nodes stay, for everybody",
    };
    let _ = writeln!(
        told,
        "  ends when {end}: {what}; or when it is released or reclaimed, or the DVM ends"
    );
}

/// The nodes of a job: their names, or the job that uses the same, and what is different.
fn used(row: &NsRow) -> String {
    let Some(other) = &row.uses_as else {
        return shown(row.uses.as_deref().unwrap_or_default());
    };
    let mut told = format!("the nodes of {other}");
    for (word, names) in [("and", &row.uses_also), ("without", &row.uses_without)] {
        if !names.is_empty() {
            let _ = write!(told, ", {word} {}", shown(names));
        }
    }
    told
}

fn namespace(told: &mut String, row: &NsRow, since: &Since) {
    let (kind, name) = (row.kind.name(), row.name.as_str());
    let parent = row.parent.as_ref();
    let parent = parent.map_or(String::new(), |parent| format!(", spawned by {parent}"));
    if !row.live {
        let _ = writeln!(
            told,
            "{kind} {name}: has ended, its children have not{parent}"
        );
        return;
    }
    let _ = write!(told, "{kind} {name}{parent}, {}", when(&since.spaces, name));
    if row.kind == SpaceKind::Job {
        let _ = write!(told, ": on {} in {}", used(row), shown(&row.sessions));
    }
    let _ = writeln!(told);
}
