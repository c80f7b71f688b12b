//! `stowplan threads`: where OpenMP puts the threads of a process with these cpus and variables.

// The command line.
mod asked;
// The formats.
mod written;

use crate::Console;
use crate::report::Refused;
use asked::Asked;
use roaring::RoaringBitmap;
use stowplan_answers::openmp::{Machine, Process, Runtime, Threads, threads};
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::Topologies;
use written::{Told, Whose, written};

/// Runs the subcommand with the arguments after `threads`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    let answered = answer(args, console);
    match answered {
        Ok(text) => match console
            .out
            .write_all(text.as_bytes())
            .and_then(|()| console.out.flush())
        {
            Ok(()) => 0,
            Err(error) => {
                let to = "standard output".to_owned();
                Refused::Output { to, error }.print(console.err)
            }
        },
        Err(refused) => refused.print(console.err),
    }
}

fn answer(args: &[String], console: &mut Console<'_>) -> Result<String, Refused> {
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
    if let Some(runtime) = asked.runtime {
        let own = of(runtime)?;
        let told = [told(&own)];
        return Ok(written(&told, asked.form, Whose::Known));
    }
    let (gnu, llvm) = (of(Runtime::GNU)?, of(Runtime::LLVM)?);
    let told = match gnu.differs(&llvm) {
        true => vec![told(&gnu), told(&llvm)],
        false => vec![Told {
            runtime: "any".to_owned(),
            threads: &gnu,
        }],
    };
    Ok(written(&told, asked.form, Whose::Said))
}

fn told(threads: &Threads) -> Told<'_> {
    let runtime = threads.runtime().exact();
    Told { runtime, threads }
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
