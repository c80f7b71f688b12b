//! Notes: what is worth knowing of a job or a plan, with a stable class.

use crate::job::error::one_line;
use std::fmt;
use stowplan_engine::error::fold::Folded;

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
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
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
