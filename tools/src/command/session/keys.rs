//! Keys of JSON objects: an unknown one is refused, with the nearest that there is.

use serde_json::{Map, Value as Json};
use stowplan_engine::text::words::nearest;

/// Judges the keys of an object.
///
/// # Errors
/// The first that is unknown, in words.
pub(super) fn judge(object: &Map<String, Json>, known: &[&str]) -> Result<(), String> {
    let unknown = object.keys().find(|key| !known.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| {
        Err(format!("there is no key {key:?}{}", meant(key, known)))
    })
}

/// What was meant by an unknown word, or what there is.
pub(super) fn meant(word: &str, known: &[&str]) -> String {
    // Words are compared in small letters, attributes are written in capitals.
    let small: Vec<String> = known.iter().map(|word| word.to_ascii_lowercase()).collect();
    let near = nearest(small.iter().map(String::as_str), word);
    match near.and_then(|near| known.iter().find(|word| word.eq_ignore_ascii_case(near))) {
        Some(near) => format!(", did you mean {near}?"),
        None => format!("; there are {}", known.join(" ")),
    }
}
