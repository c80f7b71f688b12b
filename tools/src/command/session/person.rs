//! A DVM for people: who holds which nodes, since which event, and what would end this.

use super::state_view::{View, directive};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stowplan_engine::count::counted;
use stowplan_engine::text::printable::disturbs;
use stowplan_session::{Dvm, Effects, Event, Inheritance, Name, NsImage, SpaceKind, State, Status};

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
    for (key, json) in line
        .get("effects")
        .and_then(Json::as_object)
        .into_iter()
        .flatten()
    {
        let _ = write!(told, "; {key} {}", said(json));
    }
    if let Some(expected) = line.get("expected") {
        let _ = write!(told, "; EXPECTED {expected}");
    }
    plain(&told)
}

fn said(json: &Json) -> String {
    match json {
        Json::Array(list) => names(list),
        Json::Object(object) => {
            let words: Vec<String> = object.values().map(said).collect();
            words.join(" ")
        }
        Json::String(text) if text.is_empty() => "(default)".to_owned(),
        Json::String(text) => text.clone(),
        Json::Null | Json::Bool(_) | Json::Number(_) => json.to_string(),
    }
}

fn names(list: &[Json]) -> String {
    listed(list.iter().take(SHOWN).map(said), list.len())
}

fn shown(list: &[&str]) -> String {
    let first = list.iter().take(SHOWN).map(|&name| match name {
        "" => "(default)".to_owned(),
        name => name.to_owned(),
    });
    listed(first, list.len())
}

/// The first names of a list, and the number of the others.
fn listed(first: impl Iterator<Item = String>, all: usize) -> String {
    let mut told: Vec<String> = first.collect();
    if all > told.len() {
        told.push(format!("and {} more", all - told.len()));
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

/// The final state: who holds which nodes, and what would end this.
pub(super) fn view(state: &State, since: &Since) -> String {
    let image = state.image();
    let view = View::new(&image);
    let mut told = String::new();
    let nodes = || view.sorted.iter().map(|&at| &image.nodes[at as usize]);
    let down = nodes().filter(|node| !node.up);
    let down: Vec<&str> = down.map(|node| node.name.as_str()).collect();
    let free = nodes().filter(|node| view.reserved(node).is_none());
    let free: Vec<&str> = free.map(|node| node.name.as_str()).collect();
    let dvm = match image.dvm {
        Dvm::Up => "up",
        Dvm::Down => "down",
    };
    let scheduler = image.scheduler.map_or("no scheduler".to_owned(), |at| {
        format!("scheduler {}", view.space(at))
    });
    let count = counted(image.nodes.len() as u64, "node");
    let _ = writeln!(told, "DVM {dvm}, {count}, {scheduler}");
    let _ = writeln!(told, "default session: {}", shown(&free));
    if !down.is_empty() {
        let _ = writeln!(told, "down: {}", shown(&down));
    }
    for at in 0..image.allocations.len() {
        record(&mut told, &view, at, since);
    }
    for row in &image.namespaces {
        namespace(&mut told, &view, row, since);
    }
    for row in &image.pending {
        let about = row.record.as_ref();
        let about = about.map_or(String::new(), |record| format!(" for {}", record.0));
        let (from, rank) = row.from;
        let _ = writeln!(
            told,
            "request {}: {}{about} by {}:{rank}, waits for the scheduler",
            row.request,
            directive(row.wanted),
            view.space(from)
        );
    }
    told.lines().map(|line| plain(line) + "\n").collect()
}

fn record(told: &mut String, view: &View<'_>, at: usize, since: &Since) {
    let row = &view.image.allocations[at];
    let (id, owner) = (row.id.as_str(), row.owner.as_str());
    let kind = if row.shared {
        "shared allocation"
    } else {
        "reservation"
    };
    let nodes = shown(&view.held[at].0);
    let _ = writeln!(told, "{kind} {id} (session {}): {nodes}", row.session_id);
    let alive = if row.owner_live {
        ""
    } else {
        ", which has ended"
    };
    let made = when(&since.records, id);
    let _ = writeln!(told, "  held for {owner}{alive}, {made}");
    if !view.owners[at].is_empty() {
        let _ = writeln!(told, "  may be used by {}", shown(&view.owners[at]));
    }
    if !row.lent.is_empty() {
        let lent: Vec<&str> = row.lent.iter().map(Name::as_str).collect();
        let _ = writeln!(told, "  lent: {}", shown(&lent));
    }
    let roots: Vec<&str> = row.roots.iter().map(|&ns| view.space(ns)).collect();
    let end = match row.inheritance {
        Inheritance::None | Inheritance::Default => format!("{owner} ends"),
        Inheritance::Child | Inheritance::ChildDefault => {
            format!("{} and all they spawned have ended", shown(&roots))
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

fn namespace(told: &mut String, view: &View<'_>, row: &NsImage, since: &Since) {
    let (kind, name) = (row.kind.name(), row.name.as_str());
    let parent = row.parent.map_or(String::new(), |at| {
        format!(", spawned by {}", view.space(at))
    });
    if !row.live {
        let _ = writeln!(
            told,
            "{kind} {name}: has ended, its children have not{parent}"
        );
        return;
    }
    let _ = write!(told, "{kind} {name}{parent}, {}", when(&since.spaces, name));
    if row.kind == SpaceKind::Job {
        let nodes = view.used(row);
        let nodes = nodes.iter().map(|&at| &view.image.nodes[at as usize]);
        let nodes: Vec<&str> = nodes.map(|node| node.name.as_str()).collect();
        let session =
            |at: &Option<u32>| at.map_or("", |at| view.image.allocations[at as usize].id.as_str());
        let sessions: Vec<&str> = row.sessions.iter().map(session).collect();
        let _ = write!(told, ": on {} in {}", shown(&nodes), shown(&sessions));
    }
    let _ = writeln!(told);
}
