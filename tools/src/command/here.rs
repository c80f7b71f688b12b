//! `--here`: takes hosts and slots from the environment instead of from words.

use crate::Console;
use crate::environment::Environment;
use crate::report::Refused;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::text::words::nearest;
use stowplan_job::args::{MapArgs, map_args};
use stowplan_job::error::one_line;
use stowplan_job::line::cut;
use stowplan_job::options::Meaning;
use stowplan_job::our_words::in_our_words;
use stowplan_job::words::{AppWords, CommandLine};
use stowplan_launchers::environment::{Found, Here, System, hosts};

/// A job that was read, and the source of its hosts if no word named them.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The job.
    pub(super) asked: MapArgs,
    /// The variable or file that named the hosts.
    pub(super) hosts: Option<String>,
    /// Cpus that the job has of some hosts, and the variable that says so: one host of each count.
    pub(super) cpus: Vec<(String, u64)>,
    /// The words that say all of this; empty if there is no command line.
    pub(super) words: Vec<String>,
}

impl Asked {
    /// A job whose words name its hosts.
    pub(crate) fn named(asked: MapArgs, words: &[String]) -> Self {
        Self {
            asked,
            hosts: None,
            cpus: Vec::new(),
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
    let has_cores = line.apps.iter().flat_map(|app| &app.options).any(|option| {
        let key = option.values.first().map(String::as_str);
        option.meaning == Some(Meaning::Mca) && key == Some("hwloc_default_cpu_list")
    });
    let found = find(here, console.files)?;
    if let Some(host) = &found.launch_node {
        // The worst that can happen to a note is that nobody reads it.
        let _ = writeln!(
            console.err,
            "note[launch-node]: {}: {host} has one slot and all others have more: it launches the job and is left out",
            found.source
        );
    }
    for unused in &found.unused {
        let _ = writeln!(
            console.err,
            "note[allocation-unused]: {} is not used here: {}",
            one_line(&unused.said),
            one_line(&unused.word)
        );
    }
    for app in &mut line.apps {
        app.options
            .retain(|option| option.meaning != Some(Meaning::Here));
    }
    let mut words = vec!["--host".to_owned(), found.hosts.to_list()];
    for cores in found.cores.into_iter().filter(|_| !has_cores) {
        words.extend(["--prtemca", "hwloc_default_cpu_list"].map(str::to_owned));
        words.push(cores);
    }
    let states_devices = line.apps.iter().flat_map(|app| &app.options);
    let mut states_devices =
        states_devices.filter(|option| option.meaning == Some(Meaning::Devices));
    if states_devices.next().is_none() {
        for devices in found.devices {
            words.extend(["--devices".to_owned(), devices]);
        }
    }
    words.extend(line.to_words());
    if let Some(cut) = cut {
        words.extend(cut.command.iter().chain(cut.words).cloned());
    }
    let mut asked = map_args(&words)?;
    asked.job.env_here = true;
    Ok(Asked {
        asked,
        hosts: Some(one_line(&found.source)),
        cpus: found.cpus,
        words,
    })
}

fn find(here: Here, files: &dyn Files) -> Result<Found, Refused> {
    hosts(here, &Environment { files }).map_err(|error| Refused::Told {
        class: error.class(),
        sentence: error.to_string(),
    })
}

fn unknown(word: &str) -> Refused {
    let systems = System::ALL.map(System::word);
    let near = nearest(systems.into_iter(), word);
    let hint = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    Refused::Told {
        class: "bad-value",
        sentence: format!(
            "--here={word}: {hint}it takes one of: {} -",
            systems.join(" ")
        ),
    }
}
