//! Named machines: their shape, a rule on names where one is documented, and the source of both.

use super::{BadNetwork, Kind, Network, synthetic, template};
use stowplan_engine::table::names::Names;
use stowplan_engine::text::words::nearest;

/// A row a machine: name, shape, rule on names, certainty, what is said, source; `-` where nothing is known.
const TABLE: &str = include_str!("machines.tsv");

/// A machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Its name.
    pub name: &'static str,
    /// Its shape in words, without hosts.
    pub shape: Option<&'static str>,
    /// How names say where nodes are.
    pub names: Option<&'static str>,
    /// `documented`, `secondary` or `not known`.
    pub certainty: &'static str,
    /// What is said, and what is not known.
    pub said: &'static str,
    /// Where that stands.
    pub source: &'static str,
}

/// All machines.
pub fn machines() -> impl Iterator<Item = Machine> {
    let known = |word: &'static str| Some(word).filter(|word| *word != "-");
    TABLE.lines().skip(1).filter_map(move |line| {
        let mut fields = line.split('\t');
        Some(Machine {
            name: fields.next()?,
            shape: known(fields.next()?),
            names: known(fields.next()?),
            certainty: fields.next()?,
            said: fields.next()?,
            source: fields.next()?,
        })
    })
}

/// The network of a machine, over these hosts in their order; without hosts by the names of the job's nodes.
///
/// # Errors
/// A machine or a rule that is not known.
pub(super) fn read(
    name: &str,
    hosts: Option<&str>,
    job: Option<&Names>,
) -> Result<Network, BadNetwork> {
    let Some(machine) = machines().find(|machine| machine.name == name) else {
        let hint = nearest(machines().map(|machine| machine.name), name);
        let hint = hint.map_or_else(String::new, |name| format!(": did you mean {name}?"));
        return Err(BadNetwork::told(format!(
            "the network of {name} is not known{hint} `stowplan topo list --networks` lists those there are"
        )));
    };
    let Some(shape) = machine.shape else {
        return Err(BadNetwork::told(format!(
            "the network of {name} is not known: {}",
            machine.said
        )));
    };
    if let Some(hosts) = hosts {
        let mut network = synthetic::of_shape(shape, hosts)?;
        network.source = format!("builtin:{name}");
        if machine.names.is_none() {
            network.assumed = Some(name.to_owned());
        }
        return Ok(network);
    }
    let Some(rule) = machine.names else {
        return Err(BadNetwork::told(format!(
            "builtin:{name}: which of its nodes are in which group is not known from their names; builtin:{name} HOSTS takes the order of a list"
        )));
    };
    let Some(job) = job else {
        return Err(BadNetwork::told(format!(
            "builtin:{name} goes by the names of hosts, and none are given"
        )));
    };
    let mut network = template::read(rule, job)?;
    network.kind = match shape.split(' ').next() {
        Some("dragonfly") => Kind::Dragonfly,
        Some("dragonfly+") => Kind::DragonflyPlus,
        _ => Kind::Tree,
    };
    network.source = format!("builtin:{name}");
    Ok(network)
}
