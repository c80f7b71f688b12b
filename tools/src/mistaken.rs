//! Files that were given where others were meant: a refusal that names one says what it is, and which command reads it.

use crate::Console;
use serde_json::Value as Json;
use std::fs::File;
use std::io::{self, Read as _, Write};
use stowplan::job::error::one_line;
use stowplan_engine::plan::Plan;

/// The most bytes of a file that are looked at.
const READ_MAX: u64 = 1 << 20;
/// The most bytes of a refusal that are kept.
const TOLD_MAX: usize = 1 << 16;

/// What a file is, by its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Plan,
    PlanInJson,
    Journal,
    Scenario,
    Request,
    Topology,
    Resources,
}

impl Kind {
    /// The kind of these bytes, if it is one of ours. Cost: the bytes.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        if Plan::is_sealed(bytes) {
            return Some(Self::Plan);
        }
        if bytes.starts_with(stowplan_session::MAGIC) {
            return Some(Self::Journal);
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if start.starts_with('<') {
            return start.contains("<topology").then_some(Self::Topology);
        }
        let object: Json = serde_json::from_str(start).ok()?;
        let has = |key: &str| object.get(key).is_some();
        let rows: [(&[&str], Self); 5] = [
            (&["ranks", "topologies", "patterns"], Self::PlanInJson),
            (&["apps"], Self::Request),
            (&["steps"], Self::Scenario),
            (&["scenarios"], Self::Scenario),
            (&["execution"], Self::Resources),
        ];
        let row = rows
            .iter()
            .find(|(keys, _)| keys.iter().all(|key| has(key)));
        row.map(|(_, kind)| *kind)
    }

    /// What it is, and who reads it.
    fn told(self, path: &str) -> String {
        match self {
            Self::Plan => format!("{path} is a saved plan: stowplan show {path}"),
            Self::PlanInJson => {
                format!(
                    "{path} is a plan as JSON, for other programs: --save writes what is read here"
                )
            }
            Self::Journal => {
                format!("{path} is a journal of sessions: stowplan session replay {path}")
            }
            Self::Scenario => {
                format!("{path} is a scenario of sessions: stowplan session run {path}")
            }
            Self::Request => format!("{path} is a spawn request: stowplan spawn {path}"),
            Self::Topology => format!("{path} is a topology: stowplan topo show {path}"),
            Self::Resources => {
                format!("{path} is an R of Flux: stowplan map --here=- … < {path}")
            }
        }
    }
}

/// What the readers that refuse with a class take; `None`: the class is not about a file that could be another.
fn wanted(class: &str) -> Option<&'static [Kind]> {
    Some(match class {
        "bad-plan" => &[Kind::Plan],
        "bad-request" => &[Kind::Request],
        "bad-topology" => &[Kind::Topology],
        "journal" => &[Kind::Journal],
        "scenario" => &[Kind::Scenario],
        "bad-hostfile" | "bad-rankfile" | "bad-seqfile" | "bad-affinityfile" | "bad-network"
        | "bad-rank-order" | "bad-live" | "bad-script" | "bad-pattern" | "bad-environment"
        | "bad-site" | "bad-value" | "taskmap-syntax" => &[],
        _ => return None,
    })
}

/// Runs a command. If it refuses and its message names a file among the words that is of another kind, a line of help says what it is.
pub(crate) fn named(
    args: &[String],
    console: &mut Console<'_>,
    run: impl FnOnce(&mut Console<'_>) -> u8,
) -> u8 {
    let mut told = Heard {
        err: &mut *console.err,
        first: Vec::new(),
    };
    let status = run(&mut Console {
        out: &mut *console.out,
        err: &mut told,
        files: console.files,
        screen: console.screen,
        audience: console.audience,
    });
    let first = told.first;
    if status == 2
        && let Some(help) = help(args, &String::from_utf8_lossy(&first))
    {
        // The worst that can happen to a message is that nobody reads it.
        let _ = writeln!(console.err, "help: {}", one_line(&help));
    }
    status
}

/// The help for the first line of a refusal.
fn help(args: &[String], first: &str) -> Option<String> {
    let (class, sentence) = first.strip_prefix("error[")?.split_once("]: ")?;
    let wanted = wanted(class)?;
    args.iter().flat_map(|word| paths(word)).find_map(|path| {
        if path.is_empty() || !names(sentence, path) {
            return None;
        }
        let kind = Kind::of(&start_of(path)?)?;
        (!wanted.contains(&kind)).then(|| kind.told(path))
    })
}

/// The parts of a word that may be a path.
fn paths(word: &str) -> impl Iterator<Item = &str> {
    let behind = ["file=", "file:", "=", "@"];
    let parts = behind
        .into_iter()
        .filter_map(move |sign| word.split_once(sign).map(|(_, path)| path));
    std::iter::once(word).chain(parts)
}

/// Whether a sentence names a path, as a word of its own.
pub fn names(sentence: &str, path: &str) -> bool {
    let shown = one_line(path);
    let part = |sign: char| sign.is_alphanumeric() || "/._-".contains(sign);
    sentence.match_indices(&shown).any(|(at, _)| {
        let before = sentence[..at].chars().next_back();
        let behind = sentence[at + shown.len()..].chars().next();
        !before.is_some_and(part) && !behind.is_some_and(part)
    })
}

/// The beginning of a file; `None` for what is no regular file: reading a pipe would take something away.
fn start_of(path: &str) -> Option<Vec<u8>> {
    if !std::fs::metadata(path).is_ok_and(|about| about.is_file()) {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(READ_MAX).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Standard error, and the first line that went there.
struct Heard<'e> {
    err: &'e mut dyn Write,
    first: Vec<u8>,
}

impl Write for Heard<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.err.write(bytes)?;
        if !self.first.ends_with(b"\n") && self.first.len() < TOLD_MAX {
            let own = &bytes[..done];
            let end = own.iter().position(|&byte| byte == b'\n');
            self.first
                .extend_from_slice(&own[..end.map_or(own.len(), |end| end + 1)]);
        }
        Ok(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.err.flush()
    }
}
