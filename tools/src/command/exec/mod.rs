//! `stowplan exec`: under any launcher, a process binds itself as a plan says and becomes the program.

// The variables of threads.
mod omp;

use super::carry::{self, ONTO};
use super::given::Given;
use super::saved::Saved;
use super::subcommand::{Behind, Many, Maybe, Nothing, One, Subcommand, own, subcommand};
use crate::Console;
use crate::affinity;
use crate::environment::{Environment, host_name};
use crate::report::{self, Refused, told};
use omp::Omp;
use roaring::RoaringBitmap;
use std::ffi::OsString;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use stowplan::launchers::cpus::ranges;
use stowplan::launchers::environment::rank::{Identity, identity};
use stowplan::launchers::live::same_host;
use stowplan_engine::count::Rank;
use stowplan_engine::count::counted;
use stowplan_engine::plan::{Plan, ProcPlace};

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["strict"], Nothing, "", Many, "refuse where the launcher gave fewer cpus, or counts other ranks"),
        own(&["omp"], Maybe, "WHAT", Many, "set OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND; --omp=number the first alone"),
        own(&["omp-report"], Nothing, "", Many, "let the runtime say where its threads are"),
        own(&["dry-run"], Nothing, "", Many, "say the variables, and start nothing"),
        own(&["gpus"], Nothing, "", Many, "set the variable that shows the GPUs which the plan gives"),
        own(&["gpu-env"], One, "NAME", Many, "the variable, where their make does not tell it"),
        own(&["nics"], Nothing, "", Many, "set NCCL_IB_HCA and UCX_NET_DEVICES"),
        ONTO,
    ],
    behind: Behind::Program,
    status: &[
        ("the program's", "it was started"),
        ("2", "refused before the program: error[CLASS] on standard error"),
    ],
    ..subcommand("exec", "PLAN [options] [-- program [args...]]", "Started by any launcher, binds this process as the plan says and becomes the program, by default that of the plan", |args, console| match become_program(args, console)? {
        Some(never) => match never {},
        None => Ok(0),
    })
};

/// Which variables of OpenMP are set; `None`: none.
fn omp(given: &Given<'_>) -> Result<Option<Omp>, Refused> {
    given.parsed("omp", "one of: places number", |value| match value {
        "" | "places" => Some(Omp::Places),
        "number" => Some(Omp::Number),
        _ => None,
    })
}

/// The name of a variable.
fn variable(name: &str) -> Option<&str> {
    let sign = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let first = name.bytes().next();
    let starts = first.is_some_and(|first| !first.is_ascii_digit());
    (starts && name.bytes().all(sign)).then_some(name)
}

/// The variables that show this process its GPUs, if the command line asks for them.
fn gpus(
    given: &Given<'_>,
    plan: &Plan,
    place: &ProcPlace,
) -> Result<Vec<(String, String)>, Refused> {
    let named = given.parsed("gpu-env", "the name of a variable", variable)?;
    if !given.has("gpus") && named.is_none() {
        return Ok(Vec::new());
    }
    stowplan::launchers::gpus::variables(plan, place, named).map_err(|why| {
        let sentence =
            format!("exec --gpus: {why}\nhelp: --gpu-env NAME names the variable that shows them");
        told("bad-option", sentence)
    })
}

/// The variables that show this process its network cards, if the command line asks for them.
fn nics(
    given: &Given<'_>,
    plan: &Plan,
    place: &ProcPlace,
) -> Result<Vec<(String, String)>, Refused> {
    if !given.has("nics") {
        return Ok(Vec::new());
    }
    let names = plan.nics().of(place);
    if names.is_empty() {
        let sentence = "exec --nics: the plan maps this process to no network card\nhelp: --map-by device=network does";
        return Err(told("bad-option", sentence));
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
    let given = Given::read(&COMMAND, args)?;
    let path = given.only("PLAN")?;
    let omp = omp(&given)?;
    given.parsed("gpu-env", "the name of a variable", variable)?;
    let own = given.behind.unwrap_or_default();
    if own.first().is_some_and(String::is_empty) {
        let sentence = format!("exec {path}: the program after -- has no name");
        return Err(told("no-program", sentence));
    }
    let saved = Saved::read(path, console.files)?;
    let plan = carry::carry_if(saved, given.hosts.as_deref(), console)?.plan;
    let environment = Environment {
        files: console.files,
    };
    let identity =
        identity(&environment).map_err(|error| told(error.class(), error.to_string()))?;
    let place = place(&plan, &identity)?;
    if given.has("strict") {
        sizes(&plan, &identity)?;
    }
    let mut shown = gpus(&given, &plan, &place)?;
    shown.extend(nics(&given, &plan, &place)?);
    let threads = omp::Threads::of(omp, &plan, &place);
    if given.has("strict") {
        threads.strict()?;
    }
    for note in threads.notes() {
        report::note(console.err, "omp-removed", &note);
    }
    if given.has("dry-run") {
        let report = omp::report(&place).map(|(name, value)| (name.to_owned(), value));
        let mut others: Vec<(String, String)> = report.into_iter().collect();
        others.retain(|_| given.has("omp-report"));
        others.extend(shown);
        return omp::dry_run(&plan, &place, &threads, &others, console).map(|()| None);
    }
    let there = affinity::allowed().map_err(|why| told("cpus-missing", why))?;
    if given.has("strict") {
        inside(&plan, &place, &there)?;
    }
    bind(&plan, &place)?;
    let words = match own.is_empty() {
        true => planned(&plan, &place, path)?,
        false => program(args, own),
    };
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    if own.is_empty() {
        // The program of the plan has the variables that the job gave it.
        let own = plan.thread_words().of(place.app).iter();
        command.envs(own.map(|(name, value)| (name, value)));
    }
    threads.removed.iter().for_each(|(name, _)| {
        command.env_remove(name);
    });
    command.envs(threads.set);
    if given.has("omp-report") {
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
            "exec {path}: no program is named after --, and the plan has none for rank {}",
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
        return Err(told("no-rank", sentence));
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
