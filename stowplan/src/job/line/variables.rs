//! The variables that a launcher would see.

use crate::job::args::JobArgs;
use crate::job::error::{JobError, told};
use crate::job::outside::Outside;
use stowplan_engine::stage::resolve::Files;

/// The variables that the launcher would see: those of this process if they were asked for, then files, then words.
pub(crate) fn variables(
    job: &JobArgs,
    outside: &dyn Outside,
) -> Result<Vec<(String, String)>, JobError> {
    let mut all = Vec::new();
    if job.env_here {
        all.extend(outside.variables());
    }
    for path in &job.env_files {
        all.extend(of_file(path, outside)?);
    }
    all.extend(job.env.iter().cloned());
    Ok(all)
}

/// The variables of a file: a `NAME=VALUE` a line, `export` before it or not; blank lines and those that begin with `#` say nothing.
///
/// # Errors
/// `bad-value`: the file cannot be read, or a line is no `NAME=VALUE`.
pub fn of_file(path: &str, files: &dyn Files) -> Result<Vec<(String, String)>, JobError> {
    let mut all = Vec::new();
    let bytes = files.read(path).map_err(|error| {
        told(
            "bad-value",
            format!("--env-file {path}: cannot be read: {error}"),
        )
    })?;
    let text = String::from_utf8_lossy(&bytes);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let Some((name, value)) = line.split_once('=') else {
            let sentence = format!("--env-file {path}:{number}: {line:?} is no NAME=VALUE");
            return Err(told("bad-value", sentence));
        };
        all.push((name.to_owned(), value.to_owned()));
    }
    Ok(all)
}
