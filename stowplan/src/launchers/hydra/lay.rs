//! Where the ranks of a line are, and what each is bound to.

use super::allotted::allotted;
use super::binding::{Bound, Node};
use super::by_rank_map::{Part, by_rank_map};
use super::node_list::HydraNodes;
use super::nodes::{names, nodes};
use super::patterns::{NodeKind, Patterns, topologies};
use super::refusal::{fails, refuses};
use super::rounds::{Rounds, Turn};
use super::said::{Program, Said, read};
use super::settings;
use super::version::Version;
use crate::launchers::line::named::leading_number;
use crate::launchers::line::{Derived, Laid, LineAsked, LineRefused};
use std::collections::HashMap;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::topologies::TopologyId;

/// Where the processes of a line are.
///
/// # Errors
/// `bad-option`, `launcher-refuses`, `launch-fails`, `not-modelled`.
///
/// Cost: numbers of the nodes, their distinct hardware and bindings, and the turns of nodes; names as ranges.
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    settings::refuse(asked)?;
    let version = Version::read(asked.version)?;
    let said = read(asked, version)?;
    let (nodes, from) = nodes(asked, &said.global, version)?;
    let of = |run: &HydraNodes| std::iter::repeat_n(run.slots, run.names.count as usize);
    let slots: Vec<u32> = nodes.iter().flat_map(of).collect();
    let all: u64 = slots.iter().map(|&slots| u64::from(slots)).sum();
    if all == 0 {
        return Err(fails("no host has a slot"));
    }
    let procs = said
        .programs
        .iter()
        .map(|program| procs(program, all))
        .collect::<Result<Vec<u32>, _>>()?;
    let total: u64 = procs.iter().map(|&procs| u64::from(procs)).sum();
    if total > u64::from(RANKS_MAX) {
        return Err(LineRefused::new(
            "job-too-large",
            format!("{total} ranks are asked for, at most {RANKS_MAX} are possible"),
        ));
    }
    let mut notes = Vec::new();
    if from == "--alloc" {
        notes.extend(allotted(asked)?.into_iter().flat_map(|own| own.notes));
    }
    let parts = match &said.global.rank_map {
        Some(map) => by_rank_map(map, &procs, &slots, version, &mut notes)?,
        None => {
            let turns: Vec<Turn> = (0..).zip(&slots).map(Turn::of).collect();
            let mut rounds = Rounds::new(&turns);
            let deal = |(program, &ranks)| {
                let placed = rounds.deal(ranks)?;
                Ok(Part { program, placed })
            };
            (0..).zip(&procs).map(deal).collect::<Result<_, _>>()?
        }
    };
    let (names, twice) = names(&nodes)?;
    let topologies = topologies(asked.hardware, &names)?;
    let (kinds, kind_of) = kinds(asked, &said, &nodes, &topologies, version, &parts)?;
    let bind = binding(asked, &said);
    notes.extend(super::notes::notes(&nodes, twice, &kinds, bind));
    let mut patterns = Patterns::new(asked.hardware, kinds, kind_of, gpus(&said)?);
    let mut apps = Vec::new();
    for part in &parts {
        let argv = said.programs[part.program as usize].argv.clone();
        apps.push(patterns.app(part.program, argv, &part.placed)?);
    }
    let derived = derived(asked, &said, from);
    Ok(Laid {
        version: version_name(asked.version),
        derived,
        notes,
        names,
        slots: slot_runs(&slots),
        patterns: patterns.into_rows(),
        apps,
    })
}

fn version_name(asked: Option<&str>) -> String {
    asked.unwrap_or("5.0.2").to_owned()
}

/// The processes of a program: 0, negative or absent means all slots.
fn procs(program: &Program, slots: u64) -> Result<u32, LineRefused> {
    let asked = program.procs.as_deref().map_or(0, leading_number);
    let procs = u64::try_from(asked)
        .ok()
        .filter(|&procs| procs > 0)
        .unwrap_or(slots);
    u32::try_from(procs)
        .ok()
        .filter(|&procs| procs <= RANKS_MAX)
        .ok_or_else(|| {
            LineRefused::new(
                "job-too-large",
                format!("{procs} ranks are asked for, at most {RANKS_MAX} are possible"),
            )
        })
}

pub(crate) fn slot_runs(slots: &[u32]) -> Vec<(NodeRange, u32)> {
    let mut runs: Vec<(NodeRange, u32)> = Vec::new();
    for (first, &slots) in (0..).zip(slots) {
        match runs.last_mut() {
            Some((nodes, known)) if *known == slots => nodes.count += 1,
            Some(_) | None => runs.push((NodeRange { first, count: 1 }, slots)),
        }
    }
    runs
}

/// What the page says of the line.
fn derived(asked: &LineAsked<'_>, said: &Said, from: String) -> Vec<Derived> {
    let global = &said.global;
    let slots = match &global.per_node {
        Some(each) => format!("-ppn {each}"),
        None => from,
    };
    let bind = match (&global.bind, asked.variable("HYDRA_BINDING")) {
        (Some(bind), _) => (format!("binding {bind}"), "-bind-to".to_owned()),
        (None, Some(bind)) => (format!("binding {bind}"), "HYDRA_BINDING".to_owned()),
        (None, None) => ("unbound".to_owned(), "default".to_owned()),
    };
    vec![
        Derived {
            what: "slots".to_owned(),
            origin: slots,
        },
        Derived {
            what: bind.0,
            origin: bind.1,
        },
    ]
}

/// The binding of all nodes: `-bind-to`, else the variable.
fn binding<'a>(asked: &LineAsked<'a>, said: &'a Said) -> Option<&'a str> {
    let word = said.global.bind.as_deref();
    word.or_else(|| asked.variable("HYDRA_BINDING"))
}

/// The kinds of nodes, and the kind of each node: hardware and binding.
fn kinds(
    asked: &LineAsked<'_>,
    said: &Said,
    nodes: &[HydraNodes],
    topologies: &[TopologyId],
    version: Version,
    parts: &[Part],
) -> Result<(Vec<NodeKind>, Vec<usize>), LineRefused> {
    let mut ranks = vec![0_u32; topologies.len()];
    for own in parts.iter().flat_map(|part| &part.placed.nodes) {
        ranks[own.node as usize] += own.ranks;
    }
    let bind = binding(asked, said);
    let map = said.global.map.as_deref();
    let map = map.or_else(|| asked.variable("HYDRA_MAPPING"));
    // The most ranks that a node of the kind has.
    let mut known: HashMap<(TopologyId, &str), usize> = HashMap::new();
    let mut rows: Vec<(TopologyId, &str, u32)> = Vec::new();
    let mut kind_of = Vec::with_capacity(topologies.len());
    let each = nodes
        .iter()
        .flat_map(|run| std::iter::repeat_n(run, run.names.count as usize));
    for ((run, &topology), &ranks) in each.zip(topologies).zip(&ranks) {
        let own = run.binding.as_deref().or(bind).unwrap_or("none");
        // Neighbours are mostly of one kind.
        let last = rows.last().filter(|row| (row.0, row.1) == (topology, own));
        let row = match last {
            Some(_) => rows.len() - 1,
            None => *known.entry((topology, own)).or_insert_with(|| {
                rows.push((topology, own, 0));
                rows.len() - 1
            }),
        };
        rows[row].2 = rows[row].2.max(ranks);
        kind_of.push(row);
    }
    let kind = |&(topology, own, ranks): &(TopologyId, &str, u32)| {
        let node = Node {
            hardware: asked.hardware,
            topology,
            version,
            ranks,
        };
        // A node without ranks starts nothing that could fail.
        let bound = match ranks {
            0 => Bound::Free,
            _ => node.bound(own, map)?,
        };
        Ok(NodeKind {
            topology,
            ranks,
            bound,
        })
    };
    let kinds = rows.iter().map(kind).collect::<Result<_, _>>()?;
    Ok((kinds, kind_of))
}

/// GPUs of each process.
fn gpus(said: &Said) -> Result<Option<u32>, LineRefused> {
    if said.global.gpu_parts.is_some() {
        return Err(LineRefused::new(
            "not-modelled",
            "-gpu-subdevs-per-proc: which parts the GPUs of a node have is not known",
        ));
    }
    let Some(text) = &said.global.gpus else {
        return Ok(None);
    };
    u32::try_from(leading_number(text))
        .map(Some)
        .map_err(|_| refuses(&format!("-gpus-per-proc {text} is no number of GPUs")))
}
