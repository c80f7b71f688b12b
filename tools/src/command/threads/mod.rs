//! `stowplan threads`: where OpenMP puts the threads of a process with these cpus and variables.

// The command line.
mod asked;
// The formats.
mod written;

use crate::Console;
use crate::report::{Refused, Target};
use asked::Asked;
pub(super) use asked::runtime;
use roaring::RoaringBitmap;
use stowplan_answers::openmp::answer::Answer;
use stowplan_answers::openmp::notes::{Scope, told as noted};
use stowplan_answers::openmp::{Machine, Process, Runtime, threads};
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::Topologies;
use stowplan_job::error::one_line;
use written::{Told, Whose, written};

/// Runs the subcommand with the arguments after `threads`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    let answered = answer(args, console);
    let (text, notes) = match answered {
        Ok(answer) => answer,
        Err(refused) => return refused.print(console.err),
    };
    let written = console.out.write_all(text.as_bytes());
    if let Err(error) = written.and_then(|()| console.out.flush()) {
        let to = Target::StandardOutput;
        return Refused::Output { to, error }.print(console.err);
    }
    // The worst that can happen to a note is that nobody reads it.
    let _ = console.err.write_all(notes.as_bytes());
    0
}

/// The answer, and the notes.
fn answer(args: &[String], console: &mut Console<'_>) -> Result<(String, String), Refused> {
    let asked = Asked::read(args, console.files)?;
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
        threads(&process, runtime).map_err(|refused| Refused::Told {
            class: refused.class(),
            sentence: refused.to_string(),
        })
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
        .map_err(|error| Refused::Told {
            class: "bad-topology",
            sentence: format!("topology {source}: {error}"),
        })?;
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
    Err(Refused::Told {
        class: "bad-value",
        sentence: format!("{option} {list}: {around} has no cpu {beyond}"),
    })
}
