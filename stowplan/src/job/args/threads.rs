//! Words about threads: `-x`, `--omp`, `--levels`.

use super::reader::Reader;
use crate::job::meaning::Meaning;
use stowplan_engine::error::SpecError;

impl Reader<'_> {
    /// Takes a word about threads. Variables are those of the app where they stand; the others hold for the job.
    pub(super) fn thread_words(
        &mut self,
        meaning: Meaning,
        given: &str,
        value: &str,
    ) -> Result<(), SpecError> {
        if meaning == Meaning::Exported {
            let app = self.app;
            self.job.exported.push((app, value.to_owned()));
            return Ok(());
        }
        if meaning == Meaning::Omp {
            self.job.omp = Some(value.to_owned());
            return Ok(());
        }
        self.job.levels = Some(self.positive(given, value, "number of levels, 1 or 2")?);
        Ok(())
    }
}
