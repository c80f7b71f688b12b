//! The score as a page.

use super::thousands;
use std::io::{self, Write};
use stowplan::job::error::one_line;
use stowplan::score::above::Above;
use stowplan::score::figures::{Leaving, Score};
use stowplan::score::level::Level;
use stowplan::score::network::{Kind, OnNetwork};
use stowplan::score::pattern::Part;
use stowplan::score::weight::Weight;

/// `known`: the least traffic known to leave the nodes, and how much of it leaves the worst node.
pub(super) fn text(
    found: &Score,
    parts: &[Part],
    known: Option<(Weight, Weight)>,
    on: Option<&OnNetwork>,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Some(above) = &found.above {
        return with_network(found, above, parts, known, on, out);
    }
    writeln!(out, "{}", first_line(found, parts, ""))?;
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    let head = known.map_or("", |_| "   best known");
    writeln!(
        out,
        "{:<10}{:>20}{:>10}{:>20}{head}",
        "leave", unit, "share", "worst one"
    )?;
    for level in &found.levels {
        let share = level.leave.per_mille(found.edges);
        let best = known.filter(|_| level.level == Level::Node);
        let best = best.map_or_else(String::new, |known| {
            format!("   {}", self::best(known, level))
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

/// Ranks, nodes and what they are in, the pattern, and all that it sends.
fn first_line(found: &Score, parts: &[Part], inside: &str) -> String {
    let words: Vec<&str> = parts.iter().map(|part| part.word.as_str()).collect();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    format!(
        "{} {} · {} {}{inside} · {}: {} {}, both directions counted",
        number(&found.ranks),
        noun(found.ranks, "rank"),
        number(&found.nodes),
        noun(found.nodes, "node"),
        words.join(" + "),
        number(&found.edges),
        found.unit.word()
    )
}

/// The page of a job on a network: its levels, then the node and those below.
fn with_network(
    found: &Score,
    above: &Above,
    parts: &[Part],
    known: Option<(Weight, Weight)>,
    on: Option<&OnNetwork>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    let levels = above.levels.iter().map(|level| {
        let (most, fewest) = level.nodes;
        let each = if most == fewest {
            most.to_string()
        } else {
            format!("{fewest} to {most}")
        };
        format!(
            "{} {} of {each}",
            number(&level.objects),
            several(u64::from(level.objects), &level.level)
        )
    });
    let levels: Vec<String> = levels.collect();
    let inside = format!(" in {}", levels.join(", "));
    writeln!(out, "{}", first_line(found, parts, &inside))?;
    if let Some(on) = on {
        writeln!(
            out,
            "network  {} · {}",
            on.network().kind().word(),
            one_line(on.network().source())
        )?;
    }
    rows(found, above, known, out)?;
    writeln!(
        out,
        "hops {}, at most {} an edge",
        number(&above.hops.hops),
        above.hops.far
    )?;
    if above.hops.apart > Weight::default() {
        writeln!(
            out,
            "{} {unit} go between parts of the network that nothing joins: they are in no hops",
            number(&above.hops.apart)
        )?;
    }
    Ok(())
}

/// A line for each level.
fn rows(
    found: &Score,
    above: &Above,
    known: Option<(Weight, Weight)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    let head = known.map_or("", |_| "best known");
    writeln!(
        out,
        "{:<10}{:>16}{:>9}    {:<26}{:<32}{head}",
        "leave", unit, "share", "worst one", "busiest pair"
    )?;
    let start = |word: &str, leave: Weight| {
        let share = leave.per_mille(found.edges);
        format!(
            "{word:<10}{:>16}{:>7}.{} %",
            number(&leave),
            share / 10,
            share % 10
        )
    };
    let of = |worst: Weight, name: Option<&String>| match name {
        Some(name) => format!("{} ({})", number(&worst), one_line(name)),
        None => number(&worst),
    };
    for level in &above.levels {
        let pair = level.pair_of.as_ref().filter(|_| above.kind != Kind::Tree);
        let pair = pair.map_or_else(String::new, |(from, to)| {
            format!(
                "{} ({} > {})",
                number(&level.pair),
                one_line(from),
                one_line(to)
            )
        });
        let line = format!(
            "{}    {:<26}{pair}",
            start(&level.level, level.leave),
            of(level.worst, level.worst_of.as_ref())
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    for level in &found.levels {
        let is_node = level.level == Level::Node;
        let name = above.worst_node.as_ref().filter(|_| is_node);
        let best = known
            .filter(|_| is_node)
            .map_or_else(String::new, |known| best(known, level));
        let line = format!(
            "{}    {:<26}{:<32}{best}",
            start(level.level.word(), level.leave),
            of(level.worst, name),
            ""
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// The best figures known for the node, and who finds them.
fn best((leave, worst): (Weight, Weight), level: &Leaving) -> String {
    let by = if (leave, worst) < (level.leave, level.worst) {
        "stowplan advise"
    } else {
        "this one"
    };
    let number = |weight: Weight| thousands(&weight.to_string());
    format!("{} ({}): {by}", number(leave), number(worst))
}

/// The word of a level as it follows a number.
pub(crate) fn several(count: u64, word: &str) -> String {
    let hisses = ["s", "x", "ch", "sh"].iter().any(|end| word.ends_with(end));
    match count {
        1 => word.to_owned(),
        _ if word.ends_with(|sign: char| sign.is_ascii_digit()) => format!("{word} objects"),
        _ if word == "chassis" || word == "torus" => word.to_owned(),
        _ if hisses => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// A noun as it follows its number.
fn noun(number: u32, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{noun}{plural}")
}

/// The score as lines of a page.
pub(super) fn sentences(found: &Score, parts: &[Part]) -> Vec<String> {
    let unit = found.unit.word();
    let number = |weight: &dyn std::fmt::Display| thousands(&weight.to_string());
    let first = first_line(found, parts, "");
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
