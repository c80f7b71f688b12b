//! `interface`: the public interface of the library as a list of lines, compared with the list that the repository keeps.
//!
//! interface [--accept] DOCUMENTS: reads what `cargo doc --workspace --no-deps` wrote into the folder DOCUMENTS and compares it with
//! `stowplan/interface.txt`. The exit status is 1 when they differ, or when a line names a type of another crate of the workspace:
//! such a type cannot be named by who uses the library.

mod page;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

const LIST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../stowplan/interface.txt");

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let told = match words[..] {
        ["--accept", folder] => accept(Path::new(folder)),
        [folder] => compare(Path::new(folder)),
        _ => Err("interface [--accept] DOCUMENTS".to_owned()),
    };
    let mut out = anstream::stdout();
    let (text, status) = match told {
        Ok(text) => (text, ExitCode::SUCCESS),
        Err(text) => (text, ExitCode::FAILURE),
    };
    // A reader who has gone needs no answer.
    let _ = writeln!(out, "{text}");
    status
}

fn accept(folder: &Path) -> Result<String, String> {
    let (version, lines) = listed(folder)?;
    let mut text = format!("# rustdoc {version}\n");
    for line in &lines {
        let _ = writeln!(text, "{line}");
    }
    std::fs::write(LIST, text).map_err(|error| format!("{LIST}: {error}"))?;
    Ok(format!("{} lines", lines.len()))
}

fn compare(folder: &Path) -> Result<String, String> {
    let (version, lines) = listed(folder)?;
    let kept = std::fs::read_to_string(LIST).map_err(|error| format!("{LIST}: {error}"))?;
    let mut kept = kept.lines();
    let by = kept.next().unwrap_or_default();
    let by = by.trim_start_matches("# rustdoc ");
    let kept: BTreeSet<String> = kept.map(str::to_owned).collect();
    if kept == lines {
        return Ok(format!("{} lines", lines.len()));
    }
    if by != version {
        // Another rustdoc may write the same interface in other words.
        return Ok(format!(
            "skipped: the public interface of the library: listed by rustdoc {by}, and this is {version}"
        ));
    }
    let mut text = "the public interface of `stowplan` changed:\n".to_owned();
    for gone in kept.difference(&lines) {
        let _ = writeln!(text, "- {gone}");
    }
    for new in lines.difference(&kept) {
        let _ = writeln!(text, "+ {new}");
    }
    let _ = write!(
        text,
        "If that is meant, `interface --accept {}` writes stowplan/interface.txt; docs/versions.md says what a change means.",
        folder.display()
    );
    Err(text)
}

/// The version of rustdoc, and the lines of every page that the list of all items names. Pages of items that are gone stay in the
/// folder and are not read.
fn listed(folder: &Path) -> Result<(String, BTreeSet<String>), String> {
    let read = |name: &str| {
        let path = folder.join("stowplan").join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let all = read("all.html")?;
    let version = page::version(&all).ok_or("all.html does not say which rustdoc wrote it")?;
    let names = page::items(&all);
    if names.is_empty() {
        return Err("all.html names no item".to_owned());
    }
    let mut lines = BTreeSet::new();
    for name in &names {
        lines.extend(page::lines(name, &read(name)?)?);
    }
    let foreign = lines.iter().filter(|line| line.contains("stowplan_"));
    let foreign: Vec<&str> = foreign.map(String::as_str).collect();
    if !foreign.is_empty() {
        let list = foreign.join("\n");
        return Err(format!(
            "types that cannot be named from `stowplan`:\n{list}"
        ));
    }
    Ok((version.to_owned(), lines))
}
