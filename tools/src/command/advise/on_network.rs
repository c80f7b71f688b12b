//! Advice on a network: what is asked, and what is said of levels and of the allocation.

use super::{first_line, unwritten};
use crate::command::score::asked::Asked;
use crate::command::score::page::several;
use crate::command::score::thousands;
use std::io::{self, Write};
use stowplan::answers::advice::Said;
use stowplan::job::error::one_line;
use stowplan::score::above::Above;
use stowplan::score::advise::Advice;
use stowplan::score::network::OnNetwork;
use stowplan::score::network::allocation::{Used, allocation};
use stowplan::score::weight::Weight;

/// The page.
pub(super) fn text(
    asked: &Asked<'_>,
    advice: &Advice,
    said: &[Said<'_>],
    on: &OnNetwork,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = said.first() else {
        return writeln!(out, "nothing was tried");
    };
    let unit = first.answer.score.unit.word();
    first_line(asked, advice, first.answer, out)?;
    for line in allocation(on.network(), on.numbers())
        .iter()
        .flat_map(|row| used(row, on.numbers().len(), on.network().counted_by_slurm()))
    {
        writeln!(out, "{line}")?;
    }
    answers(said, on, out)?;
    hints(advice, said, out)?;
    unwritten(said, out)?;
    writeln!(
        out,
        "Counted: {unit} between nodes and between objects of each level, once for each that they leave. Not looked at: routing, other jobs, taper, LinkSpeed, NICs, bandwidths, time."
    )
}

/// A line for each answer.
fn answers(said: &[Said<'_>], on: &OnNetwork, out: &mut dyn Write) -> io::Result<()> {
    let number = |weight: Weight| thousands(&weight.to_string());
    let words: Vec<&str> = on
        .network()
        .levels()
        .iter()
        .map(|level| level.word.as_str())
        .collect();
    let heads: String = words.iter().map(|word| format!("{word:>12}")).collect();
    writeln!(
        out,
        " #{:>12}{heads}{:>12}{:>12}  words",
        "in all", "node", "worst node"
    )?;
    for (at, said) in (1..).zip(said) {
        let Some(above) = &said.answer.score.above else {
            continue;
        };
        let node = &said.answer.score.levels[0];
        let levels: String = above
            .levels
            .iter()
            .map(|level| format!("{:>12}", number(level.leave)))
            .collect();
        writeln!(
            out,
            "{at:>2}{:>12}{levels}{:>12}{:>12}  {}",
            number(above.sum()),
            number(node.leave),
            number(node.worst),
            super::words(said)
        )?;
    }
    Ok(())
}

/// What other answers trade.
fn hints(advice: &Advice, said: &[Said<'_>], out: &mut dyn Write) -> io::Result<()> {
    let sum = |said: &Said<'_>| {
        said.answer
            .score
            .above
            .as_ref()
            .map(Above::sum)
            .unwrap_or_default()
    };
    let node = |said: &Said<'_>| said.answer.score.levels[0].leave;
    let number = |weight: Weight| thousands(&weight.to_string());
    let (first, least) = (&said[0], said.iter().min_by_key(|said| sum(said)));
    if let Some(least) = least.filter(|least| sum(least) < sum(first)) {
        writeln!(
            out,
            "--by sum: {} leave in all, {} more leave nodes",
            number(sum(least)),
            number(node(least).minus(node(first)))
        )?;
    }
    let pair = |said: &Said<'_>| {
        said.answer
            .score
            .above
            .as_ref()
            .and_then(|above| above.levels.first())
            .map(|level| level.pair)
    };
    if let Some(at) = advice.lighter_pair
        && let (Some(own), Some(light)) = (pair(first), pair(&said[at - 1]))
    {
        let less = own.minus(light).per_mille(own) / 10;
        writeln!(
            out,
            "answer {at} leaves more and loads its busiest pair {less} % less: traffic kept inside concentrates on few links"
        )?;
    }
    Ok(())
}

/// What the job uses of a level.
fn used(row: &Used, nodes: usize, slurm: Option<&str>) -> Vec<String> {
    /// Sizes that are listed.
    const LISTED: usize = 16;
    let level = |count: usize| several(count as u64, &row.level);
    let objects = row.sizes.len();
    let even = row.sizes.windows(2).all(|two| two[0] == two[1]);
    let sizes = match (even, row.sizes.first()) {
        (true, Some(size)) => size.to_string(),
        _ => {
            let listed: Vec<String> = row.sizes.iter().take(LISTED).map(u32::to_string).collect();
            let more = if objects > LISTED { " …" } else { "" };
            format!("{}{more}", listed.join(", "))
        }
    };
    let mut line = format!("{nodes} nodes in {objects} {} of {sizes}", level(objects));
    let fewest = row.fewest as usize;
    if fewest < objects {
        let fewest_of = match fewest {
            1 => format!("one {} of {} would hold them", row.level, row.largest),
            fewest => format!("{fewest} {} would hold them", level(fewest)),
        };
        line += &format!("; {fewest_of}");
        if slurm == Some(row.level.as_str()) {
            line += &format!(" (sbatch --switches={fewest})");
        }
    }
    let mut lines = vec![line];
    if !row.lonely.is_empty() {
        let names: Vec<String> = row
            .lonely
            .iter()
            .take(LISTED)
            .map(|name| one_line(name))
            .collect();
        let more = if row.lonely.len() > LISTED {
            " …"
        } else {
            ""
        };
        lines.push(format!(
            "nearly alone in their {}: {}{more}",
            row.level,
            names.join(", ")
        ));
    }
    lines
}
