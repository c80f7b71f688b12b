//! `stowplan exec`: under any launcher, a process binds itself as a plan says and becomes the program.

// The variables of threads.
mod omp;

use super::carry::{self, Behind, Split, take};
use super::saved::Saved;
use crate::Console;
use crate::affinity;
use crate::environment::{Environment, host_name};
use crate::report::Refused;
use omp::Omp;
use roaring::RoaringBitmap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use stowplan_engine::count::Rank;
use stowplan_engine::count::counted;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_launchers::cpus::ranges;
use stowplan_launchers::environment::rank::{Identity, identity};
use stowplan_launchers::live::same_host;

/// What the command line says.
#[derive(Clone, Debug, Default)]
struct Asked {
    plan: Option<String>,
    strict: bool,
    omp: Option<Omp>,
    dry_run: bool,
    report: bool,
    gpus: bool,
    nics: bool,
    gpu_env: Option<String>,
    program: Vec<String>,
}

/// Runs the subcommand with the arguments after `exec`. Returns the exit status, unless the program takes over.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match become_program(args, console) {
        Ok(Some(never)) => match never {},
        Ok(None) => 0,
        Err(refused) => refused.print(console.err),
    }
}

fn told(class: &'static str, sentence: String) -> Refused {
    Refused::Told { class, sentence }
}

fn read(args: &[String]) -> Result<Asked, Refused> {
    let mut asked = Asked::default();
    let mut rest = args.iter();
    while let Some(word) = rest.next() {
        match (word.as_str(), word.trim_start_matches('-')) {
            ("--", _) => break,
            (_, "strict") if word.starts_with('-') => asked.strict = true,
            (_, "omp" | "omp=places") if word.starts_with('-') => asked.omp = Some(Omp::Places),
            (_, "omp=number") if word.starts_with('-') => asked.omp = Some(Omp::Number),
            (_, "omp-report") if word.starts_with('-') => asked.report = true,
            (_, "dry-run") if word.starts_with('-') => asked.dry_run = true,
            (_, "gpus") if word.starts_with('-') => asked.gpus = true,
            (_, "nics") if word.starts_with('-') => asked.nics = true,
            (_, "gpu-env") if word.starts_with('-') => {
                let name = rest.next().map_or("", String::as_str);
                asked.gpu_env = Some(gpu_env(name)?);
            }
            (_, bare) if word.starts_with('-') && bare.starts_with("gpu-env=") => {
                let name = bare.split_once('=').map_or("", |(_, name)| name);
                asked.gpu_env = Some(gpu_env(name)?);
            }
            (option, _) if option.starts_with('-') && option != "-" => {
                let sentence = format!(
                    "exec {option}: its options are --strict --omp[=places|number] --omp-report --dry-run --gpus --gpu-env NAME --nics"
                );
                return Err(told("bad-option", sentence));
            }
            _ if asked.plan.is_none() => asked.plan = Some(word.clone()),
            _ => {
                asked.program.push(word.clone());
                break;
            }
        }
    }
    asked.program.extend(rest.cloned());
    Ok(asked)
}

/// Checks the name of a variable.
fn gpu_env(name: &str) -> Result<String, Refused> {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let starts = name
        .bytes()
        .next()
        .is_some_and(|first| !first.is_ascii_digit());
    if starts && name.bytes().all(sign) {
        return Ok(name.to_owned());
    }
    let sentence = format!("exec --gpu-env {name:?}: the name of a variable must stand there");
    Err(told("bad-value", sentence))
}

/// The variables that show this process its GPUs, if the command line asks for them.
fn gpus(asked: &Asked, plan: &Plan, place: &ProcPlace) -> Result<Vec<(String, String)>, Refused> {
    let named = asked.gpu_env.as_deref();
    if !asked.gpus && named.is_none() {
        return Ok(Vec::new());
    }
    stowplan_launchers::gpus::variables(plan, place, named).map_err(|why| {
        let sentence =
            format!("exec --gpus: {why}\nhelp: --gpu-env NAME names the variable that shows them");
        told("bad-option", sentence)
    })
}

/// The variables that show this process its network cards, if the command line asks for them.
fn nics(asked: &Asked, plan: &Plan, place: &ProcPlace) -> Result<Vec<(String, String)>, Refused> {
    if !asked.nics {
        return Ok(Vec::new());
    }
    let names = plan.nics().of(place);
    if names.is_empty() {
        let sentence = "exec --nics: the plan maps this process to no network card\nhelp: --map-by device=network does";
        return Err(told("bad-option", sentence.to_owned()));
    }
    // UCX names ports of a card, and takes a pattern for them.
    let ports: Vec<String> = names.iter().map(|name| format!("{name}:*")).collect();
    Ok(vec![
        ("NCCL_IB_HCA".to_owned(), names.join(",")),
        ("UCX_NET_DEVICES".to_owned(), ports.join(",")),
    ])
}

fn become_program(
    args: &[String],
    console: &mut Console<'_>,
) -> Result<Option<std::convert::Infallible>, Refused> {
    let Split { own, hosts } = take(args, Behind::Program);
    let asked = read(&own)?;
    let path = asked.plan.as_ref().ok_or_else(|| {
        let sentence = "exec: a saved plan must be named: stowplan exec PLAN [-- program]";
        told("bad-option", sentence.to_owned())
    })?;
    if asked.program.first().is_some_and(String::is_empty) {
        let sentence = format!("exec {path}: the program behind -- has no name");
        return Err(told("no-program", sentence));
    }
    let saved = Saved::read(path, console.files)?;
    let plan = carry::carry_if(saved, hosts.as_deref(), console)?.plan;
    let environment = Environment {
        files: console.files,
    };
    let identity =
        identity(&environment).map_err(|error| told(error.class(), error.to_string()))?;
    let place = place(&plan, &identity)?;
    if asked.strict {
        sizes(&plan, &identity)?;
    }
    let mut shown = gpus(&asked, &plan, &place)?;
    shown.extend(nics(&asked, &plan, &place)?);
    let threads = omp::Threads::of(asked.omp, &plan, &place);
    if asked.strict {
        threads.strict()?;
    }
    for note in threads.notes() {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(console.err, "note[omp-removed]: {note}");
    }
    if asked.dry_run {
        let report = omp::report(&place).map(|(name, value)| (name.to_owned(), value));
        let mut others: Vec<(String, String)> = report.into_iter().collect();
        others.retain(|_| asked.report);
        others.extend(shown);
        return omp::dry_run(&plan, &place, &threads, &others, console).map(|()| None);
    }
    let there = affinity::allowed().map_err(|why| told("cpus-missing", why))?;
    if asked.strict {
        inside(&plan, &place, &there)?;
    }
    bind(&plan, &place)?;
    let words = match asked.program.is_empty() {
        true => planned(&plan, &place, path)?,
        false => program(args, &asked.program),
    };
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    if asked.program.is_empty() {
        // The program of the plan has the variables that the job gave it.
        let own = plan.thread_words().of(place.app).iter();
        command.envs(own.map(|(name, value)| (name, value)));
    }
    threads.removed.iter().for_each(|(name, _)| {
        command.env_remove(name);
    });
    command.envs(threads.set);
    if asked.report {
        command.envs(omp::report(&place));
    }
    command.envs(shown);
    // Write out our buffers before the program replaces us.
    let _ = console.out.flush();
    let error = command.exec();
    Err(told(
        "no-program",
        format!(
            "{}: it cannot be started: {error}",
            words[0].to_string_lossy()
        ),
    ))
}

/// The program's words as the system passed them, if they are the words of this process.
fn program(args: &[String], program: &[String]) -> Vec<OsString> {
    let given: Vec<OsString> = std::env::args_os().collect();
    // The names of the command and the subcommand come before them.
    if given.len() == args.len() + 2 {
        return given[given.len() - program.len()..].to_vec();
    }
    program.iter().map(OsString::from).collect()
}

/// The words of the rank's own program.
fn planned(plan: &Plan, place: &ProcPlace, path: &str) -> Result<Vec<OsString>, Refused> {
    let table = plan.resolved_apps();
    let name = &table.label[place.app];
    if name.is_empty() {
        let sentence = format!(
            "exec {path}: no program is named behind --, and the plan has none for rank {}",
            place.rank.0
        );
        return Err(told("no-program", sentence));
    }
    let words = std::iter::once(name).chain(table.arguments(place.app));
    Ok(words.map(OsString::from).collect())
}

/// The place of this process in the plan.
fn place(plan: &Plan, identity: &Identity) -> Result<ProcPlace, Refused> {
    let Some((rank, name)) = identity.rank else {
        let sentence = "no launcher tells a rank: none of PMIX_RANK OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK PALS_RANKID SLURM_PROCID is set";
        return Err(told("no-rank", sentence.to_owned()));
    };
    let place = plan.place(Rank(rank)).ok_or_else(|| {
        let sentence = format!(
            "{name}={rank}, and the plan has {}",
            counted(plan.ranks(), "rank")
        );
        told("no-such-rank", sentence)
    })?;
    let planned = plan.world().names.name(place.node);
    let own = host_name();
    let (host, source) = identity
        .host
        .clone()
        .unwrap_or_else(|| (own.clone(), "hostname"));
    // A plan without hosts fits any node on which it is started.
    let is_here = planned == "localhost" && same_host(&host, &own);
    if same_host(&planned, &host) || is_here {
        return Ok(place);
    }
    let sentence = format!("rank {rank} is planned on {planned} and runs on {host} ({source})");
    Err(told("wrong-node", sentence))
}

/// Checks that the launcher counts as many ranks as the plan has.
fn sizes(plan: &Plan, identity: &Identity) -> Result<(), Refused> {
    for (name, size) in &identity.sizes {
        if size.parse() != Ok(plan.ranks()) {
            let sentence = format!(
                "{name}={size}, and the plan has {}",
                counted(plan.ranks(), "rank")
            );
            return Err(told("bad-environment", sentence));
        }
    }
    Ok(())
}

/// Checks that the planned cpus are among those that the process was started on.
fn inside(plan: &Plan, place: &ProcPlace, there: &RoaringBitmap) -> Result<(), Refused> {
    let planned = place.cpus.map(|cpus| plan.world().cpusets.get(cpus));
    let Some(planned) = planned.filter(|planned| !planned.is_subset(there)) else {
        return Ok(());
    };
    let sentence = format!(
        "rank {} is planned on cpus {} and was started on {}",
        place.rank.0,
        ranges(planned, ','),
        ranges(there, ',')
    );
    Err(told("cpus-missing", sentence))
}

/// Binds this process; an unbound rank is left as it is.
fn bind(plan: &Plan, place: &ProcPlace) -> Result<(), Refused> {
    let Some(cpus) = place.cpus else {
        return Ok(());
    };
    let planned = plan.world().cpusets.get(cpus);
    let about = || {
        let list = ranges(planned, ',');
        format!("rank {} is planned on cpus {list}", place.rank.0)
    };
    let got = affinity::bind(planned)
        .map_err(|why| told("cpus-missing", format!("{}: {why}", about())))?;
    if got == *planned {
        return Ok(());
    }
    let got = ranges(&got, ',');
    Err(told(
        "cpus-missing",
        format!("{} and the system gives {got}", about()),
    ))
}
