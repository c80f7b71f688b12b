//! The command line -> what it says: a spawn request and the options of the job. Decides nothing, reads nothing.

use crate::options::{Meaning, Old, Row, Takes, find, nearest, written};
use stowplan_engine::error::at::{At, Text};
use stowplan_engine::error::spec::{OptionFault, Owner, Said};
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::policy::{CpuMode, ObjKind, PprObject};
use stowplan_engine::spawn::argv::normalize_argv;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::inherit::Parent;
use stowplan_engine::spawn::intake::{Intake, Taken, app_id};
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::Label;
use stowplan_engine::text::directive::MapForm;
use stowplan_engine::text::said::MapChoice;
use stowplan_engine::text::words::MapQualifier;

/// How a plan is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// The layout of prterun's `--display map`.
    Map,
    /// The same, in detail.
    MapDevel,
    /// A line per rank.
    Tsv,
    /// Compact, for programs.
    Json,
    /// RFC 34.
    Taskmap,
    /// PMI's process mapping.
    Pmi,
    /// A list of nodes by rank.
    Raw,
}

/// Formats by the word of `--format`.
pub const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("map", Format::Map),
    ("tsv", Format::Tsv),
    ("json", Format::Json),
    ("taskmap", Format::Taskmap),
    ("pmi", Format::Pmi),
    ("raw", Format::Raw),
];

/// What `--show-attributes` shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// What was set.
    Before,
    /// What came through the relay, promoted and inherited.
    After,
}

/// The options of the job: all but policies, counts and hosts.
#[derive(Clone, Debug)]
pub struct JobArgs {
    /// Topologies: for all nodes, or for the nodes of a host list.
    pub topos: Vec<(Option<String>, String)>,
    /// The local node.
    pub head: Option<String>,
    /// The cpus of every node that may be used.
    pub default_cpu_list: Option<String>,
    /// What an inferred slot is: `--use-hwthread-cpus` makes it a PU.
    pub slots_by: CpuMode,
    /// `--format`, if given.
    pub format: Option<Format>,
    /// `-o`.
    pub output: Option<String>,
    /// `--save`.
    pub save: Option<String>,
    /// `--threads`.
    pub threads: Option<usize>,
    /// `--session`.
    pub session: Option<String>,
    /// `--as`.
    pub as_ns: Option<String>,
    /// `--target`.
    pub targets: Vec<String>,
    /// `--taskmap`.
    pub taskmap: Option<String>,
    /// `--lsf-affinity`.
    pub lsf_affinity: Option<String>,
    /// `--from-env`.
    pub from_env: Option<String>,
    /// `--show-attributes`.
    pub show_attributes: Option<Show>,
}

impl Default for JobArgs {
    fn default() -> Self {
        Self {
            topos: Vec::new(),
            head: None,
            default_cpu_list: None,
            slots_by: CpuMode::Core,
            format: None,
            output: None,
            save: None,
            threads: None,
            session: None,
            as_ns: None,
            targets: Vec::new(),
            taskmap: None,
            lsf_affinity: None,
            from_env: None,
            show_attributes: None,
        }
    }
}

/// A job to map: its options, and its request, not yet relayed.
#[derive(Clone, Debug)]
pub struct MapArgs {
    /// The options of the job.
    pub job: JobArgs,
    /// The request, its words and notes.
    pub taken: Taken,
    /// The parent that spawned it, in a request.
    pub parent: Option<Parent>,
}

/// The command line of `map`.
///
/// # Errors
/// The first wrong option, word or value, left to right; then contradictions inside the words of one app.
pub fn map_args(args: &[String]) -> Result<MapArgs, SpecError> {
    let mut args = args.to_vec();
    // The personality has no effect on placement; the scan still renames the old spellings.
    normalize_argv(&mut args);
    let mut reader = Reader {
        args: &args,
        at: 0,
        app: 0,
        intake: Intake::new(),
        job: JobArgs::default(),
        notes: Vec::new(),
    };
    reader.segments()?;
    let Reader {
        intake, job, notes, ..
    } = reader;
    if job.taskmap.is_some() {
        return with_taskmap(intake, job, notes);
    }
    let mut taken = intake.finish()?;
    taken.notes.splice(0..0, notes);
    Ok(MapArgs {
        job,
        taken,
        parent: None,
    })
}

/// A task map places as seq does; no mapping may be named beside it.
fn with_taskmap(mut intake: Intake, job: JobArgs, notes: Vec<Note>) -> Result<MapArgs, SpecError> {
    let value = job.taskmap.clone().unwrap_or_default();
    let text = Text::Value {
        app: None,
        option: "--taskmap".to_owned(),
        value,
    };
    let named = intake.clone().finish()?.spoken.names_a_map();
    if let Some((owner, second)) = named {
        let end = u32::try_from(text.content().len()).unwrap_or(u32::MAX);
        let first = Said {
            word: "--taskmap".to_owned(),
            at: Some(At {
                text,
                start: 0,
                end,
            }),
        };
        let why = "a task map says where each rank goes";
        return Err(SpecError::ContradictingQualifiers {
            owner,
            first,
            second,
            why,
        });
    }
    let row = intake.text(text);
    intake.map_choice(Owner::Job, MapChoice::Seq, row);
    let mut taken = intake.finish()?;
    taken.notes.splice(0..0, notes);
    Ok(MapArgs {
        job,
        taken,
        parent: None,
    })
}

/// The options of the job alone, as `spawn` takes them: the first argument that is no option is given back.
///
/// # Errors
/// `bad-option` for options of apps and for what is unknown; `bad-value`.
pub fn job_args(args: &[String]) -> Result<(Vec<String>, JobArgs), SpecError> {
    let mut args = args.to_vec();
    normalize_argv(&mut args);
    let mut reader = Reader {
        args: &args,
        at: 0,
        app: 0,
        intake: Intake::new(),
        job: JobArgs::default(),
        notes: Vec::new(),
    };
    let mut words = Vec::new();
    while let Some(argument) = reader.args.get(reader.at) {
        if argument != "-" && argument.starts_with('-') {
            let mut seen = Vec::new();
            let (row, given) = reader.option(&mut seen)?;
            let fine = match row.meaning {
                Meaning::Np
                | Meaning::Host
                | Meaning::Hostfile
                | Meaning::MapBy
                | Meaning::RankBy
                | Meaning::BindTo
                | Meaning::Old(_)
                | Meaning::Taskmap => false,
                Meaning::Topo
                | Meaning::Mca
                | Meaning::Head
                | Meaning::Session
                | Meaning::As
                | Meaning::Target
                | Meaning::LsfAffinity
                | Meaning::FromEnv
                | Meaning::Format
                | Meaning::Display
                | Meaning::Rtos
                | Meaning::Output
                | Meaning::Save
                | Meaning::Threads
                | Meaning::ShowAttributes
                | Meaning::Ignored => true,
            };
            if !fine {
                return Err(SpecError::BadOption {
                    option: given,
                    app: 0,
                    fault: OptionFault::Misplaced,
                });
            }
        } else {
            words.push(argument.clone());
            reader.at += 1;
        }
    }
    Ok((words, reader.job))
}

struct Reader<'a> {
    args: &'a [String],
    at: usize,
    /// The app being read.
    app: u32,
    intake: Intake,
    job: JobArgs,
    notes: Vec<Note>,
}

/// Options of which an app takes one only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Once {
    Np,
    Map,
    Rank,
    Bind,
    Format,
    Job(Meaning),
}

impl Reader<'_> {
    /// Each segment is an app; empty ones are passed over.
    fn segments(&mut self) -> Result<(), SpecError> {
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
        while let Some(argument) = self.args.get(self.at).filter(|argument| *argument != ":") {
            if argument == "--" {
                self.at += 1;
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
        if let Some((program, arguments)) = rest[..end].split_first() {
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

    /// Reads one option with its value. Gives its row, and its spelling.
    fn option(
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
            return self.refuse(
                &given,
                OptionFault::Unknown {
                    nearest: nearest(name),
                },
            );
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

    /// Whose the directives of this segment are: the first one's are the job's.
    const fn owner(&self) -> Owner {
        if self.app == 0 {
            Owner::Job
        } else {
            Owner::App(self.app)
        }
    }

    /// The value of an option as a text that words stand in.
    fn text(&mut self, option: &str, value: &str) -> u32 {
        let text = Text::Value {
            app: Some(self.app),
            option: option.to_owned(),
            value: value.to_owned(),
        };
        self.intake.text(text)
    }

    fn once(
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

    fn bad_value<T>(&self, given: &str, value: &str, range: &'static str) -> Result<T, SpecError> {
        let end = u32::try_from(value.len()).unwrap_or(u32::MAX);
        let text = Text::Value {
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
        let app = app_id(self.app);
        match row.meaning {
            Meaning::Np => {
                self.once(seen, Once::Np, given)?;
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
            Meaning::MapBy => {
                // Qualifiers of old spellings join it; another policy does not.
                self.once(seen, Once::Map, given)?;
                let text = self.text("--map-by", value);
                self.intake.map(self.owner(), MapForm::Whole, text, None)
            }
            Meaning::RankBy => {
                self.once(seen, Once::Rank, given)?;
                let text = self.text("--rank-by", value);
                self.intake.rank(self.owner(), text, None)
            }
            Meaning::BindTo => {
                self.once(seen, Once::Bind, given)?;
                let text = self.text("--bind-to", value);
                self.intake.bind(self.owner(), text, None)
            }
            Meaning::Old(old) => {
                let new = row.help.replace(row.metavar, value);
                self.notes.push(Note::OldSpelling {
                    old: given.to_owned(),
                    new,
                });
                self.old(old, given, value, seen)
            }
            Meaning::Ignored | Meaning::Rtos => Ok(()),
            Meaning::Display => self.display(given, value),
            Meaning::Topo
            | Meaning::Mca
            | Meaning::Head
            | Meaning::Session
            | Meaning::As
            | Meaning::Target
            | Meaning::Taskmap
            | Meaning::LsfAffinity
            | Meaning::FromEnv
            | Meaning::Format
            | Meaning::Output
            | Meaning::Save
            | Meaning::Threads
            | Meaning::ShowAttributes => self.job_option(row.meaning, given, value, seen),
        }
    }

    fn old(
        &mut self,
        old: Old,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        let owner = self.owner();
        let text = self.text(given, value);
        let form = match old {
            Old::PerNode => Some(MapForm::PprOn(PprObject::Node)),
            Old::PerPackage => Some(MapForm::PprOn(PprObject::Kind(ObjKind::Package))),
            Old::Ppr => Some(MapForm::Ppr),
            Old::CpuSet => Some(MapForm::PeList),
            Old::CpusPerProc => return self.intake.map(owner, MapForm::Pe, text, None),
            Old::OnePerNode
            | Old::ByNode
            | Old::ByCore
            | Old::BySlot
            | Old::Rankfile
            | Old::Oversubscribe
            | Old::NoOversubscribe
            | Old::NoLocal
            | Old::HwtCpus
            | Old::BindToCore
            | Old::BindToPackage => None,
        };
        if let Some(form) = form {
            self.once(seen, Once::Map, given)?;
            return self.intake.map(owner, form, text, None);
        }
        let choice = match old {
            Old::OnePerNode => MapChoice::Ppr {
                per: 1,
                on: PprObject::Node,
            },
            Old::ByNode => MapChoice::Node,
            Old::ByCore => MapChoice::Object(ObjKind::Core),
            Old::BySlot => MapChoice::Slot,
            Old::Rankfile => {
                self.once(seen, Once::Map, given)?;
                let whole = self.text(given, &format!("rankfile:file={value}"));
                return self.intake.map(owner, MapForm::Whole, whole, None);
            }
            Old::BindToCore | Old::BindToPackage => {
                self.once(seen, Once::Bind, given)?;
                let target = if old == Old::BindToCore {
                    "core"
                } else {
                    "package"
                };
                let whole = self.text(given, target);
                return self.intake.bind(owner, whole, None);
            }
            Old::Oversubscribe => return self.qualifier(MapQualifier::Oversubscribe, text),
            Old::NoOversubscribe => return self.qualifier(MapQualifier::NoOversubscribe, text),
            Old::NoLocal => return self.qualifier(MapQualifier::NoLocal, text),
            Old::HwtCpus => {
                self.job.slots_by = CpuMode::Hwthread;
                return self.qualifier(MapQualifier::HwtCpus, text);
            }
            Old::PerNode | Old::PerPackage | Old::Ppr | Old::CpuSet | Old::CpusPerProc => {
                return Ok(());
            }
        };
        self.once(seen, Once::Map, given)?;
        self.intake.map_choice(owner, choice, text);
        Ok(())
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "as the other ways to take an option"
    )]
    fn qualifier(&mut self, qualifier: MapQualifier, text: u32) -> Result<(), SpecError> {
        self.intake.map_flag(self.owner(), qualifier, text, None);
        Ok(())
    }

    /// Showing the map is the job's, on whichever app it is asked.
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
                self.intake.single(
                    Owner::App(self.app),
                    key,
                    Value::Bool(true),
                    text,
                    Scope::Global,
                )?;
            }
        }
        Ok(())
    }

    fn job_option(
        &mut self,
        meaning: Meaning,
        given: &str,
        value: &str,
        seen: &mut Vec<(Once, String)>,
    ) -> Result<(), SpecError> {
        let repeatable = matches!(meaning, Meaning::Topo | Meaning::Mca | Meaning::Target);
        if meaning == Meaning::Format {
            self.once(seen, Once::Format, given)?;
        } else if !repeatable {
            self.once(seen, Once::Job(meaning), given)?;
        }
        let some = || Some(value.to_owned());
        match meaning {
            Meaning::Topo => self.job.topos.push(topology(value)),
            Meaning::Mca => match value.split_once('\0') {
                Some(("hwloc_use_topo_file", file)) => self.job.topos.push((None, file.to_owned())),
                Some(("hwloc_default_cpu_list", list)) => {
                    self.job.default_cpu_list = Some(list.to_owned())
                }
                Some(_) | None => {}
            },
            Meaning::Head => self.job.head = some(),
            Meaning::Session => self.job.session = some(),
            Meaning::As => self.job.as_ns = some(),
            Meaning::Target => self.job.targets.push(value.to_owned()),
            Meaning::Taskmap => self.job.taskmap = some(),
            Meaning::LsfAffinity => self.job.lsf_affinity = some(),
            Meaning::FromEnv => self.job.from_env = some(),
            Meaning::Output => self.job.output = some(),
            Meaning::Save => self.job.save = some(),
            Meaning::Format => match FORMATS
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(value))
            {
                Some(&(_, format)) => self.job.format = Some(format),
                None => {
                    return self.bad_value(
                        given,
                        value,
                        "word of: text map tsv json taskmap pmi raw",
                    );
                }
            },
            Meaning::Threads => match value.parse::<usize>() {
                Ok(threads) if threads > 0 && value.bytes().all(|b| b.is_ascii_digit()) => {
                    self.job.threads = Some(threads);
                }
                Ok(_) | Err(_) => {
                    return self.bad_value(given, value, "number of threads, at least 1");
                }
            },
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
            | Meaning::Display
            | Meaning::Rtos
            | Meaning::Ignored => {}
        }
        Ok(())
    }
}

/// `NODES=T` where no space, `(` or `/` stands before the first `=`; else a topology for all nodes.
fn topology(value: &str) -> (Option<String>, String) {
    match value.split_once('=') {
        Some((nodes, topology)) if !nodes.contains([' ', '(', '/']) => {
            (Some(nodes.to_owned()), topology.to_owned())
        }
        Some(_) | None => (None, value.to_owned()),
    }
}

/// The spelling of an option in messages.
#[must_use]
pub fn spelling(row: &Row) -> String {
    written(row.names[0])
}
