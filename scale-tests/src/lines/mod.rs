//! Random lines of launchers: placed by the launcher's folder, and rank by rank by the plain model.

mod flux;
mod hydra;
mod intel;
mod pals;
mod slurm;

use crate::catalogue::MACHINES;
use crate::choices::Choices;
use rayon::prelude::*;
use std::collections::BTreeSet;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::Files;
use stowplan_job::args::map_args;
use stowplan_job::outside::FilesAlone;
use stowplan_job::place::place;
use stowplan_launchers::script::quoted;
use stowplan_reference::lines::slurm::Slurm;
use stowplan_reference::lines::{Class, LineRow};
use stowplan_reference::machine::Machine;
use stowplan_reference::read_machine;

/// A launcher whose lines are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Launcher {
    /// MPICH's Hydra.
    Hydra,
    /// Intel MPI.
    Intel,
    /// Slurm's srun.
    Slurm,
    /// Flux.
    Flux,
    /// PALS.
    Pals,
}

impl Launcher {
    /// The launcher of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            "hydra" => Some(Self::Hydra),
            "intel" => Some(Self::Intel),
            "slurm" => Some(Self::Slurm),
            "flux" => Some(Self::Flux),
            "pals" => Some(Self::Pals),
            _ => None,
        }
    }
}

/// A random line: its words, and what the plain model says of it.
struct Asked {
    words: Vec<String>,
    wanted: Result<Vec<LineRow>, Class>,
}

/// The topology of a machine, as a file or as it is.
struct Topology(&'static str);

impl Files for Topology {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// A machine of the catalogue: its text, and the plain model's reading.
struct Known {
    topo: &'static str,
    text: &'static str,
    machine: Machine,
}

/// Machines of the catalogue. The plain model keeps no NUMA node that overlaps another, so machines with such are left out.
fn machines() -> Vec<Known> {
    let known = MACHINES.iter().filter_map(|entry| {
        let text = entry.text();
        let machine = read_machine(text, &[])?;
        let file = |_: &str| Ok(text.as_bytes().to_vec());
        let draft = stowplan_topo::read(entry.topo, &file).ok()?;
        let numa = draft.objects.iter().filter(|own| own.kind == ObjKind::Numa);
        let distinct: BTreeSet<_> = numa
            .map(|own| {
                own.pus
                    .iter()
                    .map(|range| (range.start, range.end))
                    .collect()
            })
            .filter(|pus: &Vec<(u32, u32)>| !pus.is_empty())
            .collect();
        if distinct.len() != machine.memories.len() {
            return None;
        }
        Some(Known {
            topo: entry.topo,
            text,
            machine,
        })
    });
    known.collect()
}

/// What differs between the two, for so many random lines of a seed: each as a command to paste, and what either says.
#[must_use]
pub fn differences(launcher: Launcher, lines: u64, seed: u64) -> Vec<String> {
    let machines = machines();
    let difference = |number: u64| {
        let mut choices = Choices::seeded(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
        let (asked, text) = asked(launcher, &mut choices, &machines);
        let difference = differs(&ours(&asked.words, text), &asked.wanted)?;
        let words: Vec<String> = asked.words.iter().map(|word| quoted(word)).collect();
        Some(format!("map {}\n    {difference}", words.join(" ")))
    };
    (0..lines).into_par_iter().filter_map(difference).collect()
}

/// Whether one of so many random lines of srun is placed otherwise by the plain model than by us, when the model is told something
/// else: the bug that `plant` makes of the line.
#[must_use]
pub fn found_by_slurm(plant: &(dyn Fn(&mut Slurm) + Sync), lines: u64, seed: u64) -> bool {
    let differs = |number: u64| {
        let mut choices = Choices::seeded(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
        let (mut line, words) = slurm::asked(&mut choices);
        plant(&mut line);
        let wanted = stowplan_reference::lines::slurm::place(&line);
        differs(&ours(&words, ""), &wanted).is_some()
    };
    (0..lines).into_par_iter().any(differs)
}

/// A random line, and the text of the topology file that it names.
fn asked(
    launcher: Launcher,
    choices: &mut Choices<'_>,
    machines: &[Known],
) -> (Asked, &'static str) {
    let of_machine = match launcher {
        Launcher::Hydra => hydra::line,
        Launcher::Intel => intel::line,
        Launcher::Slurm => return (slurm::line(choices), ""),
        Launcher::Flux => return (flux::line(choices), ""),
        Launcher::Pals => return (pals::line(choices), ""),
    };
    let known = choices.pick(machines);
    let mut asked = of_machine(choices, &known.machine);
    asked
        .words
        .splice(..0, ["--topo".to_owned(), known.topo.to_owned()]);
    (asked, known.text)
}

/// In what two answers differ; `None`: in nothing.
fn differs(
    ours: &Result<Vec<LineRow>, String>,
    wanted: &Result<Vec<LineRow>, Class>,
) -> Option<String> {
    match (ours, wanted) {
        (Ok(ours), Ok(wanted)) => first_difference(ours, wanted),
        (Err(ours), Err(wanted)) if ours == wanted => None,
        (Err(ours), Ok(_)) => Some(format!("we refuse: {ours}")),
        (Ok(ours), Err(wanted)) => Some(format!("{} ranks instead of {wanted}", ours.len())),
        (Err(ours), Err(wanted)) => Some(format!("{ours} instead of {wanted}")),
    }
}

/// Where we put each rank, or the class of our refusal.
fn ours(words: &[String], text: &'static str) -> Result<Vec<LineRow>, String> {
    let args = map_args(words).map_err(|error| error.class().to_owned())?;
    let files = Topology(text);
    let placed = place(args, &FilesAlone(&files)).map_err(|error| error.class().to_owned())?;
    let plan = placed.mapped.plan;
    let world = plan.world();
    let row = |rank: u32| {
        let place = plan.place(Rank(rank))?;
        let cpus = place.cpus.map(|cpus| {
            let mut set = stowplan_reference::cpus::Cpus::none();
            world.cpusets.get(cpus).iter().for_each(|cpu| set.add(cpu));
            set
        });
        Some(LineRow {
            app: place.app.number() as usize,
            node: world.names.name(place.node),
            local: place.local_rank as usize,
            cpus,
            gpus: seen(&plan, &place),
        })
    };
    Ok((0..plan.ranks()).filter_map(row).collect())
}

/// The GPUs that a launcher shows a rank, by visible number.
fn seen(plan: &Plan, place: &ProcPlace) -> Option<Vec<u32>> {
    if !plan.tells_gpus() {
        return None;
    }
    let given = plan.given_gpus_on(place.node);
    let mut own = given.of(place.node, place.local_rank).to_vec();
    own.sort_unstable();
    (!own.is_empty()).then_some(own)
}

fn first_difference(ours: &[LineRow], wanted: &[LineRow]) -> Option<String> {
    if ours.len() != wanted.len() {
        return Some(format!("{} ranks instead of {}", ours.len(), wanted.len()));
    }
    let mut both = ours.iter().zip(wanted).enumerate();
    let (rank, (ours, wanted)) = both.find(|(_, (ours, wanted))| ours != wanted)?;
    Some(format!("rank {rank}: {ours:?} instead of {wanted:?}"))
}

/// `-n` of one to three programs, with a program each.
fn programs(choices: &mut Choices<'_>, words: &mut Vec<String>) -> Vec<usize> {
    let mut procs = Vec::new();
    for app in 0..choices.within(1, 3) {
        let own = choices.within(1, 20);
        if app > 0 {
            words.push(":".to_owned());
        }
        words.extend(["-n".to_owned(), own.to_string(), format!("./app{app}")]);
        procs.push(own as usize);
    }
    procs
}

/// A node of equal packages, with its synthetic text.
#[derive(Clone)]
struct Regular {
    text: String,
    /// The threads of each core, which are numbered apart.
    cores: Vec<Vec<u32>>,
}

fn regular(choices: &mut Choices<'_>) -> Regular {
    let (packages, cores) = (choices.within(1, 3), choices.within(1, 4));
    let (threads, all) = (choices.within(1, 2), packages * cores);
    Regular {
        text: format!(
            "package:{packages} core:{cores} pu:{threads}(indexes={threads}*{all}:1*{threads})"
        ),
        cores: (0..all)
            .map(|core| (0..threads).map(|thread| core + thread * all).collect())
            .collect(),
    }
}

/// A host of few.
fn host(choices: &mut Choices<'_>) -> String {
    choices.pick(&["a", "b", "c", "n1", "n2"]).to_string()
}
