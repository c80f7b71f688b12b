//! `stowplan score`: the traffic of a communication pattern that leaves each level of the machine.

// Reads the command line.
pub mod asked;
// Matrix files.
pub mod matrices;
// Ranks and their edges, for drawing.
mod figure;

use crate::command::advise::policies::reorder;
use crate::command::map::place;
use crate::report::{Refused, print_notes};
use crate::{Console, output};
use asked::{Asked, Format, refused, told};
use figure::edges;
use matrices::FileMatrices;
use std::io::{self, Write};
use stowplan_answers::picture::figure::{edges_svg, html_with};
use stowplan_engine::error::Note;
use stowplan_engine::plan::Plan;
use stowplan_job::args::map_args;
use stowplan_score::advise::{Policy, best_known};
use stowplan_score::level::Level;
use stowplan_score::pattern::Part;
use stowplan_score::score::{Leaving, Score, score};
use stowplan_score::weight::Weight;

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

fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let asked = Asked::read("score", args, FORMATS, &[])?;
    asked.needs_a_pattern()?;
    let (plan, notes) = plan_of(&asked, console)?;
    let matrices = FileMatrices {
        files: console.files,
    };
    let found = score(&plan, &asked.parts, &matrices).map_err(refused)?;
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
        Format::Text => text(&found, &asked.parts, known, out),
        Format::Svg => out.write_all(edges_svg(&edges(&plan, &asked.parts)).as_bytes()),
        Format::Html => {
            let lines = sentences(&found, &asked.parts);
            let figure = edges_svg(&edges(&plan, &asked.parts));
            let page = html_with("stowplan score", &plan, &lines, &figure);
            out.write_all(page.as_bytes())
        }
        Format::Json => json(&found, &asked.parts, out),
        Format::Tsv => tsv(&found, out),
    })?;
    print_notes(&notes, console.err);
    Ok(())
}

/// The plan: the saved plan that is named, or the plan of the job.
fn plan_of(asked: &Asked, console: &Console<'_>) -> Result<(Plan, Vec<Note>), Refused> {
    match (&asked.words[..], &asked.job) {
        ([], Some(job)) => {
            let mapped = place(map_args(job)?, console.files)?.mapped;
            Ok((mapped.plan, mapped.notes))
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
            Ok((plan, Vec::new()))
        }
        ([], None) | ([_, ..], Some(_)) | ([_, _, ..], None) => Err(told(
            "bad-option",
            "score takes one saved plan, or -- and a job: stowplan score --pattern P -- -n 8"
                .to_owned(),
        )),
    }
}

fn json(found: &Score, parts: &[Part], out: &mut dyn Write) -> io::Result<()> {
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
    for (at, level) in found.levels.iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        let word = level.level.word();
        write!(
            out,
            "{comma}{{\"level\":\"{word}\",\"leave\":{},\"worst\":{}}}",
            level.leave, level.worst
        )?;
    }
    writeln!(out, "]}}")
}

fn tsv(found: &Score, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#level\tleave\tworst")?;
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

/// `known`: the least traffic known to leave the nodes, and how much of it leaves the worst node.
fn text(
    found: &Score,
    parts: &[Part],
    known: Option<(Weight, Weight)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let words: Vec<&str> = parts.iter().map(|part| part.word.as_str()).collect();
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    writeln!(
        out,
        "{} {} · {} {} · {}: {} {}, both directions counted",
        number(&found.ranks),
        noun(found.ranks, "rank"),
        number(&found.nodes),
        noun(found.nodes, "node"),
        words.join(" + "),
        number(&found.edges),
        unit
    )?;
    let head = known.map_or("", |_| "   best known");
    writeln!(
        out,
        "{:<10}{:>20}{:>10}{:>20}{head}",
        "leave", unit, "share", "worst one"
    )?;
    for level in &found.levels {
        let share = level.leave.per_mille(found.edges);
        let best = known.filter(|_| level.level == Level::Node);
        let best = best.map_or_else(String::new, |(leave, worst)| {
            let by = if (leave, worst) < (level.leave, level.worst) {
                "stowplan advise"
            } else {
                "this one"
            };
            format!("   {} ({}): {by}", number(&leave), number(&worst))
        });
        writeln!(
            out,
            "{:<10}{:>20}{:>8}.{} %{:>17}{best}",
            level.level.word(),
            number(&level.leave),
            share / 10,
            share % 10,
            number(&level.worst)
        )?;
    }
    Ok(())
}

/// A noun as it follows its number.
fn noun(number: u32, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{noun}{plural}")
}

/// The score as lines of a page.
fn sentences(found: &Score, parts: &[Part]) -> Vec<String> {
    let words: Vec<&str> = parts.iter().map(|part| part.word.as_str()).collect();
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    let first = format!(
        "{} {} · {} {} · {}: {} {unit}, both directions counted",
        number(&found.ranks),
        noun(found.ranks, "rank"),
        number(&found.nodes),
        noun(found.nodes, "node"),
        words.join(" + "),
        number(&found.edges),
    );
    let level = |level: &Leaving| {
        let share = level.leave.per_mille(found.edges);
        format!(
            "{} {unit} leave their {} ({}.{} %), at most {} one of them",
            number(&level.leave),
            level.level.word(),
            share / 10,
            share % 10,
            number(&level.worst)
        )
    };
    std::iter::once(first)
        .chain(found.levels.iter().map(level))
        .collect()
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
