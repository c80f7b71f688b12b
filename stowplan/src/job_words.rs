//! What the words of a job come to before it meets a machine.

use crate::Note;
use crate::answers::explain::{Word, words_of_job};
use crate::job::args::MapArgs;
use crate::job::files::GivenFiles;
use crate::job::our_words::of_another;
use crate::job::place::read_words;
use stowplan_engine::error::fold::fold;

/// What the words of a job come to before it meets a machine.
#[derive(Default)]
pub(crate) struct Read {
    /// The policies of each app. Shape `[apps]`, holes counted; empty if the words contradict each other.
    policies: Vec<Vec<Word>>,
    notes: Vec<Note>,
}

impl Read {
    pub(crate) fn new(asked: &MapArgs, files: &GivenFiles) -> Self {
        if of_another(&asked.job).is_some() {
            return Self {
                notes: fold(&asked.taken.notes).iter().map(Note::new).collect(),
                ..Self::default()
            };
        }
        // What is wrong in the words together is told by `Plan::new`.
        let Ok((decided, notes)) = read_words(asked.clone(), files) else {
            return Self::default();
        };
        let apps = decided.request().apps().ids();
        Self {
            policies: apps.map(|app| words_of_job(&decided, app)).collect(),
            notes: fold(&notes).iter().map(Note::new).collect(),
        }
    }

    /// The policies of an app.
    pub(crate) fn policies(&self, row: usize) -> &[Word] {
        self.policies.get(row).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn notes(&self) -> &[Note] {
        &self.notes
    }
}
