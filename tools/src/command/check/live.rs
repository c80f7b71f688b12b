//! `stowplan check PLAN --live FILE`: whether the running job is the planned one.

use super::threads::{self, witnessed};
use crate::Console;
use crate::command::given::Given;
use crate::command::threads::runtime;
use crate::environment::Environment;
use crate::output;
use crate::report::{self, Refused, told};
use stowplan::answers::openmp::Runtime;
use stowplan::answers::openmp::live::Compared;
use stowplan::launchers::cpus::ranges;
use stowplan::launchers::environment::Lookup as _;
use stowplan::launchers::live::{
    Cause, ComparedGpus, Differ, Kind, Report, Side, compare, kinds, write,
};
use stowplan_engine::count::counted;
use stowplan_engine::plan::Plan;

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

const FORMATS: &[(&str, bool)] = &[("text", false), ("json", true)];

impl Live {
    /// What is said of the running job; `None`: nothing.
    ///
    /// # Errors
    /// `bad-option`, `bad-value`.
    pub(super) fn of(given: &Given<'_>) -> Result<Option<Self>, Refused> {
        let Some(file) = given.value("live") else {
            let Some((name, _)) = given.options().next() else {
                return Ok(None);
            };
            let sentence =
                format!("check --{name}: it goes with --live FILE; a job's options come after --");
            return Err(told("bad-option", sentence));
        };
        Ok(Some(Self {
            file: file.to_owned(),
            json: given.choice("format", FORMATS)?.unwrap_or(false),
            runtime: given.value("omp").map(runtime).transpose()?,
        }))
    }
}

/// Compares and shows the differences. Returns the exit status: 0 same, 1 differs.
///
/// # Errors
/// `bad-live`, and errors of the output.
pub(super) fn answer(plan: &Plan, live: &Live, console: &mut Console<'_>) -> Result<u8, Refused> {
    let environment = Environment {
        files: console.files,
    };
    let bad = |sentence: String| told("bad-live", format!("{}: {sentence}", live.file));
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
        let lines = counted(witnessed.foreign, "line");
        let text = format!("{}: {lines} not of stowplan probe, passed over", live.file);
        report::note(console.err, "foreign-lines", &text);
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
