//! What a line of Intel MPI says, its configuration file read in. Source: `lines/intel/spec.md` 2.

use super::version::Version;
use super::words::{Does, Word, find, near};
use crate::launchers::hydra::config_file;
use crate::launchers::hydra::refusal::refuses;
use crate::launchers::line::named::{Settings, leading_number, takes};
use crate::launchers::line::{LineAsked, LineRefused};

/// One program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Program {
    /// `-n`
    pub(crate) procs: Option<u32>,
    /// `-host`
    pub(crate) host: Option<String>,
    /// `-env`, in order.
    pub(crate) variables: Vec<(String, String)>,
    /// The program, then its arguments.
    pub(crate) argv: Vec<String>,
    set: Settings,
}

/// How the hosts are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// `-hosts`: names.
    List(String),
    /// `-hosts-group`: names with ranges in brackets.
    Groups(String),
    /// `-f`: a file whose counts are ignored.
    File(String),
    /// `-machinefile`: a file whose counts count.
    MachineFile(String),
}

/// A line.
#[derive(Clone, Default, Debug)]
pub(crate) struct Said {
    /// The last host list or host file.
    pub(crate) hosts: Option<Named>,
    /// `-ppn` or `-rr`, with the word as typed.
    pub(crate) per_host: Option<(String, u32)>,
    /// `-nolocal`
    pub(crate) no_local: bool,
    /// `-genv`, and `-cpu-bind` as the variable that it means, in order.
    pub(crate) variables: Vec<(String, String)>,
    /// Words that are taken without any effect, as typed.
    pub(crate) void: Vec<String>,
    /// Whether a machine file was named: `-ppn` is void from then on, and another list has one slot a host.
    pub(crate) counts_are_files: bool,
    /// `-configfile`
    config: Option<String>,
    set: Settings,
    /// The programs.
    pub(crate) programs: Vec<Program>,
}

impl Said {
    /// A variable as every program sees it: the last `-genv`, else the environment. An empty one is not set.
    pub(crate) fn variable<'a>(&'a self, asked: &LineAsked<'a>, name: &str) -> Option<&'a str> {
        let mut last = self.variables.iter().rev();
        let own = last.find(|(known, _)| known == name);
        let value = own.map(|(_, value)| value.as_str());
        value
            .or_else(|| asked.variable(name))
            .filter(|value| !value.is_empty())
    }
}

/// Reads a line.
///
/// # Errors
/// `bad-option`, `launcher-refuses`.
pub(crate) fn read(asked: &LineAsked<'_>, version: Version) -> Result<Said, LineRefused> {
    let mut said = Said::default();
    let mut reader = Reader {
        words: asked.words,
        at: 0,
        version,
    };
    reader.line(&mut said)?;
    if let Some(path) = said.config.take() {
        let bytes = asked.files.read(&path);
        let bytes = bytes
            .map_err(|error| refuses(&format!("-configfile {path}: it cannot be read: {error}")))?;
        let lines = config_file::lines(&String::from_utf8_lossy(&bytes));
        let words = config_file::words(&lines);
        said.programs.retain(|program| !program.argv.is_empty());
        let own = std::mem::take(&mut said.programs);
        let mut reader = Reader {
            words: &words,
            at: 0,
            version,
        };
        let of_file = reader.line(&mut said);
        // A word of the file has no place in the line.
        of_file.map_err(|refused| refused.of(format_args!("-configfile {path}")))?;
        said.programs.splice(0..0, own);
    }
    if said.programs.is_empty() || said.programs.iter().any(|program| program.argv.is_empty()) {
        return Err(refuses("it names no program"));
    }
    Ok(said)
}

/// Words that are read one after another.
struct Reader<'w> {
    words: &'w [String],
    at: usize,
    version: Version,
}

impl Reader<'_> {
    /// Reads all programs.
    fn line(&mut self, said: &mut Said) -> Result<(), LineRefused> {
        loop {
            let mut program = Program::default();
            while let Some(word) = self.words.get(self.at) {
                if word == ":" || !word.starts_with('-') {
                    break;
                }
                self.option(said, &mut program)?;
            }
            let rest = &self.words[self.at..];
            let end = rest.iter().position(|word| word == ":");
            program.argv = rest[..end.unwrap_or(rest.len())].to_vec();
            let filled = !program.argv.is_empty();
            // A configuration file has the programs of a line that names none.
            if filled || end.is_some() || said.config.is_none() || !said.programs.is_empty() {
                said.programs.push(program);
            }
            match end {
                Some(end) => self.at += end + 1,
                None => return Ok(()),
            }
        }
    }

    /// Reads one option with its values.
    fn option(&mut self, said: &mut Said, program: &mut Program) -> Result<(), LineRefused> {
        let at = self.at;
        let given = self.words[at].as_str();
        self.at += 1;
        let bare = given.strip_prefix("--").unwrap_or(&given[1..]);
        let (name, inline) = match bare.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (bare, None),
        };
        let word = find(name, self.version).ok_or_else(|| unknown(given, name, at))?;
        let value = match (word.values, inline) {
            (0, _) => String::new(),
            (_, Some(value)) => value,
            (_, None) => self.value(given, at)?,
        };
        if word.does == Does::Variable {
            said.variables.push(self.variable(given, at, value)?);
        } else if word.does == Does::OwnVariable {
            program.variables.push(self.variable(given, at, value)?);
        } else {
            let taken = take(said, program, word, given, value);
            taken.map_err(|refused| refused.at(at, 0..given.len()))?;
        }
        Ok(())
    }

    /// The word behind an option.
    fn value(&mut self, given: &str, at: usize) -> Result<String, LineRefused> {
        let value = self.words.get(self.at).cloned();
        self.at += 1;
        value.ok_or_else(|| refuses(&format!("{given} lacks its value")).at(at, 0..given.len()))
    }

    /// `NAME=VALUE`, or a name with its value behind it.
    fn variable(
        &mut self,
        given: &str,
        at: usize,
        first: String,
    ) -> Result<(String, String), LineRefused> {
        if let Some((name, value)) = first.split_once('=') {
            return Ok((name.to_owned(), value.to_owned()));
        }
        let value = self.value(given, at)?;
        Ok((first, value))
    }
}

fn unknown(given: &str, name: &str, at: usize) -> LineRefused {
    let sentence = format!("{given} is no option of this version of Intel's mpiexec");
    let near = near(name).map(|near| format!("did you mean -{near}?"));
    let refused = LineRefused::new("bad-option", sentence).help(near);
    refused.at(at, 0..given.len())
}

/// Takes what an option says.
fn take(
    said: &mut Said,
    program: &mut Program,
    word: &Word,
    given: &str,
    value: String,
) -> Result<(), LineRefused> {
    match word.does {
        Does::Procs => program.procs = Some(count(given, &value)?),
        Does::Host => program.host = Some(value),
        Does::Hosts => said.hosts = Some(Named::List(value)),
        Does::HostGroups => said.hosts = Some(Named::Groups(value)),
        Does::HostFile => said.hosts = Some(Named::File(value)),
        Does::MachineFile => {
            said.hosts = Some(Named::MachineFile(value));
            said.counts_are_files = true;
            said.per_host = None;
        }
        Does::PerHost => {
            let each = count(given, &value)?;
            if !said.counts_are_files {
                per_host(said, format!("{given} {value}"), each)?;
            }
        }
        Does::RoundRobin => per_host(said, given.to_owned(), 1)?,
        Does::Sets(setting) => {
            if !takes(setting, value, &mut said.set, &mut program.set) {
                return Err(refuses(&format!("{given} is given twice")));
            }
        }
        Does::NoLocal => said.no_local = true,
        Does::PinDomain => said.variables.push(("I_MPI_PIN_DOMAIN".to_owned(), value)),
        Does::ConfigFile => said.config = Some(value),
        Does::Void => said.void.push(format!("{given} {value}")),
        Does::Variable | Does::OwnVariable | Does::Harmless => {}
        Does::Ends => return Err(refuses(&format!("{given} prints and ends"))),
    }
    Ok(())
}

/// `-ppn` or `-rr`: together once.
fn per_host(said: &mut Said, word: String, each: u32) -> Result<(), LineRefused> {
    if let Some((known, _)) = &said.per_host {
        return Err(refuses(&format!("{word}: {known} is there already")));
    }
    said.per_host = Some((word, each));
    Ok(())
}

/// A number of processes, from 1 on, as its leading digits say.
fn count(given: &str, value: &str) -> Result<u32, LineRefused> {
    let number = u32::try_from(leading_number(value)).ok();
    number
        .filter(|&number| number > 0)
        .ok_or_else(|| refuses(&format!("{given} {value}: it takes a number from 1 on")))
}
