//! Levels of a network in JSON.

use crate::answers::json_text;
use crate::score::above::{Above, LevelFigures};
use crate::score::weight::Weight;
use std::io;

/// A level as an object.
///
/// # Errors
/// Never: names are texts.
pub fn level(level: &LevelFigures) -> io::Result<String> {
    Ok(format!(
        "{{\"level\":{},\"leave\":{},\"worst\":{},\"worst_of\":{},\"objects\":{},\"nodes\":[{},{}],\"pair\":{},\"pair_of\":{}}}",
        json_text::text(&level.level),
        level.leave,
        level.worst,
        json_text::text(&level.worst_of),
        level.objects,
        level.nodes.0,
        level.nodes.1,
        level.pair,
        json_text::text(&level.pair_of)
    ))
}

/// What is said of the network as a whole.
#[must_use]
pub fn network(above: &Above, distances: Option<&[u32]>, edges: Weight) -> String {
    let j = distances.map_or_else(String::new, |distances| {
        format!(",\"J\":{}", above.j(distances, edges))
    });
    format!(
        "{{\"kind\":\"{}\",\"hops\":{},\"far\":{},\"apart\":{}{j}}}",
        above.kind.word(),
        above.hops.hops,
        above.hops.far,
        above.hops.apart
    )
}
