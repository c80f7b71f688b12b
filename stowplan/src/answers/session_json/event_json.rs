//! Events as JSON: one step of a scenario, one line of a launcher, one frame of a journal.

use super::keys;
use super::malformed::Malformed;
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;
use stowplan_session::{Event, EventValue, ToolRole};

/// The fields of each event, besides `event`, `expect` and `note`.
const FIELDS: &[(&str, &[&str])] = &[
    ("alloc", &["from", "directive", "attrs"]),
    ("grant", &["req", "nodes", "alloc_id"]),
    ("deny", &["req", "status"]),
    ("spawn", &["from", "job", "target", "hosts"]),
    ("job_end", &["ns"]),
    ("tool_attach", &["ns", "scheduler"]),
    ("tool_detach", &["ns"]),
    ("node_down", &["node"]),
    ("node_up", &["node"]),
    ("warn", &["alloc_id", "time_remaining"]),
    ("reclaim", &["alloc_id", "reason"]),
    ("dvm_end", &[]),
];

/// Keys that may be there besides the fields of an event.
const BESIDE: [&str; 3] = ["event", "expect", "note"];

fn malformed(what: String) -> Malformed {
    Malformed::Step(what)
}

/// The value of a field; `null` counts as absent.
fn field<'j>(step: &'j Map<String, Json>, key: &str) -> Option<&'j Json> {
    step.get(key).filter(|value| !value.is_null())
}

fn needed<'j, T>(
    step: &'j Map<String, Json>,
    key: &str,
    what: &str,
    read: impl Fn(&'j Json) -> Option<T>,
) -> Result<T, Malformed> {
    field(step, key)
        .and_then(read)
        .ok_or_else(|| malformed(format!("{key:?} is no {what}")))
}

fn text<'j>(step: &'j Map<String, Json>, key: &str) -> Result<&'j str, Malformed> {
    needed(step, key, "string", Json::as_str)
}

fn number(step: &Map<String, Json>, key: &str) -> Result<u64, Malformed> {
    needed(step, key, "whole number from 0 on", Json::as_u64)
}

fn said<'j>(step: &'j Map<String, Json>, key: &str) -> EventValue<'j> {
    field(step, key).map_or(EventValue::Absent, value)
}

/// A JSON value as the engine sees it.
#[must_use]
pub fn value(json: &Json) -> EventValue<'_> {
    match json {
        Json::Null => EventValue::Absent,
        Json::Bool(truth) => EventValue::Bool(*truth),
        Json::String(text) => EventValue::Text(text),
        Json::Number(number) => {
            let whole = number
                .as_i64()
                .map(i128::from)
                .or_else(|| number.as_u64().map(i128::from));
            whole.map_or_else(
                || EventValue::Other(Cow::Owned(number.to_string())),
                EventValue::Int,
            )
        }
        Json::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(Json::as_str).collect();
            texts.map_or_else(
                || EventValue::Other(Cow::Owned(json.to_string())),
                EventValue::Texts,
            )
        }
        Json::Object(_) => EventValue::Other(Cow::Owned(json.to_string())),
    }
}

/// Reads one step.
///
/// # Errors
/// [`Malformed`] for an unknown event, an unknown field, or a field with the wrong JSON type where the value is not data.
pub fn event(step: &Json) -> Result<Event<'_>, Malformed> {
    let step = step
        .as_object()
        .ok_or_else(|| malformed("it is no object".to_owned()))?;
    let name = text(step, "event")?;
    let Some((_, fields)) = FIELDS.iter().find(|row| row.0 == name) else {
        let names: Vec<&str> = FIELDS.iter().map(|row| row.0).collect();
        let meant = keys::meant(name, &names);
        return Err(malformed(format!("there is no event {name:?}{meant}")));
    };
    judge_keys(step, name, fields)?;
    Ok(match name {
        "alloc" => {
            let attrs = needed(step, "attrs", "object", Json::as_object)?;
            Event::Alloc {
                from: text(step, "from")?,
                directive: needed(step, "directive", "value", |json| Some(value(json)))?,
                attrs: attrs
                    .iter()
                    .map(|(key, json)| (key.as_str(), value(json)))
                    .collect(),
            }
        }
        "grant" => Event::Grant {
            req: number(step, "req")?,
            nodes: said(step, "nodes"),
            alloc_id: said(step, "alloc_id"),
        },
        "deny" => Event::Deny {
            req: number(step, "req")?,
            status: text(step, "status")?,
        },
        "spawn" => Event::Spawn {
            from: text(step, "from")?,
            job: text(step, "job")?,
            target: said(step, "target"),
            hosts: said(step, "hosts"),
        },
        "job_end" => Event::JobEnd {
            ns: text(step, "ns")?,
        },
        "tool_attach" => Event::ToolAttach {
            ns: text(step, "ns")?,
            role: role(step)?,
        },
        "tool_detach" => Event::ToolDetach {
            ns: text(step, "ns")?,
        },
        "node_down" => Event::NodeDown {
            node: text(step, "node")?,
        },
        "node_up" => Event::NodeUp {
            node: text(step, "node")?,
        },
        "warn" => Event::Warn {
            alloc_id: text(step, "alloc_id")?,
            time_remaining: seconds(step)?,
        },
        "reclaim" => Event::Reclaim {
            alloc_id: text(step, "alloc_id")?,
            reason: reason(step)?,
        },
        _ => Event::DvmEnd,
    })
}

/// Refuses an unknown field, with the nearest known one.
fn judge_keys(step: &Map<String, Json>, name: &str, fields: &[&str]) -> Result<(), Malformed> {
    if let Some(key) = step
        .keys()
        .find(|key| !fields.contains(&key.as_str()) && !BESIDE.contains(&key.as_str()))
    {
        let meant = keys::meant(key, fields);
        return Err(malformed(format!("{name} has no field {key:?}{meant}")));
    }
    if let Some(Json::Object(expect)) = step.get("expect") {
        keys::judge(expect, &["status", "effects"])
            .map_err(|what| malformed(format!("\"expect\": {what}")))?;
    }
    Ok(())
}

fn role(step: &Map<String, Json>) -> Result<ToolRole, Malformed> {
    match field(step, "scheduler") {
        None | Some(Json::Bool(false)) => Ok(ToolRole::Tool),
        Some(Json::Bool(true)) => Ok(ToolRole::Scheduler),
        Some(_) => Err(malformed("\"scheduler\" is no truth value".to_owned())),
    }
}

fn seconds(step: &Map<String, Json>) -> Result<u32, Malformed> {
    let wide = number(step, "time_remaining")?;
    u32::try_from(wide)
        .map_err(|_| malformed("\"time_remaining\" has more than 32 bits".to_owned()))
}

fn reason(step: &Map<String, Json>) -> Result<Option<&str>, Malformed> {
    if field(step, "reason").is_some() {
        text(step, "reason").map(Some)
    } else {
        Ok(None)
    }
}

/// An attribute value as JSON.
fn json_of(value: &EventValue<'_>) -> Json {
    match value {
        EventValue::Absent => Json::Null,
        EventValue::Bool(truth) => json!(truth),
        EventValue::Int(number) => serde_json::from_str(&number.to_string()).unwrap_or(Json::Null),
        EventValue::Text(text) => json!(text),
        EventValue::Texts(list) => json!(list),
        // A value that is not valid JSON can only come from a forged journal. It is shown as text.
        EventValue::Other(raw) => serde_json::from_str(raw).unwrap_or_else(|_| json!(raw)),
    }
}

/// An event as the JSON it was read from, without absent fields.
#[must_use]
pub fn to_json(event: &Event<'_>) -> Json {
    let mut step = Map::new();
    let mut set = |key: &str, json: Json| {
        if !json.is_null() {
            step.insert(key.to_owned(), json);
        }
    };
    set("event", json!(event.name()));
    match event {
        Event::Alloc {
            from,
            directive,
            attrs,
        } => {
            set("from", json!(from));
            set("directive", json_of(directive));
            let attrs = attrs
                .iter()
                .map(|(key, value)| ((*key).to_owned(), json_of(value)));
            set("attrs", Json::Object(attrs.collect()));
        }
        Event::Grant {
            req,
            nodes,
            alloc_id,
        } => {
            set("req", json!(req));
            set("nodes", json_of(nodes));
            set("alloc_id", json_of(alloc_id));
        }
        Event::Deny { req, status } => {
            set("req", json!(req));
            set("status", json!(status));
        }
        Event::Spawn {
            from,
            job,
            target,
            hosts,
        } => {
            set("from", json!(from));
            set("job", json!(job));
            set("target", json_of(target));
            set("hosts", json_of(hosts));
        }
        Event::JobEnd { ns } | Event::ToolDetach { ns } => set("ns", json!(ns)),
        Event::ToolAttach { ns, role } => {
            set("ns", json!(ns));
            let scheduler = (*role == ToolRole::Scheduler).then_some(true);
            set("scheduler", json!(scheduler));
        }
        Event::NodeDown { node } | Event::NodeUp { node } => set("node", json!(node)),
        Event::Warn {
            alloc_id,
            time_remaining,
        } => {
            set("alloc_id", json!(alloc_id));
            set("time_remaining", json!(time_remaining));
        }
        Event::Reclaim { alloc_id, reason } => {
            set("alloc_id", json!(alloc_id));
            set("reason", json!(reason));
        }
        Event::DvmEnd => {}
    }
    Json::Object(step)
}
