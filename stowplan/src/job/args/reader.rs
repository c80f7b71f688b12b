//! Reads the options of a command line, one after another.

use super::idiom::is_cpu_list;
use super::{JobArgs, Outer, foreign};
use crate::job::error::{self, all_of, bad_words};
use crate::job::line;
use crate::job::options::{Meaning, OptionOf, Row, Takes, Times, nearest, spelled};
use crate::job::parameters::is_machine;
use crate::job::program::refuse_empty_program;
use std::str::FromStr;
use stowplan_engine::error::spec::{OptionFault, Owner};
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::spawn::request::Label;
use stowplan_engine::spawn::request::app_id;
use stowplan_engine::text::digits::number;
use stowplan_engine::text::mapping::MapForm;
use stowplan_engine::text::said::MapChoice;

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
    /// The option that mapped the app first, and the policy that it named.
    pub(super) mapped: Option<(String, Option<MapChoice>)>,
}

/// Options that an app has, each with its name as given. What maps is `MapBy` in any spelling; so it is with ranks and bindings.
pub(super) type Seen = Vec<(Meaning, String)>;

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
            mapped: None,
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
        self.mapped = None;
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
            refuse_empty_program(self.app, program)?;
            if !plain {
                line::refuse_program(program, arguments)?;
                self.notes.extend(behind_program(program, arguments));
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

    /// Refuses an option of another launcher, and says what to type instead.
    fn foreign<T>(&self, given: &str, help: String) -> Result<T, SpecError> {
        Err(bad_words(
            "bad-option",
            format!("{given} on app {} is no option", self.app),
            vec![help],
        ))
    }

    /// Reads one option with its value. Returns its row, and its name as given.
    pub(super) fn option(&mut self, seen: &mut Seen) -> Result<(&'static Row, String), SpecError> {
        let argument = self.args[self.at].clone();
        self.at += 1;
        let spelled = spelled(&argument);
        let (name, inline) = (spelled.name, spelled.value.map(str::to_owned));
        let given = argument[..spelled.named].to_owned();
        let Some(row) = spelled.row.filter(|row| !self.is_foreign(row, name)) else {
            let value = inline.or_else(|| self.args.get(self.at).cloned());
            if let Some(help) = foreign::help(name, value.as_deref()) {
                return self.foreign(&given, help);
            }
            let nearest = nearest(name);
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

    /// A letter that takes no value and has no effect, with a number behind it, is another launcher's: `-d 8`.
    fn is_foreign(&self, row: &Row, name: &str) -> bool {
        let behind = self.args.get(self.at);
        let number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
        row.meaning == Meaning::Ignored
            && row.takes == Takes::Nothing
            && name.len() == 1
            && behind.is_some_and(number)
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
        self.intake
            .text(error::value(Some(self.app), option, value))
    }

    pub(super) fn once(
        &self,
        seen: &mut Seen,
        what: Meaning,
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

    /// A number in digits alone, at least 1.
    pub(super) fn positive<N: FromStr + PartialOrd + Default>(
        &self,
        given: &str,
        value: &str,
        range: &'static str,
    ) -> Result<N, SpecError> {
        let found = number(value).filter(|number| *number > N::default());
        found.map_or_else(|| self.bad_value(given, value, range), Ok)
    }

    pub(super) fn bad_value<T>(
        &self,
        given: &str,
        value: &str,
        range: &'static str,
    ) -> Result<T, SpecError> {
        Err(SpecError::BadValue {
            at: all_of(error::value(Some(self.app), given, value)),
            asked: value.to_owned(),
            range,
        })
    }

    #[expect(clippy::too_many_lines, reason = "a table of options")]
    fn take(
        &mut self,
        row: &'static Row,
        given: &str,
        value: &str,
        seen: &mut Seen,
    ) -> Result<(), SpecError> {
        if self.outer == Outer::Refused && is_outer(row, value) {
            return self.refuse(given, OptionFault::Misplaced);
        }
        if row.times == Times::Once {
            // People who know srun mean cpus by -c. The error keeps the value for its hint.
            let said = match given {
                "-c" => format!("-c {value}"),
                given => given.to_owned(),
            };
            self.once(seen, row.meaning, &said)?;
        }
        let app = app_id(self.app);
        match row.meaning {
            Meaning::Np => {
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
            Meaning::DefaultHostfile => {
                self.job.default_hostfile = Some(value.to_owned());
                Ok(())
            }
            // Qualifiers of old spellings are added to it; a second policy is refused.
            Meaning::MapBy => {
                self.directive(DirectiveForm::Map(MapForm::Whole), "--map-by", value, seen)
            }
            Meaning::RankBy => self.directive(DirectiveForm::Rank, "--rank-by", value, seen),
            Meaning::BindTo if is_cpu_list(value) => self.refuse_cpu_list(value),
            Meaning::BindTo => self.directive(DirectiveForm::Bind, "--bind-to", value, seen),
            Meaning::Old(old) => {
                let new = row.help.replace(row.metavar, value);
                self.notes.push(Note::OldSpelling {
                    old: given.to_owned(),
                    new,
                });
                self.spelled_out(row, given, value, seen, |reader, seen| {
                    reader.old(old, given, value, seen)
                })
            }
            Meaning::Gpus | Meaning::GpusPerRank => self.gpus(row.meaning, given, value, seen),
            Meaning::Ignored | Meaning::Rtos => Ok(()),
            Meaning::Exported | Meaning::Omp | Meaning::Levels => {
                self.thread_words(row.meaning, given, value)
            }
            Meaning::Display => self.display(given, value),
            Meaning::Topo
            | Meaning::Devices
            | Meaning::Columns
            | Meaning::Dark
            | Meaning::Size
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
            | Meaning::QuietNotes
            | Meaning::Strict
            | Meaning::Site
            | Meaning::Script
            | Meaning::LineNumber
            | Meaning::RankOrder
            | Meaning::Network
            | Meaning::NetworkLevels
            | Meaning::NodeOrder
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
            | Meaning::ShowAttributes => self.job_option(row.meaning, given, value),
        }
    }
}

/// Whether an option says what the machine is, what else the system has, or how the answer is written.
fn is_outer(row: &Row, value: &str) -> bool {
    match row.of {
        OptionOf::Line | OptionOf::Outer => true,
        OptionOf::App | OptionOf::Job | OptionOf::Command => {
            let key = value.split_once('\0');
            row.meaning == Meaning::Mca && key.is_some_and(|(key, _)| is_machine(key))
        }
    }
}

/// Options that place and that hardly another program has.
const UNLIKE_OTHERS: [&str; 10] = [
    "map-by",
    "rank-by",
    "bind-to",
    "hostfile",
    "npernode",
    "oversubscribe",
    "rankfile",
    "cpu-set",
    "report-bindings",
    "use-hwthread-cpus",
];

/// A note if one of them stands behind the program.
fn behind_program(program: &str, arguments: &[String]) -> Option<Note> {
    let option = arguments.iter().find(|word| {
        let name = word.strip_prefix("--").unwrap_or_default();
        UNLIKE_OTHERS.contains(&name.split('=').next().unwrap_or(name))
    })?;
    Some(Note::OfLine {
        class: "behind-program",
        text: format!(
            "{option} comes after {program}, which gets it: it does not place; options of the job come before the program"
        ),
    })
}
