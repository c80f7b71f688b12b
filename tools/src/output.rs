//! Where an answer goes: standard output, or a file that appears complete or not at all.

use crate::draft::{Draft, resolve};
use crate::report::Refused;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

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
        return given.map_err(|error| refused("standard output", error));
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
    written.map_err(|error| refused(path, error))
}

fn refused(to: &str, error: io::Error) -> Refused {
    if crate::interrupt::is_stop(&error) {
        return Refused::Stopped;
    }
    Refused::Output {
        to: to.to_owned(),
        error,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("stowplan-output-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_file_is_there_whole_or_not_at_all() {
        let folder = folder("whole");
        let path = folder.join("plan.tsv");
        let name = path.to_str().unwrap();
        give(Some(name), &mut io::sink(), |out| out.write_all(b"first")).unwrap();
        let failed = give(Some(name), &mut io::sink(), |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(matches!(failed, Err(Refused::Output { .. })));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no part is left");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let failed = give(Some("/nowhere/plan.tsv"), &mut io::sink(), |_| Ok(()));
        let Err(Refused::Output { to, .. }) = failed else {
            panic!("it cannot be written")
        };
        assert_eq!(to, "/nowhere/plan.tsv");
    }
}
