//! Names that say where a node is: `x{group}c{chassis}s*`.

use super::rows::{Row, Tops};
use super::{BadNetwork, Network, level_words, rows};
use std::collections::HashSet;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{Names, NodeId};
use stowplan_engine::text::hostlist::plain;

/// Pieces of a template.
const PIECES_MAX: usize = 64;

/// A piece of a template.
enum Piece {
    Text(String),
    /// A number: a level.
    Number,
    /// Anything.
    Any,
}

/// The network of a job's nodes by their names.
///
/// # Errors
/// A template that is none, a name of another form.
pub(super) fn read(template: &str, job: &Names) -> Result<Network, BadNetwork> {
    let bad = |why: String| BadNetwork::told(format!("--network names {template}: {why}"));
    let (pieces, words) = pieces(template).map_err(bad)?;
    if words.is_empty() {
        return Err(bad("it has no {LEVEL}".to_owned()));
    }
    let mut built = Vec::new();
    for node in 0..job.len() {
        let name = job.name(NodeId::from_row(node as usize));
        let mut ends = Vec::new();
        if !fits(&pieces, &name, 0, &mut ends, &mut HashSet::new()) {
            return Err(bad(format!("the name {name} is not of this form")));
        }
        let objects = ends.iter().map(|&end| name[..end].to_owned()).collect();
        built.push(Row {
            nodes: vec![plain(&name)],
            objects,
            line: 0,
        });
    }
    rows::network(&built, &words, Tops::Kept, &format!("names {template}"))
}

fn pieces(template: &str) -> Result<(Vec<Piece>, Vec<String>), String> {
    let (mut found, mut words) = (Vec::new(), Vec::new());
    let mut rest = template;
    while let Some(sign) = rest.chars().next() {
        match sign {
            '{' => {
                let Some((word, behind)) = rest[1..].split_once('}') else {
                    return Err(format!("the brace of {rest:?} does not close"));
                };
                level_words::check(word)?;
                if words.iter().any(|known| known == word) {
                    return Err(format!("level {word} is given twice"));
                }
                words.push(word.to_owned());
                found.push(Piece::Number);
                rest = behind;
            }
            '}' => return Err("a brace closes that was not opened".to_owned()),
            '*' => {
                found.push(Piece::Any);
                rest = &rest[1..];
            }
            _ => {
                let end = rest.find(['{', '}', '*']).unwrap_or(rest.len());
                found.push(Piece::Text(rest[..end].to_owned()));
                rest = &rest[end..];
            }
        }
    }
    if found.len() > PIECES_MAX {
        return Err(format!(
            "it has {} pieces, at most {PIECES_MAX} are possible",
            found.len()
        ));
    }
    Ok((found, words))
}

/// Whether a name fits, and where its numbers end. `failed`: what was tried in vain, so that nothing is tried twice.
fn fits(
    pieces: &[Piece],
    name: &str,
    at: usize,
    ends: &mut Vec<usize>,
    failed: &mut HashSet<(usize, usize)>,
) -> bool {
    let Some((piece, rest)) = pieces.split_first() else {
        return at == name.len();
    };
    if failed.contains(&(pieces.len(), at)) {
        return false;
    }
    let bytes = name.as_bytes();
    let tried = match piece {
        Piece::Text(text) => {
            name.get(at..).is_some_and(|left| left.starts_with(text))
                && fits(rest, name, at + text.len(), ends, failed)
        }
        Piece::Number => {
            let digits = bytes[at..]
                .iter()
                .take_while(|sign| sign.is_ascii_digit())
                .count();
            (1..=digits).rev().any(|many| {
                ends.push(at + many);
                let fine = fits(rest, name, at + many, ends, failed);
                if !fine {
                    ends.pop();
                }
                fine
            })
        }
        Piece::Any => (at..=name.len())
            .rev()
            .any(|end| name.is_char_boundary(end) && fits(rest, name, end, ends, failed)),
    };
    if !tried {
        failed.insert((pieces.len(), at));
    }
    tried
}
