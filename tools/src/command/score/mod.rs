//! `stowplan score`: the traffic of a communication pattern that leaves each level of the machine.

// Reads the command line.
pub mod asked;
// Matrix files.
pub mod matrices;
// Ranks and their edges, for drawing.
mod figure;
// Levels of a network in JSON.
pub mod above;
// The page.
pub(in crate::command) mod page;

use crate::command::advise::policies::reorder;
use crate::command::map::place;
use crate::report::{Refused, print_notes};
use crate::{Console, output};
use asked::{Asked, Format, refused, told};
use figure::edges;
use matrices::FileMatrices;
use std::io::{self, Write};
use std::sync::Arc;
use stowplan_answers::picture::figure::{edges_svg, html_with};
use stowplan_engine::error::Note;
use stowplan_engine::plan::Plan;
use stowplan_job::args::{JobArgs, map_args};
use stowplan_job::network::of_nodes;
use stowplan_score::advise::{Policy, best_known};
use stowplan_score::level::Level;
use stowplan_score::network::OnNetwork;
use stowplan_score::pattern::Part;
use stowplan_score::score::{Score, score_on};

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("tsv", Format::Tsv),
    ("html", Format::Html),
    ("svg", Format::Svg),
];

/// Runs the subcommand with the arguments after `score`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match answer(args, console) {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

/// The answer to the arguments after `score`.
///
/// # Errors
/// Those of the words, of the pattern and of the job.
pub(crate) fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let asked = Asked::read("score", args, FORMATS, &["distances"])?;
    asked.needs_a_pattern()?;
    let Placed { plan, notes, on } = plan_of(&asked, console)?;
    let distances = distances(&asked, on.as_deref())?;
    let matrices = FileMatrices {
        files: console.files,
    };
    let found = score_on(&plan, &asked.parts, &matrices, on.as_deref()).map_err(refused)?;
    let known = if asked.format == Format::Text {
        let policy = Policy {
            reorder: reorder(&plan),
            plan: plan.clone(),
        };
        best_known(&policy, &asked.parts)
    } else {
        None
    };
    output::give(None, console.out, |out| match asked.format {
        Format::Text => page::text(&found, &asked.parts, known, on.as_deref(), out),
        Format::Svg => out.write_all(edges_svg(&edges(&plan, &asked.parts)).as_bytes()),
        Format::Html => {
            let lines = page::sentences(&found, &asked.parts);
            let figure = edges_svg(&edges(&plan, &asked.parts));
            let page = html_with("stowplan score", &plan, &lines, &figure);
            out.write_all(page.as_bytes())
        }
        Format::Json => json(&found, &asked.parts, distances.as_deref(), out),
        Format::Tsv => tsv(&found, out),
    })?;
    print_notes(&notes, console.err);
    Ok(())
}

/// A plan, its notes, and the network of its nodes.
struct Placed {
    plan: Plan,
    notes: Vec<Note>,
    on: Option<Arc<OnNetwork>>,
}

/// The plan: the saved plan that is named, or the plan of the job.
fn plan_of(asked: &Asked, console: &Console<'_>) -> Result<Placed, Refused> {
    match (&asked.words[..], &asked.job) {
        ([], Some(job)) => {
            let placement = place(map_args(job)?, console.files)?;
            Ok(Placed {
                plan: placement.mapped.plan,
                notes: placement.mapped.notes,
                on: placement.sources.network,
            })
        }
        ([path], None) => {
            let bytes = console.files.read(path).map_err(|reason| {
                told(
                    "bad-plan",
                    format!("{path}: at byte 0: expected a saved plan: {reason}"),
                )
            })?;
            let plan = Plan::from_bytes(&bytes);
            let plan = plan.map_err(|error| told(error.class(), format!("{path}: {error}")))?;
            let beside = JobArgs {
                network: asked.other("network").map(str::to_owned),
                network_levels: asked.other("network-levels").map(str::to_owned),
                ..JobArgs::default()
            };
            let on = of_nodes(&beside, &plan.world().names, console.files)?;
            Ok(Placed {
                plan,
                notes: Vec::new(),
                on: on.map(Arc::new),
            })
        }
        ([], None) | ([_, ..], Some(_)) | ([_, _, ..], None) => Err(told(
            "bad-option",
            "score takes one saved plan, or -- and a job: stowplan score --pattern P -- -n 8"
                .to_owned(),
        )),
    }
}

/// `--distances`: within a node, then by the level of the network at which nodes meet, from the lowest.
///
/// # Errors
/// `bad-option` without a network; `bad-value`.
pub fn distances(asked: &Asked, on: Option<&OnNetwork>) -> Result<Option<Vec<u32>>, Refused> {
    let Some(text) = asked.other("distances") else {
        return Ok(None);
    };
    let Some(on) = on else {
        let sentence = "--distances go by the levels of a network, and there is no --network";
        return Err(told("bad-option", sentence.to_owned()));
    };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit());
        text.parse::<u32>().ok().filter(|_| digits)
    };
    let found: Option<Vec<u32>> = text.split(':').map(number).collect();
    let wanted = on.network().levels().len() + 2;
    match found {
        Some(found) if found.len() == wanted => Ok(Some(found)),
        Some(_) | None => Err(told(
            "bad-value",
            format!(
                "--distances {text}: it takes {wanted} numbers with colons between: within a node, then by the level at which nodes meet, from the lowest"
            ),
        )),
    }
}

fn json(
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
        serde_json::to_string(&words)?,
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
                    serde_json::to_string(&above.worst_node)?
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

fn tsv(found: &Score, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#level\tleave\tworst")?;
    for level in found.above.iter().flat_map(|above| &above.levels) {
        writeln!(out, "{}\t{}\t{}", level.level, level.leave, level.worst)?;
    }
    for level in &found.levels {
        writeln!(
            out,
            "{}\t{}\t{}",
            level.level.word(),
            level.leave,
            level.worst
        )?;
    }
    Ok(())
}

/// A number with commas between the thousands of its integer part.
#[must_use]
pub fn thousands(number: &str) -> String {
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, format!(".{fraction}")),
        None => (number, String::new()),
    };
    let digits = whole.len();
    let mut text = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (digits - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + &fraction
}
