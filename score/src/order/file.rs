//! Ranks as a file has them: `MPICH_RANK_ORDER`, one line per node.

use super::refuse;
use crate::error::ScoreError;
use std::fmt::Write as _;
use stowplan_engine::count::counted;

/// Reads ranks, separated by commas, blanks or newlines; `#` hides the rest of a line. Each rank below `procs` must be there
/// once.
///
/// # Errors
/// `bad-rank-order` with the line.
pub fn read(word: &str, text: &[u8], procs: u32) -> Result<Vec<u32>, ScoreError> {
    let mut ranks = Vec::new();
    let mut line_of = vec![0_u32; procs as usize];
    for (number, line) in (1_u32..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or(line);
        let apart = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
        for field in line.split(apart).filter(|field| !field.is_empty()) {
            let text = String::from_utf8_lossy(field);
            let digits = field.iter().all(u8::is_ascii_digit);
            let Some(rank) = text.parse::<u32>().ok().filter(|_| digits) else {
                return refuse(word, format!("line {number}: {text:?} is no rank"));
            };
            match line_of.get_mut(rank as usize) {
                Some(line) if *line == 0 => *line = number,
                Some(line) => {
                    let why = format!("line {number}: rank {rank} stands on line {line} already");
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
