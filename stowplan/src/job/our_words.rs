//! A job in our own words, whether a launcher's word stands before them or not.

use crate::job::args::{JobArgs, Outer, read_own, whose};
use crate::job::line::{LineArgs, cut};
use crate::job::options::Meaning;
use crate::job::words::CommandLine;
use crate::launchers::line::Launcher;

/// The line, if its launcher is none of prterun's family: then the job has no request in our words.
#[must_use]
pub fn of_another(job: &JobArgs) -> Option<&LineArgs> {
    let line = job.line.as_ref()?;
    (line.launcher != Launcher::Prte).then_some(line)
}

/// A job in our own words: as it is, or a line of prterun's family without its launcher's word. `None`: it is the line of another
/// launcher, or nobody can say whose it is.
#[must_use]
pub fn in_our_words(words: &[String]) -> Option<Vec<String>> {
    let Some(cut) = cut(words) else {
        return Some(words.to_vec());
    };
    let ours = read_own(cut.ours, Outer::Taken).ok()?;
    let line = whose(cut, &ours.job).ok()?;
    if line.launcher != Launcher::Prte {
        return None;
    }
    let mut ours = CommandLine::read(cut.ours);
    for app in &mut ours.apps {
        // It says whose line it is; a job in our own words has none.
        app.options
            .retain(|option| option.meaning != Some(Meaning::As));
    }
    let mut own = ours.to_words();
    own.extend_from_slice(cut.words);
    Some(own)
}
