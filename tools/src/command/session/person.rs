//! A DVM for people: who holds what, since which event, and what would end it.

use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use stowplan_engine::count::counted;
use stowplan_engine::session::{Effects, Event, Status};

/// Names shown of a long list.
const SHOWN: usize = 12;

/// A text without control characters: names come from strangers and end on a terminal.
pub(super) fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_control() {
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
    /// Remembers what an event made, forgets what it ended.
    pub(super) fn observe(
        &mut self,
        number: u64,
        event: &Event<'_>,
        (status, effects): (Status, &Effects),
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

/// One step in one line.
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
    let mut told: Vec<String> = list.iter().take(SHOWN).map(said).collect();
    if list.len() > SHOWN {
        told.push(format!("and {} more", list.len() - SHOWN));
    }
    if told.is_empty() {
        "nothing".to_owned()
    } else {
        told.join(" ")
    }
}

fn rows<'j>(last: &'j Json, table: &str) -> &'j [Json] {
    last[table].as_array().map_or(&[], Vec::as_slice)
}

fn text<'j>(row: &'j Json, key: &str) -> &'j str {
    row[key].as_str().unwrap_or_default()
}

fn when(map: &BTreeMap<String, u64>, name: &str) -> String {
    map.get(name).map_or_else(
        || "since before the first event".to_owned(),
        |number| format!("since event {number}"),
    )
}

/// The final state, who holds what and what would end it.
pub(super) fn view(last: &Json, since: &Since) -> String {
    let mut told = String::new();
    let nodes = rows(last, "nodes");
    let down: Vec<Json> = nodes
        .iter()
        .filter(|node| node["state"] == "down")
        .map(|node| node["name"].clone())
        .collect();
    let free: Vec<Json> = nodes
        .iter()
        .filter(|node| node["session"] == "")
        .map(|node| node["name"].clone())
        .collect();
    let scheduler = last["scheduler"]
        .as_str()
        .map_or("no scheduler".to_owned(), |name| {
            format!("scheduler {name}")
        });
    let _ = writeln!(
        told,
        "DVM {}, {}, {scheduler}",
        text(last, "dvm"),
        counted(nodes.len() as u64, "node")
    );
    let _ = writeln!(told, "default session: {}", names(&free));
    if !down.is_empty() {
        let _ = writeln!(told, "down: {}", names(&down));
    }
    for row in rows(last, "allocations") {
        record(&mut told, row, since);
    }
    for row in rows(last, "namespaces") {
        namespace(&mut told, row, since);
    }
    for row in rows(last, "pending") {
        let directive = text(row, "directive");
        let about = row["alloc_id"]
            .as_str()
            .map_or(String::new(), |id| format!(" for {id}"));
        let _ = writeln!(
            told,
            "request {}: {directive}{about} by {}, waits for the scheduler",
            row["request"],
            text(row, "from")
        );
    }
    told.lines().map(|line| plain(line) + "\n").collect()
}

fn list<'j>(row: &'j Json, key: &str) -> &'j [Json] {
    row[key].as_array().map_or(&[], Vec::as_slice)
}

fn record(told: &mut String, row: &Json, since: &Since) {
    let (id, owner) = (text(row, "id"), text(row, "owner"));
    let kind = if row["shared"] == true {
        "shared allocation"
    } else {
        "reservation"
    };
    let _ = writeln!(
        told,
        "{kind} {id} (session {}): {}",
        row["session_id"],
        names(list(row, "nodes"))
    );
    let alive = if row["owner_live"] == true {
        ""
    } else {
        ", which has ended"
    };
    let _ = writeln!(
        told,
        "  held for {owner}{alive}, {}",
        when(&since.records, id)
    );
    if !list(row, "owners").is_empty() {
        let _ = writeln!(told, "  may be used by {}", names(list(row, "owners")));
    }
    if !list(row, "lent").is_empty() {
        let _ = writeln!(told, "  lent: {}", names(list(row, "lent")));
    }
    let roots = names(list(row, "roots"));
    let (at, what) = match text(row, "inheritance") {
        "NONE" => (format!("{owner} ends"), "the scheduler gets its nodes back"),
        "CHILD" => (
            format!("{roots} and all they spawned have ended"),
            "the scheduler gets its nodes back",
        ),
        "CHILD_DEFAULT" => (
            format!("{roots} and all they spawned have ended"),
            "its nodes stay, for everybody",
        ),
        _ => (format!("{owner} ends"), "its nodes stay, for everybody"),
    };
    let _ = writeln!(
        told,
        "  ends when {at}: {what}; or when it is released or reclaimed, or the DVM ends"
    );
}

fn namespace(told: &mut String, row: &Json, since: &Since) {
    let name = text(row, "name");
    let parent = row["parent"]
        .as_str()
        .map_or(String::new(), |parent| format!(", spawned by {parent}"));
    if row["live"] != true {
        let _ = writeln!(
            told,
            "{} {name}: has ended, its children have not{parent}",
            text(row, "kind")
        );
        return;
    }
    let _ = write!(
        told,
        "{} {name}{parent}, {}",
        text(row, "kind"),
        when(&since.spaces, name)
    );
    if text(row, "kind") == "job" {
        let _ = write!(
            told,
            ": on {} in {}",
            names(list(row, "uses")),
            names(list(row, "sessions"))
        );
    }
    let _ = writeln!(told);
}
