//! The setters: directive strings and single values -> attributes. Source: `per-app` 3.

use super::attributes::{Attribute, Scope, Source, Value, key_name};
use super::info::DirectiveForm;
use super::keys::{self, ValueType};
use super::request::{AppRow, SpawnRequest, app_id};
use super::spoken::Spoken;
use crate::error::SpecError;
use crate::error::at::AtText;
use crate::error::spec::{Owner, WordFault};
use crate::policy::GpuShare;
use crate::text::directive::{DirectiveError, DirectiveFault, canonical_gpus, read_number};
use crate::text::hostlist::read_hosts;
use crate::text::mapping::{MapForm, canonical_list, pattern_text, read_pattern};
use crate::text::mpibind::{options_text, read_options};

/// How a setter failed, as a status for the launcher.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetStatus {
    /// A bad parameter.
    BadParam,
    /// The diagnostic says all there is to say.
    Silent,
}

/// The error of a setter. The attributes are unchanged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct SetError {
    /// The status.
    pub status: SetStatus,
    /// The diagnostic.
    pub error: SpecError,
}

impl DirectiveForm {
    /// The name of the directive in a diagnostic.
    const fn option(self) -> &'static str {
        match self {
            Self::Map(_) => "map-by",
            Self::Rank => "rank-by",
            Self::Bind => "bind-to",
        }
    }
    /// The status for a directive that cannot be read.
    fn status_of(self, fault: &DirectiveFault) -> SetStatus {
        let limit = matches!(
            fault,
            DirectiveFault::Value(_) | DirectiveFault::Qualifier(WordFault::MissingValue { .. })
        );
        match self {
            Self::Rank => SetStatus::Silent,
            Self::Bind if limit => SetStatus::Silent,
            Self::Map(_) | Self::Bind => SetStatus::BadParam,
        }
    }
}

impl SpawnRequest {
    /// Stores a directive of an app or of the job, in place of an earlier one.
    fn set(&mut self, owner: Owner, form: DirectiveForm, text: &str) -> Result<(), SetError> {
        self.check_owner(owner).map_err(bad_param)?;
        let mut spoken = Spoken::default();
        let row = spoken.texts.push(AtText::Value {
            app: owner.app(),
            option: form.option().to_owned(),
            value: text.to_owned(),
        });
        let info = spoken.infos.entry(owner).or_default();
        let read = info.read(form, text, row, Scope::Global);
        read.map_err(|error| SetError {
            status: form.status_of(&error.fault),
            error: error.located(&spoken.texts),
        })?;
        if let Some(conflict) = info.contradiction(owner) {
            return Err(bad_param(conflict.on(owner, &spoken.texts)));
        }
        spoken.check_forbidden().map_err(bad_param)?;
        if let Some(info) = spoken.infos.get(&owner) {
            info.store(owner, &mut self.attributes);
        }
        Ok(())
    }

    fn check_owner(&self, owner: Owner) -> Result<(), SpecError> {
        let app = owner.app().map(|app| self.apps.get(app_id(app)));
        if matches!(app, None | Some(Some(AppRow::App { .. }))) {
            return Ok(());
        }
        Err(SpecError::BadAttribute {
            place: String::new(),
            key: "a directive".to_owned(),
            owner,
            fault: "has no app to apply to".to_owned(),
        })
    }

    /// Sets the mapping of the job, or an app's own, from a string such as `package:span:pe=2`, in place of an earlier one.
    ///
    /// # Errors
    /// `BadParam` with the diagnostic for anything that is wrong; then nothing has changed. On an app, words that only
    /// the job may use are wrong, too (`app-forbidden-qualifier`). Source: `per-app` 3.
    pub fn set_mapping(&mut self, owner: Owner, text: &str) -> Result<(), SetError> {
        self.set(owner, DirectiveForm::Map(MapForm::Whole), text)
    }

    /// Sets the ranking of the job, or an app's own: `slot`, `node`, `fill` or `span`.
    ///
    /// # Errors
    /// `Silent` for anything else; then nothing has changed.
    pub fn set_ranking(&mut self, owner: Owner, text: &str) -> Result<(), SetError> {
        self.set(owner, DirectiveForm::Rank, text)
    }

    /// Sets the binding of the job, or an app's own, from a string such as `core:if-supported:limit=2`, in place of an
    /// earlier one.
    ///
    /// # Errors
    /// `Silent` for a malformed limit, `BadParam` for everything else; then nothing has changed.
    pub fn set_binding(&mut self, owner: Owner, text: &str) -> Result<(), SetError> {
        self.set(owner, DirectiveForm::Bind, text)
    }

    /// Sets a single value by its key, as a caller of the spawn interface does. Unknown numbers of app keys are kept.
    ///
    /// # Errors
    /// `bad-attribute` for a wrong type, a text that the key does not take, a key that this owner may not have, or the key of a
    /// policy, which only a directive sets.
    pub fn set_attribute(
        &mut self,
        owner: Owner,
        key: u16,
        value: Value,
        scope: Scope,
    ) -> Result<(), SpecError> {
        check_attribute(owner, key, &value)?;
        if let Value::String(text) = &value
            && !is_readable(key, text)
        {
            return Err(bad_attribute(owner, key, format!("cannot be {text:?}")));
        }
        self.attributes.set(Attribute {
            owner,
            key,
            value,
            scope,
            source: Source::Own,
        });
        Ok(())
    }
}

fn bad_param(error: SpecError) -> SetError {
    SetError {
        status: SetStatus::BadParam,
        error,
    }
}

/// Checks whether an owner may have this attribute, which is set by its own number.
///
/// # Errors
/// `bad-attribute`.
pub(crate) fn check_attribute(owner: Owner, key: u16, value: &Value) -> Result<(), SpecError> {
    let bad = |fault: String| Err(bad_attribute(owner, key, fault));
    if keys::is_policy(key) {
        return bad("is made by its directive alone".to_owned());
    }
    let Some(known) = keys::key(key) else {
        return match owner {
            Owner::App(_) if key > 34 && key <= keys::APP_KEY_MAX => Ok(()),
            Owner::App(_) | Owner::Job => bad("is no key there is".to_owned()),
        };
    };
    if value.ty() != known.ty {
        let (is, should) = (value.ty().word(), known.ty.word());
        return bad(format!("is {is}, its type is {should}"));
    }
    if !known.place.holds(owner) {
        return bad("does not belong there".to_owned());
    }
    if value == &Value::Uint16(0) {
        return bad("is 0, it must be at least 1".to_owned());
    }
    Ok(())
}

fn bad_attribute(owner: Owner, key: u16, fault: String) -> SpecError {
    SpecError::BadAttribute {
        place: String::new(),
        key: key_name(key),
        owner,
        fault,
    }
}

/// Whether a text is one that the key takes: what is stored is read again on the other side of the relay.
pub(super) fn is_readable(key: u16, text: &str) -> bool {
    match keys::app_key(key) {
        keys::APP_GPUS => GpuShare::of_text(text).is_some(),
        keys::APP_DASH_HOST => read_hosts(text).is_ok(),
        _ => canonical(key, text, 0).is_ok(),
    }
}

/// The value of a key from its text. A bool is true, whatever the text. `row`: the row of the text.
///
/// # Errors
/// When the key does not take such a text.
pub(super) fn read_value(key: u16, text: &str, row: u32) -> Result<Value, DirectiveError> {
    match keys::key(key).map(|known| known.ty) {
        Some(ValueType::Bool) => Ok(Value::Bool(true)),
        Some(ValueType::Uint16 | ValueType::Uint32) => read_number(text, row).map(Value::Uint16),
        Some(ValueType::String) | None => canonical(key, text, row).map(Value::String),
    }
}

/// A text as it is stored: in canonical spelling, so that equal requests have equal bytes. `row`: the row of the text.
///
/// # Errors
/// When the key does not take such a text.
pub(super) fn canonical(key: u16, text: &str, row: u32) -> Result<String, DirectiveError> {
    match keys::app_key(key) {
        keys::APP_PPR => read_pattern(text, row).map(|(per, on)| pattern_text(per, on)),
        keys::APP_CPUSET => canonical_list(text, row),
        keys::APP_GPUS => canonical_gpus(text, row),
        keys::APP_MPIBIND => read_options(text, row).map(options_text),
        _ => Ok(text.to_owned()),
    }
}
