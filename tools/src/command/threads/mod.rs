//! `stowplan threads`: where OpenMP puts the threads of a process with these cpus and variables.

// The command line.
mod asked;
// The formats.
mod written;

use super::given::Given;
use super::subcommand::{Many, Nothing, Once, One, Subcommand, own, subcommand};
use crate::Console;
use crate::output;
use crate::report::{Refused, told as refused};
use asked::Asked;
pub(super) use asked::runtime;
use roaring::RoaringBitmap;
use stowplan::answers::openmp::answer::Answer;
use stowplan::answers::openmp::notes::{Scope, told as noted};
use stowplan::answers::openmp::{Machine, Process, Runtime, threads};
use stowplan::job::error::one_line;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::Topologies;
use written::{Told, Whose, written};

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["topo"], One, "T", Once, "the topology of the node"),
        own(&["cpus"], One, "LIST", Once, "the process's cpus, by OS number: what taskset -p says"),
        own(&["allowed"], One, "LIST", Once, "the cpus that the kernel lets it have [default: all]"),
        own(&["omp"], One, "R", Once, "whose rules: gnu, llvm or intel, with @VERSION"),
        own(&["levels"], One, "N", Once, "parallel regions one inside the other: 1 or 2"),
        own(&["x"], One, "NAME=VALUE", Many, "a variable of OpenMP, or NAME of one that is around"),
        own(&["env"], One, "NAME=VALUE", Many, "a variable; -x NAME=VALUE wins"),
        own(&["env-file"], One, "FILE", Many, "variables, a line each"),
        own(&["env-here"], Nothing, "", Many, "the variables of this command"),
        own(&["format"], One, "F", Once, "text, tsv, ndjson or json"),
    ],
    examples: &[("stowplan threads --topo builtin:frontier --cpus 1-7,65-71 -x OMP_NUM_THREADS=7 -x OMP_PROC_BIND=true", "gnu and llvm differ")],
    ..subcommand("threads", "--topo T --cpus LIST [-x NAME=VALUE]... [options]", "Where OpenMP puts the threads of a process that has these cpus, by the rules of each runtime", run)
};

fn run(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let (text, notes) = answer(args, console)?;
    output::give(None, console.out, |out| out.write_all(text.as_bytes()))?;
    // The worst that can happen to a note is that nobody reads it.
    let _ = console.err.write_all(notes.as_bytes());
    Ok(0)
}

/// The answer, and the notes.
fn answer(args: &[String], console: &mut Console<'_>) -> Result<(String, String), Refused> {
    let asked = Asked::of(&Given::read(&COMMAND, args)?, console.files)?;
    let machine = machine(&asked.topology, console)?;
    let allowed = asked
        .allowed
        .clone()
        .unwrap_or_else(|| machine.all().clone());
    inside("--allowed", &allowed, "the topology", machine.all())?;
    inside("--cpus", &asked.cpus, "--allowed", &allowed)?;
    let process = Process {
        machine: &machine,
        mask: &asked.cpus,
        allowed: &allowed,
        variables: &asked.variables,
        levels: asked.levels,
    };
    let of = |runtime: Runtime| {
        threads(&process, runtime).map_err(|error| refused(error.class(), error.to_string()))
    };
    let runtimes = match asked.runtime {
        Some(runtime) => vec![runtime],
        None => vec![Runtime::GNU, Runtime::LLVM],
    };
    let mut told = Vec::new();
    for &runtime in &runtimes {
        told.push((runtime.exact(), of(runtime)?));
    }
    let answer = Answer::new(asked.cpus.clone(), told, Vec::new());
    let whose = match asked.runtime {
        Some(_) => Whose::Known,
        None => Whose::Said,
    };
    let text = {
        let each = answer.told.iter().map(|(runtime, threads)| Told {
            runtime: runtime.clone(),
            threads,
        });
        let each: Vec<Told<'_>> = each.collect();
        written(&each, asked.form, whose)
    };
    let mut notes = String::new();
    for own in noted(&process, &answer, &runtimes, Scope::Process) {
        let line = one_line(&own.text);
        notes.push_str(&format!("note[{}]: {line}\n", own.class));
    }
    Ok((text, notes))
}

fn machine(source: &str, console: &Console<'_>) -> Result<Machine, Refused> {
    let file = |path: &str| console.files.read(path);
    let draft = match source {
        "here" => crate::surroundings::here(),
        _ => stowplan_topo::read(source, &file),
    };
    let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
    let topology = topologies
        .add(draft?, &mut cpusets)
        .map_err(|error| refused("bad-topology", format!("topology {source}: {error}")))?;
    Ok(Machine::new(&topologies, &cpusets, topology))
}

/// Checks that cpus are among others.
fn inside(
    option: &str,
    cpus: &RoaringBitmap,
    around: &str,
    outer: &RoaringBitmap,
) -> Result<(), Refused> {
    let beyond = cpus - outer;
    if beyond.is_empty() {
        return Ok(());
    }
    let (list, beyond) = (list_form(cpus), list_form(&beyond));
    let sentence = format!("{option} {list}: {around} has no cpu {beyond}");
    Err(refused("bad-value", sentence))
}
