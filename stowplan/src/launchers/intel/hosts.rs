//! The nodes of a line of Intel MPI, and the turns that they take in a round. Source: `lines/intel/spec.md` 3.

use super::said::{Named, Said};
use crate::launchers::hydra::allotted::{System, allotted};
use crate::launchers::hydra::batch;
use crate::launchers::hydra::node_list::within_bounds;
use crate::launchers::hydra::refusal::refuses;
use crate::launchers::hydra::rounds::Turn;
use crate::launchers::line::{LineAsked, LineRefused, OurHosts, names_of};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::names::{NameRange, Names, Nodes, range_name};
use stowplan_engine::text::hostlist::{plain, read_host_names};

/// The nodes and their turns.
#[derive(Debug)]
pub(crate) struct Hosts {
    /// Distinct nodes, in the order of first mention.
    pub(crate) names: Names,
    /// The turns of a round.
    pub(crate) turns: Vec<Turn>,
    /// Where the nodes come from.
    pub(crate) from: String,
    /// How many ranks a turn takes, and who says so.
    pub(crate) per_host: (String, String),
}

/// Hosts as they were listed, with a count of each if that counts.
type Listed = (NameRange, Option<u32>);

/// The nodes of a line.
///
/// # Errors
/// `launcher-refuses`, `launch-fails`, `not-modelled`, `job-too-large`.
pub(crate) fn hosts(asked: &LineAsked<'_>, said: &Said) -> Result<Hosts, LineRefused> {
    let (mut listed, from, counts) = listed(asked, said)?;
    let own = asked.head.unwrap_or("localhost");
    within_bounds(listed.iter().map(|(names, _)| names))?;
    if said.no_local {
        listed = without(&listed, own);
    }
    let Some((first, _)) = listed.first() else {
        return Err(refuses("it names no host"));
    };
    let first = asked
        .head
        .map_or_else(|| range_name(first, 0), str::to_owned);
    let per_host = match counts {
        // `-rr` behind a machine file.
        Counts::Win if said.counts_are_files && said.per_host.is_some() => told(1, "-rr"),
        Counts::Win => (None, from.clone(), "as counted".to_owned()),
        Counts::Give | Counts::None => per_host(asked, said, &first, &counts, &from)?,
    };
    let (each, origin, words) = per_host;
    let mut hosts = Hosts {
        names: Names::default(),
        turns: Vec::new(),
        from,
        per_host: (words, origin),
    };
    for (names, count) in listed {
        let slots = each.or(count).unwrap_or(1);
        for nodes in hosts.nodes(&names)? {
            let turns = (nodes.first..nodes.end()).map(|node| Turn { node, slots });
            hosts.turns.extend(turns);
        }
    }
    Ok(hosts)
}

/// Whether counts of the listed hosts matter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counts {
    /// They win over `-ppn`.
    Win,
    /// They hold if nothing is said.
    Give,
    /// There are none.
    None,
}

impl Hosts {
    /// The nodes of a range of names, new or known, in its order.
    ///
    /// # Errors
    /// `job-too-large`
    pub(crate) fn nodes(&mut self, names: &NameRange) -> Result<Nodes, LineRefused> {
        let found = self.names.add(names);
        found.map_err(|_| LineRefused::new("job-too-large", "more nodes than there can be"))
    }
}

/// The hosts without those of this name, one by one.
fn without(listed: &[Listed], own: &str) -> Vec<Listed> {
    let each = |(names, count): &Listed| {
        let count = *count;
        let left = names_of(names).filter(|name| name != own);
        left.map(|name| (plain(&name), count)).collect::<Vec<_>>()
    };
    listed.iter().flat_map(each).collect()
}

/// A number of ranks a turn: the number, who says so, in which words.
fn told(each: u32, origin: &str) -> (Option<u32>, String, String) {
    (Some(each), origin.to_owned(), each.to_string())
}

/// How many ranks a turn takes: the number, who says so, in which words.
fn per_host(
    asked: &LineAsked<'_>,
    said: &Said,
    first: &str,
    counts: &Counts,
    from: &str,
) -> Result<(Option<u32>, String, String), LineRefused> {
    if let Some((word, each)) = &said.per_host {
        return Ok(told(*each, word));
    }
    if said.counts_are_files {
        return Ok(told(1, "-machinefile before this list"));
    }
    if let Some(text) = said.variable(asked, "I_MPI_PERHOST") {
        let origin = format!("I_MPI_PERHOST={text}");
        return match text {
            "all" => Ok(told(count(asked, first, ObjKind::Hwthread)?, &origin)),
            "allcores" => Ok(told(count(asked, first, ObjKind::Core)?, &origin)),
            digits => match digits.parse::<u32>() {
                Ok(0) => Err(refuses(&format!("{origin}: it takes a number from 1 on"))),
                Ok(each) => Ok(told(each, &origin)),
                Err(_) => Err(LineRefused::new(
                    "not-modelled",
                    format!("{origin}: what this value means is not known"),
                )),
            },
        };
    }
    if *counts == Counts::Give {
        return Ok((None, from.to_owned(), "as counted".to_owned()));
    }
    let each = count(asked, first, ObjKind::Core)?;
    Ok(told(
        each,
        &format!("the cores of {first}, where mpiexec runs"),
    ))
}

/// How many cores or PUs a node has.
fn count(asked: &LineAsked<'_>, node: &str, kind: ObjKind) -> Result<u32, LineRefused> {
    let found = asked.hardware.of_names(&plain(node));
    let Some(&(_, topology)) = found.first() else {
        return Err(LineRefused::new(
            "bad-topology",
            format!("node {node} has no topology: --topo gives one"),
        ));
    };
    let topologies = asked.hardware.topologies();
    Ok(match topologies.count(topology, kind) {
        0 => topologies.count(topology, ObjKind::Hwthread),
        count => count,
    })
}

/// The hosts in order, where they come from, and whether their counts matter.
fn listed(
    asked: &LineAsked<'_>,
    said: &Said,
) -> Result<(Vec<Listed>, String, Counts), LineRefused> {
    match &said.hosts {
        Some(Named::List(list)) => {
            let names = list.split(',').filter(|entry| !entry.is_empty());
            let hosts = names.map(|entry| (plain(name_of(entry)), None));
            return Ok((hosts.collect(), "-hosts".to_owned(), Counts::None));
        }
        Some(Named::Groups(list)) => {
            let hosts = of_groups(list, "-hosts-group")?;
            return Ok((hosts, "-hosts-group".to_owned(), Counts::None));
        }
        Some(Named::File(path)) => {
            let hosts = of_host_file(asked, path)?;
            return Ok((hosts, format!("the file {path}"), Counts::None));
        }
        Some(Named::MachineFile(path)) => {
            let hosts = of_file(asked, path)?;
            let hosts = hosts
                .into_iter()
                .map(|(name, count)| (name, count.or(Some(1))));
            return Ok((
                hosts.collect(),
                format!("the machine file {path}"),
                Counts::Win,
            ));
        }
        None => {}
    }
    if let Some(path) = said.variable(asked, "I_MPI_HYDRA_HOST_FILE") {
        let hosts = of_host_file(asked, path)?;
        return Ok((hosts, "I_MPI_HYDRA_HOST_FILE".to_owned(), Counts::None));
    }
    if let Some(own) = allotted(asked)? {
        let respects = said.variable(asked, "I_MPI_JOB_RESPECT_PROCESS_PLACEMENT");
        let off = matches!(respects, Some("0" | "off" | "no" | "disable"));
        let counts = match own.system {
            System::Slurm if !off => Counts::Win,
            System::Slurm | System::Pbs => Counts::Give,
        };
        let hosts = own
            .hosts
            .into_iter()
            .map(|(name, slots)| (plain(&name), Some(slots)));
        return Ok((hosts.collect(), "--alloc".to_owned(), counts));
    }
    if let OurHosts::Said(own) = asked.hosts {
        let hosts = own.iter().map(|host| (host.names.clone(), None));
        return Ok((hosts.collect(), "-H".to_owned(), Counts::None));
    }
    if let Some((nodes, name)) = batch::nodes(asked)? {
        let hosts = nodes.into_iter().map(|run| (run.names, Some(run.slots)));
        let respects = said.variable(asked, "I_MPI_JOB_RESPECT_PROCESS_PLACEMENT");
        let off = matches!(respects, Some("0" | "off" | "no" | "disable"));
        let wins = name.starts_with("SLURM_") && !off;
        let counts = if wins { Counts::Win } else { Counts::Give };
        return Ok((hosts.collect(), name, counts));
    }
    let own = asked.head.unwrap_or("localhost");
    Ok((
        vec![(plain(own), None)],
        "the launch node".to_owned(),
        Counts::None,
    ))
}

/// The name of an entry, without its count.
fn name_of(entry: &str) -> &str {
    entry.split(':').next().unwrap_or(entry)
}

/// Names with ranges in brackets.
fn of_groups(list: &str, word: &str) -> Result<Vec<Listed>, LineRefused> {
    let names = read_host_names(list)
        .map_err(|_| refuses(&format!("{word} {list} is no list of names")))?;
    Ok(names.into_iter().map(|names| (names, None)).collect())
}

/// The hosts of a host file: counts are passed over, and a name directly behind itself is the same host.
fn of_host_file(asked: &LineAsked<'_>, path: &str) -> Result<Vec<Listed>, LineRefused> {
    let mut hosts = of_file(asked, path)?;
    hosts.dedup_by(|host, before| host.0 == before.0);
    Ok(hosts.into_iter().map(|(name, _)| (name, None)).collect())
}

/// The lines of a host file, with their counts.
fn of_file(asked: &LineAsked<'_>, path: &str) -> Result<Vec<Listed>, LineRefused> {
    let bytes = asked.files.read(path);
    let bytes =
        bytes.map_err(|error| refuses(&format!("host file {path}: it cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&bytes);
    let mut hosts = Vec::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let Some(entry) = line.split_whitespace().next() else {
            continue;
        };
        let count = entry.split_once(':').map(|(_, count)| count.parse::<u32>());
        let count = match count {
            None => None,
            Some(Ok(count)) if count > 0 => Some(count),
            Some(_) => {
                let why =
                    format!("host file {path}: {entry}: a number from 1 on is expected after :");
                return Err(refuses(&why));
            }
        };
        hosts.push((plain(name_of(entry)), count));
    }
    Ok(hosts)
}
