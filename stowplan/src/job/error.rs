//! Why a job has no plan, as data: the class, the sentence, the hint, and the words in question with their place.

use std::ops::Range;
use stowplan_engine::error::at::{At, AtText};
use stowplan_engine::error::place::PlaceError;
use stowplan_engine::error::spec::OptionFault;
use stowplan_engine::error::{MapError, SpecError};
use stowplan_engine::taskmap::TaskMapError;
use stowplan_engine::text::printable::shown;
use stowplan_topo::TopoError;

/// Why a job has no plan.
#[derive(Clone, Debug)]
pub enum JobError {
    /// The request cannot be honoured.
    Map(MapError),
    /// A topology cannot be read.
    Topo(TopoError),
    /// An error with this class and this sentence.
    Told {
        /// The stable class.
        class: &'static str,
        /// What was asked, what there was, where.
        sentence: String,
    },
}

/// An error with this class and this sentence.
pub fn told(class: &'static str, sentence: impl Into<String>) -> JobError {
    let sentence = sentence.into();
    JobError::Told { class, sentence }
}

/// The value of an option as a text that has words in it.
pub(crate) fn value(app: Option<u32>, option: &str, value: &str) -> AtText {
    AtText::Value {
        app,
        option: option.to_owned(),
        value: value.to_owned(),
    }
}

/// The place of all of a text.
pub(crate) fn all_of(text: AtText) -> At {
    At {
        start: 0,
        end: u32::try_from(text.content().len()).unwrap_or(u32::MAX),
        text,
    }
}

/// A refusal of words in another grammar than ours, or of several words together. `help`: what would work, a line each.
pub(crate) fn bad_words(class: &'static str, sentence: String, help: Vec<String>) -> SpecError {
    SpecError::OfLine {
        class,
        sentence,
        at: None,
        help,
    }
}

impl From<MapError> for JobError {
    fn from(error: MapError) -> Self {
        Self::Map(error)
    }
}

impl From<SpecError> for JobError {
    fn from(error: SpecError) -> Self {
        Self::Map(MapError::Spec(error))
    }
}

impl From<TopoError> for JobError {
    fn from(error: TopoError) -> Self {
        Self::Topo(error)
    }
}

impl From<TaskMapError> for JobError {
    fn from(error: TaskMapError) -> Self {
        told(error.class(), error.to_string())
    }
}

impl JobError {
    /// The stable class (`docs/errors.md`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Map(error) => error.class(),
            Self::Topo(error) => error.class(),
            Self::Told { class, .. } => class,
        }
    }

    /// The app that is refused; `None`: the job, a file or a node is at fault, whichever app names it.
    #[must_use]
    pub fn app(&self) -> Option<u32> {
        match self {
            Self::Map(error) => error.app(),
            Self::Topo(_) | Self::Told { .. } => None,
        }
    }

    /// What was asked, what there was, and where. One line.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Map(error) => one_line(&error.to_string()),
            Self::Topo(error) => one_line(&error.to_string()),
            Self::Told { sentence, .. } => one_line(sentence),
        }
    }

    /// What would work, if that is known: the text after `help: `.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Map(MapError::Spec(error)) if crate::job::args::idiom::help(error).is_some() => {
                crate::job::args::idiom::help(error)
            }
            Self::Map(MapError::Spec(error)) => match cpus_meant(error) {
                Some(cpus) => Some(format!(
                    "-c counts processes here, as -n does; cpus for each process are --map-by :pe={cpus}"
                )),
                None => Some(format!("did you mean {}?", error.nearest()?)),
            },
            Self::Map(MapError::Place(PlaceError::NoTopology { .. })) => Some(
                "lstopo --of xml > node.xml on that node, then --topo node.xml; or --topo builtin:NAME (stowplan topo list); \
                 --topo here if it is like this machine"
                    .to_owned(),
            ),
            Self::Map(_) | Self::Topo(_) | Self::Told { .. } => None,
        }
    }

    /// What a launcher's line needs, a line each: it stands before the hint.
    #[must_use]
    pub fn help(&self) -> Vec<String> {
        match self {
            Self::Map(MapError::Spec(SpecError::OfLine { help, .. })) => {
                help.iter().map(|line| one_line(line)).collect()
            }
            Self::Map(_) | Self::Topo(_) | Self::Told { .. } => Vec::new(),
        }
    }

    /// Where the words in question are, first place first. Places without a text to show are left out.
    #[must_use]
    pub fn places(&self) -> Vec<&At> {
        let Self::Map(MapError::Spec(error)) = self else {
            return Vec::new();
        };
        // A file that could not be read has no words to show.
        let shown = |at: &&At| !matches!(at.text, AtText::File { line: 0, .. });
        error.places().into_iter().filter(shown).collect()
    }

    /// The text that contains the words in question, and their bytes in it.
    #[must_use]
    pub fn text(&self) -> Option<(&str, Range<usize>)> {
        let at = *self.places().first()?;
        let text = at.text.content().as_str();
        Some((
            text,
            floor(text, at.start)..floor(text, at.end.max(at.start)),
        ))
    }
}

/// The value of a `-c` that is given together with `-n`. People who know srun mean cpus per process by it.
fn cpus_meant(error: &SpecError) -> Option<&str> {
    let SpecError::BadOption {
        option,
        fault: OptionFault::Twice { first },
        ..
    } = error
    else {
        return None;
    };
    [option, first]
        .into_iter()
        .find_map(|given| given.strip_prefix("-c "))
}

impl std::fmt::Display for JobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message())
    }
}

impl std::error::Error for JobError {}

/// A sentence with its control characters replaced, because they would break the line or the terminal.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.chars().map(shown).collect()
}

/// The last character boundary at or before a byte.
#[must_use]
pub fn floor(text: &str, byte: u32) -> usize {
    let mut at = (byte as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
