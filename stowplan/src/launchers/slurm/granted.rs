//! `--granted`: the abstract cpus that a job has of each node.

use super::numbers;
use super::refusals;
use super::site::names;
use crate::launchers::line::{LineAsked, LineRefused};
use stowplan_engine::table::names::NameRange;

/// Nodes with their cpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Granted {
    pub(super) names: Vec<NameRange>,
    pub(super) cpus: Vec<(u32, u32)>,
    /// Numbers of its GPUs, where `GRES=gpu:…(IDX:…)` says them.
    pub(super) gpus: Option<Vec<(u32, u32)>>,
}

/// The numbers of all GPUs of `gpu:a100:2(IDX:0-1),gpu:l4:1(IDX:2)`.
fn gpus(gres: &str) -> Option<Vec<(u32, u32)>> {
    let mut all = None;
    for part in gres.split("gpu:").skip(1) {
        let list = part.split_once("(IDX:")?.1.split(')').next()?;
        let own = match list {
            "" | "N/A" => Vec::new(),
            list => numbers::ranges(list)?,
        };
        all.get_or_insert_with(Vec::new).extend(own);
    }
    all
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
        (Some(names), Some(cpus)) => Ok(Granted {
            names,
            cpus,
            gpus: None,
        }),
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
            let gpus = value("GRES=").and_then(gpus);
            all.push(Granted {
                gpus,
                ..one(nodes, cpus)?
            });
        }
    }
    if all.is_empty() {
        return Err(bad(&format!("{text} has no line with Nodes= and CPU_IDs=")));
    }
    Ok(all)
}
