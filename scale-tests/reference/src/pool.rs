//! The nodes of the job: their names, their order, their slots. `docs/semantics.md` section 1.

use crate::cpus::Cpus;
use crate::hostfile;
use crate::machine::Machine;
use crate::refusal::Refusal;
use crate::{World, names};
use std::collections::{BTreeMap, BTreeSet};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::text::host_types::{EntrySlots, HostEntry, Hosts};

/// One node, and what earlier apps left on it.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// Its name, cut at the first dot.
    pub(crate) name: String,
    /// Its hardware.
    pub(crate) machine: &'a Machine,
    /// PUs that may be bound to (section 1, "restricting").
    pub(crate) usable: Cpus,
    /// The usable PUs that no process has consumed.
    pub(crate) free: Cpus,
    /// How many processes it has slots for.
    pub(crate) slots: u64,
    /// The most processes that it may ever have.
    pub(crate) max_slots: Option<u64>,
    /// How many processes it has.
    pub(crate) used: u64,
}

impl Node<'_> {
    /// Number of free slots.
    pub(crate) fn left(&self) -> u64 {
        self.slots.saturating_sub(self.used)
    }
    /// How many more processes `max_slots` allows.
    pub(crate) fn room(&self) -> u64 {
        self.max_slots
            .map_or(u64::MAX, |max| max.saturating_sub(self.used))
    }
}

/// The job's nodes.
#[derive(Clone, Debug)]
pub(crate) struct Pool<'a> {
    /// In pool order: first mention, the local node first.
    pub(crate) nodes: Vec<Node<'a>>,
    /// Positions in `nodes`, in order of first mention.
    mentioned: Vec<usize>,
    by_name: BTreeMap<String, usize>,
    /// The local node, if it is one of them.
    pub(crate) local: Option<usize>,
}

/// A node that was named, while the pool is being made.
struct Mention {
    name: String,
    slots: u64,
    max_slots: Option<u64>,
}

impl<'a> Pool<'a> {
    /// The pool of a job (section 1, "where the list comes from").
    pub(crate) fn of(hosts: &Hosts, world: &World<'a>) -> Result<Self, Refusal> {
        let local = world.local.map(names::short);
        let mentions = if hosts.files.values().iter().any(|files| !files.is_empty()) {
            from_hostfiles(hosts, world)?
        } else if !hosts.lists.is_empty() {
            from_lists(
                hosts
                    .list
                    .ids()
                    .filter_map(|app| hosts.entries(app))
                    .flatten(),
                world,
            )?
        } else if !hosts.lsf_pool.is_empty() {
            from_lists(hosts.lsf_pool.iter(), world)?
        } else {
            let name = local.clone().unwrap_or_else(|| "localhost".to_owned());
            let slots = inferred(world, &name)?;
            vec![Mention {
                name,
                slots,
                max_slots: None,
            }]
        };
        let mut order: Vec<usize> = (0..mentions.len()).collect();
        order.sort_by_key(|&i| Some(&mentions[i].name) != local.as_ref());
        let mut pool = Self {
            nodes: Vec::new(),
            mentioned: vec![0; order.len()],
            by_name: BTreeMap::new(),
            local: None,
        };
        for (at, &i) in order.iter().enumerate() {
            let Mention {
                name,
                slots,
                max_slots,
            } = &mentions[i];
            let machine = machine(world, name)?;
            let usable = usable(machine, world.cpu_list, name)?;
            pool.mentioned[i] = at;
            pool.by_name.insert(name.clone(), at);
            pool.nodes.push(Node {
                name: name.clone(),
                machine,
                free: usable.clone(),
                usable,
                slots: *slots,
                max_slots: *max_slots,
                used: 0,
            });
        }
        pool.local = local.and_then(|name| pool.by_name.get(&name).copied());
        Ok(pool)
    }

    /// The node of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(&names::short(name)).copied()
    }
    /// The node that an entry of `-H` selects: by its name, or by the number at the end of its name.
    pub(crate) fn select(&self, name: &str) -> Option<usize> {
        let by_number = || {
            let number = names::number(name)?;
            let ends_so = |&&at: &&usize| names::last_number(&self.nodes[at].name) == Some(number);
            self.mentioned.iter().find(ends_so).copied()
        };
        self.find(name).or_else(by_number)
    }
}

fn machine<'a>(world: &World<'a>, name: &str) -> Result<&'a Machine, Refusal> {
    (world.machine_of)(name)
        .ok_or_else(|| Refusal::new("bad-topology", format!("node {name} has no topology")))
}

/// The slots of a node when nobody gave a count (section 1, "slots").
fn inferred(world: &World<'_>, name: &str) -> Result<u64, Refusal> {
    Ok(machine(world, name)?.units(world.inferred).len() as u64)
}

/// Every hostfile of every app, in order. The file that names a node first says what the node has.
fn from_hostfiles(hosts: &Hosts, world: &World<'_>) -> Result<Vec<Mention>, Refusal> {
    let mut mentions = Vec::new();
    let mut known = BTreeSet::new();
    for file in hosts.files.values().iter().flatten() {
        for named in hostfile::nodes(&hosts.hostfiles[*file])? {
            if known.insert(named.name.clone()) {
                let inferred = match named.slots {
                    Some(slots) => slots,
                    None => inferred(world, &named.name)?,
                };
                mentions.push(Mention {
                    name: named.name,
                    slots: inferred,
                    max_slots: named.max_slots,
                });
            }
        }
    }
    Ok(mentions)
}

/// Every `-H`, joined: counts are added up. A number alone means a node named before, or else is a new name.
fn from_lists<'e>(
    entries: impl Iterator<Item = &'e HostEntry>,
    world: &World<'_>,
) -> Result<Vec<Mention>, Refusal> {
    let mut mentions: Vec<Mention> = Vec::new();
    let mut at_name: BTreeMap<String, usize> = BTreeMap::new();
    for entry in entries {
        let HostEntry::Names(range, slots) = entry else {
            continue; // Relative entries select, they name nothing.
        };
        for name in names::expand(range) {
            let name = names::short(&name);
            let by_number = || {
                let number = names::number(&name)?;
                mentions
                    .iter()
                    .position(|mention| names::last_number(&mention.name) == Some(number))
            };
            let at = at_name
                .get(&name)
                .copied()
                .or_else(by_number)
                .unwrap_or_else(|| {
                    mentions.push(Mention {
                        name: name.clone(),
                        slots: 0,
                        max_slots: None,
                    });
                    at_name.insert(name.clone(), mentions.len() - 1);
                    mentions.len() - 1
                });
            mentions[at].slots += match slots {
                EntrySlots::One => 1,
                EntrySlots::Count(count) => u64::from(*count),
                EntrySlots::Infer => inferred(world, &mentions[at].name)?,
            };
        }
    }
    Ok(mentions)
}

/// The PUs of a node that the cpu list for all nodes leaves (section 1, "restricting").
fn usable(machine: &Machine, list: Option<&str>, node: &str) -> Result<Cpus, Refusal> {
    let Some(list) = list else {
        return Ok(machine.cpus.clone());
    };
    let bad =
        |entry: &str| Refusal::new("bad-cpu-list", format!("{entry} in {list} on node {node}"));
    let (numbers, mode) = match list.split_once(':') {
        None => (list, CpuMode::Core),
        Some((numbers, word)) if word.eq_ignore_ascii_case("hwtcpus") => {
            (numbers, CpuMode::Hwthread)
        }
        Some((numbers, word)) if word.eq_ignore_ascii_case("corecpus") => (numbers, CpuMode::Core),
        Some(_) => return Err(bad(list)),
    };
    let mut cpus = Cpus::none();
    for item in numbers.split(',') {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
            return Err(bad(item));
        };
        if first > last {
            return Err(bad(item));
        }
        for number in first..=last {
            let unit = machine.units(mode).get(number).ok_or_else(|| bad(item))?;
            cpus = cpus.or(&unit.cpus);
        }
    }
    Ok(cpus)
}
