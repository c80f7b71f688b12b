//! A job that is still being described. It starts empty, or from words, a request or bytes. If something is set twice, the last
//! value counts.

use crate::job::args::{JobArgs, MapArgs, Outer, read_args};
use crate::job::error::{JobError, told, value};
use crate::job::files::GivenFiles;
use crate::job::line::LineArgs;
use crate::job::our_words::of_another;
use crate::job::place::check_words;
use crate::job::program::refuse_empty_program;
use crate::job::request::read_open;
use crate::job::typed::{Set, Typed, hostfile_name};
pub use crate::job::whose::{Kind, Whose};
use std::collections::BTreeMap;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::limit::{APPS_MAX, RANKS_MAX, TEXT_BYTES_MAX};
use stowplan_engine::policy::{BindTo, RankBy};
use stowplan_engine::spawn::SpawnRequest;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::inherit::Parent;
use stowplan_engine::spawn::intake::Intake;
use stowplan_engine::spawn::keys;
use stowplan_engine::spawn::request::app_id;
use stowplan_engine::spawn::request::{AppRow, Label};
use stowplan_engine::stage::map_word::word_row;
use stowplan_engine::text::said::MapChoice;

/// A job that is still being described.
///
/// ```
/// use stowplan::job::draft::{Draft, Kind, Whose};
///
/// let mut draft = Draft::default();
/// let app = draft.add_app("./ocean", Some(4))?;
/// draft.set_hosts(app, "a:4")?;
/// draft.set_policy(Kind::Map, Whose::Job, "core")?;
/// let refused = draft.set_policy(Kind::Map, Whose::App(app), "core:pee=2").unwrap_err();
/// assert_eq!((refused.class(), refused.text()), ("bad-qualifier", Some(("core:pee=2", 5..10))));
/// assert_eq!(draft.finish()?.asked.taken.request.apps().len(), 1);
/// # Ok::<(), stowplan::job::error::JobError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The request before anything was set.
    base: Intake,
    args: JobArgs,
    parent: Option<Parent>,
    notes: Vec<Note>,
    policies: BTreeMap<(Whose, Kind), String>,
    hosts: BTreeMap<u32, String>,
    hostfiles: BTreeMap<u32, String>,
    /// Variables by owner, in the order in which they were set first.
    variables: Vec<(Whose, String, String)>,
    files: GivenFiles,
    begun: Begun,
}

/// How a draft began.
#[derive(Clone, Debug, Default)]
enum Begun {
    /// Without anything.
    #[default]
    Empty,
    /// From words or a request, which nothing has changed since.
    As(Typed),
}

/// A job whose words are valid, each by itself, with the files that were given.
#[derive(Clone, Debug)]
pub struct Job {
    /// What is asked.
    pub asked: MapArgs,
    /// The files that it may name.
    pub files: GivenFiles,
    /// What it was made of.
    pub typed: Typed,
}

impl Draft {
    /// Reads the words of a command line after the launcher's name.
    ///
    /// # Errors
    /// As `stowplan map`. Options of the machine and of the output are `bad-option`.
    pub fn from_words(words: &[String]) -> Result<Self, JobError> {
        let read = read_args(words, Outer::Refused)?;
        read.clone().finish()?;
        // A launcher's line says its apps itself: our own words before it have none.
        let base = match of_another(&read.job) {
            Some(_) => Intake::new(),
            None => read.intake,
        };
        Ok(Self {
            base,
            args: read.job,
            notes: read.notes,
            begun: Begun::As(Typed::Words(words.to_vec())),
            ..Self::default()
        })
    }

    /// Reads a spawn request in JSON.
    ///
    /// # Errors
    /// As `stowplan spawn`.
    pub fn from_json(text: &str) -> Result<Self, JobError> {
        let read = read_open("request", text.as_bytes())?;
        read.intake.clone().finish()?;
        Ok(Self {
            base: read.intake,
            parent: read.parent,
            begun: Begun::As(Typed::Request(text.to_owned())),
            ..Self::default()
        })
    }

    /// The job of these parts of a [`Job`], open to changes again.
    pub(crate) fn of_parts(base: Intake, args: JobArgs, parent: Option<Parent>) -> Self {
        Self {
            base,
            args,
            parent,
            begun: Begun::As(Typed::Nothing),
            ..Self::default()
        }
    }

    /// What it began as no longer says all of it.
    fn change(&mut self) {
        if let Begun::As(typed) = &mut self.begun {
            *typed = Typed::Nothing;
        }
    }

    /// Apps so far, including holes.
    #[must_use]
    pub fn apps(&self) -> u32 {
        u32::try_from(self.base.apps().len()).unwrap_or(u32::MAX)
    }

    /// Whether there is such an app, and it is not a hole.
    #[must_use]
    pub fn has_app(&self, app: u32) -> bool {
        app < self.apps() && matches!(self.base.apps().get(app_id(app)), Some(AppRow::App { .. }))
    }

    /// Adds an app and returns its number. `procs`: `None` for as many processes as policy and slots give.
    ///
    /// # Errors
    /// `bad-value` for an empty program or 0 processes; `job-too-large`. Nothing is added then.
    pub fn add_app(&mut self, program: &str, procs: Option<u32>) -> Result<u32, JobError> {
        let app = self.apps();
        refuse_empty_program(app, program)?;
        if app >= APPS_MAX {
            return Err(too_large("apps", u64::from(app) + 1, u64::from(APPS_MAX)));
        }
        let label = Label {
            cmd: program.to_owned(),
            ..Label::default()
        };
        let digits = procs.map(|procs| procs.to_string());
        if let Some(digits) = &digits {
            let mut trial = Intake::new();
            let row = trial.text(value(Some(app), "-n", digits));
            let id = trial.push_app(Label::default());
            trial.np(id, row, RANKS_MAX)?;
        }
        self.change();
        let id = self.base.push_app(label);
        if let Some(digits) = &digits {
            let row = self.base.text(value(Some(app), "-n", digits));
            self.base.np(id, row, RANKS_MAX)?;
        }
        Ok(app)
    }

    /// Sets a policy.
    ///
    /// # Errors
    /// `bad-directive`, `bad-qualifier`, `bad-value`, `contradicting-qualifiers`, `app-forbidden-qualifier`: an error in these
    /// words alone. `job-too-large` when the text is too long. Nothing changes then.
    pub fn set_policy(&mut self, kind: Kind, whose: Whose, text: &str) -> Result<(), JobError> {
        bounded(text)?;
        judge(kind, whose, text)?;
        self.change();
        self.policies.insert((whose, kind), text.to_owned());
        Ok(())
    }

    /// Says that the word of a component stands where the map policy of the job or an app names `slot`.
    pub fn set_map_word(&mut self, whose: Whose, word: &str) {
        self.change();
        self.base.keep(word_row(whose.owner(), word));
    }

    /// A request that was made by its attributes, open to changes.
    #[must_use]
    pub fn from_request(request: SpawnRequest) -> Self {
        Self::of_parts(Intake::again(request), JobArgs::default(), None)
    }

    /// Sets the host list of an app.
    ///
    /// # Errors
    /// `bad-hostlist`, `job-too-large`. Nothing changes then.
    pub fn set_hosts(&mut self, app: u32, list: &str) -> Result<(), JobError> {
        bounded(list)?;
        let mut trial = Intake::new();
        let row = trial.text(value(Some(app), "--host", list));
        let id = trial.push_app(Label::default());
        trial.hosts(id, row, Scope::Global)?;
        self.change();
        self.hosts.insert(app, list.to_owned());
        Ok(())
    }

    /// Sets the contents of an app's hostfile. They are read when the job is placed.
    ///
    /// # Errors
    /// `job-too-large` when the text is longer than a text may be.
    pub fn set_hostfile(&mut self, app: u32, text: &str) -> Result<(), JobError> {
        bounded(text)?;
        self.change();
        self.hostfiles.insert(app, text.to_owned());
        Ok(())
    }

    /// Sets a variable of an app's processes, or of those of all apps. Those of OpenMP say where threads go.
    ///
    /// # Errors
    /// `bad-value` for a name or value that no environment can hold; `job-too-large`. Nothing changes then.
    pub fn set_variable(&mut self, whose: Whose, name: &str, value: &str) -> Result<(), JobError> {
        bounded(name)?;
        bounded(value)?;
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return Err(told(
                "bad-value",
                format!(
                    "the variable {name:?}: a name has no = and is not empty, and nothing has zero bytes"
                ),
            ));
        }
        self.change();
        let mut known = self.variables.iter_mut();
        match known.find(|(own, other, _)| *own == whose && other == name) {
            Some((_, _, own)) => value.clone_into(own),
            None => self
                .variables
                .push((whose, name.to_owned(), value.to_owned())),
        }
        Ok(())
    }

    /// Gives the contents of a file that words name.
    ///
    /// # Errors
    /// `job-too-large` when the text is longer than a text may be.
    pub fn set_file(&mut self, name: &str, text: &str) -> Result<(), JobError> {
        bounded(text)?;
        self.files.give(name, text);
        Ok(())
    }

    /// Makes the job as it was described.
    ///
    /// # Errors
    /// `bad-request` when there is no app; words of one owner that contradict each other, or words on an app that only a job may
    /// say.
    ///
    /// Cost: linear in what was said.
    pub fn finish(&self) -> Result<Job, JobError> {
        match of_another(&self.args) {
            Some(line) => self.refuse_changes(line)?,
            None if (0..self.apps()).any(|app| self.has_app(app)) => {}
            None => {
                return Err(told("bad-request", "a job needs at least one app"));
            }
        }
        let mut intake = self.base.clone();
        let mut files = self.files.clone();
        for (&(whose, kind), text) in &self.policies {
            intake.forget(whose.owner(), kind.form());
            say(&mut intake, kind, whose, text)?;
        }
        for (&app, list) in &self.hosts {
            intake.forget_key(app_id(app), keys::APP_DASH_HOST);
            let row = intake.text(value(Some(app), "--host", list));
            intake.hosts(app_id(app), row, Scope::Global)?;
        }
        for (&app, text) in &self.hostfiles {
            let name = hostfile_name(app);
            intake.forget_key(app_id(app), keys::APP_HOSTFILE);
            intake.hostfile(app_id(app), &name, Scope::Global);
            files.give(&name, text);
        }
        let mut taken = intake.finish()?;
        taken.notes.splice(0..0, self.notes.iter().cloned());
        let forbidden = taken.spoken.check_opposites();
        let forbidden = forbidden.and_then(|()| taken.spoken.check_forbidden());
        let mut job = self.args.clone();
        for (whose, name, value) in &self.variables {
            match whose.app() {
                None => job.env.push((name.clone(), value.clone())),
                Some(app) => job.exported.push((app, format!("{name}={value}"))),
            }
        }
        let typed = match &self.begun {
            Begun::As(typed) => typed.clone(),
            Begun::Empty => {
                let (policies, hosts, hostfiles) = (&self.policies, &self.hosts, &self.hostfiles);
                Set {
                    policies,
                    hosts,
                    hostfiles,
                }
                .words(&taken.request)
            }
        };
        let asked = MapArgs {
            job,
            taken,
            parent: self.parent.clone(),
        };
        if let Err(error) = forbidden {
            // Another error in the words may come first.
            check_words(asked, &files)?;
            return Err(error.into());
        }
        Ok(Job {
            asked,
            files,
            typed,
        })
    }

    /// Refuses what was set beside a launcher's line, which says all of its job.
    fn refuse_changes(&self, line: &LineArgs) -> Result<(), JobError> {
        let set = [
            ("a policy", !self.policies.is_empty()),
            ("a host list", !self.hosts.is_empty()),
            ("a hostfile", !self.hostfiles.is_empty()),
            ("a variable", !self.variables.is_empty()),
            ("an app", self.apps() > 0),
        ];
        let Some((what, _)) = set.iter().find(|(_, set)| *set) else {
            return Ok(());
        };
        Err(told(
            "bad-option",
            format!(
                "{what} was set beside a line of {}, which says all of its job itself",
                line.command
            ),
        ))
    }

    pub(crate) fn give_all(&mut self, files: GivenFiles) {
        self.files = files;
    }
}

/// What the words of one directive say. `None` for what they do not say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Said {
    /// Where processes go.
    pub map: Option<MapChoice>,
    /// In which order they get their ranks.
    pub rank: Option<RankBy>,
    /// What they are bound to.
    pub bind: Option<BindTo>,
    /// Whether there are qualifiers.
    pub qualified: bool,
}

/// Reads one directive by itself.
///
/// # Errors
/// The error in its words.
pub fn read_policy(kind: Kind, text: &str) -> Result<Said, JobError> {
    bounded(text)?;
    let mut intake = Intake::new();
    say(&mut intake, kind, Whose::Job, text)?;
    let taken = intake.finish()?;
    let (map, rank, bind) = (
        taken.spoken.map(Owner::Job).cloned(),
        taken.spoken.rank(Owner::Job).cloned(),
        taken.spoken.bind(Owner::Job).cloned(),
    );
    let map = map.unwrap_or_default();
    let bind = bind.unwrap_or_default();
    Ok(Said {
        qualified: !(map.qualifiers.is_empty() && bind.qualifiers.is_empty()),
        map: map.policy.map(|policy| policy.value),
        rank: rank.and_then(|rank| rank.policy).map(|policy| policy.value),
        bind: bind.policy.map(|policy| policy.value),
    })
}

/// Checks the words of one directive.
fn judge(kind: Kind, whose: Whose, text: &str) -> Result<(), SpecError> {
    let mut trial = Intake::new();
    say(&mut trial, kind, whose, text)?;
    // Contradictions are found only if there is an app. App 0 stands for any app.
    let mut trial = Intake::new();
    trial.push_app(Label::default());
    let stand_in = whose.app().map_or(Whose::Job, |_| Whose::App(0));
    let row = trial.text(value(whose.app(), kind.option(), text));
    trial.directive(stand_in.owner(), kind.form(), row, Scope::Global)?;
    let judged = trial.finish().and_then(|taken| {
        taken.spoken.check_opposites()?;
        taken.spoken.check_forbidden()
    });
    judged.map_err(|mut error| {
        if let SpecError::ContradictingQualifiers { owner, .. } = &mut error {
            *owner = whose.owner();
        }
        if let (SpecError::AppForbiddenQualifier { app, .. }, Some(own)) = (&mut error, whose.app())
        {
            *app = own;
        }
        error
    })
}

fn say(intake: &mut Intake, kind: Kind, whose: Whose, text: &str) -> Result<(), SpecError> {
    let row = intake.text(value(whose.app(), kind.option(), text));
    intake.directive(whose.owner(), kind.form(), row, Scope::Global)
}

fn bounded(text: &str) -> Result<(), JobError> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    Err(too_large(
        "bytes of text",
        text.len() as u64,
        TEXT_BYTES_MAX as u64,
    ))
}

fn too_large(what: &'static str, asked: u64, limit: u64) -> JobError {
    SpecError::JobTooLarge { what, asked, limit }.into()
}
