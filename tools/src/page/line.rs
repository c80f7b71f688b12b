//! A line as one types it into a shell: its words, and where each of them is.

use std::ops::Range;

/// The longest line whose words are looked for in it, in bytes: a caret helps a person, and nobody types more.
const LOOKED_AT: usize = 1 << 14;

/// The words of a line, split as a shell splits them; variables and patterns stay as they are. `None`: a quote is open.
///
/// Cost: the line.
#[must_use]
pub fn words(line: &str) -> Option<Vec<String>> {
    let words = shlex::split(line)?;
    Some(without_command(words))
}

/// Without `stowplan map` before it, as one copies it from a document.
fn without_command(mut words: Vec<String>) -> Vec<String> {
    let own = words.first().is_some_and(|word| word == "stowplan");
    let known = ["map", "explain", "diff", "score", "export"];
    if own
        && words
            .get(1)
            .is_some_and(|word| known.contains(&word.as_str()))
    {
        words.drain(..2);
    }
    words
}

/// Where each word is in its line, in bytes, with its quotes. Empty for a line that is too long to look at.
///
/// Cost: for a word in quotes, its length times the blanks in it.
#[must_use]
pub fn ranges(line: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if line.len() > LOOKED_AT {
        return found;
    }
    let blank = |at: usize| {
        line[at..]
            .chars()
            .next()
            .is_none_or(|sign| " \t\r\n".contains(sign))
    };
    let ends: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .chain([line.len()])
        .collect();
    let mut from = None;
    for at in ends {
        match from {
            None if !blank(at) => from = Some(at),
            Some(start)
                if blank(at)
                    && shlex::split(&line[start..at]).is_some_and(|words| words.len() == 1) =>
            {
                found.push(start..at);
                from = None;
            }
            None | Some(_) => {}
        }
    }
    found
}

/// The part of a line that a refusal means: `text`, in the value of `option` if a word before it is that. In bytes.
#[must_use]
pub fn place(line: &str, option: &str, text: &str) -> Option<Range<usize>> {
    let ranges = ranges(line);
    let after = |option: &str| {
        let inline = format!("{option}=");
        let is_it = |range: &Range<usize>| {
            line[range.clone()] == *option || line[range.clone()].starts_with(&inline)
        };
        ranges.iter().position(is_it)
    };
    let from = after(option).unwrap_or(0);
    let plain = |range: &&Range<usize>| {
        let word = &line[(*range).clone()];
        shlex::split(word).is_some_and(|words| words.first().is_some_and(|own| own == text))
    };
    if text.is_empty() {
        return ranges.get(from).cloned();
    }
    let whole = ranges[from..].iter().find(plain).cloned();
    let inside = || {
        let found = ranges[from..].iter().find_map(|range| {
            let at = line[range.clone()].find(text)?;
            Some(range.start + at..range.start + at + text.len())
        });
        found.or_else(|| line.find(text).map(|at| at..at + text.len()))
    };
    whole.or_else(inside)
}
