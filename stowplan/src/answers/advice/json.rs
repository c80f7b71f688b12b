//! Scores and answers as JSON, as `stowplan score` and `stowplan advise` write them.

use super::{Said, above};
use crate::answers::json_text;
use crate::score::above::Above;
use crate::score::advise::Advice;
use crate::score::figures::{Leaving, Score};
use crate::score::level::Level;
use crate::score::network::OnNetwork;
use crate::score::network::allocation::allocation;
use crate::score::pattern::Part;
use std::io::{self, Write};

/// A score as one line.
///
/// # Errors
/// Only the errors of `out`.
pub fn score_json(
    found: &Score,
    parts: &[Part],
    distances: Option<&[u32]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let words: Vec<&str> = parts.iter().map(|part| part.word.as_str()).collect();
    write!(
        out,
        "{{\"version\":1,\"ranks\":{},\"nodes\":{},\"patterns\":{},\"unit\":\"{}\",\"edges\":{},\"levels\":[",
        found.ranks,
        found.nodes,
        json_text::text(&words),
        found.unit.word(),
        found.edges
    )?;
    let mut comma = "";
    for level in found.above.iter().flat_map(|above| &above.levels) {
        write!(out, "{comma}{}", above::level(level)?)?;
        comma = ",";
    }
    for level in &found.levels {
        let word = level.level.word();
        write!(
            out,
            "{comma}{{\"level\":\"{word}\",\"leave\":{},\"worst\":{}",
            level.leave, level.worst
        )?;
        match &found.above {
            Some(above) if level.level == Level::Node => {
                write!(
                    out,
                    ",\"worst_of\":{}}}",
                    json_text::text(&above.worst_node)
                )?;
            }
            Some(_) | None => write!(out, "}}")?,
        }
        comma = ",";
    }
    match &found.above {
        Some(above) => writeln!(
            out,
            "],\"network\":{}}}",
            above::network(above, distances, found.edges)
        ),
        None => writeln!(out, "]}}"),
    }
}

/// Answers as one line.
///
/// # Errors
/// Only the errors of `out`.
pub fn advice_json(
    advice: &Advice,
    said: &[Said<'_>],
    on: Option<&OnNetwork>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = advice.answers.first() else {
        return writeln!(
            out,
            "{{\"version\":1,\"unit\":\"edges\",\"edges\":0,\"answers\":[]}}"
        );
    };
    write!(
        out,
        "{{\"version\":1,\"unit\":\"{}\",\"edges\":{},\"answers\":[",
        first.score.unit.word(),
        first.score.edges
    )?;
    for (at, said) in said.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let node = &said.answer.score.levels[0];
        write!(
            out,
            "{comma}{{\"words\":{},\"order\":{},\"leave\":{},\"worst\":{},\"asked\":{}",
            json_text::text(&said.words),
            json_text::text(&said.order),
            node.leave,
            node.worst,
            said.asked
        )?;
        if let Some(above) = &said.answer.score.above {
            levels(above, node, out)?;
        }
        write!(out, "}}")?;
    }
    match on {
        Some(on) => allocated(on, advice.lighter_pair, out),
        None => writeln!(out, "]}}"),
    }
}

/// The sum and the levels of an answer, behind its other keys.
fn levels(above: &Above, node: &Leaving, out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\"sum\":{},\"levels\":[", above.sum())?;
    for level in &above.levels {
        write!(
            out,
            "{{\"level\":{},\"leave\":{},\"worst\":{},\"pair\":{}}},",
            json_text::text(&level.level),
            level.leave,
            level.worst,
            level.pair
        )?;
    }
    write!(
        out,
        "{{\"level\":\"node\",\"leave\":{},\"worst\":{}}}]",
        node.leave, node.worst
    )
}

/// What the job uses of the network, and the end of the answer.
fn allocated(on: &OnNetwork, lighter: Option<usize>, out: &mut dyn Write) -> io::Result<()> {
    let rows = allocation(on.network(), on.numbers());
    let rows = rows.iter().map(|row| {
        Ok(format!(
            "{{\"level\":{},\"objects\":{},\"sizes\":{},\"fewest\":{},\"lonely\":{}}}",
            json_text::text(&row.level),
            row.sizes.len(),
            json_text::text(&row.sizes),
            row.fewest,
            json_text::text(&row.lonely)
        ))
    });
    let rows: Vec<String> = rows.collect::<io::Result<_>>()?;
    let lighter = lighter.map_or_else(|| "null".to_owned(), |at| at.to_string());
    writeln!(
        out,
        "],\"lighter_pair\":{lighter},\"allocation\":[{}]}}",
        rows.join(",")
    )
}
