//! What a screen can show: its width, its characters, and whether it has colours. Asked once, then plain data.

use std::io::IsTerminal as _;
use stowplan_engine::text::printable::shown;
use unicode_width::UnicodeWidthChar as _;

/// The number of columns if it is unknown.
const COLUMNS: usize = 100;
/// The most columns that a page uses: longer lines are hard to read.
const COLUMNS_MAX: usize = 160;

/// A screen, or a file that people will read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Screen {
    /// The number of columns.
    pub columns: usize,
    /// The characters that it has.
    pub signs: Signs,
    /// Whether it has colours.
    pub colours: Colours,
    /// What it is.
    pub reader: Reader,
}

/// Who reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// Somebody at a terminal.
    Terminal,
    /// A file or a pipe.
    File,
}

/// The characters that a screen has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signs {
    /// UTF-8.
    Unicode,
    /// `LC_ALL=C`: ASCII only.
    Ascii,
}

/// Whether a screen has colours. Colours only repeat what the characters say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Colours {
    /// No colours: a pipe, `NO_COLOR`, `TERM=dumb`.
    No,
    /// ANSI colours.
    Ansi,
}

impl Screen {
    /// A file for people: no colours, `COLUMNS` wide.
    #[must_use]
    pub const fn page() -> Self {
        Self {
            columns: COLUMNS,
            signs: Signs::Unicode,
            colours: Colours::No,
            reader: Reader::File,
        }
    }

    /// Standard output, as the environment describes it. Nothing else asks the environment about the screen.
    #[must_use]
    pub fn of_stdout() -> Self {
        let said = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let terminal = std::io::stdout().is_terminal();
        let own = terminal_size::terminal_size()
            .filter(|_| terminal)
            .map(|(width, _)| usize::from(width.0));
        let asked = || said("COLUMNS").and_then(|value| value.parse().ok());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(said);
        let plain = locale.is_some_and(|locale| locale == "C" || locale == "POSIX");
        let dumb = said("NO_COLOR").is_some() || said("TERM").is_some_and(|term| term == "dumb");
        let forced = said("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        Self {
            columns: own.or_else(asked).unwrap_or(COLUMNS).clamp(1, COLUMNS_MAX),
            signs: if plain { Signs::Ascii } else { Signs::Unicode },
            reader: match terminal {
                true => Reader::Terminal,
                false => Reader::File,
            },
            colours: if forced || (terminal && !dumb) {
                Colours::Ansi
            } else {
                Colours::No
            },
        }
    }

    /// A line in the characters of this screen, at any length.
    #[must_use]
    pub fn whole(&self, text: &str) -> String {
        // Names come from users: no character in them may move the cursor.
        let mut line = match self.signs {
            Signs::Unicode => text.chars().map(shown).collect(),
            Signs::Ascii => in_ascii(text),
        };
        line.truncate(line.trim_end().len());
        line
    }

    /// A line as this screen can show it: in its characters, cut to its width.
    #[must_use]
    pub fn line(&self, text: &str) -> String {
        let line = self.whole(text);
        if width(&line) <= self.columns {
            return line;
        }
        let mark = match self.signs {
            Signs::Unicode => "…",
            Signs::Ascii => ">",
        };
        let mut left = self.columns.saturating_sub(1);
        let kept = line.chars().take_while(|sign| {
            let own = sign.width().unwrap_or(0);
            let fits = own <= left;
            left = left.saturating_sub(own);
            fits
        });
        let kept: String = kept.collect();
        kept + mark
    }
}

/// The width of a text in columns.
#[must_use]
pub fn width(text: &str) -> usize {
    text.chars().map(|sign| sign.width().unwrap_or(0)).sum()
}

fn in_ascii(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '·' => plain.push('-'),
            '–' => plain.push('-'),
            '×' => plain.push('x'),
            '…' => plain.push_str(".."),
            sign if sign.is_ascii_graphic() || sign == ' ' => plain.push(sign),
            _ => plain.push('?'),
        }
    }
    plain
}

/// A number with commas between thousands.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number with its noun: `1 node`, `2,000 nodes`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}
