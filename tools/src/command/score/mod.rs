//! `stowplan score`: the traffic of a communication pattern that leaves each level of the machine.

// Reads the command line.
pub(in crate::command) mod asked;
// Matrix files.
pub mod matrices;
// Ranks and their edges, for drawing.
mod figure;
// The page.
pub(in crate::command) mod page;

use super::given::Given;
use super::map::place;
use super::subcommand::{Behind, Many, Once, One, Subcommand, own, subcommand};
use crate::report::{Refused, print_notes, told};
use crate::{Console, output};
use asked::{Asked, DISTANCES, Format, LEVELS, NODE_ORDER, refused};
use figure::edges;
use matrices::FileMatrices;
use std::io::{self, Write};
use std::sync::Arc;
use stowplan::answers::advice::distances;
use stowplan::answers::advice::json::score_json;
use stowplan::answers::advice::policies::reorder;
use stowplan::answers::picture::figure::{edges_svg, html_with};
use stowplan::job::args::{JobArgs, map_args};
use stowplan::job::network::of_nodes;
use stowplan::score::advise::{Policy, best_known};
use stowplan::score::figures::{Score, score_on};
use stowplan::score::network::OnNetwork;
use stowplan_engine::error::Note;
use stowplan_engine::plan::Plan;

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("tsv", Format::Tsv),
    ("html", Format::Html),
    ("svg", Format::Svg),
];

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["pattern"], One, "[APP=]P", Many, "halo:GRID ring pairs alltoall[:G] transpose:RxC tree:K file:F between:A,B:block|all; several add up"),
        own(&["format"], One, "F", Many, "text, json or tsv; html or svg draw ranks and the edges that leave nodes [default: text]"),
        own(&["network"], One, "NET", Once, "also count what leaves switches and groups above the nodes: a file, words, builtin:NAME HOSTS"),
        LEVELS,
        NODE_ORDER,
        DISTANCES,
    ],
    behind: Behind::Jobs,
    examples: &[("stowplan score --pattern halo:50x48 -- --topo 'package:2 core:24 pu:1' -H 'n[0-49]:48' -n 2400 --map-by slot", "how many neighbours of a stencil are on another node")],
    ..subcommand("score", "--pattern P [options] PLAN | --pattern P [options] -- [options and apps as for map]", "Counts what leaves each node, package and cache for a communication pattern", |args, console| answer(args, console).map(|()| 0))
};

/// The answer to the arguments after `score`.
///
/// # Errors
/// Those of the words, of the pattern and of the job.
pub(crate) fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let asked = Asked::of(Given::read(&COMMAND, args)?, FORMATS)?;
    let Placed { plan, notes, on } = plan_of(&asked, console)?;
    let distances = distances(asked.distances.as_deref(), on.as_deref())?;
    let matrices = FileMatrices {
        files: console.files,
    };
    let found = score_on(&plan, &asked.parts, &matrices, on.as_deref()).map_err(refused)?;
    let known = if asked.format == Format::Text {
        let policy = Policy {
            reorder: reorder(&plan),
            plan: plan.clone(),
            on: None,
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
        Format::Json => score_json(&found, &asked.parts, distances.as_deref(), out),
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
fn plan_of(asked: &Asked<'_>, console: &Console<'_>) -> Result<Placed, Refused> {
    match (&asked.given.words[..], &asked.job) {
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
                network: asked.given.value("network").map(str::to_owned),
                network_levels: asked.given.value("network-levels").map(str::to_owned),
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
