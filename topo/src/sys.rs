//! Reads this machine from the files of Linux, without libhwloc.
//!
//! `/sys/devices/system/{cpu,node}` has packages, dies, cores, caches and memory. `/proc/self/status` says which cpus and which
//! memory this process may use. No file is opened here: [`parse`] asks its caller for each file, so that a recorded tree is read
//! like a live one. [`parse_with`] also reads GPUs and network cards; for these it needs the names in some folders.

use crate::error::TopoError;
pub use crate::files::{Lookup, Names};
use crate::files::{numbers, ranges};
use crate::pci;
use crate::reduce::withhold_pus;
use std::collections::BTreeMap;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft, Vendor};

/// Where cpus are.
const CPU: &str = "/sys/devices/system/cpu";
/// Where memory is.
const NODE: &str = "/sys/devices/system/node";
/// What this process may use.
const STATUS: &str = "/proc/self/status";
/// Who made the cpus.
const CPUINFO: &str = "/proc/cpuinfo";
/// The most caches of one cpu that are looked at. Machines have four.
const CACHES_MAX: u32 = 16;

/// The topology that the files of a Linux machine describe, without devices. It has the online cpus that this process may use.
///
/// # Errors
/// `bad-topology` when the list of online cpus is missing or broken.
///
/// Cost: about twenty files for each core.
/// ```
/// let file = |path: &str| match path {
///     "/sys/devices/system/cpu/online" => Some("0-3\n".to_owned()),
///     "/proc/self/status" => Some("Cpus_allowed_list:\t0,2-3\n".to_owned()),
///     _ => None,
/// };
/// assert_eq!(stowplan_topo::sys::parse(&file).unwrap().pus_os, [0, 2, 3]);
/// assert_eq!(stowplan_topo::sys::parse(&|_| None).unwrap_err().class(), "bad-topology");
/// ```
pub fn parse(file: Lookup<'_>) -> Result<TopologyDraft, TopoError> {
    parse_with(file, &|_| Vec::new())
}

/// As [`parse`], with the GPUs and network cards for which the system has drivers.
///
/// # Errors
/// As [`parse`].
///
/// Cost: that of [`parse`], a file for each PCI device, and some files for each GPU and network card.
pub fn parse_with(file: Lookup<'_>, names: Names<'_>) -> Result<TopologyDraft, TopoError> {
    let online = list(file, &format!("{CPU}/online"))?;
    let mut found = Objects::default();
    for &cpu in &online {
        found.read_cpu(file, cpu, &online);
    }
    let memory = memory(file, &online);
    let mut draft = found.draft(&online, &memory);
    pci::give(file, names, &mut draft);
    draft.vendor = vendor(&file(CPUINFO).unwrap_or_default());
    let status = file(STATUS).unwrap_or_default();
    let draft = match allowed(&status, "Cpus_allowed_list:") {
        Some(cpus) => withhold_pus(draft, |os| holds(&cpus, os)),
        None => draft,
    };
    Ok(match allowed(&status, "Mems_allowed_list:") {
        Some(nodes) => keep_memory(draft, &nodes),
        None => draft,
    })
}

/// The numbers of a list file such as `0-3,8`.
fn list(file: Lookup<'_>, path: &str) -> Result<Vec<u32>, TopoError> {
    let failed = |reason: String| TopoError::Live { reason };
    let text = file(path).ok_or_else(|| failed(format!("{path} cannot be read")))?;
    numbers(&text).ok_or_else(|| failed(format!("{path} has no list of cpus: {:?}", text.trim())))
}

/// Who made the cpus, as `/proc/cpuinfo` says it. On other processors than x86 it names no vendor.
fn vendor(cpuinfo: &str) -> Vendor {
    let lines = || cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let said = lines().find(|(key, _)| key.trim() == "vendor_id");
    match said.map(|(_, value)| value.trim()) {
        Some("GenuineIntel") => Vendor::Intel,
        Some("AuthenticAMD") => Vendor::Amd,
        Some(_) => Vendor::Other,
        None if lines().next().is_some() => Vendor::Other,
        None => Vendor::Unsaid,
    }
}

/// The numbers in the line of `/proc/self/status` that begins with `key`.
fn allowed(status: &str, key: &str) -> Option<Vec<u32>> {
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    numbers(line)
}

fn holds(sorted: &[u32], number: u32) -> bool {
    sorted.binary_search(&number).is_ok()
}

/// Removes the NUMA nodes whose memory this process may not use.
fn keep_memory(mut draft: TopologyDraft, nodes: &[u32]) -> TopologyDraft {
    let allowed = |object: &DraftObject| object.os.is_none_or(|os| holds(nodes, os));
    let of_memory = |object: &DraftObject| object.kind == ObjKind::Numa;
    if draft
        .objects
        .iter()
        .any(|object| of_memory(object) && allowed(object))
    {
        draft
            .objects
            .retain(|object| !of_memory(object) || allowed(object));
    }
    draft
}

/// A NUMA node: its number, and the online cpus near it.
struct Memory {
    os: u32,
    cpus: Vec<u32>,
}

/// The NUMA nodes. If the kernel shows none, one for the whole machine.
fn memory(file: Lookup<'_>, online: &[u32]) -> Vec<Memory> {
    let nodes = file(&format!("{NODE}/online")).and_then(|text| numbers(&text));
    let cpus_of = |node: u32| {
        let text = file(&format!("{NODE}/node{node}/cpulist")).unwrap_or_default();
        let mut cpus = numbers(&text).unwrap_or_default();
        cpus.retain(|&cpu| holds(online, cpu));
        cpus
    };
    let mut memory: Vec<Memory> = nodes
        .unwrap_or_default()
        .into_iter()
        .map(|os| Memory {
            os,
            cpus: cpus_of(os),
        })
        .collect();
    // Memory without cpus of its own (HBM, CXL) belongs to the cpus of the nodes with the best access to it.
    for at in 0..memory.len() {
        if memory[at].cpus.is_empty() {
            let os = memory[at].os;
            let best = |other: &Memory| {
                let link = format!(
                    "{NODE}/node{os}/access0/initiators/node{}/cpulist",
                    other.os
                );
                !other.cpus.is_empty() && file(&link).is_some()
            };
            let near = memory.iter().filter(|&other| best(other));
            let mut cpus: Vec<u32> = near.flat_map(|other| other.cpus.iter().copied()).collect();
            cpus.sort_unstable();
            memory[at].cpus = cpus;
        }
    }
    if memory.is_empty() {
        let cpus = online.to_vec();
        memory.push(Memory { os: 0, cpus });
    }
    memory
}

/// Packages, dies, caches and cores, by kind and by the lowest of their cpus.
#[derive(Default)]
struct Objects {
    by_kind: BTreeMap<ObjKind, BTreeMap<u32, Group>>,
}

/// The cpus of one object.
struct Group {
    os: Option<u32>,
    cpus: Vec<u32>,
}

impl Objects {
    /// Adds the objects that the files of one cpu say it is in.
    fn read_cpu(&mut self, file: Lookup<'_>, cpu: u32, online: &[u32]) {
        let topology = format!("{CPU}/cpu{cpu}/topology");
        let set = |names: [&str; 2]| {
            let text = names
                .iter()
                .find_map(|name| file(&format!("{topology}/{name}")));
            cpus_of(&text?, cpu, online)
        };
        let number = |name: &str| file(&format!("{topology}/{name}"))?.trim().parse().ok();
        let package = set(["package_cpus_list", "core_siblings_list"]);
        let die = set(["die_cpus_list", "die_cpus_list"]);
        if let Some(cpus) = die.filter(|die| Some(die) != package.as_ref()) {
            self.add(ObjKind::Die, number("die_id"), cpus);
        }
        if let Some(cpus) = package {
            self.add(ObjKind::Package, number("physical_package_id"), cpus);
        }
        let Some(core) = set(["core_cpus_list", "thread_siblings_list"]) else {
            return self.read_caches(file, cpu, online);
        };
        // All hwthreads of a core have the same caches.
        if core.first() == Some(&cpu) {
            self.read_caches(file, cpu, online);
        }
        self.add(ObjKind::Core, number("core_id"), core);
    }

    fn read_caches(&mut self, file: Lookup<'_>, cpu: u32, online: &[u32]) {
        for index in 0..CACHES_MAX {
            let cache = format!("{CPU}/cpu{cpu}/cache/index{index}");
            let Some(level) = file(&format!("{cache}/level")) else {
                return;
            };
            let kind = match level.trim() {
                "1" => ObjKind::L1,
                "2" => ObjKind::L2,
                "3" => ObjKind::L3,
                "4" => ObjKind::L4,
                "5" => ObjKind::L5,
                _ => continue,
            };
            let holds_data = file(&format!("{cache}/type"))
                .is_some_and(|word| matches!(word.trim(), "Data" | "Unified"));
            let shared = file(&format!("{cache}/shared_cpu_list"));
            let cpus = shared.and_then(|text| cpus_of(&text, cpu, online));
            if let Some(cpus) = cpus.filter(|_| holds_data) {
                let id = file(&format!("{cache}/id"));
                let id = id.and_then(|text| text.trim().parse().ok());
                self.add(kind, id, cpus);
            }
        }
    }

    fn add(&mut self, kind: ObjKind, os: Option<u32>, cpus: Vec<u32>) {
        let Some(&lowest) = cpus.first() else {
            return;
        };
        let of_kind = self.by_kind.entry(kind).or_default();
        of_kind.entry(lowest).or_insert(Group { os, cpus });
    }

    /// Makes the topology. Siblings are in the order of their lowest cpu, as in hwloc.
    fn draft(&self, online: &[u32], memory: &[Memory]) -> TopologyDraft {
        let pus_os = self.order(online, memory);
        let mut logical = BTreeMap::new();
        for (place, &os) in (0..).zip(&pus_os) {
            logical.insert(os, place);
        }
        let object = |kind, os, cpus: &[u32]| {
            let mut places: Vec<u32> = cpus.iter().map(|cpu| logical[cpu]).collect();
            places.sort_unstable();
            DraftObject {
                kind,
                os,
                pus: ranges(&places),
            }
        };
        let mut objects = vec![object(ObjKind::Machine, Some(0), online)];
        for (&kind, groups) in &self.by_kind {
            let of_kind = groups
                .values()
                .map(|group| object(kind, group.os, &group.cpus));
            objects.extend(of_kind);
        }
        let domains = memory
            .iter()
            .map(|node| object(ObjKind::Numa, Some(node.os), &node.cpus));
        objects.extend(domains);
        objects.sort_by_key(|object| (object.kind, position(object)));
        TopologyDraft {
            pus_os,
            objects,
            ..TopologyDraft::default()
        }
    }

    /// The online cpus in logical order: sorted by the lowest cpu of each object around them, widest object first.
    fn order(&self, online: &[u32], memory: &[Memory]) -> Vec<u32> {
        let groups = self.by_kind.values().flat_map(BTreeMap::values);
        let mut sets: Vec<&[u32]> = groups.map(|group| group.cpus.as_slice()).collect();
        sets.extend(memory.iter().map(|node| node.cpus.as_slice()));
        sets.sort_by_key(|set| std::cmp::Reverse(set.len()));
        let mut around: BTreeMap<u32, Vec<u32>> =
            online.iter().map(|&cpu| (cpu, Vec::new())).collect();
        for set in sets {
            for cpu in set {
                if let Some(lowest) = around.get_mut(cpu) {
                    lowest.push(set[0]);
                }
            }
        }
        let mut order = online.to_vec();
        order.sort_by(|a, b| (&around[a], a).cmp(&(&around[b], b)));
        order
    }
}

/// The cpus of a list that are online; `None` unless `cpu` is one of them.
fn cpus_of(text: &str, cpu: u32, online: &[u32]) -> Option<Vec<u32>> {
    let mut cpus = numbers(text)?;
    cpus.retain(|&cpu| holds(online, cpu));
    holds(&cpus, cpu).then_some(cpus)
}

/// Sorts objects of one kind: by their last PU, narrow objects first, then by number. Memory without cpus is last.
fn position(object: &DraftObject) -> (u32, u32, Option<u32>) {
    let width = object.pus.iter().map(|range| range.end - range.start).sum();
    let end = object.pus.last().map_or(u32::MAX, |range| range.end);
    (end, width, object.os)
}
