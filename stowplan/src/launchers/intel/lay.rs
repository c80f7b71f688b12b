//! Where the ranks of a line are, and what each is pinned to.

use super::bound::bound;
use super::hosts::{Hosts, hosts};
use super::node::Node;
use super::pins::{self, Pins, Spoken};
use super::said::{Program, Said, read};
use super::version::Version;
use crate::launchers::hydra::allotted::allotted;
use crate::launchers::hydra::binding::Bound;
use crate::launchers::hydra::lay::slot_runs;
use crate::launchers::hydra::patterns::{NodeKind, Patterns, topologies};
use crate::launchers::hydra::rounds::{Lister, Placed, Rounds, Stretch};
use crate::launchers::hydra::settings;
use crate::launchers::line::{Derived, Laid, LineAsked, LineNote, LineRefused};
use std::collections::HashMap;
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::table::topologies::TopologyId;
use stowplan_engine::text::hostlist::plain;

/// Where the processes of a line are.
///
/// # Errors
/// `bad-option`, `launcher-refuses`, `launch-fails`, `not-modelled`.
///
/// Cost: numbers of the nodes, their distinct hardware and counts of ranks, and the turns of nodes.
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    settings::refuse(asked)?;
    let version = Version::read(asked.version)?;
    let said = read(asked, version)?;
    let mut hosts = hosts(asked, &said)?;
    let programs = dealt(&said, &mut hosts)?;
    let spoken = spoken(asked, &said, version)?;
    let mut notes = notes(&said, &spoken);
    if hosts.from == "--alloc" {
        notes.extend(allotted(asked)?.into_iter().flat_map(|own| own.notes));
    }
    let topologies = topologies(asked.hardware, &hosts.names)?;
    let (kinds, kind_of) = kinds(asked, &topologies, &programs, &spoken, &mut notes)?;
    let mut patterns = Patterns::new(asked.hardware, kinds, kind_of, None);
    let mut apps = Vec::with_capacity(programs.len());
    for ((number, program), own) in (0..).zip(&said.programs).zip(&programs) {
        apps.push(patterns.app(number, program.argv.clone(), own)?);
    }
    Ok(Laid {
        version: asked.version.unwrap_or("2021.18").to_owned(),
        derived: derived(&hosts, &spoken),
        notes,
        slots: slot_runs(&slots(&hosts)),
        names: hosts.names,
        patterns: patterns.into_rows(),
        apps,
    })
}

/// The slots of each node: those of all its turns.
fn slots(hosts: &Hosts) -> Vec<u32> {
    let mut slots = vec![0_u32; hosts.names.len() as usize];
    for turn in &hosts.turns {
        let own = &mut slots[turn.node as usize];
        *own = own.saturating_add(turn.slots);
    }
    slots
}

/// The ranks of each program.
fn dealt(said: &Said, hosts: &mut Hosts) -> Result<Vec<Placed>, LineRefused> {
    let turns = hosts.turns.clone();
    let all: u64 = turns.iter().map(|turn| u64::from(turn.slots)).sum();
    let mut rounds = Rounds::new(&turns);
    let mut programs = Vec::with_capacity(said.programs.len());
    let mut total = 0_u64;
    for program in &said.programs {
        let ranks = u64::from(program.procs.unwrap_or(0));
        let ranks = if ranks == 0 { all } else { ranks };
        total += ranks;
        let ranks = u32::try_from(ranks)
            .ok()
            .filter(|_| total <= u64::from(RANKS_MAX));
        let ranks = ranks.ok_or_else(|| {
            let sentence = format!("{total} ranks are asked for, at most {RANKS_MAX} are possible");
            LineRefused::new("job-too-large", sentence)
        })?;
        programs.push(match &program.host {
            Some(host) => on_one(hosts, host, ranks)?,
            None => rounds.deal(ranks)?,
        });
    }
    Ok(programs)
}

/// All ranks of a program on its own host.
fn on_one(hosts: &mut Hosts, host: &str, ranks: u32) -> Result<Placed, LineRefused> {
    if host.contains(',') {
        let sentence = format!("-host {host}: what several hosts of one program mean is not known");
        return Err(LineRefused::new("not-modelled", sentence));
    }
    let nodes = hosts.nodes(&plain(host))?;
    let stretches = nodes.iter().map(|nodes| Stretch {
        node: nodes.first,
        ranks,
    });
    Ok(Lister::default().placed(&stretches.collect::<Vec<_>>()))
}

/// What the variables say of pins, the same for all programs.
fn spoken(asked: &LineAsked<'_>, said: &Said, version: Version) -> Result<Spoken, LineRefused> {
    let of = |program: &Program| {
        let own = |name: &str| {
            let mut last = program.variables.iter().rev();
            let own = last.find(|(known, _)| known == name);
            own.map(|(_, value)| value.as_str())
                .filter(|value| !value.is_empty())
                .or_else(|| said.variable(asked, name))
        };
        pins::read(&own, version)
    };
    let mut programs = said.programs.iter();
    let first = programs
        .next()
        .map_or_else(|| of(&Program::default()), of)?;
    for program in programs {
        if of(program)? != first {
            return Err(LineRefused::new(
                "not-modelled",
                "-env: how programs with different pins share a node is not known",
            ));
        }
    }
    Ok(first)
}

/// The kinds of nodes, and the kind of each node: hardware, and how many ranks it has.
fn kinds(
    asked: &LineAsked<'_>,
    topologies: &[TopologyId],
    programs: &[Placed],
    spoken: &Spoken,
    notes: &mut Vec<LineNote>,
) -> Result<(Vec<NodeKind>, Vec<usize>), LineRefused> {
    let mut ranks = vec![0_u32; topologies.len()];
    for own in programs.iter().flat_map(|program| &program.nodes) {
        ranks[own.node as usize] += own.ranks;
    }
    let mut known: HashMap<(TopologyId, u32), usize> = HashMap::new();
    let mut nodes: HashMap<TopologyId, Node<'_>> = HashMap::new();
    let mut kinds: Vec<NodeKind> = Vec::new();
    let mut kind_of = Vec::with_capacity(topologies.len());
    for (&topology, &ranks) in topologies.iter().zip(&ranks) {
        if let Some(&kind) = known.get(&(topology, ranks)) {
            kind_of.push(kind);
            continue;
        }
        let bound = if ranks == 0 || spoken.pins == Pins::Off {
            Bound::Free
        } else {
            let node = nodes.entry(topology);
            let node = node.or_insert_with(|| Node::new(asked.hardware, topology, spoken.version));
            let (bound, ignored) = bound(node, ranks, spoken)?;
            notes.extend(ignored.map(pins_ignored));
            bound
        };
        known.insert((topology, ranks), kinds.len());
        kind_of.push(kinds.len());
        kinds.push(NodeKind {
            topology,
            ranks,
            bound,
        });
    }
    Ok((kinds, kind_of))
}

fn pins_ignored(text: String) -> LineNote {
    LineNote {
        class: "pins-ignored",
        text,
    }
}

/// Notes of what is said and not obeyed.
fn notes(said: &Said, spoken: &Spoken) -> Vec<LineNote> {
    let void = said
        .void
        .iter()
        .map(|word| format!("{word} has no effect in Intel MPI: I_MPI_PIN_DOMAIN=… pins ranks"));
    let ignored = spoken.ignored.iter().cloned();
    void.chain(ignored).map(pins_ignored).collect()
}

/// What the page says of the line.
fn derived(hosts: &Hosts, spoken: &Spoken) -> Vec<Derived> {
    let (each, origin) = &hosts.per_host;
    let row = |what: String, origin: &str| Derived {
        what,
        origin: origin.to_owned(),
    };
    let (domain, value) = &spoken.domain;
    let pins = match spoken.pins {
        Pins::Off => row("unpinned".to_owned(), &format!("{domain}={value}")),
        Pins::On { .. } => row(format!("pin domain {value}"), domain),
    };
    let mut found = vec![
        row("hosts".to_owned(), &hosts.from),
        row(format!("per host {each}"), origin),
        pins,
    ];
    if spoken.pins != Pins::Off {
        let (order, value) = &spoken.order;
        found.push(row(format!("pin order {value}"), order));
    }
    found
}
