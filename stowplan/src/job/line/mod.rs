//! A job may be a launcher's own line: `[our options] LAUNCHER its words`. Source: `lines.md` 1.

// Whose line it is when the word alone does not say.
pub mod sign;
// GPUs that only the launcher knows.
mod gpus;
// Hosts of ours before a line that names hosts itself.
pub mod allocation;
// By whose rules a job was placed, for pages and saved plans.
pub mod launched;
// The variables that it would see.
pub mod variables;
// What the launcher would do with it, as a plan.
pub(crate) mod place;
// Which changes of rules move its ranks between two versions.
pub mod versions;

use crate::job::error::{all_of, bad_words, value};
use crate::job::options::{Meaning, Takes, spelled};
use crate::job::words::{CommandLine, OptionWords};
use crate::launchers::line::Launcher;
use crate::launchers::script::shell;
use stowplan_engine::error::SpecError;

/// How it is known whose line it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum By {
    /// `--as` says it.
    Asked,
    /// The launcher's word says it.
    Word,
    /// This word or variable of the line says it.
    Sign(String),
}

impl By {
    /// Its word in JSON.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Word => "word",
            Self::Sign(_) => "sign",
        }
    }
}

/// A launcher's line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineArgs {
    /// Whose rules hold.
    pub launcher: Launcher,
    /// The version that was asked for.
    pub version: Option<String>,
    /// How it is known whose line it is.
    pub by: By,
    /// The launcher's word, without its folder: `srun`, `flux run`.
    pub command: String,
    /// The words behind it.
    pub words: Vec<String>,
}

/// Words of a job, cut at the launcher's word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut<'w> {
    /// Our own options.
    pub ours: &'w [String],
    /// The launcher's words: one, or two for Flux.
    pub command: &'w [String],
    /// The words behind them.
    pub words: &'w [String],
}

/// Launchers by their word. `None`: the word does not say whose it is.
const WORDS: &[(&str, Option<Launcher>)] = &[
    ("srun", Some(Launcher::Slurm)),
    ("prterun", Some(Launcher::Prte)),
    ("prun", Some(Launcher::Prte)),
    ("orterun", Some(Launcher::Prte)),
    ("mpirun", None),
    ("mpiexec", None),
    ("mpiexec.hydra", Some(Launcher::Hydra)),
    ("mpiexec.mpich", Some(Launcher::Hydra)),
    ("aprun", Some(Launcher::Aprun)),
    ("jsrun", Some(Launcher::Jsrun)),
];

/// Words behind `flux` that start processes, or the instance in which they would be started: `flux::lay` says which are placed.
const FLUX: [&str; 7] = [
    "run",
    "submit",
    "batch",
    "alloc",
    "bulksubmit",
    "multi-prog",
    "mini",
];

/// Launchers that sites have written around others, with our words for what they do.
const WRAPPERS: [(&str, &str); 2] = [
    ("lrun", "--map-by mpibind places as it does"),
    ("ibrun", "say the line of the launcher that it calls"),
];

/// Refuses a site's own launcher.
///
/// # Errors
/// `not-modelled`.
pub(crate) fn refuse_wrappers(words: &[String]) -> Result<(), SpecError> {
    let Some(word) = first_word(words).map(|at| &words[at]) else {
        return Ok(());
    };
    let name = word.rsplit('/').next().unwrap_or(word);
    let row = WRAPPERS.iter().find(|(own, _)| *own == name);
    let Some((_, ours)) = row.filter(|_| !is_file(word)) else {
        return Ok(());
    };
    Err(bad_words(
        "not-modelled",
        format!(
            "{name}: it is a site's own launcher, and which rules it has is not known here (./{name} is a program)"
        ),
        vec![(*ours).to_owned()],
    ))
}

/// Whether a word is the path of a program beside the user.
fn is_file(word: &str) -> bool {
    word.starts_with("./") || word.starts_with("../")
}

/// The launcher that a word names; `./srun` is a program of that name.
fn named(word: &str, behind: &[String]) -> Option<(usize, Option<Launcher>)> {
    if is_file(word) {
        return None;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    if name == "flux" {
        let sub = behind.first().map(String::as_str);
        let known = sub.is_some_and(|sub| FLUX.contains(&sub));
        return known.then_some((2, Some(Launcher::Flux)));
    }
    let row = WORDS.iter().find(|(own, _)| *own == name)?;
    Some((1, row.1))
}

/// Cuts the words of a job at the launcher's word; `None`: it is a job in our own words.
///
/// Cost: our own options.
#[must_use]
pub fn cut(words: &[String]) -> Option<Cut<'_>> {
    let at = first_word(words)?;
    let (taken, _) = named(&words[at], &words[at + 1..])?;
    Some(Cut {
        ours: &words[..at],
        command: &words[at..at + taken],
        words: &words[at + taken..],
    })
}

/// The first word that is no option; `None`: there is none, or `--` or `:` comes first.
fn first_word(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" || word == ":" {
            return None;
        }
        if word.len() < 2 || !word.starts_with('-') {
            return Some(at);
        }
        let spelled = spelled(word);
        let inline = usize::from(spelled.value.is_some());
        let takes = match spelled.row?.takes {
            Takes::Nothing | Takes::Maybe => 0,
            Takes::One => 1,
            Takes::Two => 2,
        };
        at += 1 + usize::from(takes > inline) * (takes - inline.min(takes));
    }
    None
}

/// Whose line it is. `asked`: the value of `--as`; `variables`: those of `--env`.
///
/// # Errors
/// `bad-value` for an `--as` that names no launcher; `ambiguous-launcher` for signs of two.
pub(crate) fn whose(
    cut: Cut<'_>,
    asked: Option<&str>,
    variables: &[(String, String)],
) -> Result<LineArgs, SpecError> {
    let name = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
    let command: Vec<String> = cut.command.iter().map(name).collect();
    let by_word = named(&cut.command[0], &cut.command[1..]).and_then(|(_, launcher)| launcher);
    let mut line = LineArgs {
        launcher: by_word.unwrap_or(Launcher::Prte),
        version: None,
        by: By::Word,
        command: command.join(" "),
        words: cut.words.to_vec(),
    };
    if let Some(asked) = asked {
        let (word, version) = match asked.split_once('@') {
            Some((word, version)) => (word, Some(version.to_owned())),
            None => (asked, None),
        };
        let known = Launcher::ALL.into_iter().find(|own| own.word() == word);
        line.launcher = known.ok_or_else(|| unknown(asked))?;
        line.version = version;
        line.by = By::Asked;
    } else if matches!(by_word, None | Some(Launcher::Hydra)) {
        let signs = sign::signs(cut.words, variables);
        if let Some(((launcher, first), rest)) = signs.split_first() {
            if let Some((second, other)) = rest.iter().find(|(own, _)| own != launcher) {
                return Err(bad_words(
                    "ambiguous-launcher",
                    format!(
                        "{}: {first} is a word of {}, {other} one of {}",
                        line.command,
                        launcher.word(),
                        second.word()
                    ),
                    vec![format!("say whose line it is: --as {}", launcher.word())],
                ));
            }
            line.launcher = *launcher;
            line.by = By::Sign(first.clone());
        }
    }
    Ok(line)
}

/// Whose line it is by variables that files and the environment bring, which were not known when its words were read.
///
/// # Errors
/// `ambiguous-launcher` if they are a sign of another launcher than that by whose words the line was read.
pub(crate) fn with_variables(
    line: &LineArgs,
    variables: &[(String, String)],
) -> Result<LineArgs, SpecError> {
    let mut line = line.clone();
    let by_word = WORDS.iter().find(|(word, _)| *word == line.command);
    let open = by_word.is_some_and(|(_, own)| matches!(own, None | Some(Launcher::Hydra)));
    if line.by != By::Word || !open {
        return Ok(line);
    }
    let Some((launcher, sign)) = sign::of_variables(variables) else {
        return Ok(line);
    };
    if line.launcher == Launcher::Prte {
        let word = launcher.word();
        return Err(bad_words(
            "ambiguous-launcher",
            format!("{}: the variable {sign} is a sign of {word}", line.command),
            vec![format!("say whose line it is: --as {word} or --as prte")],
        ));
    }
    line.launcher = launcher;
    line.by = By::Sign(sign);
    Ok(line)
}

fn unknown(asked: &str) -> SpecError {
    SpecError::BadValue {
        at: all_of(value(None, "--as", asked)),
        asked: asked.to_owned(),
        range: "launcher: prte hydra intel slurm flux pals aprun jsrun, with @VERSION if need be",
    }
}

/// Refuses options of ours that place processes in front of a launcher's word: they are the words of a job, of which the launcher
/// would be the program.
///
/// # Errors
/// `bad-option`, with the line that was probably meant.
pub(crate) fn refuse_job_words(cut: Cut<'_>) -> Result<(), SpecError> {
    let ours = CommandLine::read(cut.ours);
    let Some(app) = ours.apps.first() else {
        return Ok(());
    };
    let places = |option: &&OptionWords| option.meaning.is_some_and(is_of_a_job);
    let (job, rest): (Vec<_>, Vec<_>) = app.options.iter().partition(places);
    let Some(first) = job.first() else {
        return Ok(());
    };
    let command = cut.command.join(" ");
    let written = |options: &[&OptionWords]| -> Vec<String> {
        options
            .iter()
            .flat_map(|option| option.to_words())
            .collect()
    };
    let mut meant = written(&rest);
    meant.extend(cut.command.iter().cloned());
    meant.extend(written(&job));
    meant.extend(cut.words.iter().cloned());
    Err(bad_words(
        "bad-option",
        format!(
            "{} comes before {command}, which is a launcher and no program: its words come after it (./{command} is a program)",
            first.name
        ),
        vec![format!("stowplan map {}", shell(&meant))],
    ))
}

/// Refuses a launcher as the program of a later app.
///
/// # Errors
/// `bad-option`.
pub(crate) fn refuse_program(program: &str, behind: &[String]) -> Result<(), SpecError> {
    if named(program, behind).is_none() {
        return Ok(());
    }
    Err(bad_words(
        "bad-option",
        format!(
            "{program} is a launcher and no program: a launcher's line begins the job; ./{program} or -- before it is a program of that name"
        ),
        Vec::new(),
    ))
}

/// Whether an option says how many processes there are, where they go, or what they get.
const fn is_of_a_job(meaning: Meaning) -> bool {
    matches!(
        meaning,
        Meaning::Np
            | Meaning::MapBy
            | Meaning::RankBy
            | Meaning::BindTo
            | Meaning::Old(_)
            | Meaning::Gpus
            | Meaning::GpusPerRank
            | Meaning::RankOrder
            | Meaning::Taskmap
            | Meaning::LsfAffinity
    )
}
