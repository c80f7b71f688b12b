//! Reads the options of a command line, one after another.

use super::{FORMATS, JobArgs, Outer, Show, foreign};
use crate::line;
use crate::options::{Meaning, Row, Takes, find, nearest};
use stowplan_engine::error::at::{At, AtText};
use stowplan_engine::error::spec::{OptionFault, Owner};
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::Label;
use stowplan_engine::spawn::request::app_id;
use stowplan_engine::text::mapping::MapForm;

pub(super) struct Reader<'a> {
    pub(super) args: &'a [String],
    /// The arguments as they were given; programs get these. Shape `[args]`.
    given: &'a [String],
    pub(super) at: usize,
    /// The app being read.
    pub(super) app: u32,
    pub(super) outer: Outer,
    pub(super) intake: Intake,
    pub(super) job: JobArgs,
    pub(super) notes: Vec<Note>,
}

/// Options that an app may have only once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Once {
    Np,
    Map,
    Rank,
    Bind,
    Format,
    Job(Meaning),
}

impl<'a> Reader<'a> {
    /// A reader at the first argument. `given`: the same arguments, before old spellings were renamed.
    pub(super) fn new(args: &'a [String], given: &'a [String]) -> Self {
        Self {
            args,
            given,
            at: 0,
            app: 0,
            outer: Outer::Taken,
            intake: Intake::new(),
            job: JobArgs::default(),
            notes: Vec::new(),
        }
    }

    /// Reads all segments. Each segment is an app; empty segments are skipped.
    pub(super) fn segments(&mut self) -> Result<(), SpecError> {
        let mut first = true;
        while self.at < self.args.len() {
            if self.args[self.at] == ":" {
                self.at += 1;
                continue;
            }
            if !first {
                self.app += 1;
            }
            first = false;
            self.intake.push_app(Label::default());
            self.segment()?;
        }
        if first {
            self.intake.push_app(Label::default());
        }
        Ok(())
    }

    fn segment(&mut self) -> Result<(), SpecError> {
        let mut seen = Vec::new();
        let mut plain = false;
        while let Some(argument) = self.args.get(self.at).filter(|argument| *argument != ":") {
            if argument == "--" {
                self.at += 1;
                plain = true;
                break;
            }
            if argument.len() < 2 || !argument.starts_with('-') {
                break;
            }
            self.option(&mut seen)?;
        }
        let rest = &self.args[self.at..];
        let end = rest
            .iter()
            .position(|argument| argument == ":")
            .unwrap_or(rest.len());
        let given = &self.given[self.at..self.at + end];
        if let Some((program, arguments)) = given.split_first() {
            if !plain {
                line::refuse_program(program, arguments)?;
            }
            let label = Label {
                cmd: program.clone(),
                argv: arguments.to_vec(),
                ..Label::default()
            };
            self.intake.set_label(app_id(self.app), label);
        }
        self.at += end;
        Ok(())
    }

    fn refuse<T>(&self, option: &str, fault: OptionFault) -> Result<T, SpecError> {
        Err(SpecError::BadOption {
            option: option.to_owned(),
            app: self.app,
            fault,
        })
    }

    /// Reads one option with its value. Returns its row, and its name as given.
    pub(super) fn option(
        &mut self,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(&'static Row, String), SpecError> {
        let argument = self.args[self.at].clone();
        self.at += 1;
        let name = argument
            .strip_prefix("--")
            .or_else(|| argument.strip_prefix('-'))
            .unwrap_or(&argument);
        let (name, inline) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        let given = argument.split('=').next().unwrap_or(&argument).to_owned();
        let Some(row) = find(name) else {
            let value = inline.or_else(|| self.args.get(self.at).cloned());
            let nearest = foreign::ours(name, value.as_deref()).or_else(|| nearest(name));
            return self.refuse(&given, OptionFault::Unknown { nearest });
        };
        let value = match (row.takes, inline) {
            (Takes::Nothing, Some(_)) => return self.refuse(&given, OptionFault::UnwantedValue),
            (Takes::Nothing, None) => String::new(),
            (Takes::Maybe, value) => value.unwrap_or_default(),
            (Takes::One, Some(value)) => value,
            (Takes::One, None) => self.next_value(&given)?,
            (Takes::Two, Some(key)) => format!("{key}\0{}", self.next_value(&given)?),
            (Takes::Two, None) => {
                format!("{}\0{}", self.next_value(&given)?, self.next_value(&given)?)
            }
        };
        self.take(row, &given, &value, seen)?;
        Ok((row, given))
    }

    fn next_value(&mut self, given: &str) -> Result<String, SpecError> {
        match self.args.get(self.at) {
            Some(value) if value != ":" => {
                self.at += 1;
                Ok(value.clone())
            }
            Some(_) | None => self.refuse(given, OptionFault::NoValue),
        }
    }

    /// The owner of this segment's directives. Those of the first segment are the job's.
    pub(super) const fn owner(&self) -> Owner {
        if self.app == 0 {
            Owner::Job
        } else {
            Owner::App(self.app)
        }
    }

    /// Records the value of an option as a text that has words in it.
    pub(super) fn text(&mut self, option: &str, value: &str) -> u32 {
        let text = AtText::Value {
            app: Some(self.app),
            option: option.to_owned(),
            value: value.to_owned(),
        };
        self.intake.text(text)
    }

    pub(super) fn once(
        &self,
        seen: &mut Vec<(Once, String)>,
        what: Once,
        given: &str,
    ) -> Result<(), SpecError> {
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == what) {
            return self.refuse(
                given,
                OptionFault::Twice {
                    first: first.clone(),
                },
            );
        }
        seen.push((what, given.to_owned()));
        Ok(())
    }

    pub(super) fn bad_value<T>(
        &self,
        given: &str,
        value: &str,
        range: &'static str,
    ) -> Result<T, SpecError> {
        let end = u32::try_from(value.len()).unwrap_or(u32::MAX);
        let text = AtText::Value {
            app: Some(self.app),
            option: given.to_owned(),
            value: value.to_owned(),
        };
        Err(SpecError::BadValue {
            at: At {
                text,
                start: 0,
                end,
            },
            asked: value.to_owned(),
            range,
        })
    }

    fn take(
        &mut self,
        row: &'static Row,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        if self.outer == Outer::Refused && is_outer(row.meaning, value) {
            return self.refuse(given, OptionFault::Misplaced);
        }
        let app = app_id(self.app);
        match row.meaning {
            Meaning::Np => {
                // People who know srun mean cpus by -c. The error keeps the value for its hint.
                let given = match given {
                    "-c" => format!("-c {value}"),
                    given => given.to_owned(),
                };
                self.once(seen, Once::Np, &given)?;
                let text = self.text("-n", value);
                self.intake.np(app, text, RANKS_MAX)
            }
            Meaning::Host => {
                let text = self.text("--host", value);
                self.intake.hosts(app, text, Scope::Global)
            }
            Meaning::Hostfile => {
                self.intake.hostfile(app, value, Scope::Global);
                Ok(())
            }
            // Qualifiers of old spellings are added to it; a second policy is refused.
            Meaning::MapBy => {
                self.directive(DirectiveForm::Map(MapForm::Whole), "--map-by", value, seen)
            }
            Meaning::RankBy => self.directive(DirectiveForm::Rank, "--rank-by", value, seen),
            Meaning::BindTo => self.directive(DirectiveForm::Bind, "--bind-to", value, seen),
            Meaning::Old(old) => {
                let new = row.help.replace(row.metavar, value);
                self.notes.push(Note::OldSpelling {
                    old: given.to_owned(),
                    new,
                });
                self.old(old, given, value, seen)
            }
            Meaning::Gpus | Meaning::GpusPerRank => self.gpus(row.meaning, given, value, seen),
            Meaning::Ignored | Meaning::Rtos => Ok(()),
            Meaning::Exported | Meaning::Omp | Meaning::Levels => {
                self.thread_words(row.meaning, given, value, seen)
            }
            Meaning::Display => self.display(given, value),
            Meaning::Topo
            | Meaning::Devices
            | Meaning::Columns
            | Meaning::Mca
            | Meaning::Head
            | Meaning::Session
            | Meaning::As
            | Meaning::Target
            | Meaning::Alloc
            | Meaning::Granted
            | Meaning::Env
            | Meaning::EnvFile
            | Meaning::EnvHere
            | Meaning::Site
            | Meaning::RankOrder
            | Meaning::Taskmap
            | Meaning::LsfAffinity
            | Meaning::FromEnv
            | Meaning::Format
            | Meaning::Output
            | Meaning::Save
            | Meaning::Node
            | Meaning::Ranks
            | Meaning::App
            | Meaning::Threads
            | Meaning::Here
            | Meaning::ShowAttributes => self.job_option(row.meaning, given, value, seen),
        }
    }

    /// Takes a directive. An app may have one of each kind.
    pub(super) fn directive(
        &mut self,
        form: DirectiveForm,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        let once = match form {
            DirectiveForm::Map(_) => Once::Map,
            DirectiveForm::Rank => Once::Rank,
            DirectiveForm::Bind => Once::Bind,
        };
        self.once(seen, once, given)?;
        let text = self.text(given, value);
        self.intake
            .directive(self.owner(), form, text, Scope::Global)
    }

    /// Takes `--display`. Showing the map is an option of the job, on whichever app it is given.
    fn display(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        for word in value.split(',') {
            let key = match word.to_ascii_lowercase().as_str() {
                "map" => Some(keys::JOB_DISPLAY_MAP),
                "map-devel" => Some(keys::JOB_DISPLAY_DEVEL_MAP),
                "allocation" | "bind" | "topo" => None,
                _ => {
                    return self.bad_value(
                        given,
                        word,
                        "word of: map map-devel allocation bind topo",
                    );
                }
            };
            if let Some(key) = key {
                let text = self.text(given, value);
                let app = Owner::App(self.app);
                self.intake.single(app, key, text, Scope::Global)?;
            }
        }
        Ok(())
    }

    fn threads(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        let digits = value.bytes().all(|byte| byte.is_ascii_digit());
        match value.parse::<usize>() {
            Ok(threads) if threads > 0 && digits => {
                self.job.threads = Some(threads);
                Ok(())
            }
            Ok(_) | Err(_) => self.bad_value(given, value, "number of threads, at least 1"),
        }
    }

    fn job_option(
        &mut self,
        meaning: Meaning,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        let repeatable = matches!(
            meaning,
            Meaning::Topo
                | Meaning::Devices
                | Meaning::Mca
                | Meaning::Target
                | Meaning::Env
                | Meaning::EnvFile
                | Meaning::EnvHere
        );
        if meaning == Meaning::Format {
            self.once(seen, Once::Format, given)?;
        } else if !repeatable {
            self.once(seen, Once::Job(meaning), given)?;
        }
        let some = || Some(value.to_owned());
        match meaning {
            Meaning::Topo => self.job.topos.push(topology(value)),
            Meaning::Devices => self.job.devices.push(value.to_owned()),
            Meaning::Columns => return self.columns(given, value),
            Meaning::Mca => match value.split_once('\0') {
                Some(("hwloc_use_topo_file", file)) => self.job.topos.push((None, file.to_owned())),
                Some(("hwloc_default_cpu_list", list)) if list.contains('=') => {
                    self.job.cpu_lists.push(list.to_owned());
                }
                Some(("hwloc_default_cpu_list", list)) => {
                    self.job.default_cpu_list = Some(list.to_owned())
                }
                Some(_) | None => {}
            },
            Meaning::Head => self.job.head = some(),
            Meaning::Session => self.job.session = some(),
            Meaning::As => self.job.as_ns = some(),
            Meaning::Target => self.job.targets.push(value.to_owned()),
            Meaning::Alloc => self.job.alloc = some(),
            Meaning::Granted => self.job.granted = some(),
            Meaning::Env => match value.split_once('=') {
                Some((name, value)) if !name.is_empty() => {
                    self.job.env.push((name.to_owned(), value.to_owned()));
                }
                Some(_) | None => return self.bad_value(given, value, "NAME=VALUE"),
            },
            Meaning::EnvFile => self.job.env_files.push(value.to_owned()),
            Meaning::EnvHere => self.job.env_here = true,
            Meaning::Site => self.job.site = some(),
            Meaning::RankOrder => self.job.rank_order = some(),
            Meaning::Taskmap => self.job.taskmap = some(),
            Meaning::LsfAffinity => self.job.lsf_affinity = some(),
            Meaning::FromEnv => self.job.from_env = some(),
            Meaning::Output => self.job.output = some(),
            Meaning::Save => self.job.save = some(),
            Meaning::Node => self.job.parts.node = some(),
            Meaning::Ranks => self.job.parts.ranks = some(),
            Meaning::App => self.job.parts.app = some(),
            Meaning::Format => self.format(given, value)?,
            Meaning::Threads => return self.threads(given, value),
            Meaning::Here => self.job.here = some(),
            Meaning::ShowAttributes => match value {
                "" => self.job.show_attributes = Some(Show::After),
                "before" => self.job.show_attributes = Some(Show::Before),
                _ => return self.bad_value(given, value, "word of: before"),
            },
            Meaning::Np
            | Meaning::Host
            | Meaning::Hostfile
            | Meaning::MapBy
            | Meaning::RankBy
            | Meaning::BindTo
            | Meaning::Old(_)
            | Meaning::Gpus
            | Meaning::GpusPerRank
            | Meaning::Display
            | Meaning::Rtos
            | Meaning::Exported
            | Meaning::Omp
            | Meaning::Levels
            | Meaning::Ignored => {}
        }
        Ok(())
    }

    fn format(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        let mut formats = FORMATS.iter();
        match formats.find(|(word, _)| word.eq_ignore_ascii_case(value)) {
            Some(&(_, format)) => self.job.format = Some(format),
            None => {
                let words = "word of: text map tsv json taskmap pmi raw";
                return self.bad_value(given, value, words);
            }
        }
        Ok(())
    }
}

/// Whether an option says what the machine is, what else the system has, or how the answer is written.
fn is_outer(meaning: Meaning, value: &str) -> bool {
    match meaning {
        Meaning::Mca => matches!(
            value.split_once('\0'),
            Some(("hwloc_use_topo_file" | "hwloc_default_cpu_list", _))
        ),
        Meaning::Topo
        | Meaning::Head
        | Meaning::Session
        | Meaning::As
        | Meaning::Target
        | Meaning::EnvFile
        | Meaning::EnvHere
        | Meaning::FromEnv
        | Meaning::Format
        | Meaning::Display
        | Meaning::Output
        | Meaning::Save
        | Meaning::Threads
        | Meaning::ShowAttributes
        | Meaning::Devices
        | Meaning::Columns
        | Meaning::Node
        | Meaning::Ranks
        | Meaning::RankOrder
        | Meaning::App
        | Meaning::Here => true,
        Meaning::Np
        | Meaning::Host
        | Meaning::Hostfile
        | Meaning::MapBy
        | Meaning::RankBy
        | Meaning::BindTo
        | Meaning::Old(_)
        | Meaning::Gpus
        | Meaning::GpusPerRank
        | Meaning::Taskmap
        | Meaning::LsfAffinity
        | Meaning::Alloc
        | Meaning::Granted
        | Meaning::Exported
        | Meaning::Omp
        | Meaning::Levels
        | Meaning::Env
        | Meaning::Site
        | Meaning::Rtos
        | Meaning::Ignored => false,
    }
}

/// Reads `NODES=T` if there is no space, `(` or `/` before the first `=`, otherwise a topology for all nodes.
fn topology(value: &str) -> (Option<String>, String) {
    match value.split_once('=') {
        Some((nodes, topology)) if !nodes.contains([' ', '(', '/']) => {
            (Some(nodes.to_owned()), topology.to_owned())
        }
        Some(_) | None => (None, value.to_owned()),
    }
}
