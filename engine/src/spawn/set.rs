//! The setters: directive strings -> attributes, by the one grammar. Source: `per-app` 3.

use super::attributes::{Attributes, Scope, Source, Value};
use super::keys;
use super::policy::{BindPolicy, Flags, MapPolicy, RankPolicy};
use super::request::{AppRow, Scoped, SpawnRequest, owner};
use crate::error::SpecError;
use crate::error::at::AtText;
use crate::error::spec::{Owner, Said};
use crate::table::apps::AppId;
use crate::text::cursor::ranges_text;
use crate::text::directive::{DirectiveError, DirectiveFault, read_bind, read_rank};
use crate::text::mapping::{MapForm, pattern_text, read_map};
use crate::text::mpibind::options_text;
use crate::text::said::{BindSaid, MapSaid, MapValue, RankSaid, TextPlace, Texts};

/// How a setter failed, in the launcher's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetStatus {
    /// A bad parameter.
    BadParam,
    /// The diagnostic says all there is to say.
    Silent,
}

/// A setter's refusal. The attributes are as they were.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{error}")]
pub struct SetError {
    /// The status.
    pub status: SetStatus,
    /// The diagnostic.
    pub error: SpecError,
}

/// The error of a part of a directive, with the text it stands in.
#[must_use]
pub fn located(texts: &Texts, row: u32, error: DirectiveError) -> SpecError {
    let clip = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    let place = TextPlace {
        text: row,
        start: clip(error.start),
        end: clip(error.end),
    };
    let at = texts
        .at(place)
        .unwrap_or_else(|| crate::text::lines::file_at(""));
    let word = error.word;
    match error.fault {
        DirectiveFault::Directive(fault) => SpecError::BadDirective { at, word, fault },
        DirectiveFault::Qualifier(fault) => SpecError::BadQualifier { at, word, fault },
        DirectiveFault::Value(range) => SpecError::BadValue {
            at,
            asked: word,
            range,
        },
    }
}

fn map_flags(said: &MapSaid) -> Flags {
    let flags = [
        (
            said.policy.as_ref().map(|policy| policy.place),
            Flags::GIVEN,
        ),
        (said.nolocal, Flags::NOLOCAL),
        (said.span, Flags::SPAN),
        (said.ordered, Flags::ORDERED),
        (said.oversubscribe, Flags::OVERSUBSCRIBE),
        (said.nooversubscribe, Flags::NOOVERSUBSCRIBE),
    ];
    flags
        .into_iter()
        .filter(|(said, _)| said.is_some())
        .fold(Flags::none(), |all, (_, flag)| all.with(flag))
}

fn bind_policy(said: &BindSaid) -> BindPolicy {
    let overload = Flags::ALLOW_OVERLOAD.with(Flags::OVERLOAD_GIVEN);
    let flags = [
        (
            said.policy.as_ref().map(|policy| policy.place),
            Flags::GIVEN,
        ),
        (said.if_supported, Flags::IF_SUPPORTED),
        (said.overload_allowed, overload),
        (said.no_overload, Flags::OVERLOAD_GIVEN),
    ];
    BindPolicy {
        word: said.policy.as_ref().map(|policy| policy.value),
        flags: flags
            .into_iter()
            .filter(|(said, _)| said.is_some())
            .fold(Flags::none(), |all, (_, flag)| all.with(flag)),
    }
}

/// An app's key, or the job's that it falls back to.
fn key_for(owner: Owner, app_key: u16) -> u16 {
    match owner {
        Owner::App(_) => app_key,
        Owner::Job => keys::fallback(app_key).unwrap_or(app_key),
    }
}

/// The attributes that a mapping directive stores beside its policy, by app key.
fn map_values(said: &MapSaid) -> Vec<(u16, Value)> {
    let mut values = Vec::new();
    if let Some(pe) = &said.pe {
        values.push((keys::APP_PES_PER_PROC, Value::Uint16(pe.value)));
    }
    match said.policy.as_ref().map(|policy| &policy.value.value) {
        Some(MapValue::Pattern { per, on }) => {
            values.push((keys::APP_PPR, Value::String(pattern_text(*per, *on))));
        }
        Some(MapValue::List(ranges)) => {
            values.push((keys::APP_CPUSET, Value::String(ranges_text(ranges))));
        }
        Some(MapValue::Device(device)) => {
            values.push((keys::APP_DIST_DEVICE, Value::String(device.clone())));
        }
        Some(MapValue::Options(options)) => {
            values.push((keys::APP_MPIBIND, Value::String(options_text(*options))));
        }
        Some(MapValue::Nothing) | None => {}
    }
    if let Some(file) = &said.file {
        values.push((keys::APP_MAP_FILE, Value::String(file.value.clone())));
    }
    for (word, key) in [
        (said.hwtcpus, keys::APP_HWT_CPUS),
        (said.corecpus, keys::APP_CORE_CPUS),
    ] {
        if word.is_some() {
            values.push((key, Value::Bool(true)));
        }
    }
    values
}

impl SpawnRequest {
    /// Stores a judged mapping directive. An app's forbidden words are not stored.
    pub(crate) fn store_map(&mut self, owner: Owner, said: &MapSaid, scope: Scope) {
        self.attributes.remove_source(owner, Source::Map);
        let mut policy = MapPolicy {
            kind: said.policy.as_ref().map(|policy| policy.value.kind),
            flags: map_flags(said),
        };
        match owner {
            Owner::Job => {
                self.mapping = Some(Scoped { policy, scope });
                for (word, key) in [
                    (said.inherit, keys::JOB_INHERIT),
                    (said.noinherit, keys::JOB_NOINHERIT),
                ] {
                    if word.is_some() {
                        self.attributes
                            .set(owner, key, Value::Bool(true), scope, Source::Map);
                    }
                }
            }
            Owner::App(_) => {
                self.attributes.remove(owner, keys::APP_PES_PER_PROC);
                self.attributes.remove(owner, keys::APP_PPR);
                policy.flags = policy.flags.without(Flags::NOOVERSUBSCRIBE);
                self.attributes.set(
                    owner,
                    keys::APP_MAPBY,
                    Value::Uint16(policy.bits()),
                    scope,
                    Source::Map,
                );
            }
        }
        for (key, value) in map_values(said) {
            self.attributes
                .set(owner, key_for(owner, key), value, scope, Source::Map);
        }
    }

    /// Stores a judged ranking directive.
    pub(crate) fn store_rank(&mut self, owner: Owner, said: &RankSaid, scope: Scope) {
        let Some(word) = said.policy.as_ref().map(|policy| policy.value) else {
            return;
        };
        let policy = RankPolicy { word };
        match owner {
            Owner::Job => self.ranking = Some(Scoped { policy, scope }),
            Owner::App(_) => {
                self.attributes.set(
                    owner,
                    keys::APP_RANKBY,
                    Value::Uint16(policy.bits()),
                    scope,
                    Source::Rank,
                );
            }
        }
    }

    /// Stores a judged binding directive.
    pub(crate) fn store_bind(&mut self, owner: Owner, said: &BindSaid, scope: Scope) {
        self.attributes.remove_source(owner, Source::Bind);
        let policy = bind_policy(said);
        match owner {
            Owner::Job => self.binding = Some(Scoped { policy, scope }),
            Owner::App(_) => {
                self.attributes.set(
                    owner,
                    keys::APP_BINDTO,
                    Value::Uint16(policy.bits()),
                    scope,
                    Source::Bind,
                );
            }
        }
        if let Some(limit) = &said.limit {
            let key = key_for(owner, keys::APP_BINDING_LIMIT);
            self.attributes
                .set(owner, key, Value::Uint16(limit.value), scope, Source::Bind);
        }
    }

    fn check_app(&self, app: AppId) -> Result<Owner, SetError> {
        match self.apps.get(app) {
            Some(AppRow::App { .. }) => Ok(owner(app)),
            Some(AppRow::Hole) | None => Err(SetError {
                status: SetStatus::BadParam,
                error: SpecError::BadAttribute {
                    place: String::new(),
                    key: "a directive".to_owned(),
                    owner: owner(app),
                    fault: "has no app to stand on".to_owned(),
                },
            }),
        }
    }

    /// Sets an app's own mapping from a string such as `package:span:pe=2`, in place of an earlier one.
    ///
    /// # Errors
    /// `BadParam` with the diagnostic for whatever is wrong, the job's own words among it (`app-forbidden-qualifier`);
    /// then nothing has changed. Source: `per-app` 3.
    pub fn set_app_mapping(&mut self, app: AppId, text: &str) -> Result<(), SetError> {
        let owner = self.check_app(app)?;
        let bad = |error| SetError {
            status: SetStatus::BadParam,
            error,
        };
        let said = judge_mapping(owner, text).map_err(bad)?;
        self.store_map(owner, &said, Scope::Global);
        Ok(())
    }

    /// Sets an app's own ranking: `slot`, `node`, `fill` or `span`.
    ///
    /// # Errors
    /// `Silent` for anything else; then nothing has changed.
    pub fn set_app_ranking(&mut self, app: AppId, text: &str) -> Result<(), SetError> {
        let owner = self.check_app(app)?;
        let said = judge_ranking(owner, text).map_err(|error| SetError {
            status: SetStatus::Silent,
            error,
        })?;
        self.store_rank(owner, &said, Scope::Global);
        Ok(())
    }

    /// Sets an app's own binding from a string such as `core:if-supported:limit=2`, in place of an earlier one.
    ///
    /// # Errors
    /// `Silent` for a malformed limit, `BadParam` for everything else; then nothing has changed.
    pub fn set_app_binding(&mut self, app: AppId, text: &str) -> Result<(), SetError> {
        let owner = self.check_app(app)?;
        let said = judge_binding(owner, text)?;
        self.store_bind(owner, &said, Scope::Global);
        Ok(())
    }

    /// Sets the job's mapping.
    ///
    /// # Errors
    /// As [`SpawnRequest::set_app_mapping`]; the job may say all words.
    pub fn set_job_mapping(&mut self, text: &str) -> Result<(), SetError> {
        let bad = |error| SetError {
            status: SetStatus::BadParam,
            error,
        };
        let said = judge_mapping(Owner::Job, text).map_err(bad)?;
        self.store_map(Owner::Job, &said, Scope::Global);
        Ok(())
    }

    /// Sets the job's ranking.
    ///
    /// # Errors
    /// As [`SpawnRequest::set_app_ranking`].
    pub fn set_job_ranking(&mut self, text: &str) -> Result<(), SetError> {
        let said = judge_ranking(Owner::Job, text).map_err(|error| SetError {
            status: SetStatus::Silent,
            error,
        })?;
        self.store_rank(Owner::Job, &said, Scope::Global);
        Ok(())
    }

    /// Sets the job's binding.
    ///
    /// # Errors
    /// As [`SpawnRequest::set_app_binding`].
    pub fn set_job_binding(&mut self, text: &str) -> Result<(), SetError> {
        let said = judge_binding(Owner::Job, text)?;
        self.store_bind(Owner::Job, &said, Scope::Global);
        Ok(())
    }

    /// Sets a single value by its key, as a caller of the spawn interface does. Numbers that we do not know are kept.
    ///
    /// # Errors
    /// `bad-attribute`: the wrong type, a key of the other kind of owner, one of the three parsed attributes.
    pub fn set_attribute(
        &mut self,
        owner: Owner,
        key: u16,
        value: Value,
        scope: Scope,
    ) -> Result<(), SpecError> {
        check_attribute(owner, key, &value)?;
        self.attributes.set(owner, key, value, scope, Source::Own);
        Ok(())
    }
}

/// Whether an attribute given by its own number may stand where it does.
///
/// # Errors
/// `bad-attribute`.
pub(crate) fn check_attribute(owner: Owner, key: u16, value: &Value) -> Result<(), SpecError> {
    let bad = |fault: String| {
        Err(SpecError::BadAttribute {
            place: String::new(),
            key: super::attributes::key_name(key),
            owner,
            fault,
        })
    };
    if (keys::APP_MAPBY..=keys::APP_BINDTO).contains(&key) {
        return bad("is made by its directive alone".to_owned());
    }
    let Some(known) = keys::key(key) else {
        let unknown_app_key =
            matches!(owner, Owner::App(_)) && key > 34 && key <= keys::APP_KEY_MAX;
        return if unknown_app_key {
            Ok(())
        } else {
            bad("is no key there is".to_owned())
        };
    };
    if value.ty() != known.ty {
        return bad(format!(
            "is {}, its type is {}",
            value.ty().word(),
            known.ty.word()
        ));
    }
    let belongs = match (known.place, owner) {
        (keys::KeyPlace::App, Owner::App(_))
        | (keys::KeyPlace::Job, Owner::Job)
        | (keys::KeyPlace::Promoted, _) => true,
        (keys::KeyPlace::App, Owner::Job) | (keys::KeyPlace::Job, Owner::App(_)) => false,
    };
    if !belongs {
        return bad("does not belong there".to_owned());
    }
    if value == &Value::Uint16(0) {
        return bad("is 0, it must be at least 1".to_owned());
    }
    Ok(())
}

fn one_text(owner: Owner, option: &str, value: &str) -> Texts {
    let mut texts = Texts::default();
    texts.push(AtText::Value {
        app: owner.app(),
        option: option.to_owned(),
        value: value.to_owned(),
    });
    texts
}

fn contradiction(texts: &Texts, owner: Owner, conflict: &crate::text::said::Conflict) -> SpecError {
    let (first, second) = conflict.said(texts);
    SpecError::ContradictingQualifiers {
        owner,
        first,
        second,
        why: conflict.why,
    }
}

fn judge_mapping(owner: Owner, text: &str) -> Result<MapSaid, SpecError> {
    let texts = one_text(owner, "map-by", text);
    let mut said = MapSaid::default();
    read_map(&mut said, MapForm::Whole, text, 0).map_err(|error| located(&texts, 0, error))?;
    said.judge_opposites();
    if let Some(conflict) = &said.conflict {
        return Err(contradiction(&texts, owner, conflict));
    }
    if let (Owner::App(app), Some((word, place))) = (owner, said.forbidden().first()) {
        let word = Said {
            word: (*word).to_owned(),
            at: texts.at(*place),
        };
        return Err(SpecError::AppForbiddenQualifier { app, word });
    }
    Ok(said)
}

fn judge_ranking(owner: Owner, text: &str) -> Result<RankSaid, SpecError> {
    let texts = one_text(owner, "rank-by", text);
    let mut said = RankSaid::default();
    read_rank(&mut said, text, 0).map_err(|error| located(&texts, 0, error))?;
    Ok(said)
}

fn judge_binding(owner: Owner, text: &str) -> Result<BindSaid, SetError> {
    let texts = one_text(owner, "bind-to", text);
    let mut said = BindSaid::default();
    let bad = |error| SetError {
        status: SetStatus::BadParam,
        error,
    };
    read_bind(&mut said, text, 0).map_err(|error| {
        let limit = matches!(
            error.fault,
            DirectiveFault::Value(_)
                | DirectiveFault::Qualifier(crate::error::spec::WordFault::MissingValue { .. })
        );
        let status = if limit {
            SetStatus::Silent
        } else {
            SetStatus::BadParam
        };
        SetError {
            status,
            error: located(&texts, 0, error),
        }
    })?;
    said.judge_opposites();
    if let Some(conflict) = &said.conflict {
        return Err(bad(contradiction(&texts, owner, conflict)));
    }
    if let (Owner::App(app), Some(place)) = (owner, said.report) {
        let word = Said {
            word: "report".to_owned(),
            at: texts.at(place),
        };
        return Err(bad(SpecError::AppForbiddenQualifier { app, word }));
    }
    Ok(said)
}

/// Stored lists and patterns are canonical, so that equal requests have equal bytes.
pub(crate) fn own_string(
    attributes: &mut Attributes,
    owner: Owner,
    key: u16,
    text: String,
    scope: Scope,
) {
    attributes.set(owner, key, Value::String(text), scope, Source::Own);
}
