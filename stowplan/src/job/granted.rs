//! The hosts that a batch system or a user granted, with what is known of each: hardware, cpus, slots.

use crate::job::args::{CoresFrom, MapArgs, map_args};
use crate::job::error::{JobError, told};
use crate::job::line::place::our_hosts;
use crate::job::machine::{Assumed, read_assuming};
use crate::job::options::Meaning;
use crate::job::outside::Outside;
use crate::job::place::place_on;
use crate::job::words::CommandLine;
use crate::launchers::line::OurHosts;
use stowplan_engine::map::Machine;
use stowplan_engine::plan::{Plan, World};
use stowplan_engine::table::topologies::TopologyId;

/// Options that name hosts, or say what these are.
const GRANTING: &[Meaning] = &[
    Meaning::Host,
    Meaning::Hostfile,
    Meaning::DefaultHostfile,
    Meaning::Here,
    Meaning::Topo,
    Meaning::Devices,
    Meaning::Mca,
    Meaning::Head,
];

/// Whether an option names hosts, or says what these are.
#[must_use]
pub fn grants(meaning: Meaning) -> bool {
    GRANTING.contains(&meaning)
}

/// Hosts that were granted.
#[derive(Clone, Debug)]
pub struct Granted {
    /// The hosts in order, with their hardware and the cpus that may be used.
    pub world: World,
    /// Slots that were said for each host.
    pub slots: Vec<Option<u32>>,
    /// The topology of hosts of which nothing is known.
    pub assumed: Option<TopologyId>,
    /// Whether the topologies were given.
    pub given: Topologies,
}

/// Where topologies of hosts come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Topologies {
    /// `--topo`, or a machine.
    Given,
    /// That of this machine, if it is among the hosts; nothing is known of the others.
    Probed,
}

/// Reads the hosts that words grant: the options of [`grants`] alone. Hosts whose topology is not given are taken to have that of the
/// plan. `from`: where their cpus are from, if no word says them.
///
/// # Errors
/// `bad-option` for other words and if no host is named; errors of hosts, hostfiles and topologies.
///
/// Cost: the texts, and the files that they name.
pub fn granted(
    words: &[String],
    from: Option<&CoresFrom>,
    plan: &Plan,
    outside: &dyn Outside,
) -> Result<Granted, JobError> {
    names_hosts(words)?;
    let asked = asked(words, from)?;
    let given = match asked.job.topos.is_empty() {
        true => Topologies::Probed,
        false => Topologies::Given,
    };
    let world = plan.world();
    let first = world.before.iter().next();
    let assumed = first
        .filter(|_| given == Topologies::Probed)
        .map(|(_, state)| {
            let topology = world.states.get(state).topology;
            Assumed {
                draft: world.topologies.draft(topology),
                source: "the plan's".to_owned(),
            }
        });
    let (machine, _) = read_assuming(&asked.job, assumed, outside)?;
    on(&machine, words, asked, given, outside)
}

/// A job of one process that is bound to nothing, on the hosts of these words.
fn asked(words: &[String], from: Option<&CoresFrom>) -> Result<MapArgs, JobError> {
    let process = ["-n", "1", "--map-by", "slot", "--bind-to", "none"];
    let mut all = words.to_vec();
    all.extend(process.map(str::to_owned));
    let mut asked = map_args(&all)?;
    asked.job.cores_from = from.cloned();
    Ok(asked)
}

/// The same on a machine that says what the hosts are.
///
/// # Errors
/// As [`granted`], without errors of topologies.
///
/// Cost: the texts, and the files that they name.
pub fn granted_on(
    machine: &Machine,
    words: &[String],
    outside: &dyn Outside,
) -> Result<Granted, JobError> {
    names_hosts(words)?;
    let asked = asked(words, None)?;
    on(machine, words, asked, Topologies::Given, outside)
}

fn on(
    machine: &Machine,
    words: &[String],
    asked: MapArgs,
    given: Topologies,
    outside: &dyn Outside,
) -> Result<Granted, JobError> {
    let mapped = place_on(machine, asked, outside)?;
    let world = mapped.plan.world().clone();
    let mut slots: Vec<Option<u32>> = vec![None; world.names.len() as usize];
    if let OurHosts::Said(hosts) = our_hosts(words, outside)? {
        for host in hosts {
            let Some(said) = host.slots else { continue };
            for nodes in world.names.find(&host.names).0 {
                for own in &mut slots[nodes.first as usize..nodes.end() as usize] {
                    *own = Some(own.unwrap_or(0).saturating_add(said));
                }
            }
        }
    }
    Ok(Granted {
        world,
        slots,
        assumed: machine.default.filter(|_| given == Topologies::Probed),
        given,
    })
}

/// Checks that the words say what hosts there are, and nothing else.
fn names_hosts(words: &[String]) -> Result<(), JobError> {
    let refused = |sentence: String| told("bad-option", sentence);
    let line = CommandLine::read(words);
    let options = || line.apps.iter().flat_map(|app| &app.options);
    if let Some(other) = options().find(|option| !option.meaning.is_some_and(grants)) {
        return Err(refused(format!(
            "{} says nothing of hosts: a plan is carried onto -H LIST, --hostfile FILE or --here, with --topo",
            other.name
        )));
    }
    if let Some(word) = line.apps.iter().find_map(|app| app.program.first()) {
        return Err(refused(format!(
            "{word}: a plan has its programs, so none is named beside the hosts"
        )));
    }
    let naming = [
        Meaning::Host,
        Meaning::Hostfile,
        Meaning::DefaultHostfile,
        Meaning::Here,
    ];
    let names = |option: &crate::job::words::OptionWords| {
        option
            .meaning
            .is_some_and(|meaning| naming.contains(&meaning))
    };
    match options().any(names) {
        true => Ok(()),
        false => Err(refused(
            "no hosts are named: -H LIST, --hostfile FILE or --here".to_owned(),
        )),
    }
}
