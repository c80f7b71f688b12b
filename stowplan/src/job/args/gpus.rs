//! Options about GPUs, and `--columns` with the formats that it allows.

use super::Format;
use super::reader::{Reader, Seen};
use crate::job::columns;
use crate::job::options::Meaning;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::{Owner, Said};
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::keys;

/// What `--columns` takes.
const COLUMNS: &str = "list of columns, each once, of: rank app app_rank node local_rank node_rank object cpus gpus threads thread place mask runtime";

impl Reader<'_> {
    /// `--gpus HOW` or `--gpus-per-rank K`: an app may have one of the two.
    ///
    /// # Errors
    /// `contradicting-qualifiers` when one app has both; `bad-value`.
    pub(super) fn gpus(
        &mut self,
        meaning: Meaning,
        given: &str,
        value: &str,
        seen: &Seen,
    ) -> Result<(), SpecError> {
        let of_gpus =
            |(own, _): &&(Meaning, String)| matches!(own, Meaning::Gpus | Meaning::GpusPerRank);
        let told: Vec<_> = seen.iter().filter(of_gpus).collect();
        if let [first, second, ..] = told[..] {
            let said = |word: &str| Said {
                word: word.to_owned(),
                at: None,
            };
            return Err(SpecError::ContradictingQualifiers {
                owner: self.owner(),
                first: said(&first.1),
                second: said(&second.1),
                why: "an app's GPUs are dealt in one way",
            });
        }
        let value = if meaning == Meaning::GpusPerRank {
            let each: u16 = self.positive(given, value, "number from 1 to 65535")?;
            each.to_string()
        } else {
            let word = value.to_ascii_lowercase();
            if !["split", "share", "none"].contains(&word.as_str()) {
                return self.bad_value(given, value, "word of: split share none");
            }
            word
        };
        let row = self.text(given, &value);
        let owner = self.owner();
        self.intake
            .single(owner, keys::APP_GPUS, row, Scope::Global)
    }

    /// `--columns LIST`.
    ///
    /// # Errors
    /// `bad-value` for a name that is not a column, or that is given twice.
    pub(super) fn columns(&mut self, given: &str, value: &str) -> Result<(), SpecError> {
        match columns::read(value) {
            Ok(list) => {
                self.job.columns = Some(list);
                Ok(())
            }
            Err(word) => {
                let word = word.to_owned();
                self.bad_value(given, &word, COLUMNS)
            }
        }
    }

    /// `--columns` goes only with tsv and ndjson.
    ///
    /// # Errors
    /// `contradicting-qualifiers` with any other format.
    pub(super) fn check_columns(&self) -> Result<(), SpecError> {
        match (&self.job.columns, self.job.format) {
            (None, _) | (Some(_), None | Some(Format::Tsv | Format::Ndjson)) => Ok(()),
            (Some(_), Some(_)) => {
                let said = |word: &str| Said {
                    word: word.to_owned(),
                    at: None,
                };
                Err(SpecError::ContradictingQualifiers {
                    owner: Owner::Job,
                    first: said("columns"),
                    second: said("format"),
                    why: "columns are those of tsv and ndjson",
                })
            }
        }
    }
}
