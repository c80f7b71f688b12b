//! PRRTE's prterun, and mpirun of Open MPI 5: a rankfile.

use super::variables::OfApp;
use super::{comment, programs_of_line};
use crate::launchers::cpu_objects::CpuObjects;
use crate::launchers::cpus::{Unit, ranges};
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{File, Script, Signs, WORD_BYTES_MAX, Word};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use stowplan_engine::id::Id as _;
use stowplan_engine::table::cpusets::CpusetId;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::topologies::TopologyId;

/// A list of slots must have fewer bytes: prterun silently cuts off the rest.
const SLOT_BYTES_MAX: usize = 64;

/// The slots of each cpu set on each topology.
pub(super) type Slots = BTreeMap<(TopologyId, CpusetId), String>;

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    super::no_gpus(job)?;
    job.words_stand()?;
    words_stay(job)?;
    let mut files = Vec::new();
    let (slots, unit) = slots(job)?;
    let mut words = hosts(job, &mut files).to_vec();
    words.push(Word::plain("--map-by"));
    words.push(Word::Path {
        before: "rankfile:file=",
        file: "ranks",
        behind: counted_in(unit),
    });
    words.push(Word::plain("--bind-to"));
    words.push(Word::plain(bind_to(job, unit)));
    words.extend(programs_of_line(job, OfApp::Exported));
    files.push(File {
        name: "ranks",
        body: Box::new(move |out| write(job, &slots, out)),
        signs: Signs::Shown,
    });
    Ok(Script {
        comment: comment(
            "prterun",
            job,
            "their order and cores",
            "that nodes have the cores of the plan's topologies, counted as hwloc does",
        ),
        launcher: "prterun",
        words,
        files,
        ..Script::default()
    })
}

/// What stands behind the rankfile if its slots are hardware threads.
pub(super) const fn counted_in(unit: Unit) -> &'static str {
    match unit {
        Unit::Core => "",
        Unit::Hwthread => ":hwtcpus",
    }
}

/// The value of `--bind-to` that goes with the slots.
pub(super) fn bind_to(job: &Job<'_>, unit: Unit) -> String {
    let target = match (job.lists.rows.is_empty(), unit) {
        (true, _) => "none",
        (false, Unit::Core) => "core",
        (false, Unit::Hwthread) => "hwthread",
    };
    let overload = if shares(job) { ":overload-allowed" } else { "" };
    format!("{target}{overload}")
}

/// Checks that no program has a word that prterun respells. It does so before it looks whose word it is.
fn words_stay(job: &Job<'_>) -> Result<(), Unsaid> {
    const RENAMED: [&str; 4] = ["--map-by", "--rank-by", "--bind-to", "--runtime-options"];
    for program in &job.programs {
        let name = |word: &str| {
            word.split_once('=')
                .map_or(word, |(name, _)| name)
                .to_owned()
        };
        let mut words = program.words();
        if let Some(word) = words.find(|word| RENAMED.contains(&&*name(word))) {
            return Err(Unsaid(format!(
                "the program of rank {} has the word {word:?}, which prterun would spell without the inner dash",
                program.first
            )));
        }
    }
    Ok(())
}

/// Hosts with slots as a word, or as a file if the word would be too long.
fn hosts<'p>(job: &'p Job<'p>, files: &mut Vec<File<'p>>) -> [Word; 2] {
    let mut list = String::new();
    for group in &job.lists.groups {
        for number in group.first..group.first + group.nodes {
            if list.len() >= WORD_BYTES_MAX {
                break;
            }
            let comma = if list.is_empty() { "" } else { "," };
            write!(list, "{comma}{}:{}", job.nodes.name(number), group.ranks)
                .expect("a String takes it");
        }
    }
    // A list of hosts has no word for users and ports.
    if list.len() < WORD_BYTES_MAX && job.nodes.first_login().is_none() {
        return [Word::plain("--host"), Word::Plain(list)];
    }
    files.push(File {
        name: "hosts",
        body: Box::new(|out| {
            job.lists.groups.iter().try_for_each(|group| {
                let mut numbers = group.first..group.first + group.nodes;
                numbers.try_for_each(|number| {
                    let slots = group.ranks;
                    super::hostfile::write_line(&job.nodes, number, slots, out)
                })
            })
        }),
        signs: Signs::Shown,
    });
    [Word::plain("--hostfile"), Word::path("hosts")]
}

/// Each cpu set that is used on each topology, with the first node that uses it.
fn used(job: &Job<'_>) -> BTreeMap<(TopologyId, CpusetId), u32> {
    let mut used = BTreeMap::new();
    let world = job.plan.world();
    for app in job.plan.apps() {
        for run in app.runs() {
            let places = job.plan.patterns().get(run.pattern).runs(run.procs);
            let mut sets: Vec<CpusetId> = places.filter_map(|place| place.place.cpus).collect();
            sets.sort_unstable();
            sets.dedup();
            for (nodes, state) in world.before.within(run.nodes) {
                let topology = world.states.get(state).topology;
                for &set in &sets {
                    used.entry((topology, set)).or_insert(nodes.first);
                }
            }
        }
    }
    used
}

/// Slots in cores if every set consists of whole cores, else in hardware threads.
pub(super) fn slots(job: &Job<'_>) -> Result<(Slots, Unit), Unsaid> {
    if job.lists.rows.is_empty() {
        return Ok((Slots::new(), Unit::Core));
    }
    let used = used(job);
    let world = job.plan.world();
    let all = |unit: Unit| -> Option<Vec<RoaringBitmap>> {
        let mut objects: BTreeMap<TopologyId, CpuObjects> = BTreeMap::new();
        let each = used.keys().map(|&(topology, set)| {
            let read = || CpuObjects::new(&world.topologies, topology, unit.kind());
            let own = objects.entry(topology).or_insert_with(read);
            own.whole(world.cpusets.get(set))
        });
        each.collect()
    };
    let (sets, unit) = match all(Unit::Core) {
        Some(sets) => (sets, Unit::Core),
        None => match all(Unit::Hwthread) {
            Some(sets) => (sets, Unit::Hwthread),
            None => return Err(Unsaid("cpus that the topology does not have".to_owned())),
        },
    };
    let mut slots = Slots::new();
    for ((&key, &node), set) in used.iter().zip(&sets) {
        let text = ranges(set, ',');
        if text.len() >= SLOT_BYTES_MAX {
            let name = world.names.name(NodeId::from_row(node as usize));
            return Err(Unsaid(format!(
                "a rank on node {name} has slot={text}, of {} bytes, and prterun cuts off what is beyond {} without a word",
                text.len(),
                SLOT_BYTES_MAX - 1
            )));
        }
        slots.insert(key, text);
    }
    Ok((slots, unit))
}

/// Whether two ranks of a node may share a cpu: bound ranks with a cpu in common, or an unbound rank beside bound ones. The
/// latter is refused if the bound ranks take all cpus.
fn shares(job: &Job<'_>) -> bool {
    job.lists.rows.iter().any(|list| {
        let mut taken = RoaringBitmap::new();
        list.runs.iter().any(|run| {
            let set = job.lists.sets.get(run.cpus);
            let meets = run.count > 1 || !taken.is_disjoint(set);
            taken |= set;
            meets
        })
    })
}

pub(super) fn write(job: &Job<'_>, slots: &Slots, out: &mut dyn Write) -> fmt::Result {
    let world = job.plan.world();
    for (rank, at) in job.plan.rows() {
        let run = &job.plan.app(at.app).runs()[at.run as usize];
        let node = NodeId::from_row((run.nodes.first + at.node) as usize);
        let number = job.nodes.number(run.nodes.first + at.node);
        write!(out, "rank {}={}", rank.0, job.nodes.name(number))?;
        if let Some(cpus) = job.cpus_of(at) {
            let topology = world.states.get(world.before.state(node)).topology;
            if let Some(slot) = slots.get(&(topology, cpus)) {
                write!(out, " slot={slot}")?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}
