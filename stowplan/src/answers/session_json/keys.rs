//! Checks the keys of JSON objects: an unknown key is refused, with the nearest known one.

use super::malformed::Fault;
use crate::job::json::Segment;
use serde::de::{Deserialize, Deserializer, Error as _, Visitor, value};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value as Json};
use stowplan_engine::text::words::nearest;
use stowplan_session::{AllocRow, NodeRow, NsRow, PendingRow};

/// Checks the keys of an object.
///
/// # Errors
/// The first unknown key.
pub fn judge(object: &Map<String, Json>, known: &[&str]) -> Result<(), Fault> {
    let unknown = object.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        let what = format!("there is no key {key:?}{}", meant(key, known));
        Err(Fault::of_name(key, what))
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

/// Takes the keys that a type reads from its derived reader, and reads nothing.
struct Keys<'k>(&'k mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Keys<'_> {
    type Error = value::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        keys: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        *self.0 = keys;
        self.deserialize_any(visitor)
    }
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(value::Error::custom("nothing is read"))
    }
    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

/// The keys that a type reads.
pub(super) fn of<'de, Row: Deserialize<'de>>() -> &'static [&'static str] {
    let mut keys: &[&str] = &[];
    let _ = Row::deserialize(Keys(&mut keys));
    keys
}

/// Checks the keys of a final state and of the rows of its tables.
///
/// # Errors
/// The first unknown key.
pub fn judge_state(last: &Json) -> Result<(), Fault> {
    let Some(object) = last.as_object() else {
        return Ok(());
    };
    judge(object, STATE).map_err(|fault| fault.said_of("the final state"))?;
    for (table, known) in [
        ("allocations", of::<AllocRow>()),
        ("namespaces", of::<NsRow>()),
        ("nodes", of::<NodeRow>()),
        ("pending", of::<PendingRow>()),
    ] {
        let rows = last[table].as_array().map_or(&[][..], Vec::as_slice);
        for (at, row) in rows.iter().enumerate() {
            let judged = row.as_object().map_or(Ok(()), |row| judge(row, known));
            judged.map_err(|fault| {
                let fault = fault.said_of(&format!("row {at} of {table}"));
                fault.inside(Segment::Row(at)).inside(Segment::key(table))
            })?;
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
