//! Events as JSON: one step of a scenario, one line of a launcher, one frame of a journal.

use super::keys;
use super::malformed::Fault;
use serde_json::{Map, Value as Json, json};
use std::borrow::Cow;
use stowplan_session::{Attr, Event, EventValue, ToolRole};

/// All events: the name of each, and its fields with their keys.
macro_rules! events {
    ($($name:literal => $event:ident { $($field:ident: $key:literal),* })+) => {
        /// The fields of each event, besides `event`, `expect` and `note`.
        const FIELDS: &[(&str, &[&str])] = &[$(($name, &[$($key),*])),+];

        fn read<'j>(name: &str, step: &'j Map<String, Json>) -> Result<Event<'j>, Fault> {
            match name {
                $($name => Ok(Event::$event { $($field: Field::read(step, $key)?),* }),)+
                _ => {
                    let names: Vec<&str> = FIELDS.iter().map(|row| row.0).collect();
                    let meant = keys::meant(name, &names);
                    Err(Fault::of_value("event", format!("there is no event {name:?}{meant}")))
                }
            }
        }

        fn write(event: &Event<'_>, mut set: impl FnMut(&str, Json)) {
            match event {
                $(Event::$event { $($field),* } => { $(set($key, $field.write());)* })+
            }
        }
    };
}

events! {
    "alloc" => Alloc { from: "from", directive: "directive", attrs: "attrs" }
    "grant" => Grant { req: "req", nodes: "nodes", alloc_id: "alloc_id" }
    "deny" => Deny { req: "req", status: "status" }
    "spawn" => Spawn { from: "from", job: "job", target: "target", hosts: "hosts" }
    "job_end" => JobEnd { ns: "ns" }
    "tool_attach" => ToolAttach { ns: "ns", role: "scheduler" }
    "tool_detach" => ToolDetach { ns: "ns" }
    "node_down" => NodeDown { node: "node" }
    "node_up" => NodeUp { node: "node" }
    "warn" => Warn { alloc_id: "alloc_id", time_remaining: "time_remaining" }
    "reclaim" => Reclaim { alloc_id: "alloc_id", reason: "reason" }
    "dvm_end" => DvmEnd {}
}

/// Keys that may be there besides the fields of an event.
const BESIDE: [&str; 3] = ["event", "expect", "note"];

/// The value of a field; `null` counts as absent.
fn field<'j>(step: &'j Map<String, Json>, key: &str) -> Option<&'j Json> {
    step.get(key).filter(|value| !value.is_null())
}

fn needed<'j, T>(
    step: &'j Map<String, Json>,
    key: &str,
    what: &str,
    read: impl Fn(&'j Json) -> Option<T>,
) -> Result<T, Fault> {
    field(step, key)
        .and_then(read)
        .ok_or_else(|| Fault::of_value(key, format!("{key:?} is no {what}")))
}

/// A field of an event; one that is absent is written as `null`.
trait Field<'j>: Sized {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault>;
    fn write(&self) -> Json;
}

impl<'j> Field<'j> for &'j str {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        needed(step, key, "string", Json::as_str)
    }
    fn write(&self) -> Json {
        json!(self)
    }
}

impl<'j> Field<'j> for Option<&'j str> {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        let there = field(step, key).map(|_| Field::read(step, key));
        there.transpose()
    }
    fn write(&self) -> Json {
        json!(self)
    }
}

impl<'j> Field<'j> for u64 {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        needed(step, key, "whole number from 0 on", Json::as_u64)
    }
    fn write(&self) -> Json {
        json!(self)
    }
}

impl<'j> Field<'j> for u32 {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        let wide = u64::read(step, key)?;
        Self::try_from(wide)
            .map_err(|_| Fault::of_value(key, format!("{key:?} has more than 32 bits")))
    }
    fn write(&self) -> Json {
        json!(self)
    }
}

impl<'j> Field<'j> for EventValue<'j> {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        Ok(field(step, key).map_or(EventValue::Absent, value))
    }
    fn write(&self) -> Json {
        json_of(self)
    }
}

impl<'j> Field<'j> for Vec<Attr<'j>> {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        let attrs = needed(step, key, "object", Json::as_object)?.iter();
        Ok(attrs
            .map(|(key, json)| (key.as_str(), value(json)))
            .collect())
    }
    fn write(&self) -> Json {
        let attrs = self.iter();
        attrs
            .map(|(key, value)| ((*key).to_owned(), json_of(value)))
            .collect()
    }
}

impl<'j> Field<'j> for ToolRole {
    fn read(step: &'j Map<String, Json>, key: &str) -> Result<Self, Fault> {
        match field(step, key) {
            None | Some(Json::Bool(false)) => Ok(Self::Tool),
            Some(Json::Bool(true)) => Ok(Self::Scheduler),
            Some(_) => Err(Fault::of_value(key, format!("{key:?} is no truth value"))),
        }
    }
    fn write(&self) -> Json {
        json!((*self == Self::Scheduler).then_some(true))
    }
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
/// [`Fault`] for an unknown event, an unknown field, or a field with the wrong JSON type where the value is not data.
pub fn event(step: &Json) -> Result<Event<'_>, Fault> {
    let step = step
        .as_object()
        .ok_or_else(|| Fault::whole("it is no object"))?;
    let name = Field::read(step, "event")?;
    if let Some((_, fields)) = FIELDS.iter().find(|row| row.0 == name) {
        judge_keys(step, name, fields)?;
    }
    if name == "alloc" {
        // Other values may be absent.
        needed(step, "directive", "value", Some)?;
    }
    read(name, step)
}

/// Refuses an unknown field, with the nearest known one.
fn judge_keys(step: &Map<String, Json>, name: &str, fields: &[&str]) -> Result<(), Fault> {
    if let Some(key) = step
        .keys()
        .find(|key| !fields.contains(&key.as_str()) && !BESIDE.contains(&key.as_str()))
    {
        let meant = keys::meant(key, fields);
        let what = format!("{name} has no field {key:?}{meant}");
        return Err(Fault::of_name(key, what));
    }
    if let Some(Json::Object(expect)) = step.get("expect") {
        keys::judge(expect, &["status", "effects"]).map_err(|fault| fault.under("expect"))?;
    }
    Ok(())
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
    write(event, set);
    Json::Object(step)
}
