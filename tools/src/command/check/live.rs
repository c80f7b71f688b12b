//! `stowplan check PLAN --live FILE`: whether the running job is the planned one.

use super::threads::{self, witnessed};
use crate::Console;
use crate::environment::Environment;
use crate::output;
use crate::report::Refused;
use stowplan_answers::openmp::Runtime;
use stowplan_answers::openmp::live::Compared;
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;
use stowplan_launchers::cpus::ranges;
use stowplan_launchers::environment::Lookup as _;
use stowplan_launchers::live::{
    Cause, ComparedGpus, Differ, Kind, Report, Side, compare, kinds, write,
};

/// What the command line says about a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Live {
    /// The file with the lines of `probe`.
    pub(super) file: String,
    /// Whether the answer is JSON.
    pub(super) json: bool,
    /// Whose rules put threads on cpus, if the plan does not say it.
    pub(super) runtime: Option<Runtime>,
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
    let (mut file, mut json, mut runtime) = (None, false, None);
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some((name @ ("live" | "format" | "omp"), value)) = name(word) else {
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
            ("omp", word) => runtime = Some(super::super::threads::runtime(word)?),
            _ if file.is_some() => {
                return Err(told("bad-option", "check --live stands twice".to_owned()));
            }
            _ => file = Some(value),
        }
    }
    Ok(file.map(|file| Live {
        file,
        json,
        runtime,
    }))
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
    let witnessed = witnessed(plan, &bytes, live.runtime, &bad)?;
    let report = match &witnessed.ranks {
        Some(lines) => compare(plan, lines),
        None => Report {
            ranks: plan.ranks(),
            differ: Differ::default(),
            cause: None,
            gpus: ComparedGpus::No,
        },
    };
    let mut text = String::new();
    if live.json {
        let kinds = witnessed
            .ranks
            .as_ref()
            .map(|lines| kinds(plan, lines, &report));
        text = json(
            &report,
            &kinds.unwrap_or_default(),
            witnessed.threads.as_ref(),
        );
    } else {
        if let Some(lines) = &witnessed.ranks {
            write(plan, lines, &report, &mut text).map_err(|_| bad("no answer".to_owned()))?;
        }
        if let Some(compared) = &witnessed.threads {
            text.push_str(&threads::text(compared));
        }
    }
    output::give(None, console.out, |out| out.write_all(text.as_bytes()))?;
    if witnessed.foreign > 0 {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(
            console.err,
            "note[foreign-lines]: {}: {} not of stowplan probe, passed over",
            live.file,
            counted(witnessed.foreign, "line")
        );
    }
    let same = { witnessed.threads.as_ref() }.is_none_or(Compared::is_same);
    Ok(u8::from(!(report.differ.is_empty() && same)))
}

fn json(report: &Report, kinds: &[Kind], compared: Option<&Compared>) -> String {
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
    let kinds: Vec<String> = kinds.iter().map(kind).collect();
    let same = differ.is_empty() && compared.is_none_or(Compared::is_same);
    let compared = compared.map_or_else(String::new, |own| {
        format!(",\"threads\":{}", threads::json(own))
    });
    format!(
        "{{\"same\":{same},\"ranks\":{},\"differ\":{{{}}},\"cause\":{cause},\"kinds\":[{}]{compared}}}\n",
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
