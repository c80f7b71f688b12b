//! A job as a user would type it: generators make it, the shrinker makes it smaller, and it is printed as a command to paste.

use crate::catalogue::{Entry, MACHINES};
use std::fmt::Write as _;
use stowplan_engine::error::at::AtText;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::error::{MapError, Note};
use stowplan_engine::limit::RANKS_MAX;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::Label;
use stowplan_engine::stage::resolve::{Context, Files, Resolved, resolve};
use stowplan_engine::text::mapping::MapForm;

/// One app's part of the command line. An empty field is not on it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct App {
    /// `-n`, as digits.
    pub np: Option<u32>,
    /// `-H`.
    pub hosts: Option<String>,
    /// `--hostfile`: the name of one of [`Job::files`].
    pub hostfile: Option<String>,
    /// `--map-by`.
    pub map: Option<String>,
    /// `--rank-by`.
    pub rank: Option<String>,
    /// `--bind-to`.
    pub bind: Option<String>,
    /// `--gpus`; digits mean `--gpus-per-rank`.
    pub gpus: Option<String>,
}

impl App {
    fn gpu_option(&self) -> &'static str {
        let digits = self
            .gpus
            .as_ref()
            .is_some_and(|said| said.bytes().all(|byte| byte.is_ascii_digit()));
        if digits { "--gpus-per-rank" } else { "--gpus" }
    }

    /// Its options with their values, in the order in which they are written and read.
    #[must_use]
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let np = self.np.map(|np| np.to_string());
        let said = [
            ("-H", &self.hosts),
            ("--hostfile", &self.hostfile),
            ("-n", &np),
            ("--map-by", &self.map),
            ("--rank-by", &self.rank),
            ("--bind-to", &self.bind),
            (self.gpu_option(), &self.gpus),
        ];
        let words = said
            .into_iter()
            .filter_map(|(option, value)| Some((option, value.clone()?)));
        words.collect()
    }
}

/// A job with everything that its placement depends on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Job {
    /// The topology of every node: a row of the catalogue.
    pub machine: usize,
    /// Nodes with another topology.
    pub others: Vec<(String, usize)>,
    /// The node the launcher runs on.
    pub head: Option<String>,
    /// Which cpus of every node may be used.
    pub cpu_list: Option<String>,
    /// Files by name.
    pub files: Vec<(String, String)>,
    /// The apps.
    pub apps: Vec<App>,
}

/// Files by name, held in memory.
pub struct Held<'a>(pub &'a [(String, String)]);

impl Files for Held<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let found = self.0.iter().find(|(name, _)| name == path);
        let missing = || "No such file or directory".to_owned();
        found
            .map(|(_, text)| text.clone().into_bytes())
            .ok_or_else(missing)
    }
}

impl Job {
    /// The input of the engine and the reference. The job goes through the words and the relay, as a command line does.
    ///
    /// # Errors
    /// The error of the words. Cost: linear in the text.
    pub fn resolve(&self) -> Result<(Resolved, Vec<Note>), MapError> {
        let mut intake = Intake::new();
        for (number, app) in (0..).zip(&self.apps) {
            let id = intake.push_app(Label::default());
            let owner = if number == 0 {
                Owner::Job
            } else {
                Owner::App(number)
            };
            for (option, value) in app.options() {
                let row = intake.text(AtText::Value {
                    app: (number > 0).then_some(number),
                    option: option.trim_start_matches('-').to_owned(),
                    value: value.clone(),
                });
                match option {
                    "-n" => intake.np(id, row, RANKS_MAX)?,
                    "-H" => intake.hosts(id, row, Scope::Global)?,
                    "--hostfile" => intake.hostfile(id, &value, Scope::Global),
                    "--map-by" => {
                        intake.directive(
                            owner,
                            DirectiveForm::Map(MapForm::Whole),
                            row,
                            Scope::Global,
                        )?;
                    }
                    "--rank-by" => {
                        intake.directive(owner, DirectiveForm::Rank, row, Scope::Global)?
                    }
                    "--gpus" | "--gpus-per-rank" => {
                        intake.single(owner, keys::APP_GPUS, row, Scope::Global)?;
                    }
                    _ => intake.directive(owner, DirectiveForm::Bind, row, Scope::Global)?,
                }
            }
        }
        let taken = intake.finish()?;
        let context = Context {
            parent: None,
            spoken: &taken.spoken,
            affinity: None,
            files: &Held(&self.files),
        };
        Ok((resolve(taken.request, context)?, taken.notes))
    }

    /// The job as a command to paste into a shell. The lines before the command make its files.
    #[must_use]
    pub fn command_line(&self, topology: impl Fn(usize) -> String) -> String {
        let mut text = String::new();
        for (name, content) in &self.files {
            let _ = writeln!(text, "printf '%s' '{content}' > {name}");
        }
        let _ = write!(
            text,
            "stowplan map --format tsv --topo '{}'",
            topology(self.machine)
        );
        for (nodes, machine) in &self.others {
            let _ = write!(text, " --topo '{nodes}={}'", topology(*machine));
        }
        let machines = std::iter::once(("", self.machine));
        let others = self
            .others
            .iter()
            .map(|(nodes, machine)| (nodes.as_str(), *machine));
        for (nodes, machine) in machines.chain(others) {
            let between = if nodes.is_empty() { "" } else { "=" };
            let devices = MACHINES.get(machine).map(Entry::devices);
            for (word, value) in devices.into_iter().flatten() {
                match value {
                    Some(value) => {
                        let _ = write!(text, " --devices {nodes}{between}{word}={value}");
                    }
                    None if between == "=" => {
                        let _ = write!(text, " --devices {nodes}={word}=none");
                    }
                    None => {}
                }
            }
        }
        if let Some(head) = &self.head {
            let _ = write!(text, " --head {head}");
        }
        if let Some(list) = &self.cpu_list {
            let _ = write!(text, " --prtemca hwloc_default_cpu_list {list}");
        }
        for (number, app) in self.apps.iter().enumerate() {
            text.push_str(if number > 0 { " :" } else { "" });
            for (option, value) in app.options() {
                let plain = value
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ":,=+-.".contains(c));
                let quote = if plain && !value.is_empty() { "" } else { "'" };
                let _ = write!(text, " {option} {quote}{value}{quote}");
            }
        }
        text
    }
}
