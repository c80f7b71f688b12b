//! Errors and notes, as data with a stable class.

use crate::job::error::{JobError, one_line};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use stowplan_engine::error::{Class, MapError};
use stowplan_engine::plan::BadPlan;
use stowplan_engine::planner::NoSuchNode;
use stowplan_engine::taskmap::TaskMapError;
use stowplan_judge::Fault;
use stowplan_topo::TopoError;

/// Why something is refused.
///
/// The class is stable (`docs/errors.md`): match on the class, and show the message.
///
/// ```
/// let refused = stowplan::Job::builder().map_by("core:oversubscripe").build().unwrap_err();
/// assert_eq!(refused.class(), "bad-qualifier");
/// assert_eq!(refused.hint(), Some("did you mean oversubscribe?"));
/// let (text, span) = (refused.text().unwrap(), refused.span().unwrap());
/// assert_eq!((text, &text[span]), ("core:oversubscripe", "oversubscripe"));
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    told: Box<Told>,
}

/// What an error says.
#[derive(Clone, PartialEq, Eq)]
struct Told {
    class: Class,
    message: String,
    app: Option<u32>,
    hint: Option<String>,
    /// What a launcher's line needs, before the hint.
    help: Vec<String>,
    text: Option<(String, Range<usize>)>,
    asked: Asked,
}

/// What finds jobs that would work in place of a refused one.
pub(crate) trait Remedies: Send + Sync {
    /// Changes that make the job work, a line each.
    fn remedies(&self) -> Vec<String>;
}

#[derive(Clone, Default)]
struct Asked(Option<Arc<dyn Remedies>>);

/// Two errors that say the same are equal, whatever was asked.
impl PartialEq for Asked {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Asked {}

impl Error {
    /// An error with the class of this word and this message of one sentence.
    pub(crate) fn told(class: &'static str, message: &str) -> Self {
        let known = Class::of_word(class);
        debug_assert!(known.is_some(), "{class} is in docs/errors.md");
        Self {
            told: Box::new(Told {
                class: known.unwrap_or(Class::Internal),
                message: one_line(message),
                app: None,
                hint: None,
                help: Vec::new(),
                text: None,
                asked: Asked::default(),
            }),
        }
    }

    /// The same, with what would work.
    pub(crate) fn with_hint(class: &'static str, message: &str, hint: String) -> Self {
        let mut error = Self::told(class, message);
        error.told.hint = Some(hint);
        error
    }

    /// The same error; [`Error::help`] also tells what this finds.
    pub(crate) fn mended_by(mut self, remedies: Arc<dyn Remedies>) -> Self {
        self.told.asked = Asked(Some(remedies));
        self
    }

    /// The word of the stable class.
    /// ```
    /// let refused = stowplan::Topology::parse("builtin:frontir").unwrap_err();
    /// assert_eq!(refused.class(), "bad-topology");
    /// ```
    #[must_use]
    pub fn class(&self) -> &'static str {
        self.told.class.word()
    }

    /// The stable class, to match on. It has a word, a number, the exit status of a command that ends so, and a text.
    /// ```
    /// use stowplan::Class;
    /// let refused = stowplan::Topology::parse("builtin:frontir").unwrap_err();
    /// assert!(matches!(refused.kind(), Class::BadTopology));
    /// assert_eq!((refused.kind().word(), refused.kind().exit_status()), ("bad-topology", 2));
    /// ```
    #[must_use]
    pub fn kind(&self) -> Class {
        self.told.class
    }

    /// When an error has this class, and what its message names.
    /// ```
    /// let refused = stowplan::Topology::parse("builtin:frontir").unwrap_err();
    /// assert!(refused.docs().starts_with("a topology cannot be read"));
    /// ```
    #[must_use]
    pub fn docs(&self) -> &'static str {
        self.told.class.docs()
    }

    /// The app that is refused, from 0. `None`: the job, a file or a node is at fault, whichever app names it.
    /// ```
    /// # use stowplan::{App, Job};
    /// let job = Job::builder().app(App::new("./a")).app(App::new("./b").map_by("croe"));
    /// assert_eq!(job.build().unwrap_err().app(), Some(1));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn app(&self) -> Option<u32> {
        self.told.app
    }

    /// What was asked, what there was, and where. One line: the command prints it after `error[CLASS]: `.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::from_command_line(["-n", "5", "-H", "a:4", "./x"])?;
    /// let message = "app 0 asks for 5 processes, its node has 4 slots left";
    /// # let message = Plan::new(&job, &machine).unwrap_err().message().to_owned();
    /// assert_eq!(Plan::new(&job, &machine).unwrap_err().message(), message);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.told.message
    }

    /// What would work, if that is known. The command prints it after `help: `.
    /// ```
    /// let refused = stowplan::Job::from_command_line(["--map-bi", "core", "./x"]).unwrap_err();
    /// assert_eq!(refused.hint(), Some("did you mean --map-by?"));
    /// ```
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.told.hint.as_deref()
    }

    /// What would work, a line each, as the command prints them after `help: `. The first line is [`Error::hint`], if there is one. For a
    /// job that [`Plan::new`](crate::Plan::new) or [`Cluster::try_place`](crate::Cluster::try_place) refused for lack of room, objects or
    /// cpus, the others are changes of the job: each was planned on the same machine, or on the cluster's nodes as they were, before it
    /// is told. A job that came from bytes has none of these, since its words are not known.
    ///
    /// Cost: nothing until it is called, then up to a hundred plans.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// let machine = Machine::uniform(Topology::parse("core:8 pu:1")?);
    /// let job = Job::from_command_line(["-n", "5", "-H", "a:4", "./x"])?;
    /// let help = Plan::new(&job, &machine).unwrap_err().help();
    /// assert_eq!(help, ["more slots: -H a:5", "more processes than slots: --map-by :oversubscribe", "as many as fit: -n 4"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn help(&self) -> Vec<String> {
        let mut lines = self.told.help.clone();
        lines.extend(self.told.hint.clone());
        if let Some(tried) = &self.told.asked.0 {
            // A launcher tells its whole help, with what is told above.
            let mut more = tried.remedies();
            more.retain(|line| !lines.contains(line));
            lines.extend(more);
        }
        lines
    }

    /// The text that contains the words in question. `None` if the error is not about words.
    /// ```
    /// let refused = stowplan::Job::from_command_line(["--map-by", "croe", "./x"]).unwrap_err();
    /// assert_eq!(refused.text(), Some("croe"));
    /// ```
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.told.text.as_ref().map(|(text, _)| text.as_str())
    }

    /// The bytes of [`Error::text`] that the words in question take up.
    /// ```
    /// let refused = stowplan::Job::from_command_line(["--map-by", "slot:nolocla", "./x"]).unwrap_err();
    /// assert_eq!(refused.span(), Some(5..12));
    /// ```
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.told.text.as_ref().map(|(_, span)| span.clone())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: {}", self.class(), self.message())?;
        if let Some((text, span)) = &self.told.text {
            write!(f, "; in {text:?}, bytes {span:?}")?;
        }
        match &self.told.hint {
            Some(hint) => write!(f, "; help: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

#[doc(hidden)]
impl From<JobError> for Error {
    fn from(error: JobError) -> Self {
        let text = error.text().map(|(text, span)| (text.to_owned(), span));
        Self {
            told: Box::new(Told {
                app: error.app(),
                hint: error.hint(),
                help: error.help(),
                text,
                ..*Self::told(error.class(), &error.message()).told
            }),
        }
    }
}

#[doc(hidden)]
impl From<MapError> for Error {
    fn from(error: MapError) -> Self {
        JobError::Map(error).into()
    }
}

#[doc(hidden)]
impl From<TopoError> for Error {
    fn from(error: TopoError) -> Self {
        JobError::Topo(error).into()
    }
}

#[doc(hidden)]
impl From<BadPlan> for Error {
    fn from(error: BadPlan) -> Self {
        Self::told(error.class(), &error.to_string())
    }
}

#[doc(hidden)]
impl From<TaskMapError> for Error {
    fn from(error: TaskMapError) -> Self {
        Self::told(error.class(), &error.to_string())
    }
}

#[doc(hidden)]
impl From<NoSuchNode> for Error {
    fn from(error: NoSuchNode) -> Self {
        Self::told("no-such-host", &error.to_string())
    }
}

/// The first promise that a plan breaks, and how many more faults there are.
pub(crate) fn of_faults(faults: &[Fault]) -> Error {
    let first = faults.first().map_or_else(String::new, ToString::to_string);
    let message = match faults.len() {
        0 | 1 => first,
        many => format!("{first} (and {} more faults)", many - 1),
    };
    Error::told("plan-fault", &message)
}
