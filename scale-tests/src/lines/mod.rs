//! Random lines of launchers: placed by the launcher's folder, and rank by rank by the plain model.

mod aprun;
mod flux;
mod hydra;
mod intel;
mod jsrun;
mod pals;
mod slurm;

use crate::catalogue::MACHINES;
use crate::choices::Choices;
use rayon::prelude::*;
use std::collections::BTreeSet;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::line::Refusals;
use stowplan::launchers::script::quoted;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::Files;
use stowplan_reference::lines::aprun::Aprun;
use stowplan_reference::lines::flux::Flux;
use stowplan_reference::lines::hydra::Hydra;
use stowplan_reference::lines::intel::Intel;
use stowplan_reference::lines::jsrun::Jsrun;
use stowplan_reference::lines::pals::Pals;
use stowplan_reference::lines::slurm::Slurm;
use stowplan_reference::lines::{self as plain, Class, LineRow};
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
    /// ALPS's aprun.
    Aprun,
    /// IBM's jsrun.
    Jsrun,
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
            "aprun" => Some(Self::Aprun),
            "jsrun" => Some(Self::Jsrun),
            _ => None,
        }
    }
}

/// A line that the plain model is told otherwise than we are: by a launcher, what is changed in it. A plant that changes nothing
/// compares the two.
#[derive(Clone, Copy, Debug)]
pub enum Plant {
    /// A line of Hydra.
    Hydra(fn(&mut Hydra)),
    /// A line of Intel MPI.
    Intel(fn(&mut Intel)),
    /// A line of srun.
    Slurm(fn(&mut Slurm)),
    /// A line of Flux.
    Flux(fn(&mut Flux)),
    /// A line of PALS.
    Pals(fn(&mut Pals)),
    /// A line of aprun.
    Aprun(fn(&mut Aprun)),
    /// A line of jsrun.
    Jsrun(fn(&mut Jsrun)),
}

impl Launcher {
    /// Nothing is changed.
    const fn unchanged(self) -> Plant {
        match self {
            Self::Hydra => Plant::Hydra(|_| ()),
            Self::Intel => Plant::Intel(|_| ()),
            Self::Slurm => Plant::Slurm(|_| ()),
            Self::Flux => Plant::Flux(|_| ()),
            Self::Pals => Plant::Pals(|_| ()),
            Self::Aprun => Plant::Aprun(|_| ()),
            Self::Jsrun => Plant::Jsrun(|_| ()),
        }
    }
}

/// A random line: its words, the text of the topology file that they name, and what the plain model says of it.
struct Asked {
    words: Vec<String>,
    text: &'static str,
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
        let (asked, difference) = compared(launcher.unchanged(), seed, number, &machines);
        let words: Vec<String> = asked.words.iter().map(|word| quoted(word)).collect();
        Some(format!("map {}\n    {}", words.join(" "), difference?))
    };
    (0..lines).into_par_iter().filter_map(difference).collect()
}

/// Whether one of so many random lines is placed otherwise by the plain model than by us, when the model is told something else: the
/// bug that `plant` makes of the line.
#[must_use]
pub fn found(plant: Plant, lines: u64, seed: u64) -> bool {
    let machines = machines();
    let differs = |number: u64| compared(plant, seed, number, &machines).1.is_some();
    (0..lines).into_par_iter().any(differs)
}

/// The line of a number, and in what the two answers differ.
fn compared(plant: Plant, seed: u64, number: u64, machines: &[Known]) -> (Asked, Option<String>) {
    let mut choices = Choices::seeded(seed.wrapping_mul(0x9e37_79b9).wrapping_add(number));
    let asked = asked(plant, &mut choices, machines);
    let difference = differs(&ours(&asked.words, asked.text), &asked.wanted);
    (asked, difference)
}

/// A random line of a launcher, and what the plain model says when it is told what `plant` makes of it.
fn asked(plant: Plant, choices: &mut Choices<'_>, machines: &[Known]) -> Asked {
    match plant {
        Plant::Hydra(plant) => {
            let known = choices.pick(machines);
            let (mut line, words) = hydra::line(choices, &known.machine);
            plant(&mut line);
            known.asked(words, plain::hydra::place(&line, &known.machine))
        }
        Plant::Intel(plant) => {
            let known = choices.pick(machines);
            let (mut line, words) = intel::line(choices);
            plant(&mut line);
            known.asked(words, plain::intel::place(&line, &known.machine))
        }
        Plant::Slurm(plant) => {
            let (mut line, words) = slurm::line(choices);
            plant(&mut line);
            Asked::whole(words, plain::slurm::place(&line))
        }
        Plant::Flux(plant) => {
            let (mut line, words) = flux::line(choices);
            plant(&mut line);
            Asked::whole(words, plain::flux::place(&line))
        }
        Plant::Pals(plant) => {
            let (mut line, words) = pals::line(choices);
            plant(&mut line);
            Asked::whole(words, plain::pals::place(&line))
        }
        Plant::Aprun(plant) => {
            let (mut line, words) = aprun::line(choices);
            plant(&mut line);
            Asked::whole(words, plain::aprun::place(&line))
        }
        Plant::Jsrun(plant) => {
            let (mut line, words) = jsrun::line(choices);
            plant(&mut line);
            Asked::whole(words, plain::jsrun::place(&line))
        }
    }
}

impl Asked {
    /// A line that brings its own hardware.
    fn whole(words: Vec<String>, wanted: Result<Vec<LineRow>, Class>) -> Self {
        Self {
            words,
            text: "",
            wanted,
        }
    }
}

impl Known {
    /// A line on nodes of this hardware.
    fn asked(&self, line: Vec<String>, wanted: Result<Vec<LineRow>, Class>) -> Asked {
        let mut words = vec!["--topo".to_owned(), self.topo.to_owned()];
        words.extend(line);
        Asked {
            words,
            text: self.text,
            wanted,
        }
    }
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
    let mut args = map_args(words).map_err(|error| error.class().to_owned())?;
    args.job.refusals = Refusals::Bare;
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
            app: plan.resolved_apps().number(place.app) as usize,
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
    /// How many cores a package has.
    of_package: usize,
}

impl Regular {
    /// The threads of each core of each package.
    fn packages(&self) -> Vec<Vec<Vec<u32>>> {
        let packages = self.cores.chunks(self.of_package);
        packages.map(<[_]>::to_vec).collect()
    }
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
        of_package: cores as usize,
    }
}

/// A host of few.
fn host(choices: &mut Choices<'_>) -> String {
    choices.pick(&["a", "b", "c", "n1", "n2"]).to_string()
}

/// Hosts `n0`, `n1` …, of few.
fn hosts(choices: &mut Choices<'_>) -> Vec<String> {
    let count = choices.within(1, 4);
    (0..count).map(|host| format!("n{host}")).collect()
}

/// Once in so many times, a number from 1 to `most` behind a word.
fn number(
    choices: &mut Choices<'_>,
    words: &mut Vec<String>,
    word: &str,
    (most, odds): (u32, u32),
) -> Option<usize> {
    let number = choices.once_in(odds).then(|| choices.within(1, most));
    words.extend(
        number
            .iter()
            .flat_map(|number| [word.to_owned(), number.to_string()]),
    );
    number.map(|number| number as usize)
}

/// Numbers with commas between them.
fn list<T: ToString>(numbers: &[T]) -> String {
    let numbers: Vec<String> = numbers.iter().map(T::to_string).collect();
    numbers.join(",")
}
