//! What a refused job lacks, and which jobs would fit in its place.

use crate::answers::explain::refused::{Answer, explain_refused};
use crate::job::args::map_args;
use crate::job::draft::Draft;
use crate::job::outside::FilesAlone;
use crate::job::place::place_on;
use crate::{Machine, workers};
use std::fmt;
use stowplan_engine::stage::resolve::NoFiles;

/// What is missing for a job that was refused for lack of room, objects or cpus, and the nearest jobs that fit. `Display` writes
/// the page of `stowplan explain`.
/// ```
/// # use stowplan::{Machine, Topology};
/// use stowplan::Refused;
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("five do not fit on four slots")?;
/// assert_eq!(told.class(), "not-enough-slots");
/// assert_eq!((told.asked(), told.there()), (Some(5), Some(4)));
/// assert!(told.nearest().any(|near| near.words() == ["-n", "4", "-H", "a:4", "./x"]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    told: Answer,
}

impl Refused {
    /// Explains why a command line is refused. `None` if its job is placed, or if it is refused for another reason, such as an
    /// error in its words.
    ///
    /// Cost: about twenty plans for each number that is searched for, and one plan for each other word that is tried.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// assert_eq!(Refused::explain(["-n", "4", "-H", "a:4", "./x"], &machine), None);
    /// assert_eq!(Refused::explain(["--nonsense"], &machine), None);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn explain(
        words: impl IntoIterator<Item = impl Into<String>>,
        machine: &Machine,
    ) -> Option<Self> {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        // Options of the machine or of the output are refused here, because they are not words of a job.
        Draft::from_words(&words).ok()?.finish().ok()?;
        let told = workers::share(|| {
            let planning = |words: &[String]| {
                let asked = map_args(words)?;
                Ok(place_on(machine.inner(), asked, &FilesAlone(&NoFiles))?.plan)
            };
            let error = planning(&words).err()?;
            explain_refused(&words, &error, &planning)
        });
        let told = told.ok().flatten()?;
        Some(Self { told })
    }

    /// The class of the refusal.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine);
    /// assert_eq!(told.map(|told| told.class()), Some("not-enough-slots"));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub const fn class(&self) -> &'static str {
        self.told.refused.class
    }
    /// The message of the refusal, as [`Error::message`](crate::Error::message) gives it.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert!(!told.message().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn message(&self) -> &str {
        &self.told.refused.message
    }
    /// What is missing, for example `slots`.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert_eq!(told.missing(), "slots");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn missing(&self) -> &str {
        &self.told.missing.what
    }
    /// How many of them are asked for, if that is a number.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert_eq!(told.asked(), Some(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn asked(&self) -> Option<u64> {
        self.told.missing.asked
    }
    /// How many of them there are, if that is a number.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert_eq!(told.there(), Some(4));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn there(&self) -> Option<u64> {
        self.told.missing.there
    }
    /// Jobs that fit and differ from the refused job in one option. Each of them was planned.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert!(told.nearest().len() > 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest(&self) -> impl ExactSizeIterator<Item = Nearest<'_>> {
        self.told.nearest.iter().map(|told| Nearest { told })
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.told.page().join("\n"))
    }
}

/// A job that fits and differs from a refused job in one option.
/// ```
/// # use stowplan::{Machine, Refused, Topology};
/// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
/// assert!(told.nearest().any(|near| near.change() == "-n 4"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Nearest<'r> {
    told: &'r crate::answers::explain::change::Changed,
}

impl<'r> Nearest<'r> {
    /// The option that differs, with its new value: `-n 4`.
    /// ```
    /// # use stowplan::{Machine, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// assert!(told.nearest().all(|near| near.change().starts_with('-')));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn change(self) -> &'r str {
        &self.told.change
    }
    /// The command line of the whole job.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Refused, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let told = Refused::explain(["-n", "5", "-H", "a:4", "./x"], &machine).ok_or("refused")?;
    /// for near in told.nearest() {
    ///     assert!(Plan::new(&Job::from_command_line(near.words())?, &machine).is_ok());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn words(self) -> &'r [String] {
        &self.told.words
    }
}
