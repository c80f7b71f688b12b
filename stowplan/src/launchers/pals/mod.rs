//! The line of PALS' mpiexec, as far as it is certain. Source: `lines/pals/spec.md`.

// The words.
mod words;
// The nodes.
mod hosts;
// Cpus and GPUs of local ranks.
mod bind;
mod gpus;
// Patterns, and what the page says.
mod place;

use crate::launchers::line::table::{self, Ends, Part, Style};
use crate::launchers::line::{Laid, LineAsked, LineRefused};
use words::{Means, WORDS};

/// Where the processes of a line are.
///
/// # Errors
/// A [`LineRefused`].
pub fn lay(asked: &LineAsked<'_>) -> Result<Laid, LineRefused> {
    let mut parts = table::read(asked, WORDS, Style::Words, Ends::Colon)?;
    if let [part] = parts.as_slice()
        && let Some(said) = part.last(Means::ConfigFile)
    {
        let text = asked.files.read(&said.value);
        let bytes = text.map_err(|why| said.refused(asked, "launcher-refuses", &why))?;
        let words = config(&String::from_utf8_lossy(&bytes));
        let inner = LineAsked {
            words: &words,
            ..*asked
        };
        // A fault inside the file has no place in the line.
        let read = table::read(&inner, WORDS, Style::Words, Ends::Colon);
        let mut inside = read.map_err(|mut refused| {
            refused.at = None;
            refused
        })?;
        if let Some(first) = inside.first_mut() {
            let mut said = part.said.clone();
            said.append(&mut first.said);
            first.said = said;
        }
        parts = inside;
    }
    check(asked, &parts)?;
    place::place(asked, &parts)
}

/// The parts of a configuration file as words with `:` between: a line a part, a backslash at its end goes on.
fn config(text: &str) -> Vec<String> {
    let text = text.replace("\\\n", " ");
    let mut words: Vec<String> = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if !words.is_empty() {
            words.push(":".to_owned());
        }
        words.extend(line.split_whitespace().map(str::to_owned));
    }
    words
}

/// Each part has a program, and later parts only words that belong to one.
fn check(asked: &LineAsked<'_>, parts: &[Part<Means>]) -> Result<(), LineRefused> {
    for (number, part) in (0..).zip(parts) {
        part.named(asked)?;
        let of_part = |means| matches!(means, Means::Ranks | Means::HarmlessOfPart);
        if number > 0
            && let Some(said) = part.said.iter().find(|said| !of_part(said.means))
        {
            let why = "only -n, -wdir and -umask belong to one part of a line";
            return Err(said.refused(asked, "launcher-refuses", why));
        }
    }
    Ok(())
}
