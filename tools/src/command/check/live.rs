//! `stowplan check PLAN --live FILE`: whether the running job is the planned one.

use crate::Console;
use crate::environment::Environment;
use crate::output;
use crate::report::Refused;
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;
use stowplan_launchers::cpus::ranges;
use stowplan_launchers::environment::Lookup as _;
use stowplan_launchers::live::{
    Cause, ComparedGpus, Kind, Lines, Report, Side, compare, kinds, read, write,
};

/// What the command line says about a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Live {
    /// The file with the lines of `probe`.
    pub(super) file: String,
    /// Whether the answer is JSON.
    pub(super) json: bool,
}

/// Reads `--live` and its format from the words after the plan; `None` if there is no `--live`.
///
/// # Errors
/// `bad-option`, `bad-value`.
pub(super) fn take(words: &[String]) -> Result<Option<Live>, Refused> {
    let is_live = |word: &String| matches!(name(word), Some(("live", _)));
    if !words.iter().any(is_live) {
        return Ok(None);
    }
    let told = |class, sentence| Refused::Told { class, sentence };
    let (mut file, mut json) = (None, false);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some((name @ ("live" | "format"), value)) = name(word) else {
            let sentence = format!("check --live: {word:?} has no meaning beside it");
            return Err(told("bad-option", sentence));
        };
        let value = value
            .or_else(|| rest.next().cloned())
            .ok_or_else(|| told("bad-option", format!("check --{name}: a value must follow")))?;
        match (name, value.to_ascii_lowercase().as_str()) {
            ("format", "json") => json = true,
            ("format", "text") => json = false,
            ("format", _) => {
                let sentence = format!("check --live --format {value}: it takes text or json");
                return Err(told("bad-value", sentence));
            }
            _ if file.is_some() => {
                return Err(told("bad-option", "check --live stands twice".to_owned()));
            }
            _ => file = Some(value),
        }
    }
    Ok(file.map(|file| Live { file, json }))
}

/// The name of an option without its dashes, and the value after `=`.
fn name(word: &str) -> Option<(&str, Option<String>)> {
    let bare = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    Some(match bare.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (bare, None),
    })
}

/// Compares and shows the differences. Returns the exit status: 0 same, 1 differs.
///
/// # Errors
/// `bad-live`, and errors of the output.
pub(super) fn answer(plan: &Plan, live: &Live, console: &mut Console<'_>) -> Result<u8, Refused> {
    let environment = Environment {
        files: console.files,
    };
    let bad = |sentence: String| Refused::Told {
        class: "bad-live",
        sentence: format!("{}: {sentence}", live.file),
    };
    let bytes = environment.file(&live.file).map_err(bad)?;
    let lines = read(&bytes).map_err(|error| bad(error.to_string()))?;
    let report = compare(plan, &lines);
    let mut text = String::new();
    if live.json {
        text = json(plan, &lines, &report);
    } else {
        write(plan, &lines, &report, &mut text).map_err(|_| bad("no answer".to_owned()))?;
    }
    output::give(None, console.out, |out| out.write_all(text.as_bytes()))?;
    if lines.foreign > 0 {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(
            console.err,
            "note[foreign-lines]: {}: {} not of stowplan probe, passed over",
            live.file,
            counted(lines.foreign, "line")
        );
    }
    Ok(u8::from(!report.differ.is_empty()))
}

fn json(plan: &Plan, lines: &Lines, report: &Report) -> String {
    let differ = &report.differ;
    let mut each = vec![
        ("missing", &differ.missing),
        ("unknown", &differ.unknown),
        ("twice", &differ.twice),
        ("node", &differ.node),
        ("cpus", &differ.cpus),
    ];
    if report.gpus == ComparedGpus::Yes {
        each.push(("gpus", &differ.gpus));
    }
    let each = each.into_iter().map(|(name, ranks)| {
        let list = if ranks.is_empty() {
            String::new()
        } else {
            ranges(ranks, ',')
        };
        format!("\"{name}\":\"{list}\"")
    });
    let each: Vec<String> = each.collect();
    let cause = report.cause.map(Cause::word);
    let cause = cause.map_or_else(|| "null".to_owned(), |word| format!("\"{word}\""));
    let kinds: Vec<String> = kinds(plan, lines, report).iter().map(kind).collect();
    format!(
        "{{\"same\":{},\"ranks\":{},\"differ\":{{{}}},\"cause\":{cause},\"kinds\":[{}]}}\n",
        differ.is_empty(),
        report.ranks,
        each.join(","),
        kinds.join(",")
    )
}

/// Ranks that were planned alike and got alike.
fn kind(kind: &Kind) -> String {
    let side =
        |side: &Side| serde_json::json!({"node": side.node, "cpus": side.cpus, "gpus": side.gpus});
    let (planned, real) = (side(&kind.planned), side(&kind.real));
    let ranks = ranges(&kind.ranks, ',');
    let count = kind.ranks.len();
    format!("{{\"ranks\":\"{ranks}\",\"count\":{count},\"planned\":{planned},\"real\":{real}}}")
}
