//! Shell scripts that start a job: one call of a launcher, with the files that it reads as here-documents.

use std::fmt::{self, Write};
use stowplan_engine::text::printable::disturbs;

/// The size limit of one word of a command in Linux, including the zero byte at its end.
pub const WORD_BYTES_MAX: usize = 128 * 1024;

/// One word of the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Word {
    /// A word as given.
    Plain(String),
    /// The script's own arguments.
    Arguments,
    /// The path of a file of the script, with text before and after it.
    Path {
        /// The text before it.
        before: &'static str,
        /// The file.
        file: &'static str,
        /// The text after it.
        behind: &'static str,
    },
}

/// A function that writes a text piece by piece.
pub type Body<'p> = Box<dyn Fn(&mut dyn Write) -> fmt::Result + 'p>;

/// A file that the launcher reads.
pub struct File<'p> {
    /// Its name in the script's directory.
    pub name: &'static str,
    /// Its lines.
    pub body: Body<'p>,
    /// What is in the lines.
    pub signs: Signs,
}

/// What a file holds. A script is read on terminals, so it holds no character that [disturbs].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signs {
    /// Text that any terminal shows: a here-document.
    Shown,
    /// Characters that disturb: the bytes are written in octal.
    Any,
}

/// A variable that is set for the call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: Word,
}

/// One call of a launcher.
#[derive(Default)]
pub struct Script<'p> {
    /// The first comment: how the script expresses the plan, and what it relies on.
    pub comment: String,
    /// The launcher, unless `STOWPLAN_LAUNCHER` names another.
    pub launcher: &'static str,
    /// Variables that are set for the call.
    pub variables: Vec<Variable>,
    /// Variables that are exported before the call.
    pub exports: Vec<(String, String)>,
    /// The words after the launcher.
    pub words: Vec<Word>,
    /// The files that the launcher reads.
    pub files: Vec<File<'p>>,
    /// The saved plan, if the processes read it.
    pub plan: Option<Vec<u8>>,
}

/// The name of the saved plan among the files.
pub const PLAN: &str = "plan";

/// Where the files of a script are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Beside<'d> {
    /// In the script, which makes a directory for them.
    Inside,
    /// In this directory.
    Directory(&'d str),
}

impl Word {
    /// A word as given.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::Plain(text.into())
    }
    /// The path of a file.
    #[must_use]
    pub const fn path(file: &'static str) -> Self {
        Self::Path {
            before: "",
            file,
            behind: "",
        }
    }
}

/// A word, in quotes if the shell would not take it as one plain word otherwise.
///
/// ```
/// use stowplan::launchers::script::quoted;
/// assert_eq!(quoted("--host=a:2,b"), "--host=a:2,b");
/// assert_eq!(quoted("it's $HOME"), r"'it'\''s $HOME'");
/// assert_eq!(quoted(""), "''");
/// ```
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A word of a script: quoted, and what [disturbs] is printed by the shell, so that the script itself can be looked at. A line's end
/// stays: `$(…)` would lose it.
///
/// ```
/// use stowplan::launchers::script::in_script;
/// assert_eq!(in_script("a b"), "'a b'");
/// assert_eq!(in_script("a\u{1b}[m"), r#"a"$(printf '\033')"'[m'"#);
/// ```
#[must_use]
pub fn in_script(word: &str) -> String {
    let hidden = |sign: char| sign != '\n' && disturbs(sign);
    let mut text = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(hidden) {
        let (before, from) = rest.split_at(at);
        let end = from.find(|sign| !hidden(sign)).unwrap_or(from.len());
        if !before.is_empty() {
            text.push_str(&quoted(before));
        }
        text.push_str("\"$(printf '");
        for byte in from[..end].bytes() {
            // A String takes it.
            let _ = write!(text, "\\{byte:03o}");
        }
        text.push_str("')\"");
        rest = &from[end..];
    }
    if !rest.is_empty() || word.is_empty() {
        text.push_str(&quoted(rest));
    }
    text
}

/// Words as one would type them into a shell.
///
/// ```
/// let words = ["-H", "n[0-1]", "a b"].map(str::to_owned);
/// assert_eq!(stowplan::launchers::script::shell(&words), "-H 'n[0-1]' 'a b'");
/// ```
#[must_use]
pub fn shell(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| quoted(word)).collect();
    quoted.join(" ")
}

/// Makes the directory of the files, and removes it at the end unless the user named it. On a signal, the launcher is ended.
const DIRECTORY: &str = r#"if [ -n "${STOWPLAN_DIR-}" ]; then
	stowplan_dir=$STOWPLAN_DIR
	case $stowplan_dir in /* | ./* | ../*) ;; *) stowplan_dir=./$stowplan_dir ;; esac
	mkdir -p "$stowplan_dir" || exit 1
else
	stowplan_dir=$(mktemp -d ./stowplan.XXXXXX) || exit 1
	trap 'rm -rf "$stowplan_dir"' EXIT
fi
stowplan_stop() {
	trap '' HUP INT TERM
	[ -z "${stowplan_pid-}" ] || { kill -TERM "$stowplan_pid"; wait "$stowplan_pid"; } 2>/dev/null
	exit "$1"
}
trap 'stowplan_stop 129' HUP
trap 'stowplan_stop 130' INT
trap 'stowplan_stop 143' TERM
"#;

impl Script<'_> {
    /// Writes the script. Cost: what is written.
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> fmt::Result {
        self.write_beside(Beside::Inside, out)
    }

    /// Writes the script, with its files in it or beside it. Cost: what is written.
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_beside(&self, beside: Beside<'_>, out: &mut dyn Write) -> fmt::Result {
        writeln!(out, "#!/bin/sh\n{}", self.comment)?;
        for (name, value) in &self.exports {
            writeln!(out, "export {name}={}", in_script(value))?;
        }
        if let Beside::Directory(folder) = beside {
            writeln!(out, "stowplan_dir=${{STOWPLAN_DIR:-{}}}", quoted(folder))?;
            if self.variables.is_empty() {
                write!(out, "exec ")?;
            }
            self.call(out)?;
            return writeln!(out);
        }
        if self.files.is_empty() && self.plan.is_none() {
            if self.variables.is_empty() {
                write!(out, "exec ")?;
            }
            self.call(out)?;
            return writeln!(out);
        }
        out.write_str(DIRECTORY)?;
        for file in &self.files {
            file.write_inside(out)?;
        }
        if let Some(plan) = &self.plan {
            octal(plan, PLAN, out)?;
        }
        // The launcher runs in the background, so that the shell hears signals while it waits. Without descriptor 3 it would
        // have no input.
        writeln!(out, "exec 3<&0")?;
        self.call(out)?;
        out.write_str(" <&3 3<&- &\nstowplan_pid=$!\nwait \"$stowplan_pid\"\nexit \"$?\"\n")
    }

    fn call(&self, out: &mut dyn Write) -> fmt::Result {
        for variable in &self.variables {
            write!(out, "{}=", variable.name)?;
            variable.value.write_to(out)?;
            write!(out, " ")?;
        }
        write!(out, "\"${{STOWPLAN_LAUNCHER:-{}}}\"", self.launcher)?;
        for word in &self.words {
            out.write_char(' ')?;
            word.write_to(out)?;
        }
        Ok(())
    }
}

impl File<'_> {
    /// Writes the lines that make the file.
    fn write_inside(&self, out: &mut dyn Write) -> fmt::Result {
        match self.signs {
            Signs::Shown => {
                writeln!(
                    out,
                    "cat >\"$stowplan_dir/{}\" <<'END_OF_FILE' || exit 1",
                    self.name
                )?;
                (self.body)(out)?;
                writeln!(out, "END_OF_FILE")
            }
            Signs::Any => {
                let mut text = String::new();
                (self.body)(&mut text)?;
                octal(text.as_bytes(), self.name, out)
            }
        }
    }
}

impl Word {
    fn write_to(&self, out: &mut dyn Write) -> fmt::Result {
        match self {
            Self::Plain(text) => out.write_str(&in_script(text)),
            Self::Arguments => out.write_str("\"$@\""),
            Self::Path {
                before,
                file,
                behind,
            } => write!(out, "\"{before}$stowplan_dir/{file}{behind}\""),
        }
    }
}

/// Bytes of each line of a file that is no text.
const LINE_BYTES: usize = 24;

/// Writes a file as words of `printf`, which every shell has: a here-document holds no zero bytes.
fn octal(bytes: &[u8], name: &str, out: &mut dyn Write) -> fmt::Result {
    writeln!(out, "{{")?;
    for line in bytes.chunks(LINE_BYTES) {
        write!(out, "printf '")?;
        line.iter()
            .try_for_each(|byte| write!(out, "\\{byte:03o}"))?;
        writeln!(out, "'")?;
    }
    writeln!(out, "}} >\"$stowplan_dir/{name}\" || exit 1")
}
