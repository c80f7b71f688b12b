//! Messages on standard error: a first line that scripts can match, then the words with a caret, then what would work.

use std::fmt;
use std::io::{self, Write};
use stowplan_engine::error::at::{At, AtText};
use stowplan_engine::error::fold::fold;
use stowplan_engine::error::{MapError, Note, SpecError};
use stowplan_engine::text::printable::disturbs;
use stowplan_job::error::{JobError, floor, one_line};
use stowplan_topo::TopoError;
use unicode_width::UnicodeWidthChar as _;

/// Why a command ends without an answer.
#[derive(Debug)]
pub enum Refused {
    /// The request cannot be honoured.
    Map(MapError),
    /// A topology cannot be used.
    Topo(TopoError),
    /// Another class, and a sentence.
    Told {
        /// The stable class.
        class: &'static str,
        /// What was asked, what was found, and where.
        sentence: String,
    },
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

impl From<MapError> for Refused {
    fn from(error: MapError) -> Self {
        Self::Map(error)
    }
}

impl From<SpecError> for Refused {
    fn from(error: SpecError) -> Self {
        Self::Map(MapError::Spec(error))
    }
}

impl From<TopoError> for Refused {
    fn from(error: TopoError) -> Self {
        Self::Topo(error)
    }
}

impl From<JobError> for Refused {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Map(error) => Self::Map(error),
            JobError::Topo(error) => Self::Topo(error),
            JobError::Told { class, sentence } => Self::Told { class, sentence },
        }
    }
}

impl Refused {
    /// Prints the message. Returns the exit status.
    pub fn print(&self, err: &mut dyn Write) -> u8 {
        // The worst that can happen to a message is that nobody reads it.
        let _ = match self {
            Self::Map(error) => print_map(error, err),
            Self::Topo(error) => writeln!(
                err,
                "error[{}]: {}",
                error.class(),
                one_line(&error.to_string())
            ),
            Self::Told { class, sentence } => {
                writeln!(err, "error[{class}]: {}", one_line(sentence))
            }
            Self::Output { error, .. } if error.kind() == io::ErrorKind::BrokenPipe => return 0,
            Self::Output { to, error } => {
                let _ = writeln!(
                    err,
                    "error[output]: {} cannot be written: {error}",
                    one_line(&to.to_string())
                );
                return match to {
                    Target::StandardOutput => UNWRITTEN,
                    Target::File(_) => 2,
                };
            }
            Self::Mended { refused, remedies } => {
                refused.print(err);
                let mut remedies = remedies.iter();
                remedies.try_for_each(|remedy| writeln!(err, "help: {}", one_line(remedy)))
            }
            Self::OfLauncher { command, refused } => {
                return print_of_launcher(command, refused, err);
            }
            Self::Stopped => return STOPPED,
        };
        2
    }
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

/// The exit status if standard output cannot be written, for example on a full disk: the words were right.
pub const UNWRITTEN: u8 = 1;

/// The exit status after an interrupt, as in shells.
pub const STOPPED: u8 = 130;

/// Prints notes; a note on many apps is printed once.
pub fn print_notes(notes: &[Note], err: &mut dyn Write) {
    for told in fold(notes) {
        // The worst that can happen to a message is that nobody reads it.
        let _ = writeln!(
            err,
            "note[{}]: {}",
            told.note.class(),
            one_line(&told.to_string())
        );
    }
}

/// Prints a refusal of a launcher's line: the class says whether the launcher refuses it, the sentence keeps ours.
fn print_of_launcher(command: &str, refused: &Refused, err: &mut dyn Write) -> u8 {
    let mut text = Vec::new();
    let status = refused.print(&mut text);
    let text = String::from_utf8_lossy(&text);
    let class = text
        .strip_prefix("error[")
        .and_then(|rest| rest.split_once("]: "));
    // What stands twice in two ways is the launcher's to refuse, though our reader finds it.
    let twice = |rest: &str| rest.starts_with("--") && rest.contains(" is given twice on one app");
    let _ = match class {
        Some((class, rest)) if !OURS.contains(&class) || (class == "bad-option" && twice(rest)) => {
            write!(
                err,
                "error[launcher-refuses]: {command} refuses this ({class}): {rest}"
            )
        }
        Some(_) | None => err.write_all(text.as_bytes()),
    };
    status
}

fn print_map(error: &MapError, err: &mut dyn Write) -> io::Result<()> {
    writeln!(
        err,
        "error[{}]: {}",
        error.class(),
        one_line(&error.to_string())
    )?;
    if let MapError::Spec(error) = error {
        // A file that could not be read has no words to show.
        let shown = |at: &&At| !matches!(at.text, AtText::File { line: 0, .. });
        for at in error.places().into_iter().filter(shown) {
            print_place(at, err)?;
        }
    }
    if let MapError::Spec(SpecError::OfLine { help, .. }) = error {
        for line in help {
            writeln!(err, "help: {}", one_line(line))?;
        }
    }
    if let Some(hint) = JobError::Map(error.clone()).hint() {
        writeln!(err, "help: {}", one_line(&hint))?;
    }
    Ok(())
}

/// The most columns of a text that are shown around the words.
const SHOWN: usize = 100;

/// Shows the text with the words underlined.
fn print_place(at: &At, err: &mut dyn Write) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(value: &str, start: u32, end: u32) -> String {
        let text = AtText::Value {
            app: Some(0),
            option: "--map-by".to_owned(),
            value: value.to_owned(),
        };
        let mut out = Vec::new();
        print_place(&At { text, start, end }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_caret_stands_under_the_words() {
        assert_eq!(
            printed("slot:foo", 5, 8),
            "  --map-by slot:foo\n                ^^^\n"
        );
        assert_eq!(
            printed("slot:\tü", 5, 8),
            "  --map-by slot: ü\n                ^^\n"
        );
        assert_eq!(printed("", 0, 0), "  --map-by \n           ^\n");
    }

    #[test]
    fn long_texts_are_shown_around_the_words() {
        let long = "a,".repeat(2000) + "x:y";
        let shown = printed(&long, 4000, 4003);
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines[0].len() < 150);
        let caret = lines[1].find('^').unwrap();
        assert_eq!(&lines[0][caret..caret + 3], "x:y");
    }
}
