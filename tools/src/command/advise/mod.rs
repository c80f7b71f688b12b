//! `stowplan advise`: tries policies and orders of ranks, and sorts them by the traffic that leaves nodes.

// What is asked and said of a network.
mod on_network;

use super::given::Given;
use super::score::asked::{Asked, DISTANCES, Format, LEVELS, NODE_ORDER};
use super::score::matrices::FileMatrices;
use super::score::thousands;
use super::subcommand::{Behind, Many, Once, One, Subcommand, own, subcommand};
use crate::report::{Refused, told};
use crate::surroundings::Surroundings;
use crate::{Console, output};
use std::io::{self, Write};
use std::sync::Arc;
use stowplan::answers::advice::json::advice_json;
use stowplan::answers::advice::policies::policies;
use stowplan::answers::advice::{self, Said, UNWRITTEN, say};
use stowplan::answers::picture::figure::{Candidate, Largest, candidates_svg, html_with};
use stowplan::job::error::one_line;
use stowplan::score::advise::Advice;
use stowplan::score::advise::Answer;
use stowplan::score::figures::Leaving;
use stowplan::score::order::file;
use stowplan::score::tree::places;
use stowplan::score::weight::Weight;
use stowplan_engine::plan::Plan;
use stowplan_engine::text::digits::number;

const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("json", Format::Json),
    ("html", Format::Html),
    ("svg", Format::Svg),
];

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["pattern"], One, "[APP=]P", Many, "who talks to whom, as for score; several add up"),
        own(&["format"], One, "F", Many, "json, or text for people; html or svg draw the candidates [default: text]"),
        own(&["order"], One, "FILE", Once, "write the order of ranks of an answer, as MPICH_RANK_ORDER"),
        own(&["answer"], One, "K", Once, "of this answer [default: 1]"),
        own(&["network"], One, "NET", Once, "also look at switches and groups above the nodes: a file, words, builtin:NAME HOSTS"),
        LEVELS,
        NODE_ORDER,
        DISTANCES,
        own(&["by"], One, "WHAT", Once, "what is to be least: sum, pair, J, or a level [default: the sum, of those that leave nodes no more]"),
    ],
    behind: Behind::Jobs,
    examples: &[("stowplan advise --pattern halo:50x48 --order order.txt -- --topo 'package:2 core:24 pu:1' -H 'n[0-49]:48' -n 2400 --map-by slot", "the best order of ranks for a stencil, to be given to MPICH or to --rank-order file:order.txt")],
    ..subcommand("advise", "--pattern P [options] -- [options and apps as for map]", "Tries policies and orders of ranks for a communication pattern, the best first", |args, console| answer(args, console).map(|()| 0))
};

fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let asked = Asked::of(Given::read(&COMMAND, args)?, FORMATS)?;
    let (path, wanted) = (asked.given.value("order"), wanted(&asked.given)?);
    let (Some(job), []) = (&asked.job, &asked.given.words[..]) else {
        let sentence = "advise takes -- and a job: stowplan advise --pattern halo:4x4 -- -n 16";
        return Err(told("bad-option", sentence));
    };
    let app = asked.parts[0].app as usize;
    let files = console.files;
    let place = |args| {
        let placement = stowplan::job::place::place(args, &Surroundings { files })?;
        Ok((placement.mapped.plan, placement.sources.network))
    };
    let tried = policies(job, app, &place)?;
    let matrices = FileMatrices {
        files: console.files,
    };
    let on = tried[0].policy.on.as_ref().map(|(on, _)| Arc::clone(on));
    let by = advice::by(
        (asked.given.value("by"), asked.distances.as_deref()),
        on.as_deref(),
    )?;
    let advice = advice::found(&tried, &asked.parts, &by, &matrices)?;
    let Some(chosen) = advice.answers.get(wanted - 1) else {
        let sentence = format!(
            "--answer {wanted}: there are {} answers, from 1",
            advice.answers.len()
        );
        return Err(told("bad-value", sentence));
    };
    if let Some(path) = path {
        write_order(path, chosen, &tried[chosen.policy].policy.plan)?;
    }
    let said: Vec<Said<'_>> = advice
        .answers
        .iter()
        .map(|answer| {
            let file = path.filter(|_| std::ptr::eq(answer, chosen));
            say(answer, &tried[answer.policy], file.unwrap_or(UNWRITTEN))
        })
        .collect();
    output::give(None, console.out, |out| match asked.format {
        Format::Json => advice_json(&advice, &said, on.as_deref(), out),
        Format::Text | Format::Tsv => match &on {
            Some(on) => on_network::text(&asked, &advice, &said, on, out),
            None => text(&asked, &advice, &said, out),
        },
        Format::Svg => out.write_all(plot(&asked, &said).as_bytes()),
        Format::Html => {
            let plan = &tried[advice.answers[0].policy].policy.plan;
            let line = "the candidates, and below them the nodes that the first one uses";
            let figure = plot(&asked, &said);
            let page = html_with("stowplan advise", plan, &[line.to_owned()], &figure);
            out.write_all(page.as_bytes())
        }
    })
}

/// The number of the answer whose order is to be written.
fn wanted(given: &Given<'_>) -> Result<usize, Refused> {
    if given.has("answer") && !given.has("order") {
        let sentence = "--answer says whose order --order FILE writes, and there is no --order";
        return Err(told("bad-option", sentence));
    }
    let number = given.parsed("answer", "the number of an answer, from 1", |text| {
        number(text).filter(|&number| number > 0)
    });
    Ok(number?.unwrap_or(1))
}

/// Writes the ranks of all places, a line per node.
fn write_order(path: &str, answer: &Answer, plan: &Plan) -> Result<(), Refused> {
    let ranks = answer.ranks(plan);
    let before = places(plan);
    let text = file::write(&ranks, before.windows(2).map(|own| own[1] - own[0]));
    output::give(Some(path), &mut io::sink(), |out| {
        out.write_all(text.as_bytes())
    })
}

/// Plots the candidates by the traffic that leaves all nodes and the worst node.
fn plot(asked: &Asked<'_>, said: &[Said<'_>]) -> String {
    let node = |said: &Said<'_>| said.answer.score.levels[0];
    let most = |of: fn(&Leaving) -> Weight| {
        let each = said.iter().map(|said| of(&node(said)));
        each.max().unwrap_or_default()
    };
    let (leave, worst) = (most(|level| level.leave), most(|level| level.worst));
    let whole = |weight: Weight| weight.per_mille(Weight::whole(1)) / 1000;
    let largest = Largest {
        leave: whole(leave),
        worst: whole(worst),
    };
    let part = |weight: Weight, whole: Weight| u32::try_from(weight.per_mille(whole)).unwrap_or(0);
    let candidates: Vec<Candidate> = said
        .iter()
        .map(|said| Candidate {
            words: said.words.join(" "),
            leave: thousands(&node(said).leave.to_string()),
            worst: thousands(&node(said).worst.to_string()),
            at: (part(node(said).leave, leave), part(node(said).worst, worst)),
            asked: said.asked,
        })
        .collect();
    let patterns: Vec<&str> = asked.parts.iter().map(|part| part.word.as_str()).collect();
    let unit = said
        .first()
        .map_or("edges", |said| said.answer.score.unit.word());
    let title = format!(
        "{}: {} placements by the {unit} that leave nodes",
        patterns.join(" + "),
        candidates.len()
    );
    candidates_svg(&title, &candidates, largest)
}

fn text(
    asked: &Asked<'_>,
    advice: &Advice,
    said: &[Said<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = advice.answers.first() else {
        return writeln!(out, "nothing was tried");
    };
    let unit = first.score.unit.word();
    first_line(asked, advice, first, out)?;
    writeln!(out, " #  leave a node    worst node  words")?;
    for (at, said) in (1..).zip(said) {
        let node = &said.answer.score.levels[0];
        writeln!(
            out,
            "{at:>2}{:>14}{:>14}  {}",
            thousands(&node.leave.to_string()),
            thousands(&node.worst.to_string()),
            words(said)
        )?;
    }
    unwritten(said, out)?;
    writeln!(
        out,
        "Counted: {unit} between nodes, then the busiest node, then the levels below. Not looked at: bandwidths, latencies, routing, time."
    )
}

/// The pattern, all that it sends, and how many placements were tried.
fn first_line(
    asked: &Asked<'_>,
    advice: &Advice,
    first: &Answer,
    out: &mut dyn Write,
) -> io::Result<()> {
    let patterns: Vec<&str> = asked.parts.iter().map(|part| part.word.as_str()).collect();
    writeln!(
        out,
        "{} · {} {}, both directions counted · {} placements tried",
        one_line(&patterns.join(" + ")),
        thousands(&first.score.edges.to_string()),
        first.score.unit.word(),
        advice.tried
    )
}

/// The words of an answer, and whether they are those that were asked for.
fn words(said: &Said<'_>) -> String {
    let mark = if said.asked {
        "what you asked for: "
    } else {
        ""
    };
    match one_line(&said.words.join(" ")) {
        words if words.is_empty() => format!("{mark}(no map, rank or bind words)"),
        words => format!("{mark}{words}"),
    }
}

/// Says how an order is written that was found and has no name.
fn unwritten(said: &[Said<'_>], out: &mut dyn Write) -> io::Result<()> {
    let file = format!("file:{UNWRITTEN}");
    let found = |said: &Said<'_>| said.words.last().is_some_and(|word| **word == *file);
    if !said.iter().any(found) {
        return Ok(());
    }
    writeln!(
        out,
        "{file} was found by local search: --order FILE [--answer K] writes it, as MPICH_RANK_ORDER"
    )
}
