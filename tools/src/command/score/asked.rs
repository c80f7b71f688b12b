//! The command lines of `score` and `advise`: their own options before `--`, the job after it.

use crate::command::given::Given;
use crate::command::subcommand::{Once, One, own};
use crate::report::{Refused, told};
use stowplan::job::options::Row;
use stowplan::score::error::ScoreError;
use stowplan::score::pattern::Part;

/// How the answer is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::command) enum Format {
    /// For people.
    Text,
    /// One line, for programs.
    Json,
    /// A line per level of the machine.
    Tsv,
    /// A page with a picture.
    Html,
    /// The picture alone.
    Svg,
}

/// Options of the network, which may stand before `--` or among the job's words.
const NETWORK: [&str; 3] = ["network", "network-levels", "node-order"];

#[rustfmt::skip]
pub(in crate::command) const LEVELS: Row = own(&["network-levels"], One, "WORDS", Once, "what the levels of the network are called, from the lowest up");
#[rustfmt::skip]
pub(in crate::command) const NODE_ORDER: Row = own(&["node-order"], One, "ORDER", Once, "network: take the nodes in the order of the network");
#[rustfmt::skip]
pub(in crate::command) const DISTANCES: Row = own(&["distances"], One, "D:D:…", Once, "costs within a node, then by the level at which nodes meet, from the lowest: gives J");

/// A command line.
#[derive(Clone, Debug)]
pub(in crate::command) struct Asked<'a> {
    /// Its words.
    pub(in crate::command) given: Given<'a>,
    /// The patterns in the order given.
    pub(in crate::command) parts: Vec<Part>,
    /// `--format`.
    pub(in crate::command) format: Format,
    /// `--distances`.
    pub(in crate::command) distances: Option<String>,
    /// The words of the job, with the options of the network; `None`: there is no `--`.
    pub(in crate::command) job: Option<Vec<String>>,
}

impl<'a> Asked<'a> {
    /// Reads the values. `formats`: those that the command has.
    ///
    /// # Errors
    /// The first of `bad-option`, `bad-value` and `bad-pattern`, from left to right.
    pub(in crate::command) fn of(
        given: Given<'a>,
        formats: &[(&str, Format)],
    ) -> Result<Self, Refused> {
        let parts: Result<Vec<Part>, _> = given.all("pattern").map(Part::read).collect();
        let mut asked = Self {
            parts: parts.map_err(refused)?,
            format: given.choice("format", formats)?.unwrap_or(Format::Text),
            distances: given.value("distances").map(str::to_owned),
            job: given.behind.map(<[String]>::to_vec),
            given,
        };
        if let Some(job) = &mut asked.job {
            // `--distances` may stand among the job's options too.
            if let Some(at) = job.iter().position(|word| word == "--distances") {
                let taken = job.drain(at..job.len().min(at + 2)).nth(1);
                asked.distances = asked.distances.or(taken);
            }
            network_to_job(&asked.given, job)?;
        }
        if asked.parts.is_empty() {
            let command = asked.given.command.words;
            let sentence = format!(
                "{command}: --pattern is needed, to say who talks to whom: --pattern halo:50x48"
            );
            return Err(told("bad-option", sentence));
        }
        Ok(asked)
    }
}

/// Options of the network are the job's: those before `--` go to its words. Beside a saved plan they stay.
fn network_to_job(given: &Given<'_>, job: &mut Vec<String>) -> Result<(), Refused> {
    let mut words: Vec<String> = Vec::new();
    for (name, value) in given.options().filter(|(name, _)| NETWORK.contains(name)) {
        let dashed = format!("--{name}");
        let inline = format!("{dashed}=");
        if job
            .iter()
            .any(|word| *word == dashed || word.starts_with(&inline))
        {
            let command = given.command.words;
            let sentence =
                format!("{command} {dashed}: it is given before -- and among the words of the job");
            return Err(told("bad-option", sentence));
        }
        words.extend([dashed, value.to_owned()]);
    }
    job.splice(0..0, words);
    Ok(())
}

/// The refusal for an error of the score.
pub(in crate::command) fn refused(error: ScoreError) -> Refused {
    told(error.class(), error.to_string())
}
