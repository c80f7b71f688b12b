//! Takes the directives of an app: maps, ranks, bindings, in new words and in old ones.

use super::reader::{Reader, Seen};
use crate::job::error::{self, all_of};
use crate::job::options::{Meaning, Row};
use stowplan_engine::error::spec::Owner;
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::text::said::MapChoice;

impl Reader<'_> {
    /// Takes an old spelling, so that a later refusal can say what it stands for.
    pub(super) fn spelled_out(
        &mut self,
        row: &Row,
        given: &str,
        value: &str,
        seen: &mut Seen,
        take: impl FnOnce(&mut Self, &mut Seen) -> Result<(), SpecError>,
    ) -> Result<(), SpecError> {
        let new = match row.metavar {
            "" => row.help.to_owned(),
            metavar => row.help.replace(metavar, value),
        };
        let blank = if value.is_empty() { "" } else { " " };
        let said = format!("{given}{blank}{value}, which is {new},");
        let before = seen.len();
        let taken = take(self, seen);
        for (_, own) in seen.iter_mut().skip(before) {
            said.trim_end_matches(',').clone_into(own);
        }
        taken.map_err(|error| {
            if let SpecError::BadOption { app, fault, .. } = error {
                return SpecError::BadOption {
                    option: said,
                    app,
                    fault,
                };
            }
            error
        })
    }

    /// Takes a directive. An app may have one of each kind.
    pub(super) fn directive(
        &mut self,
        form: DirectiveForm,
        given: &str,
        value: &str,
        seen: &mut Seen,
    ) -> Result<(), SpecError> {
        let once = match form {
            DirectiveForm::Map(_) => Meaning::MapBy,
            DirectiveForm::Rank => Meaning::RankBy,
            DirectiveForm::Bind => Meaning::BindTo,
        };
        if once != Meaning::MapBy || !self.one_map(form, given, value, seen) {
            self.once(seen, once, given)?;
        }
        let text = self.text(given, value);
        self.intake
            .directive(self.owner(), form, text, Scope::Global)
    }

    /// Whether a second map of the app says the same as the first in another word, or one of them names no policy.
    fn one_map(&mut self, form: DirectiveForm, given: &str, value: &str, seen: &Seen) -> bool {
        let policy = policy_of(form, value);
        let first = self.mapped.take();
        let again = seen.iter().any(|(once, _)| *once == Meaning::MapBy);
        let joined = match &first {
            Some((word, _)) if word == given => false,
            Some((_, Some(first))) => policy.as_ref().is_none_or(|own| own == first),
            Some((_, None)) | None => again,
        };
        self.mapped = match first {
            Some((word, Some(first))) => Some((word, Some(first))),
            Some(_) | None => Some((given.to_owned(), policy)),
        };
        joined
    }

    /// Refuses Open MPI 4's `--bind-to cpu-list[:ordered]`, which stands beside `--cpu-list`, and says what to write for both.
    pub(super) fn refuse_cpu_list<T>(&mut self, value: &str) -> Result<T, SpecError> {
        let list = self.notes.iter().find_map(|note| {
            let Note::OldSpelling { new, .. } = note else {
                return None;
            };
            new.strip_prefix("--map-by pe-list=")
        });
        let ordered = if value.to_ascii_lowercase().ends_with(":ordered") {
            ":ordered"
        } else {
            ""
        };
        let help = format!(
            "for both: --map-by pe-list={}{ordered}",
            list.unwrap_or("LIST")
        );
        Err(SpecError::OfLine {
            class: "bad-directive",
            sentence: format!(
                "--bind-to {value} on app {}: the cpus of a list are mapped to, not bound to",
                self.app
            ),
            at: Some(all_of(error::value(Some(self.app), "--bind-to", value))),
            help: vec![help],
        })
    }
}

/// The policy that a text names; `None`: it names none, or is wrong.
fn policy_of(form: DirectiveForm, value: &str) -> Option<MapChoice> {
    let mut trial = Intake::new();
    let row = trial.text(error::value(None, "", value));
    trial.directive(Owner::Job, form, row, Scope::Global).ok()?;
    let taken = trial.finish().ok()?;
    let policy = taken.spoken.map(Owner::Job)?.policy.as_ref()?;
    Some(policy.value.clone())
}
