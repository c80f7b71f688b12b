//! Ranks in blocks over the hosts of a line of PALS. Source: `lines/pals/spec.md` 3.

use super::bind::{self, Bind, Node};
use super::words::Means;
use super::{gpus, hosts};
use crate::launchers::line::table::Part;
use crate::launchers::line::usable::UsableNodes;
use crate::launchers::line::{
    Block, Derived, Laid, LaidApp, LaidProcs, LaidRun, LineAsked, LineNote, LineRefused, blocks,
    reorder,
};
use std::collections::HashMap;
use stowplan_engine::count::counted;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::plan::{ListedRun, RankOrder};

/// Places the parts of a line.
///
/// # Errors
/// A [`LineRefused`].
pub(super) fn place(asked: &LineAsked<'_>, parts: &[Part<Means>]) -> Result<Laid, LineRefused> {
    let Some(line) = parts.first() else {
        return Err(LineRefused::new("launcher-refuses", "no program is named"));
    };
    let hosts = hosts::read(asked, line)?;
    let nodes = UsableNodes::of(asked, hosts.allocation)?;
    let ranks = ranks(asked, parts)?;
    let all = ranks
        .iter()
        .fold(0_u32, |sum, own| sum.saturating_add(*own));
    let each = per_node(asked, line, nodes.names.len(), all)?;
    let depth = number(asked, line, Means::Depth, "PALS_DEPTH")?
        .unwrap_or(1)
        .max(1);
    let (bind, origin) = bound(asked, line)?;
    let order = reorder::method(asked, all)?;
    let mut patterns = Patterns {
        asked,
        line,
        nodes: &nodes,
        bind: &bind,
        depth,
        gpus: line
            .last(Means::GpuBind)
            .map(|said| gpus::read(asked, said))
            .transpose()?,
        rows: HashMap::new(),
        patterns: Vec::new(),
    };
    let mut apps = patterns.apps(parts, &ranks, each)?;
    if let Some(order) = order {
        reordered(asked, &mut apps, &order, each)?;
    }
    let mut notes = hosts.notes;
    notes.extend(note(&bind, each));
    let mut derived = vec![
        told(
            format!("{} a node", counted(u64::from(each), "rank")),
            "-ppn",
        ),
        told(format!("nodes from {}", hosts.origin), hosts.origin),
    ];
    derived.push(told(format!("depth {depth}"), "-d"));
    derived.push(told(format!("cpu-bind {}", word(&bind)), origin));
    let patterns = patterns.patterns;
    Ok(Laid {
        version: asked.version.unwrap_or("any").to_owned(),
        derived,
        notes,
        slots: nodes.runs.iter().map(|&(run, _)| (run, each)).collect(),
        names: nodes.names,
        patterns,
        apps,
    })
}

fn told(what: String, origin: &str) -> Derived {
    let origin = origin.to_owned();
    Derived { what, origin }
}

const fn word(bind: &Bind) -> &'static str {
    match bind {
        Bind::Unsaid => "by the site",
        Bind::Unbound => "none",
        Bind::Sets(_) | Bind::OneSet(_) => "list",
        Bind::Depth => "depth",
        Bind::Core => "core",
        Bind::Numa => "numa",
    }
}

/// A number of the line, else of a variable.
fn number(
    asked: &LineAsked<'_>,
    line: &Part<Means>,
    means: Means,
    variable: &str,
) -> Result<Option<u32>, LineRefused> {
    if let Some(number) = line.number(asked, means)? {
        return Ok(Some(number));
    }
    let value = asked.variable(variable).filter(|value| !value.is_empty());
    let read = value.map(|value| {
        value.parse().map_err(|_| {
            asked.refused(
                "launcher-refuses",
                format_args!("{variable}={value} is no number"),
            )
        })
    });
    read.transpose()
}

/// The ranks of each part.
fn ranks(asked: &LineAsked<'_>, parts: &[Part<Means>]) -> Result<Vec<u32>, LineRefused> {
    let mut all = 0_u64;
    let mut ranks = Vec::new();
    for part in parts {
        let own = number(asked, part, Means::Ranks, "PALS_NRANKS")?.unwrap_or(1);
        if own == 0 {
            return Err(asked.refused("launcher-refuses", "a part has 0 ranks"));
        }
        all += u64::from(own);
        if all > u64::from(RANKS_MAX) {
            return Err(asked.refused(
                "job-too-large",
                format_args!("{all} ranks are more than there can be"),
            ));
        }
        ranks.push(own);
    }
    Ok(ranks)
}

/// How many ranks a node gets.
fn per_node(
    asked: &LineAsked<'_>,
    line: &Part<Means>,
    hosts: u32,
    all: u32,
) -> Result<u32, LineRefused> {
    let said = number(asked, line, Means::PerNode, "PALS_PPN")?.filter(|&each| each > 0);
    let unknown = |why: String| asked.refused("not-modelled", why);
    let each = match said {
        Some(each) => each,
        None if hosts == 1 => all,
        None => {
            return Err(unknown(format!(
                "how PALS deals ranks over {} without -ppn is not known here",
                counted(u64::from(hosts), "host")
            )));
        }
    };
    if u64::from(all) > u64::from(each) * u64::from(hosts) {
        return Err(unknown(format!(
            "-n {all} is more than -ppn {each} on {}, and what PALS does then is not known here",
            counted(u64::from(hosts), "host")
        )));
    }
    Ok(each)
}

/// The binding, and which word said it.
fn bound(asked: &LineAsked<'_>, line: &Part<Means>) -> Result<(Bind, &'static str), LineRefused> {
    if let Some(said) = line.last(Means::CpuBind) {
        let read = bind::read(&said.value);
        let bind = read.map_err(|(class, why)| said.refused(asked, class, &why))?;
        return Ok((bind, "--cpu-bind"));
    }
    match asked
        .variable("PALS_CPU_BIND")
        .filter(|value| !value.is_empty())
    {
        None => Ok((Bind::Unsaid, "no --cpu-bind")),
        Some(value) => match bind::read(value) {
            Ok(bind) => Ok((bind, "PALS_CPU_BIND")),
            Err((class, why)) => {
                Err(asked.refused(class, format_args!("PALS_CPU_BIND={value}: {why}")))
            }
        },
    }
}

fn note(bind: &Bind, each: u32) -> Option<LineNote> {
    match bind {
        Bind::Unsaid => Some(LineNote {
            class: "site-binding",
            text: "nothing says how ranks are bound, and a site may bind them: they are shown unbound; say --cpu-bind".to_owned(),
        }),
        Bind::OneSet(set) if each > 1 && set.len() > 1 => {
            let apart: Vec<String> = set.iter().take(8).map(|cpu| cpu.to_string()).collect();
            let more = if set.len() > 8 { ":…" } else { "" };
            Some(LineNote {
                class: "one-set",
                text: format!(
                    "commas join: every rank gets all {}; colons part: --cpu-bind list:{}{more}",
                    counted(set.len(), "cpu"),
                    apart.join(":")
                ),
            })
        }
        Bind::Unbound | Bind::Sets(_) | Bind::OneSet(_) | Bind::Depth | Bind::Core | Bind::Numa => None,
    }
}

/// Cray MPICH numbers the ranks again: the rank at each place of the launcher is that of the list.
fn reordered(
    asked: &LineAsked<'_>,
    apps: &mut [LaidApp],
    order: &[u32],
    each: u32,
) -> Result<(), LineRefused> {
    let [app] = apps else {
        let why = "MPICH_RANK_REORDER_METHOD=3 for several programs is not known here";
        return Err(asked.refused("not-modelled", why));
    };
    let place = |(at, &rank): (u32, &u32)| ListedRun {
        rank,
        node: at / each,
        local: at % each,
    };
    let mut runs: Vec<ListedRun> = (0..).zip(order).map(place).collect();
    runs.sort_by_key(|run| run.rank);
    // A run goes on while its node and its local ranks do.
    runs.dedup_by(|next, last| {
        next.node == last.node && next.local == last.local + (next.rank - last.rank)
    });
    app.order = RankOrder::Listed(runs);
    Ok(())
}

/// Distinct patterns of a job.
struct Patterns<'a> {
    asked: &'a LineAsked<'a>,
    line: &'a Part<Means>,
    nodes: &'a UsableNodes,
    bind: &'a Bind,
    depth: u32,
    gpus: Option<Vec<u32>>,
    rows: HashMap<(usize, u32, u32), usize>,
    patterns: Vec<Vec<LaidProcs>>,
}

impl Patterns<'_> {
    /// The parts of the line, one behind the other.
    fn apps(
        &mut self,
        parts: &[Part<Means>],
        ranks: &[u32],
        each: u32,
    ) -> Result<Vec<LaidApp>, LineRefused> {
        let mut apps = Vec::new();
        let mut begin = 0;
        for (part, own) in parts.iter().zip(ranks) {
            let mut runs = Vec::new();
            for block in blocks(&self.nodes.runs, each, begin, *own) {
                let pattern = self.row(block)?;
                let nodes = block.nodes;
                runs.push(LaidRun { nodes, pattern });
            }
            begin += own;
            apps.push(LaidApp {
                number: u32::try_from(apps.len()).unwrap_or(u32::MAX),
                program: part.program.clone(),
                runs,
                order: RankOrder::Slot,
            });
        }
        Ok(apps)
    }

    fn row(&mut self, block: Block) -> Result<usize, LineRefused> {
        let key = (block.kind, block.first, block.end);
        if let Some(&row) = self.rows.get(&key) {
            return Ok(row);
        }
        let kind = &self.nodes.kinds[block.kind];
        let node = Node::of(self.asked, kind);
        let mut procs: Vec<LaidProcs> = Vec::new();
        let is_same = matches!(self.bind, Bind::Unsaid | Bind::Unbound | Bind::OneSet(_))
            && self.gpus.is_none();
        // All ranks get the same, or each is asked.
        let (step, locals) = match is_same {
            true => (block.end - block.first, block.first..block.first + 1),
            false => (1, block.first..block.end),
        };
        for local in locals {
            let cpus = self.bind.cpus(self.asked, &node, local, self.depth)?;
            let gpus = match (&self.gpus, self.line.last(Means::GpuBind)) {
                (Some(list), Some(said)) => {
                    Some(vec![gpus::of(self.asked, said, list, kind, local)?])
                }
                _ => None,
            };
            LaidProcs::add(&mut procs, step, cpus, gpus);
        }
        self.patterns.push(procs);
        self.rows.insert(key, self.patterns.len() - 1);
        Ok(self.patterns.len() - 1)
    }
}
