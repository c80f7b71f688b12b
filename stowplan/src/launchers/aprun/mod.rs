//! The line of aprun, as far as it is certain. Source: `lines/aprun/spec.md`.

// The words.
mod words;
// What a program asks for.
mod asked;
// What `-cc` says.
mod cc;
// Cpus of local ranks.
mod bind;
// The nodes.
mod nodes;

use crate::launchers::line::table::{self, Ends, Part, Style};
use crate::launchers::line::usable::UsableNodes;
use crate::launchers::line::{
    Derived, Laid, LaidApp, LaidProcs, LaidRun, LineAsked, LineNote, LineRefused, blocks, reorder,
};
use asked::Asks;
use bind::Node;
use cc::Bind;
use std::collections::HashMap;
use stowplan_engine::count::counted;
use stowplan_engine::plan::RankOrder;
use words::{Means, WORDS};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let parts = table::read(asked, WORDS, Style::Stuck, Ends::Colon)?;
    let asks: Result<Vec<Asks>, _> = parts.iter().map(|part| asked::read(asked, part)).collect();
    let asks = asks?;
    let nodes = UsableNodes::of(asked, nodes::read(asked, &parts)?)?;
    let ranks = asks
        .iter()
        .fold(0_u32, |sum, own| sum.saturating_add(own.ranks));
    if reorder::method(asked, ranks)?.is_some() {
        let why = "MPICH_RANK_REORDER_METHOD=3 is not known here";
        return Err(asked.refused("not-modelled", why));
    }
    let mut laid = Laid {
        version: "any".to_owned(),
        derived: Vec::new(),
        notes: Vec::new(),
        slots: Vec::new(),
        names: nodes.names.clone(),
        patterns: Vec::new(),
        apps: Vec::new(),
    };
    let mut first = 0;
    for (part, own) in parts.iter().zip(&asks) {
        first = program(asked, &nodes, part, own, first, &mut laid)?;
    }
    laid.notes.extend(threads(&asks));
    Ok(laid)
}

/// Places one program on nodes of its own, from `first` on. Returns the first node behind it.
fn program(
    asked: &LineAsked<'_>,
    nodes: &UsableNodes,
    part: &Part<Means>,
    asks: &Asks,
    first: u32,
    laid: &mut Laid,
) -> Result<u32, LineRefused> {
    let kinds: Vec<Node<'_>> = nodes
        .kinds
        .iter()
        .map(|kind| Node::of(asked, asks, kind))
        .collect();
    let left = nodes.names.len() - first;
    let each = each(asked, asks, &kinds, left)?;
    let needed = asks.ranks.div_ceil(each);
    let mut rows: HashMap<(usize, u32), usize> = HashMap::new();
    let mut runs = Vec::new();
    let begin = first.saturating_mul(each);
    for block in blocks(&nodes.runs, each, begin, asks.ranks) {
        let key = (block.kind, block.end);
        let pattern = match rows.get(&key) {
            Some(&row) => row,
            None => {
                let procs = pattern(asked, asks, &kinds[block.kind], block.end)?;
                laid.patterns.push(procs);
                rows.insert(key, laid.patterns.len() - 1);
                laid.patterns.len() - 1
            }
        };
        let nodes = block.nodes;
        runs.push(LaidRun { nodes, pattern });
    }
    laid.apps.push(LaidApp {
        number: u32::try_from(laid.apps.len()).unwrap_or(u32::MAX),
        program: part.program.clone(),
        runs,
        order: RankOrder::Slot,
    });
    let origin = if asks.per_node.is_some() {
        "-N"
    } else {
        "cores ÷ depth"
    };
    laid.derived.push(Derived {
        what: format!(
            "{} a node, depth {}",
            counted(u64::from(each), "rank"),
            asks.depth
        ),
        origin: origin.to_owned(),
    });
    Ok(first + needed)
}

/// How many ranks each node of a program gets; `left`: nodes that no earlier program has.
fn each(
    asked: &LineAsked<'_>,
    asks: &Asks,
    kinds: &[Node<'_>],
    left: u32,
) -> Result<u32, LineRefused> {
    let refused = |why: String| asked.refused("launcher-refuses", why);
    let mut holds = u32::MAX;
    for node in kinds {
        node.numa_holds(asks).map_err(refused)?;
        holds = holds.min(node.holds(asks));
    }
    if holds == 0 {
        let why = format!("-d {} is more than the cpus of a node", asks.depth);
        return Err(refused(why));
    }
    let each = asks.per_node.unwrap_or(holds);
    if each > holds {
        let why = format!(
            "a node holds {} of {} each, -N {each} is asked for",
            counted(u64::from(holds), "rank"),
            counted(u64::from(asks.depth), "cpu")
        );
        return Err(refused(why));
    }
    let needed = asks.ranks.div_ceil(each);
    if needed > left {
        return Err(refused(format!(
            "-n {} with {each} a node needs {}, {left} are left",
            asks.ranks,
            counted(u64::from(needed), "node")
        )));
    }
    Ok(each)
}

fn pattern(
    asked: &LineAsked<'_>,
    asks: &Asks,
    node: &Node<'_>,
    ranks: u32,
) -> Result<Vec<LaidProcs>, LineRefused> {
    let mut procs: Vec<LaidProcs> = Vec::new();
    if asks.bind == Bind::Unbound {
        LaidProcs::add(&mut procs, ranks, None, None);
        return Ok(procs);
    }
    for local in 0..ranks {
        LaidProcs::add(&mut procs, 1, node.cpus(asked, asks, local)?, None);
    }
    Ok(procs)
}

/// `-cc cpu` gives a rank's cpus to its threads one by one.
fn threads(asks: &[Asks]) -> Option<LineNote> {
    let several = asks
        .iter()
        .any(|own| own.bind == Bind::Cpu && own.depth > 1);
    several.then(|| LineNote {
        class: "threads-one-by-one",
        text: "-cc cpu gives each thread of a rank one of the rank's cpus, in turn; -cc depth gives all of them to all".to_owned(),
    })
}
