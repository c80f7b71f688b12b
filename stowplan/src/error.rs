//! Errors and notes, as data with a stable class.

use std::fmt;
use std::ops::Range;
use stowplan_engine::error::{MapError, fold::Folded};
use stowplan_engine::plan::BadPlan;
use stowplan_engine::planner::NoSuchNode;
use stowplan_engine::taskmap::TaskMapError;
use stowplan_job::error::{JobError, one_line};
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
    class: &'static str,
    message: String,
    hint: Option<String>,
    text: Option<(String, Range<usize>)>,
}

impl Error {
    /// An error with this class and this message of one sentence.
    pub(crate) fn told(class: &'static str, message: &str) -> Self {
        Self {
            told: Box::new(Told {
                class,
                message: one_line(message),
                hint: None,
                text: None,
            }),
        }
    }

    /// The same, with what would work.
    pub(crate) fn with_hint(class: &'static str, message: &str, hint: String) -> Self {
        let mut error = Self::told(class, message);
        error.told.hint = Some(hint);
        error
    }

    /// The stable class.
    /// ```
    /// let refused = stowplan::Topology::parse("builtin:frontir").unwrap_err();
    /// assert_eq!(refused.class(), "bad-topology");
    /// ```
    #[must_use]
    pub fn class(&self) -> &'static str {
        self.told.class
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
                class: error.class(),
                message: error.message(),
                hint: error.hint(),
                text,
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

/// Something that is worth knowing, but is not an error.
///
/// ```
/// # use stowplan::{Job, Machine, Plan, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line(["--bynode", "-n", "2", "-H", "a:4", "./x"])?;
/// let plan = Plan::new(&job, &machine)?;
/// assert_eq!(plan.notes()[0].class(), "old-spelling");
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    class: &'static str,
    message: String,
}

impl Note {
    pub(crate) fn new(folded: &Folded<'_>) -> Self {
        Self {
            class: folded.note.class(),
            message: one_line(&folded.to_string()),
        }
    }

    /// The stable class.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// # let job = Job::from_command_line(["--bynode", "-n", "2", "-H", "a:4", "./x"])?;
    /// let classes: Vec<&str> = Plan::new(&job, &machine)?.notes().iter().map(|note| note.class()).collect();
    /// assert_eq!(classes, ["old-spelling"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn class(&self) -> &'static str {
        self.class
    }

    /// The sentence that the command prints after `note[CLASS]: `.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// # let job = Job::from_command_line(["--bynode", "-n", "2", "-H", "a:4", "./x"])?;
    /// assert!(Plan::new(&job, &machine)?.notes()[0].message().contains("--map-by node"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "note[{}]: {}", self.class, self.message)
    }
}
