//! What a line of Hydra says, its configuration file read in. Source: `lines/hydra/spec.md` 2 and 8.

use super::config_file;
use super::refusal::refuses;
use super::version::Version;
use super::words::{Does, find};
use crate::launchers::line::named::{Again, Setting, Settings, leading_number, takes};
use crate::launchers::line::{LineAsked, LineRefused};

/// One program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Program {
    /// `-n`, as typed.
    pub(crate) procs: Option<String>,
    /// The program, then its arguments.
    pub(crate) argv: Vec<String>,
    set: Settings,
}

/// Words of the whole job, as typed.
#[derive(Clone, Default, Debug)]
pub(crate) struct Global {
    pub(crate) hosts: Option<Named>,
    pub(crate) per_node: Option<String>,
    pub(crate) order: Option<String>,
    pub(crate) skips_launch_node: bool,
    pub(crate) rank_map: Option<String>,
    pub(crate) bind: Option<String>,
    pub(crate) map: Option<String>,
    pub(crate) gpus: Option<String>,
    pub(crate) gpu_parts: Option<String>,
    config: Option<String>,
    set: Settings,
}

/// How the hosts are named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Named {
    /// A list.
    List(String),
    /// A file.
    File(String),
}

/// A line.
#[derive(Clone, Default, Debug)]
pub(crate) struct Said {
    pub(crate) global: Global,
    pub(crate) programs: Vec<Program>,
}

/// Reads a line.
///
/// # Errors
/// `bad-option`, `launcher-refuses`.
pub(crate) fn read(asked: &LineAsked<'_>, version: Version) -> Result<Said, LineRefused> {
    let mut said = words(asked.words, version)?;
    if let Some(path) = said.global.config.clone() {
        from_file(&mut said, &path, asked, version)?;
    }
    if said.programs.is_empty() || said.programs.iter().any(|program| program.argv.is_empty()) {
        return Err(refuses("it names no program"));
    }
    Ok(said)
}

/// Reads the words of one line.
fn words(words: &[String], version: Version) -> Result<Said, LineRefused> {
    let mut said = Said::default();
    let mut first = 0;
    for segment in words.split(|word| word == ":") {
        let mut program = Program::default();
        let mut rest = segment;
        while let Some((word, behind)) = rest.split_first() {
            if !word.starts_with('-') {
                break;
            }
            let at = first + segment.len() - rest.len();
            let left = option(&mut said.global, &mut program, word, behind, version);
            rest = left.map_err(|refused| refused.at(at, 0..word.len()))?;
        }
        first += segment.len() + 1;
        program.argv = rest.to_vec();
        said.programs.push(program);
    }
    if said.global.config.is_some() && said.programs.iter().all(|own| own.argv.is_empty()) {
        said.programs.clear();
    }
    Ok(said)
}

/// Reads one option; what is left behind it.
fn option<'w>(
    global: &mut Global,
    program: &mut Program,
    given: &str,
    behind: &'w [String],
    version: Version,
) -> Result<&'w [String], LineRefused> {
    let bare = given.trim_start_matches('-');
    let (name, inline) = match bare.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (bare, None),
    };
    let word = find(given, name, version)?;
    if word.does == Does::Variable {
        let first = inline.or_else(|| behind.first().cloned());
        let first = first.ok_or_else(|| lacks(given))?;
        let taken = usize::from(!bare.contains('=')) + usize::from(!first.contains('='));
        if behind.len() < taken {
            return Err(lacks(given));
        }
        return Ok(&behind[taken..]);
    }
    let mut rest = behind;
    let mut value = String::new();
    if word.values == 1 {
        value = match inline {
            Some(value) => value,
            None => {
                let (first, behind) = behind.split_first().ok_or_else(|| lacks(given))?;
                rest = behind;
                first.clone()
            }
        };
    }
    take(global, program, word.does, given, value, version)?;
    Ok(rest)
}

fn take(
    global: &mut Global,
    program: &mut Program,
    does: Does,
    given: &str,
    value: String,
    version: Version,
) -> Result<(), LineRefused> {
    match does {
        Does::Procs => same(&mut program.procs, given, value, version),
        Does::PerNode => same(&mut global.per_node, given, value, version),
        Does::Hosts => once(&mut global.hosts, given, Named::List(value)),
        Does::HostFile => once(&mut global.hosts, given, Named::File(value)),
        Does::Bind => once(&mut global.bind, given, value),
        Does::Map => once(&mut global.map, given, value),
        Does::ConfigFile => once(&mut global.config, given, value),
        Does::Order => {
            global.order = Some(value);
            Ok(())
        }
        Does::RankMap => {
            global.rank_map = Some(value);
            Ok(())
        }
        Does::Gpus => once(&mut global.gpus, given, value),
        Does::GpuParts => once(&mut global.gpu_parts, given, value),
        Does::SkipLaunchNode if global.skips_launch_node => Err(twice(given)),
        Does::SkipLaunchNode => {
            global.skips_launch_node = true;
            Ok(())
        }
        Does::Sets(setting) => {
            let setting = by_version(setting, version);
            let taken = takes(setting, value, &mut global.set, &mut program.set);
            taken.then_some(()).ok_or_else(|| twice(given))
        }
        Does::Variable | Does::Harmless => Ok(()),
        Does::Ends => Err(refuses(&format!("{given} prints and ends"))),
    }
}

/// A word that may be there once.
fn once<T>(place: &mut Option<T>, given: &str, value: T) -> Result<(), LineRefused> {
    if place.is_some() {
        return Err(twice(given));
    }
    *place = Some(value);
    Ok(())
}

fn twice(given: &str) -> LineRefused {
    refuses(&format!("{given} is given twice"))
}

/// Before 4.2 the same is refused a second time too.
fn by_version(setting: Setting, version: Version) -> Setting {
    match setting.again {
        Again::IfSame if version < Version::V4_2 => Setting {
            again: Again::Refused,
            ..setting
        },
        Again::IfSame | Again::Refused | Again::RefusedOfProgram => setting,
    }
}

/// A number that since 4.2 may be there twice if it is the same.
fn same(
    place: &mut Option<String>,
    given: &str,
    value: String,
    version: Version,
) -> Result<(), LineRefused> {
    if let Some(known) = place
        && (version < Version::V4_2 || leading_number(known) != leading_number(&value))
    {
        return Err(refuses(&format!(
            "{given} is given twice: {known} and {value}"
        )));
    }
    *place = Some(value);
    Ok(())
}

/// Reads the configuration file: every line is a program, and words of the command line win.
fn from_file(
    said: &mut Said,
    path: &str,
    asked: &LineAsked<'_>,
    version: Version,
) -> Result<(), LineRefused> {
    let bytes = asked
        .files
        .read(path)
        .map_err(|error| refuses(&format!("-configfile {path}: cannot be read: {error}")))?;
    let mut lines = config_file::lines(&String::from_utf8_lossy(&bytes));
    if version.reads_one_line() {
        lines.truncate(1);
    }
    let read = config_file::words(&lines);
    // A word of the file has no place in the line.
    let file =
        words(&read, version).map_err(|refused| refused.of(format_args!("-configfile {path}")))?;
    let (own, theirs) = (&mut said.global, file.global);
    own.hosts = own.hosts.take().or(theirs.hosts);
    own.per_node = own.per_node.take().or(theirs.per_node);
    own.order = own.order.take().or(theirs.order);
    own.rank_map = own.rank_map.take().or(theirs.rank_map);
    own.bind = own.bind.take().or(theirs.bind);
    own.map = own.map.take().or(theirs.map);
    own.gpus = own.gpus.take().or(theirs.gpus);
    own.gpu_parts = own.gpu_parts.take().or(theirs.gpu_parts);
    own.skips_launch_node |= theirs.skips_launch_node;
    said.programs.retain(|program| !program.argv.is_empty());
    said.programs.extend(file.programs);
    Ok(())
}

fn lacks(given: &str) -> LineRefused {
    refuses(&format!("{given} lacks its value"))
}
