//! Advice on a network: what is asked, and what is said of levels and of the allocation.

use super::policies::Tried;
use super::{Found, Said, unwritten};
use crate::command::score::asked::{Asked, refused, told};
use crate::command::score::matrices::FileMatrices;
use crate::command::score::page::several;
use crate::command::score::{distances, thousands};
use crate::report::Refused;
use std::io::{self, Write};
use stowplan_job::error::one_line;
use stowplan_score::above::Above;
use stowplan_score::advise::Policy;
use stowplan_score::advise::on_network::{By, Placed, advise_on};
use stowplan_score::network::OnNetwork;
use stowplan_score::network::allocation::{Used, allocation};
use stowplan_score::score::Leaving;
use stowplan_score::weight::Weight;

/// `--by`, with `--distances`.
///
/// # Errors
/// `bad-option` without a network, or J without distances; `bad-value`.
pub(super) fn by(asked: &Asked, on: Option<&OnNetwork>) -> Result<By, Refused> {
    let found = distances(asked, on)?;
    let Some(word) = asked.other("by") else {
        return Ok(By::Default);
    };
    let Some(on) = on else {
        let sentence =
            format!("--by {word}: it goes by the levels of a network, and there is no --network");
        return Err(told("bad-option", sentence));
    };
    let levels = on.network().levels();
    match (word, found) {
        ("sum", _) => Ok(By::Sum),
        ("pair", _) => Ok(By::Pair),
        ("J", Some(distances)) => Ok(By::J(distances)),
        ("J", None) => Err(told("bad-option", "--by J needs --distances".to_owned())),
        ("node", _) => Ok(By::Level(levels.len())),
        (word, _) => {
            let level = levels.iter().position(|level| level.word == word);
            level.map(By::Level).ok_or_else(|| {
                let words: Vec<&str> = levels.iter().map(|level| level.word.as_str()).collect();
                told(
                    "bad-value",
                    format!(
                        "--by {word}: it is none of: sum pair J {} node",
                        words.join(" ")
                    ),
                )
            })
        }
    }
}

/// The advice.
///
/// # Errors
/// As without a network.
pub(super) fn advice(
    tried: &[Tried],
    plans: &[Policy],
    asked: &Asked,
    by: &By,
    matrices: &FileMatrices<'_>,
) -> Result<Found, Refused> {
    let placed: Vec<Placed<'_>> = tried
        .iter()
        .filter_map(|tried| tried.on.as_ref())
        .map(|(on, order)| Placed { on, order: *order })
        .collect();
    let found = advise_on(plans, &placed, &asked.parts, by, matrices).map_err(refused)?;
    Ok(Found {
        answers: found.answers,
        tried: found.tried,
        lighter_pair: found.lighter_pair,
    })
}

/// The sum and the levels of an answer, behind its other keys.
pub(super) fn levels(above: &Above, node: &Leaving, out: &mut dyn Write) -> io::Result<()> {
    write!(out, ",\"sum\":{},\"levels\":[", above.sum())?;
    for level in &above.levels {
        write!(
            out,
            "{{\"level\":{},\"leave\":{},\"worst\":{},\"pair\":{}}},",
            serde_json::to_string(&level.level)?,
            level.leave,
            level.worst,
            level.pair
        )?;
    }
    write!(
        out,
        "{{\"level\":\"node\",\"leave\":{},\"worst\":{}}}]",
        node.leave, node.worst
    )
}

/// What the job uses of the network, and the end of the answer.
pub(super) fn allocated(
    on: &OnNetwork,
    lighter: Option<usize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rows = allocation(on.network(), on.numbers());
    let rows = rows.iter().map(|row| {
        Ok(format!(
            "{{\"level\":{},\"objects\":{},\"sizes\":{},\"fewest\":{},\"lonely\":{}}}",
            serde_json::to_string(&row.level)?,
            row.sizes.len(),
            serde_json::to_string(&row.sizes)?,
            row.fewest,
            serde_json::to_string(&row.lonely)?
        ))
    });
    let rows: Vec<String> = rows.collect::<io::Result<_>>()?;
    let lighter = lighter.map_or_else(|| "null".to_owned(), |at| at.to_string());
    writeln!(
        out,
        "],\"lighter_pair\":{lighter},\"allocation\":[{}]}}",
        rows.join(",")
    )
}

/// The page.
pub(super) fn text(
    asked: &Asked,
    advice: &Found,
    said: &[Said<'_>],
    on: &OnNetwork,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = said.first() else {
        return writeln!(out, "nothing was tried");
    };
    let score = &first.answer.score;
    let patterns: Vec<&str> = asked.parts.iter().map(|part| part.word.as_str()).collect();
    let number = |weight: Weight| thousands(&weight.to_string());
    let unit = score.unit.word();
    writeln!(
        out,
        "{} · {} {unit}, both directions counted · {} placements tried",
        patterns.join(" + "),
        number(score.edges),
        advice.tried
    )?;
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
        let mark = if said.asked {
            "what you asked for: "
        } else {
            ""
        };
        let words = said.words.join(" ");
        let words = if words.is_empty() {
            "(no map, rank or bind words)"
        } else {
            &words
        };
        writeln!(
            out,
            "{at:>2}{:>12}{levels}{:>12}{:>12}  {mark}{words}",
            number(above.sum()),
            number(node.leave),
            number(node.worst)
        )?;
    }
    Ok(())
}

/// What other answers trade.
fn hints(advice: &Found, said: &[Said<'_>], out: &mut dyn Write) -> io::Result<()> {
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
