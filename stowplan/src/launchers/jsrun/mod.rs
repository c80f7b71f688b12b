//! The line of jsrun, as far as it is certain. Source: `lines/jsrun/spec.md`.

// The words.
mod words;
// What they ask for.
mod asks;
// Resource sets of a node.
mod sets;
// Ranks on resource sets.
mod ranks;
// Ranks one by one, from a file.
mod resource_file;

use crate::launchers::line::table::{self, Ends, Style};
use crate::launchers::line::usable::UsableNodes;
use crate::launchers::line::{Allocation, Derived, Laid, LaidApp, LaidRun, LineAsked, LineRefused};
use asks::Asks;
use sets::{End, NodeSets};
use stowplan_engine::count::counted;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::table::names::{NameRange, NodeRange};
use stowplan_engine::text::hostlist::plain;
use words::{Means, WORDS};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let parts = table::read(asked, WORDS, Style::Stuck, Ends::Line)?;
    let Some(line) = parts.first() else {
        return Err(LineRefused::new("launcher-refuses", "no program is named"));
    };
    if let Some(said) = line
        .last(Means::Resources)
        .filter(|_| !line.program.is_empty())
    {
        return resource_file::lay(asked, line, said);
    }
    let asks = asks::read(asked, line)?;
    let names = names(asked, &asks);
    let nodes = UsableNodes::of(asked, Allocation::of(&names, asked.hardware)?)?;
    let filled = fill(asked, &asks, &nodes)?;
    let all: u64 = filled
        .iter()
        .map(|own| u64::from(own.nodes.count) * u64::from(own.sets))
        .sum();
    let total = all.saturating_mul(u64::from(asks.tasks));
    if total > u64::from(RANKS_MAX) {
        return Err(asked.refused(
            "job-too-large",
            format_args!("{total} ranks are more than there can be"),
        ));
    }
    let turn = turn(asked, &asks, all)?;
    let mut patterns = Vec::new();
    let mut runs = Vec::new();
    for own in &filled {
        let kind = &nodes.kinds[own.kind];
        let cut = sets::cut(asked, &asks, kind, own.sets);
        patterns.push(ranks::pattern(asked, &asks, &cut.sets, turn)?);
        let pattern = patterns.len() - 1;
        let nodes = own.nodes;
        runs.push(LaidRun { nodes, pattern });
    }
    Ok(Laid {
        version: "any".to_owned(),
        derived: vec![Derived {
            what: format!(
                "{} with {} each",
                counted(all, "resource set"),
                counted(u64::from(asks.tasks), "rank")
            ),
            origin: if asks.sets.is_some() {
                "-n"
            } else {
                "all that fit"
            }
            .to_owned(),
        }],
        notes: Vec::new(),
        slots: filled
            .iter()
            .map(|own| (own.nodes, own.sets.saturating_mul(asks.tasks)))
            .collect(),
        names: nodes.names,
        patterns,
        apps: vec![LaidApp {
            number: 0,
            program: line.program.clone(),
            runs,
            order: ranks::order(asked, &asks, &filled, turn)?,
        }],
    })
}

/// Our own hosts, else as many as `-n` and `-r` say, else this one.
fn names(asked: &LineAsked<'_>, asks: &Asks) -> Vec<NameRange> {
    asked
        .our_names()
        .unwrap_or_else(|| match (asks.sets, asks.per_host) {
            (Some(sets), Some(each)) if sets > each => {
                vec![Allocation::invented(sets.div_ceil(each))]
            }
            _ => vec![plain("localhost")],
        })
}

/// How many ranks a resource set gets in one turn.
fn turn(asked: &LineAsked<'_>, asks: &Asks, sets: u64) -> Result<u32, LineRefused> {
    match asks.turn {
        Some(turn) => Ok(turn.min(asks.tasks)),
        None if asks.tasks == 1 || sets == 1 => Ok(asks.tasks),
        None => Err(asked.refused(
            "not-modelled",
            format_args!(
                "how jsrun deals ranks over {} without -d is not known: say -d packed or -d cyclic",
                counted(sets, "resource set")
            ),
        )),
    }
}

/// Neighbouring nodes with equally many resource sets.
struct Filled {
    nodes: NodeRange,
    kind: usize,
    sets: u32,
}

/// How many resource sets each node gets: `-r` of them, or the first node as many as fit, then the next.
fn fill(
    asked: &LineAsked<'_>,
    asks: &Asks,
    nodes: &UsableNodes,
) -> Result<Vec<Filled>, LineRefused> {
    let unknown = |why: &str| asked.refused("not-modelled", why);
    let mut left = asks.sets.map_or(u64::MAX, u64::from);
    let mut filled: Vec<Filled> = Vec::new();
    let count = |cut: &NodeSets| u64::try_from(cut.sets.len()).unwrap_or(u64::MAX);
    let mut ended = End::Asked;
    for &(run, kind) in &nodes.runs {
        if left == 0 {
            break;
        }
        let most = asks.per_host.unwrap_or(u32::MAX);
        let cut = sets::cut(asked, asks, &nodes.kinds[kind], most);
        let (fits, wanted) = (count(&cut), asks.per_host.map(u64::from));
        // A node may hold fewer than -r says only where the last sets go.
        if wanted.is_some_and(|wanted| fits < wanted.min(left)) || fits == 0 {
            return Err(too_few(asked, fits, wanted, &cut.end));
        }
        // The end of a node that is not known matters where sets are left for the next.
        if let (None, true, End::Unknown(why)) = (asks.per_host, left > fits, &cut.end) {
            return Err(unknown(why));
        }
        let whole = (left / fits).min(u64::from(run.count));
        push(&mut filled, run.first, whole, kind, fits);
        left -= if asks.sets.is_some() { whole * fits } else { 0 };
        if whole < u64::from(run.count) && left > 0 {
            let first = run.first + u32::try_from(whole).unwrap_or(u32::MAX);
            push(&mut filled, first, 1, kind, left);
            left = 0;
        }
        ended = cut.end;
    }
    if asks.sets.is_some() && left > 0 {
        let why = match ended {
            End::Asked => String::new(),
            End::Full(why) | End::Unknown(why) => format!(" ({why})"),
        };
        return Err(unknown(&format!(
            "{} do not fit on {}{why}: what jsrun does then is not known",
            counted(left, "resource set"),
            counted(u64::from(nodes.names.len()), "node")
        )));
    }
    Ok(filled)
}

/// Why a node cannot hold the sets of `-r`, or not one.
fn too_few(asked: &LineAsked<'_>, fits: u64, wanted: Option<u64>, end: &End) -> LineRefused {
    let command = &asked.command;
    let why = match end {
        End::Unknown(why) => {
            return LineRefused::new("not-modelled", format!("{command}: {why}"));
        }
        End::Full(why) => format!(": {why}"),
        End::Asked => String::new(),
    };
    let sentence = match wanted {
        Some(wanted) => format!(
            "{command}: -r asks for {} of each node, and {fits} fit{why}",
            counted(wanted, "resource set")
        ),
        None => format!("{command}: not all nodes can hold a resource set{why}"),
    };
    LineRefused::new("launcher-refuses", sentence)
}

fn push(filled: &mut Vec<Filled>, first: u32, count: u64, kind: usize, sets: u64) {
    if count == 0 {
        return;
    }
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    filled.push(Filled {
        nodes: NodeRange::until(first, first + narrow(count)),
        kind,
        sets: narrow(sets),
    });
}
