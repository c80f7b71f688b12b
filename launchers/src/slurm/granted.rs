//! `--granted`: the abstract cpus that a job has of each node.

use super::numbers;
use super::refusals;
use super::site::names;
use crate::line::{LineAsked, LineRefused};
use stowplan_engine::table::names::NameRange;

/// Nodes with their cpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Granted {
    pub(super) names: Vec<NameRange>,
    pub(super) cpus: Vec<(u32, u32)>,
}

/// Reads `n0=0-7,n1=0-3,8-11`, or a saved `scontrol show job -d`.
pub(super) fn granted(asked: &LineAsked<'_>) -> Result<Vec<Granted>, LineRefused> {
    let Some(text) = asked.granted else {
        return Ok(Vec::new());
    };
    let bad = |what: &str| {
        refusals::value(format!(
            "--granted: {what}: NODES=CPUS is asked for, as n0=0-7,n1=0-3"
        ))
    };
    let one = |nodes: &str, cpus: &str| match (names(nodes), numbers::ranges(cpus)) {
        (Some(names), Some(cpus)) => Ok(Granted { names, cpus }),
        _ => Err(bad(&format!("{nodes}={cpus}"))),
    };
    if text.contains('=') {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut open = String::new();
        for piece in text.split(',') {
            match (piece.split_once('='), pairs.last_mut()) {
                (Some((nodes, cpus)), _) => {
                    pairs.push((std::mem::take(&mut open) + nodes, cpus.to_owned()))
                }
                (None, _) if piece.contains('[') || !open.is_empty() => {
                    open = format!("{open}{piece},")
                }
                (None, Some((_, cpus))) => {
                    cpus.push(',');
                    cpus.push_str(piece);
                }
                (None, None) => return Err(bad(piece)),
            }
        }
        return pairs.iter().map(|(nodes, cpus)| one(nodes, cpus)).collect();
    }
    let bytes = asked
        .files
        .read(text)
        .map_err(|why| bad(&format!("{text} cannot be read: {why}")))?;
    let file = String::from_utf8_lossy(&bytes);
    let mut all = Vec::new();
    for line in file.lines() {
        let value = |key: &str| {
            line.split_whitespace()
                .find_map(|pair| pair.strip_prefix(key))
        };
        if let (Some(nodes), Some(cpus)) = (value("Nodes="), value("CPU_IDs=")) {
            all.push(one(nodes, cpus)?);
        }
    }
    if all.is_empty() {
        return Err(bad(&format!("{text} has no line with Nodes= and CPU_IDs=")));
    }
    Ok(all)
}
