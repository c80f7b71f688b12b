//! Checks the keys of JSON objects: an unknown key is refused, with the nearest known one.

use serde_json::{Map, Value as Json};
use stowplan_engine::text::words::nearest;

/// Checks the keys of an object.
///
/// # Errors
/// The first unknown key, in words.
pub fn judge(object: &Map<String, Json>, known: &[&str]) -> Result<(), String> {
    let unknown = object.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        Err(format!("there is no key {key:?}{}", meant(key, known)))
    })
}

/// The keys of a final state.
const STATE: &[&str] = &[
    "allocations",
    "dvm",
    "namespaces",
    "next_request",
    "next_session_id",
    "nodes",
    "pending",
    "scheduler",
];

/// The tables of a final state, with the keys of their rows.
const TABLES: [(&str, &[&str]); 4] = [
    (
        "allocations",
        &[
            "carved",
            "id",
            "inheritance",
            "lent",
            "nodes",
            "owner",
            "owner_live",
            "owners",
            "req_id",
            "req_ns",
            "requestor",
            "roots",
            "session_id",
            "shared",
            "warn_timeout",
        ],
    ),
    (
        "namespaces",
        &[
            "kind",
            "live",
            "name",
            "parent",
            "sessions",
            "uses",
            "uses_also",
            "uses_as",
            "uses_without",
        ],
    ),
    ("nodes", &["alloc", "name", "origin", "session", "state"]),
    (
        "pending",
        &[
            "alloc_id",
            "directive",
            "from",
            "inheritance",
            "owner",
            "req_id",
            "request",
            "session_id",
            "shared",
            "target",
            "target_gone",
            "warn_timeout",
        ],
    ),
];

/// Checks the keys of a final state and of the rows of its tables.
///
/// # Errors
/// The first unknown key, and where it is.
pub fn judge_state(last: &Json) -> Result<(), String> {
    let Some(object) = last.as_object() else {
        return Ok(());
    };
    judge(object, STATE).map_err(|what| format!("the final state: {what}"))?;
    for (table, known) in TABLES {
        let rows = last[table].as_array().map_or(&[][..], Vec::as_slice);
        for (at, row) in rows.iter().enumerate() {
            let judged = row.as_object().map_or(Ok(()), |row| judge(row, known));
            judged.map_err(|what| format!("row {at} of {table}: {what}"))?;
        }
    }
    Ok(())
}

/// The likely meaning of an unknown word, or else all known words.
pub fn meant(word: &str, known: &[&str]) -> String {
    // Words are compared in lower case, because attributes are written in capitals.
    let small: Vec<String> = known.iter().map(|word| word.to_ascii_lowercase()).collect();
    let near = nearest(small.iter().map(String::as_str), word);
    match near.and_then(|near| known.iter().find(|word| word.eq_ignore_ascii_case(near))) {
        Some(near) => format!(", did you mean {near}?"),
        None => format!("; there are {}", known.join(" ")),
    }
}
