//! Ranks as a file has them: `MPICH_RANK_ORDER`, one line per node.

use super::refuse;
use crate::score::error::ScoreError;
use std::fmt::Write as _;
use stowplan_engine::count::counted;

/// Reads ranks, separated by commas, blanks or newlines; `#` hides the rest of a line. Each rank below `procs` must be there
/// once.
///
/// # Errors
/// `bad-rank-order` with the line.
pub fn read(word: &str, text: &[u8], procs: u32) -> Result<Vec<u32>, ScoreError> {
    let mut ranks = Vec::with_capacity(procs as usize);
    let mut line_of = vec![0_u32; procs as usize];
    for (number, field) in fields(text) {
        let Some(rank) = rank(field) else {
            let text = String::from_utf8_lossy(field);
            return refuse(word, format!("line {number}: {text:?} is no rank"));
        };
        match line_of.get_mut(rank as usize) {
            Some(line) if *line == 0 => *line = number,
            Some(line) => {
                let why = format!("line {number}: rank {rank} is on line {line} already");
                return refuse(word, why);
            }
            None => {
                let why = format!(
                    "line {number}: rank {rank} is beyond the job's {}, from 0",
                    counted(procs, "process")
                );
                return refuse(word, why);
            }
        }
        ranks.push(rank);
    }
    match line_of.iter().position(|&line| line == 0) {
        Some(rank) => refuse(
            word,
            format!(
                "it has {}, the job has {}: rank {rank} is missing",
                counted(ranks.len() as u64, "rank"),
                counted(procs, "process")
            ),
        ),
        None => Ok(ranks),
    }
}

/// What stands between commas, blanks and newlines, each with its line; without what `#` hides.
fn fields(text: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let (mut rest, mut line) = (text, 1);
    std::iter::from_fn(move || {
        loop {
            let (&first, behind) = rest.split_first()?;
            if first == b'#' {
                let end = rest.iter().position(|&byte| byte == b'\n');
                rest = &rest[end.unwrap_or(rest.len())..];
            } else if is_apart(first) {
                line += u32::from(first == b'\n');
                rest = behind;
            } else {
                let ends = |&byte: &u8| byte == b'#' || is_apart(byte);
                let end = rest.iter().position(ends).unwrap_or(rest.len());
                let (field, behind) = rest.split_at(end);
                rest = behind;
                return Some((line, field));
            }
        }
    })
}

fn is_apart(byte: u8) -> bool {
    byte == b',' || byte.is_ascii_whitespace()
}

/// A number in digits.
fn rank(field: &[u8]) -> Option<u32> {
    field.iter().try_fold(0_u32, |rank, byte| {
        let digit = u32::from(byte.wrapping_sub(b'0'));
        let rank = rank.checked_mul(10).filter(|_| digit < 10)?;
        rank.checked_add(digit)
    })
}

/// Writes an order as MPICH reads it: one line per node, ranks separated by commas. `nodes`: how many places each node has.
#[must_use]
pub fn write(ranks: &[u32], nodes: impl Iterator<Item = u32>) -> String {
    let mut text = String::with_capacity(ranks.len() * 8);
    let mut rest = ranks;
    for places in nodes {
        let (own, behind) = rest.split_at((places as usize).min(rest.len()));
        rest = behind;
        for (at, rank) in own.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            // Writing to a text does not fail.
            let _ = write!(text, "{comma}{rank}");
        }
        text.push('\n');
    }
    text
}
