//! `--here`: takes hosts and slots from the environment instead of from words.

use crate::Console;
use crate::environment::Environment;
use crate::report::{Refused, told};
use stowplan::job::args::{CoresFrom, MapArgs, map_args};
use stowplan::job::error::one_line;
use stowplan::job::line::cut;
use stowplan::job::options::{Meaning, Old};
use stowplan::job::our_words::in_our_words;
use stowplan::job::parameters::{self, Effect};
use stowplan::job::words::{AppWords, CommandLine};
use stowplan::launchers::environment::{Found, Here, System, Unused, hosts};
use stowplan_engine::error::Note;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::text::words::nearest;

/// A job that was read, and the source of its hosts if no word named them.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The job.
    pub(super) asked: MapArgs,
    /// The variable or file that named the hosts.
    pub(super) hosts: Option<String>,
    /// What the environment says that is not used.
    pub(super) notes: Vec<Note>,
    /// What the job has of its nodes.
    pub(super) parts: Parts,
    /// The words that say all of this; empty if there is no command line.
    pub(super) words: Vec<String>,
}

/// What an allocation says that a job has of its nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Cpus of some hosts: one host of each count.
    pub(super) cpus: Vec<(String, u64)>,
    /// What says which GPUs the nodes show, and what it says, in the form of `--devices`.
    pub(super) gpus: Vec<(String, String)>,
}

impl Asked {
    /// A job whose words name its hosts.
    pub(crate) fn named(asked: MapArgs, words: &[String]) -> Self {
        Self {
            asked,
            hosts: None,
            notes: Vec::new(),
            parts: Parts::default(),
            words: words.to_vec(),
        }
    }
}

/// Reads the words of a job. Hosts come from the environment if there is `--here` and no word names hosts.
///
/// # Errors
/// Errors of the words; then `bad-environment`.
pub(super) fn words(args: &[String], console: &mut Console<'_>) -> Result<Asked, Refused> {
    let mut asked = map_args(args)?;
    let Some(word) = asked.job.here.take() else {
        return Ok(Asked::named(asked, args));
    };
    // Parameters of the launcher stand in the same environment.
    asked.job.env_here = true;
    let here = Here::read(&word).ok_or_else(|| unknown(&word))?;
    // The words of a launcher stay as they are: hosts are found for the job that it runs in.
    let cut = cut(args);
    let mut line = CommandLine::read(cut.map_or(args, |cut| cut.ours));
    let all = in_our_words(args).map(|words| CommandLine::read(&words));
    let given = |meaning| {
        let mut apps = all.iter().chain([&line]).flat_map(|line| &line.apps);
        apps.any(|app: &AppWords| app.value(meaning).is_some())
    };
    if given(Meaning::Host) || given(Meaning::Hostfile) {
        return Ok(Asked::named(asked, args));
    }
    let has_cores = says_cores(&line);
    let found = find(here, console.files)?;
    let takes_affinity = found.affinity.is_some()
        && all.is_some()
        && !given(Meaning::MapBy)
        && !given(Meaning::BindTo)
        && !given(Meaning::Taskmap)
        && !given(Meaning::LsfAffinity);
    let affinity = found.affinity.clone().filter(|_| takes_affinity);
    let notes = notes(&found, whose(args), affinity.as_deref(), &line);
    for app in &mut line.apps {
        app.options
            .retain(|option| option.meaning != Some(Meaning::Here));
    }
    let mut parts = Parts::default();
    if whose(args) == Whose::Ours {
        parts.cpus.clone_from(&found.cpus);
    }
    let mut words = match affinity {
        // The file has hosts, processes and cpus.
        Some(path) => vec!["--lsf-affinity".to_owned(), path],
        None => vec!["--host".to_owned(), found.hosts.to_list()],
    };
    let devices = devices(&line, &found, &mut parts);
    let takes_cores = !has_cores && !found.cores.is_empty();
    let cores_from = takes_cores.then(|| CoresFrom {
        source: one_line(&found.source),
        entries: found.cores_of.clone(),
    });
    for cores in found.cores.into_iter().filter(|_| !has_cores) {
        words.extend(["--prtemca", "hwloc_default_cpu_list"].map(str::to_owned));
        words.push(cores);
    }
    words.extend(devices);
    words.extend(line.to_words());
    if let Some(cut) = cut {
        words.extend(cut.command.iter().chain(cut.words).cloned());
    }
    let mut asked = map_args(&words)?;
    asked.job.env_here = true;
    asked.job.cores_from = cores_from;
    Ok(Asked {
        asked,
        hosts: Some(one_line(&found.source)),
        notes,
        parts,
        words,
    })
}

/// The devices that the environment tells of, unless the line says which there are.
fn devices(line: &CommandLine, found: &Found, parts: &mut Parts) -> Vec<String> {
    let mut said = line.apps.iter().flat_map(|app| &app.options);
    if said.any(|option| option.meaning == Some(Meaning::Devices)) {
        return Vec::new();
    }
    let source = found.seen.as_ref().unwrap_or(&found.source);
    let only = found.devices.iter().filter(|own| own.contains("only:"));
    parts.gpus = only.map(|own| (source.clone(), own.clone())).collect();
    let words = found.devices.iter().cloned();
    words
        .flat_map(|devices| ["--devices".to_owned(), devices])
        .collect()
}

/// In whose words a job is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Whose {
    /// In prterun's, which are ours.
    Ours,
    /// In those of a launcher that reads its own variables.
    Another,
}

fn whose(args: &[String]) -> Whose {
    match in_our_words(args) {
        Some(_) => Whose::Ours,
        None => Whose::Another,
    }
}

/// What the environment says that is not used. A launcher's own line obeys the variables of its system. `affinity`: the file that the
/// job takes its cpus from.
fn notes(found: &Found, whose: Whose, affinity: Option<&str>, line: &CommandLine) -> Vec<Note> {
    let launches = found.launch_node.iter().map(|host| Note::OfLine {
        class: "launch-node",
        text: format!(
            "{}: {host} has one slot and all others have more: it launches the job and is left out",
            found.source
        ),
    });
    let lost = found.affinity.iter().filter(|_| affinity.is_none());
    let lost = lost.map(|path| Unused {
        said: format!("{}={path}", found.source),
        word: format!(
            "--from-env {}, without words that map or bind, binds to the cpus that it names",
            found.source
        ),
    });
    let unused = found.unused.iter().cloned().chain(lost);
    let unused = unused
        .filter(|unused| whose == Whose::Ours && !is_said(&unused.word, line))
        .map(|unused| Note::OfLine {
            class: "allocation-unused",
            text: format!("{} is not used here: {}", unused.said, unused.word),
        });
    let cores = (says_cores(line) && !found.cores.is_empty()).then(|| Note::OfLine {
        class: "allocation-unused",
        text: format!(
            "{} gives cores {}, which are not used here: the list of cpus of this line takes their place",
            found.source,
            found.cores.join(" ")
        ),
    });
    launches.chain(unused).chain(cores).collect()
}

/// Whether a line has a parameter that says which cpus may be used.
fn says_cores(line: &CommandLine) -> bool {
    line.apps.iter().flat_map(|app| &app.options).any(|option| {
        let key = option.values.first();
        option.meaning == Some(Meaning::Mca)
            && key.and_then(|key| parameters::find(key)) == Some(Effect::CpuList)
    })
}

/// Whether a line already has the word that a note would name.
fn is_said(word: &str, line: &CommandLine) -> bool {
    let mut words = word.split([' ', ',']);
    let (option, value) = (words.next(), words.next().unwrap_or_default());
    let mut apps = line.apps.iter();
    match option {
        Some("--map-by") if value == ":corecpus" => !apps.any(counts_threads),
        Some("--map-by") if value == ":hwtcpus" => apps.any(counts_threads),
        Some("--map-by") => apps.any(|app| {
            let said = app.map_said().unwrap_or_default();
            let has = |part: &str| said.split(':').any(|own| own.eq_ignore_ascii_case(part));
            value.split(':').all(|part| part.is_empty() || has(part))
        }),
        Some("--bind-to") => apps.any(|app| app.value(Meaning::BindTo).is_some()),
        Some("--devices") => apps.any(|app| app.value(Meaning::Devices).is_some()),
        Some("--gpus") => apps.any(|app| app.value(Meaning::Gpus).is_some()),
        Some(_) | None => false,
    }
}

/// Whether an app counts hardware threads as its cpus.
fn counts_threads(app: &AppWords) -> bool {
    let old = Some(Meaning::Old(Old::HwtCpus));
    let said = app.map_said().unwrap_or_default();
    let mut parts = said.split(':');
    parts.any(|own| own.eq_ignore_ascii_case("hwtcpus"))
        || app.options.iter().any(|option| option.meaning == old)
}

fn find(here: Here, files: &dyn Files) -> Result<Found, Refused> {
    hosts(here, &Environment { files }).map_err(|error| told(error.class(), error.to_string()))
}

fn unknown(word: &str) -> Refused {
    let systems = System::ALL.map(System::word);
    let near = nearest(systems.into_iter(), word);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    told(
        "bad-value",
        format!(
            "--here={word}: {hint}it takes one of: {} -",
            systems.join(" ")
        ),
    )
}
