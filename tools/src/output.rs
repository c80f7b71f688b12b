//! Where an answer goes: standard output, or a file that appears complete or not at all.

use crate::files_read::Recorded;
use crate::report::{Refused, Target, told};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use stowplan::answers::file_draft::{Draft, resolve};
use stowplan::job::args::JobArgs;

/// Writes an answer: to the file if one is named, else to `out`.
///
/// A file appears under its name only when it is complete; until then, an older file of that name stays in place. Devices and
/// pipes are written directly.
///
/// # Errors
/// `output`, and the errors of `answer`.
pub fn give(
    path: Option<&str>,
    out: &mut dyn Write,
    answer: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Refused> {
    let Some(path) = path else {
        let given = answer(out).and_then(|()| out.flush());
        return given.map_err(|error| refused(Target::StandardOutput, error));
    };
    let target = Path::new(path);
    let written = match fs::metadata(target) {
        Ok(about) if !about.is_file() => {
            OpenOptions::new()
                .write(true)
                .open(target)
                .and_then(|file| {
                    let mut file = BufWriter::new(file);
                    answer(&mut file)?;
                    file.flush()
                })
        }
        Ok(_) | Err(_) => whole(target, answer),
    };
    written.map_err(|error| refused(Target::File(path.to_owned()), error))
}

/// Writes text as bytes. The error is that of the writer, which `fmt` cannot return.
///
/// # Errors
/// When `out` refuses a write, and that of `write`.
pub fn as_bytes(
    out: &mut dyn Write,
    write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result,
) -> io::Result<()> {
    struct Bytes<'w> {
        out: &'w mut dyn Write,
        failed: io::Result<()>,
    }
    impl fmt::Write for Bytes<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.failed = self.out.write_all(text.as_bytes());
            self.failed.as_ref().map(drop).map_err(|_| fmt::Error)
        }
    }
    let failed = Ok(());
    let mut bytes = Bytes { out, failed };
    let written = write(&mut bytes);
    bytes.failed?;
    written.map_err(io::Error::other)
}

/// Where an answer goes that may have read files.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// The options that stand with the command: `-o`.
    pub options: &'a JobArgs,
    /// What was read.
    pub read: &'a Recorded<'a>,
}

impl Kept<'_> {
    /// Writes the answer as [`give`] does, if no file that was read is replaced.
    ///
    /// # Errors
    /// `bad-option`, and those of [`give`].
    pub fn give(
        self,
        out: &mut dyn Write,
        answer: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Refused> {
        refuse_overwriting(self.options, &self.read.paths(self.options))?;
        give(self.options.output.as_deref(), out, answer)
    }
}

/// Refuses outputs that would replace one another, or a file that was read for the answer.
///
/// # Errors
/// `bad-option`.
pub fn refuse_overwriting(job: &JobArgs, read: &[String]) -> Result<(), Refused> {
    let real = |path: &str| resolve(Path::new(path)).ok();
    let refused = |sentence: String| Err(told("bad-option", sentence));
    let outputs = [("--save", &job.save), ("-o", &job.output)];
    let outputs: Vec<(&str, &str)> = outputs
        .iter()
        .filter_map(|(option, path)| Some((*option, path.as_deref()?)))
        .collect();
    if let [(_, saved), (_, shown)] = outputs[..]
        && (saved == shown || real(saved).is_some_and(|saved| Some(saved) == real(shown)))
        && fs::metadata(saved).map_or(true, |about| about.is_file())
    {
        return refused(format!(
            "--save {saved} and -o {shown}: both would be written to one file"
        ));
    }
    for (option, output) in outputs {
        let Some(target) = real(output).filter(|_| is_file(output)) else {
            continue;
        };
        let same = |input: &&String| is_file(input) && real(input).as_ref() == Some(&target);
        if let Some(input) = read.iter().find(same) {
            return refused(format!(
                "{option} {output} would replace {input}, which was read for this answer"
            ));
        }
    }
    Ok(())
}

fn is_file(path: &str) -> bool {
    fs::metadata(path).is_ok_and(|about| about.is_file())
}

/// The refusal of an answer that cannot be written.
pub fn refused(to: Target, error: io::Error) -> Refused {
    if crate::interrupt::is_stop(&error) {
        return Refused::Stopped;
    }
    Refused::Output { to, error }
}

fn whole(target: &Path, answer: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let draft = Draft::beside(&resolve(target)?)?;
    let mut file = BufWriter::with_capacity(1 << 16, draft.file());
    answer(&mut file)?;
    file.flush()?;
    drop(file);
    draft.take_place()?;
    Ok(())
}
