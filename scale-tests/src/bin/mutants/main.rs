//! `mutants`: plants named bugs in a copy of the engine, one at a time, and shows that a minute of `compare` finds each.
//!
//! mutants [--seconds N] [--only WORDS] [--list] FOLDER: copies the workspace to FOLDER, builds there, prints a line per bug.
//! The exit status is 1 when a bug is missed, or when its place is no longer in the source.

mod planted;

use planted::{MUTANTS, Mutant};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

/// What happened to a bug.
enum Fate {
    /// Found: by this job of seed 1, after this many milliseconds of comparing.
    Found(String, u128),
    /// The compiler refuses it, so no test is needed.
    Refused,
    /// No job found it.
    Missed,
    /// Its place is no longer in the source.
    Gone,
}

fn main() -> ExitCode {
    let mut out = anstream::stdout();
    let (mut seconds, mut only, mut folder) = (60_u64, None, None);
    let mut args = std::env::args().skip(1);
    while let Some(word) = args.next() {
        match word.as_str() {
            "--seconds" => {
                seconds = args
                    .next()
                    .and_then(|text| text.parse().ok())
                    .unwrap_or(seconds)
            }
            "--only" => only = args.next(),
            "--list" => {
                for mutant in MUTANTS {
                    let _ = writeln!(out, "{} ({})", mutant.name, mutant.file);
                }
                return ExitCode::SUCCESS;
            }
            _ => folder = Some(PathBuf::from(word)),
        }
    }
    let Some(folder) = folder else {
        let _ = writeln!(out, "mutants [--seconds N] [--only WORDS] [--list] FOLDER");
        return ExitCode::from(2);
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    if let Err(error) = copy(&root, &folder) {
        let _ = writeln!(out, "{}: {error}", folder.display());
        return ExitCode::from(2);
    }
    if !cargo(&folder, &[&["build"][..], &PACKAGE].concat()) {
        let _ = writeln!(out, "{}: does not build as it is", folder.display());
        return ExitCode::from(2);
    }
    let mut missed = 0;
    for mutant in MUTANTS.iter().filter(|mutant| {
        only.as_ref()
            .is_none_or(|only| mutant.name.contains(only.as_str()))
    }) {
        let line = match try_one(mutant, &root, &folder, seconds) {
            Fate::Found(job, millis) => format!("found by {job}, after {millis} ms"),
            Fate::Refused => "refused by the compiler".to_owned(),
            Fate::Missed => {
                missed += 1;
                "MISSED".to_owned()
            }
            Fate::Gone => {
                missed += 1;
                "GONE from the source".to_owned()
            }
        };
        let _ = writeln!(out, "{}: {line}", mutant.name);
    }
    ExitCode::from(u8::from(missed > 0))
}

/// Copies the workspace without build output. Equal files are left alone, so that they need not be built again; files that the
/// workspace no longer has are removed.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(to)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_name() != "target" && !from.join(entry.file_name()).exists() {
            if path.is_dir() {
                std::fs::remove_dir_all(path)?;
            } else {
                std::fs::remove_file(path)?;
            }
        }
    }
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        if name == "target" || name == ".git" {
            continue;
        }
        let target = to.join(name);
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            write(&target, &std::fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// Writes a file, unless it already has this content.
fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    match std::fs::read(path) {
        Ok(there) if there == content => Ok(()),
        _ => std::fs::write(path, content),
    }
}

/// What is built. The build does not optimize, so that a bug costs seconds.
const PACKAGE: [&str; 5] = ["-q", "-p", "stowplan-scale-tests", "--bin", "compare"];

/// Runs cargo in the folder, with the folder's own `target` and without debug information. Says whether cargo succeeded.
fn cargo(folder: &Path, args: &[&str]) -> bool {
    let run = Command::new("cargo")
        .args(args)
        .current_dir(folder)
        .env_remove("CARGO_TARGET_DIR")
        .env("CARGO_PROFILE_DEV_DEBUG", "false")
        .env("CARGO_INCREMENTAL", "1")
        .output();
    run.is_ok_and(|output| output.status.success())
}

/// Compares the first jobs of seed 1, as the short run does, until one differs, and gives this job. A run that dies counts as found, too.
fn compared(folder: &Path, seconds: u64) -> Option<String> {
    let compare = folder.join("target/debug/compare");
    let seconds = seconds.to_string();
    let args = ["--seed", "1", "--differences", "1", "--stop", "--seconds"];
    // With one worker, the first job that differs is the one found.
    let run = Command::new(compare)
        .args(["--workers", "1"])
        .args(args)
        .arg(seconds)
        .current_dir(folder)
        .output();
    let output = run.ok().filter(|output| !output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = text.lines().find(|line| line.starts_with("job "));
    Some(said.unwrap_or("a run that dies").to_owned())
}

/// Plants one bug, builds, compares, and puts the source back.
fn try_one(mutant: &Mutant, root: &Path, folder: &Path, seconds: u64) -> Fate {
    let Ok(source) = std::fs::read_to_string(root.join(mutant.file)) else {
        return Fate::Gone;
    };
    if source.matches(mutant.from).count() != 1 {
        return Fate::Gone;
    }
    let place = folder.join(mutant.file);
    if write(&place, source.replace(mutant.from, mutant.to).as_bytes()).is_err() {
        return Fate::Gone;
    }
    let built = cargo(folder, &[&["build"][..], &PACKAGE].concat());
    let start = Instant::now();
    let fate = if built {
        match compared(folder, seconds) {
            Some(job) => Fate::Found(job, start.elapsed().as_millis()),
            None => Fate::Missed,
        }
    } else {
        Fate::Refused
    };
    let _ = std::fs::write(place, source);
    fate
}
