//! Messages on standard error: a first line that scripts can match, then the words with a caret, then what would work.

use std::fmt;
use std::io::{self, Write};
use stowplan::job::error::{JobError, floor, one_line};
use stowplan_engine::error::at::{At, AtText};
use stowplan_engine::error::fold::fold;
use stowplan_engine::error::spec::OptionFault;
use stowplan_engine::error::{Class, MapError, Note, SpecError};
use stowplan_engine::text::printable::disturbs;
use unicode_width::UnicodeWidthChar as _;

/// Why a command ends without an answer.
#[derive(Debug)]
pub enum Refused {
    /// There is no plan, or no answer about one.
    Job(Box<JobError>),
    /// The output cannot be written.
    Output {
        /// Where it goes.
        to: Target,
        /// Why.
        error: io::Error,
    },
    /// A job that has no room, and what would work instead.
    Mended {
        /// Why it is refused.
        refused: Box<Self>,
        /// What to type instead, a line each.
        remedies: Vec<String>,
    },
    /// A launcher's line. What the launcher would refuse itself is of class `launcher-refuses`.
    OfLauncher {
        /// The launcher's word.
        command: String,
        /// Why it is refused, in our own classes.
        refused: Box<Self>,
    },
    /// The user ended the command.
    Stopped,
}

/// Classes of a line's refusal that are not the launcher's: words that nobody knows, what is not known to us, and what is ours.
const OURS: &[&str] = &[
    "ambiguous-launcher",
    "ambiguous-line",
    "bad-devices",
    "bad-environment",
    "bad-option",
    "bad-topology",
    "bad-value",
    "internal",
    "job-too-large",
    "launch-fails",
    "launcher-refuses",
    "no-such-host",
    "not-enough-slots",
    "not-modelled",
    "output",
    "unknown-variable",
    "would-wait",
];

/// A refusal in words.
pub fn told(class: &'static str, sentence: impl Into<String>) -> Refused {
    stowplan::job::error::told(class, sentence).into()
}

impl<E: Into<JobError>> From<E> for Refused {
    fn from(error: E) -> Self {
        Self::Job(Box::new(error.into()))
    }
}

/// What a refusal says, as data.
#[derive(Clone, Debug)]
pub struct Message {
    /// The stable class.
    pub class: String,
    /// What was asked, what there was, and where. One line.
    pub message: String,
    /// The words in question.
    pub places: Vec<At>,
    /// What would work, a line each.
    pub help: Vec<String>,
}

impl Message {
    fn plain(class: &str, sentence: &str) -> Self {
        Self {
            class: class.to_owned(),
            message: one_line(sentence),
            places: Vec::new(),
            help: Vec::new(),
        }
    }

    fn of_job(error: &JobError) -> Self {
        let mut message = Self::plain(error.class(), &error.message());
        message.places = error.places().into_iter().cloned().collect();
        message.help = error.help();
        message
            .help
            .extend(error.hint().map(|hint| one_line(&hint)));
        message
    }

    /// What the launcher would refuse itself has a class of its own; the sentence keeps ours.
    fn refused_by(mut self, command: &str) -> Self {
        self.message = format!("{command} refuses this ({}): {}", self.class, self.message);
        self.class = "launcher-refuses".to_owned();
        self
    }
}

impl Refused {
    /// What it says.
    #[must_use]
    pub fn message(&self) -> Message {
        match self {
            Self::Job(error) => Message::of_job(error),
            Self::Output { to, error } => {
                Message::plain("output", &format!("{to} cannot be written: {error}"))
            }
            Self::Mended { refused, remedies } => {
                let mut message = refused.message();
                let remedies = remedies.iter().map(|remedy| one_line(remedy));
                message.help.extend(remedies);
                message
            }
            Self::OfLauncher { command, refused } => {
                let message = refused.message();
                // An option that is given twice is the launcher's to refuse, though our reader finds it.
                if OURS.contains(&message.class.as_str()) && !refused.is_option_twice() {
                    message
                } else {
                    message.refused_by(command)
                }
            }
            Self::Stopped => Message::plain("output", "the user ended the command"),
        }
    }

    /// Whether a long option is given twice on one app.
    fn is_option_twice(&self) -> bool {
        match self {
            Self::Job(error) => matches!(
                &**error,
                JobError::Map(MapError::Spec(SpecError::BadOption {
                    option,
                    fault: OptionFault::Twice { .. },
                    ..
                })) if option.starts_with("--")
            ),
            Self::Mended { refused, .. } | Self::OfLauncher { refused, .. } => {
                refused.is_option_twice()
            }
            Self::Output { .. } | Self::Stopped => false,
        }
    }

    /// The exit status of the command, for each way to end without an answer.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        match self {
            // Who reads the answer has enough of it.
            Self::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Output {
                to: Target::StandardOutput,
                ..
            } => UNWRITTEN,
            Self::Stopped => STOPPED,
            Self::Mended { refused, .. } | Self::OfLauncher { refused, .. } => {
                refused.exit_status()
            }
            Self::Job(_) | Self::Output { .. } => {
                Class::of_word(&self.message().class).map_or(2, Class::exit_status)
            }
        }
    }

    /// Prints the message, unless nobody is there to read it. Returns the exit status.
    pub fn print(&self, err: &mut dyn Write) -> u8 {
        let status = self.exit_status();
        if status != 0 && status != STOPPED {
            // The worst that can happen to a message is that nobody reads it.
            let _ = print_message(&self.message(), err);
        }
        status
    }
}

fn print_message(message: &Message, err: &mut dyn Write) -> io::Result<()> {
    writeln!(err, "error[{}]: {}", message.class, message.message)?;
    for at in &message.places {
        print_place(at, err)?;
    }
    message
        .help
        .iter()
        .try_for_each(|line| writeln!(err, "help: {line}"))
}

/// Where an answer goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Standard output.
    StandardOutput,
    /// A file, by its path.
    File(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::StandardOutput => "standard output",
            Self::File(path) => path,
        })
    }
}

impl Refused {
    /// What is told of a standard output that cannot be written.
    #[must_use]
    pub const fn unwritten(error: io::Error) -> Self {
        Self::Output {
            to: Target::StandardOutput,
            error,
        }
    }
}

/// The exit status if standard output cannot be written, for example on a full disk: the words were right.
pub const UNWRITTEN: u8 = 1;

/// The exit status after an interrupt, as in shells.
pub const STOPPED: u8 = 130;

/// Prints notes; a note on many apps is printed once.
pub fn print_notes(notes: &[Note], err: &mut dyn Write) {
    for told in fold(notes) {
        note(err, told.note.class(), &told.to_string());
    }
}

/// Prints a note.
pub fn note(err: &mut dyn Write, class: &str, text: &str) {
    // The worst that can happen to a note is that nobody reads it.
    let _ = writeln!(err, "note[{}]: {}", one_line(class), one_line(text));
}

/// The most columns of a text that are shown around the words.
const SHOWN: usize = 100;

/// Shows the text with the words underlined.
#[doc(hidden)]
pub fn print_place(at: &At, err: &mut dyn Write) -> io::Result<()> {
    let text = at.text.content();
    let (start, end) = (floor(text, at.start), floor(text, at.end.max(at.start)));
    let lead = match &at.text {
        AtText::Value { option, .. } => format!("{option} "),
        AtText::Request { key, .. } => format!("{key} = "),
        AtText::File { path, line, .. } => format!("{path}:{line}: "),
    };
    let lead = one_line(&lead);
    // A long text is shown from a little before the words.
    let from = if end > SHOWN {
        floor(text, u32::try_from(start.saturating_sub(20)).unwrap_or(0))
    } else {
        0
    };
    let shown: String = text[from..].chars().take(SHOWN).map(printable).collect();
    let dots = if from > 0 { "..." } else { "" };
    writeln!(err, "  {lead}{dots}{shown}")?;
    let ahead = columns(&lead) + dots.len() + columns(&text[from..start]);
    let under = columns(&text[start..end]).clamp(1, SHOWN);
    writeln!(err, "  {}{}", " ".repeat(ahead), "^".repeat(under))
}

fn printable(sign: char) -> char {
    if disturbs(sign) { ' ' } else { sign }
}

fn columns(text: &str) -> usize {
    text.chars()
        .map(|sign| printable(sign).width().unwrap_or(0))
        .sum()
}
