//! Phase 3 judges the keys of infos: types, places, scopes. Phase 4 takes their words and values.

use super::{Source, Whose};
use crate::job::json::{Json, Kind, position};
use std::collections::HashSet;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::spawn::keys::{self, KeyPlace, ValueType};
use stowplan_engine::spawn::request::Unknown;
use stowplan_engine::spawn::request::app_id;
use stowplan_engine::text::mapping::MapForm;
use stowplan_engine::text::words::Qualifier;

/// What a request key means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Meaning {
    Directive(DirectiveForm),
    Host,
    Hostfile,
    /// An attribute by its own name.
    Single(u16),
    /// Accepted, without effect.
    Nothing,
    /// Made only by a directive; a request may not give it.
    Parsed,
}

/// A request key: its type, where it is allowed, and what it means.
struct Key {
    ty: ValueType,
    job: bool,
    app: bool,
    meaning: Meaning,
}

/// The keys of the spawn interface, by name.
#[rustfmt::skip]
const NAMED: &[(&str, ValueType, KeyPlace, Meaning)] = &[
    ("PMIX_MAPBY", ValueType::String, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::Whole))),
    ("PMIX_RANKBY", ValueType::String, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Rank)),
    ("PMIX_BINDTO", ValueType::String, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Bind)),
    ("PMIX_PPR", ValueType::String, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::Ppr))),
    ("PMIX_CPU_LIST", ValueType::String, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::PeList))),
    ("PMIX_CPUS_PER_PROC", ValueType::Uint32, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::Pe))),
    ("PMIX_NO_PROCS_ON_HEAD", ValueType::Bool, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::Qualifier(Qualifier::NoLocal)))),
    ("PMIX_NO_OVERSUBSCRIBE", ValueType::Bool, KeyPlace::Promoted, Meaning::Directive(DirectiveForm::Map(MapForm::Qualifier(Qualifier::NoOversubscribe)))),
    ("PMIX_HOST", ValueType::String, KeyPlace::App, Meaning::Host),
    ("PMIX_HOSTFILE", ValueType::String, KeyPlace::App, Meaning::Hostfile),
    ("PMIX_DISPLAY_MAP", ValueType::Bool, KeyPlace::Promoted, Meaning::Single(keys::JOB_DISPLAY_MAP)),
    ("PMIX_DISPLAY_MAP_DETAILED", ValueType::Bool, KeyPlace::Promoted, Meaning::Single(keys::JOB_DISPLAY_DEVEL_MAP)),
    ("PMIX_PERSONALITY", ValueType::String, KeyPlace::Promoted, Meaning::Nothing),
];

/// The key of the spawn interface that a word is short for, or to which it is most similar: `mapby` is `PMIX_MAPBY`.
pub(super) fn nearest_key(name: &str) -> Option<&'static str> {
    let bare = name.to_ascii_uppercase().replace('-', "_");
    let bare = bare.strip_prefix("PMIX_").unwrap_or(&bare);
    let squeezed = |key: &str| key.replace('_', "");
    let same = |key: &&'static str| {
        key.strip_prefix("PMIX_")
            .is_some_and(|own| squeezed(own) == squeezed(bare))
    };
    let mut keys = NAMED.iter().map(|row| row.0);
    keys.find(same).or_else(|| {
        let own = NAMED.iter().filter_map(|row| row.0.strip_prefix("PMIX_"));
        let lower: Vec<String> = own.map(str::to_ascii_lowercase).collect();
        let near = stowplan_engine::text::words::nearest(lower.iter().map(String::as_str), bare)?;
        let at = lower.iter().position(|own| own == near)?;
        NAMED.get(at).map(|row| row.0)
    })
}

/// The key that another spelling stands for: PMIx's own text (`pmix.mapby`), or the info key of MPI (`map_by`).
fn spelled(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("pmix.").unwrap_or(name);
    if bare.is_empty() || bare.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let squeezed = |key: &str| key.to_ascii_lowercase().replace(['_', '-', '.'], "");
    let same = |key: &&'static str| {
        let own = key.strip_prefix("PMIX_");
        own.is_some_and(|own| squeezed(own) == squeezed(bare))
    };
    NAMED.iter().map(|row| row.0).find(same)
}

fn key_of(name: &str) -> Option<Key> {
    let name = spelled(name).unwrap_or(name);
    if let Some(&(_, ty, place, meaning)) = NAMED.iter().find(|(known, ..)| *known == name) {
        return Some(Key {
            ty,
            job: place != KeyPlace::App,
            app: place != KeyPlace::Job,
            meaning,
        });
    }
    let known = keys::key_named(name)?;
    let (job, app) = match known.place {
        KeyPlace::App => (false, true),
        KeyPlace::Job => (true, false),
        KeyPlace::Promoted => (true, true),
    };
    match known.number {
        keys::APP_MAPBY | keys::APP_RANKBY | keys::APP_BINDTO => Some(Key {
            ty: known.ty,
            job: false,
            app: false,
            meaning: Meaning::Parsed,
        }),
        // These have keys of the spawn interface. A request may not use their own names.
        keys::APP_HOSTFILE
        | keys::APP_DASH_HOST
        | keys::JOB_DISPLAY_MAP
        | keys::JOB_DISPLAY_DEVEL_MAP => None,
        number => Some(Key {
            ty: known.ty,
            job,
            app,
            meaning: Meaning::Single(number),
        }),
    }
}

/// A value, with the type and scope of its typed form.
struct Typed<'a> {
    value: Json<'a>,
    ty: Option<ValueType>,
    scope: Option<Scope>,
}

/// Judges the keys of all infos.
///
/// # Errors
/// `bad-attribute` at the first wrong key: parent, job, apps in order, keys in text order.
pub(super) fn judge<'a>(source: &Source<'a>, shape: &super::Shape<'a>) -> Result<(), SpecError> {
    for (whose, info) in source.infos(shape) {
        check_info(source, whose, info)?;
    }
    Ok(())
}

fn bad<T>(
    source: &Source<'_>,
    whose: Whose,
    at: Json<'_>,
    name: &str,
    fault: String,
) -> Result<T, SpecError> {
    let (line, column) = position(source.bytes, at.byte(source.bytes));
    Err(SpecError::BadAttribute {
        place: format!("{}:{line}:{column}: {}: ", source.file, whose.path()),
        key: name.to_owned(),
        owner: whose.owner(),
        fault,
    })
}

fn check_info(source: &Source<'_>, whose: Whose, info: Json<'_>) -> Result<(), SpecError> {
    let mut seen = HashSet::new();
    let mut map_scope: Option<(Scope, String)> = None;
    let mut mixed: Option<(Json<'_>, String, String)> = None;
    for (at, name, value) in info.members() {
        let fail = |at, fault: &str| bad::<()>(source, whose, at, &name, fault.to_owned());
        if !seen.insert(name.clone()) {
            return fail(at, "is given twice");
        }
        if value.kind() == Kind::Null {
            continue;
        }
        let Some(key) = key_of(&name) else {
            check_unknown(source, whose, &name, value)?;
            continue;
        };
        if key.meaning == Meaning::Parsed {
            return fail(at, "is made by its directive alone, it cannot be given");
        }
        let typed = typed(source, whose, &name, value)?;
        let kind = typed.value.kind();
        if kind == Kind::Null {
            continue;
        }
        if !fits(key.ty, kind) || typed.ty.is_some_and(|ty| ty != key.ty) {
            return bad(
                source,
                whose,
                typed.value,
                &name,
                format!("has the wrong type, it is a {}", key.ty.word()),
            );
        }
        let belongs = match whose {
            Whose::Parent | Whose::Job => key.job,
            Whose::App(_) => key.app,
        };
        if !belongs {
            return fail(at, "does not belong there");
        }
        if matches!(key.meaning, Meaning::Directive(DirectiveForm::Map(_))) && kind != Kind::False {
            let scope = typed.scope.unwrap_or(Scope::Global);
            match &map_scope {
                None => map_scope = Some((scope, name.clone())),
                Some((first, _)) if *first == scope => {}
                Some((_, other)) => mixed = mixed.or(Some((at, name.clone(), other.clone()))),
            }
        }
    }
    match mixed {
        None => Ok(()),
        Some((at, name, other)) => bad(
            source,
            whose,
            at,
            &name,
            format!("has another scope than {other}, and both make one directive"),
        ),
    }
}

/// Whether a value of this kind can have this type. Ranges are judged later.
fn fits(ty: ValueType, kind: Kind) -> bool {
    match ty {
        ValueType::Bool => matches!(kind, Kind::True | Kind::False),
        ValueType::Uint16 | ValueType::Uint32 => kind == Kind::Integer,
        ValueType::String => kind == Kind::String,
    }
}

/// The value of a known key, plain or in its typed form.
fn typed<'a>(
    source: &Source<'_>,
    whose: Whose,
    name: &str,
    value: Json<'a>,
) -> Result<Typed<'a>, SpecError> {
    if value.kind() != Kind::Object {
        return Ok(Typed {
            value,
            ty: None,
            scope: None,
        });
    }
    let mut typed = Typed {
        value,
        ty: None,
        scope: None,
    };
    let mut seen = HashSet::new();
    for (at, member, inner) in value.members() {
        if !seen.insert(member.clone()) {
            return bad(source, whose, at, name, format!("has its {member} twice"));
        }
        let word = (inner.kind() == Kind::String).then(|| inner.string());
        match member.as_str() {
            "value" => typed.value = inner,
            "type" => match word.as_deref().and_then(ValueType::of_word) {
                Some(ty) => typed.ty = Some(ty),
                None => return bad(source, whose, inner, name, "has an unknown type".to_owned()),
            },
            "scope" => match word.as_deref() {
                Some("global") => typed.scope = Some(Scope::Global),
                Some("local") => typed.scope = Some(Scope::Local),
                Some(_) | None => {
                    return bad(
                        source,
                        whose,
                        inner,
                        name,
                        "has an unknown scope".to_owned(),
                    );
                }
            },
            _ => {
                return bad(
                    source,
                    whose,
                    at,
                    name,
                    format!("has a {member}; a value has a type and a scope"),
                );
            }
        }
    }
    if !seen.contains("value") {
        return bad(source, whose, value, name, "has no value".to_owned());
    }
    Ok(typed)
}

/// Whether the object of an unknown key is the typed form, which always has a `value`.
fn has_form(value: Json<'_>) -> bool {
    value.kind() == Kind::Object && value.members().any(|(_, name, _)| name == "value")
}

fn check_unknown(
    source: &Source<'_>,
    whose: Whose,
    name: &str,
    value: Json<'_>,
) -> Result<(), SpecError> {
    if !has_form(value) {
        return Ok(());
    }
    let typed = typed(source, whose, name, value)?;
    let (Some(ty), kind) = (typed.ty, typed.value.kind()) else {
        return Ok(());
    };
    let raw = typed.value.raw();
    let in_range = match ty {
        ValueType::Uint16 => raw.parse::<u16>().is_ok(),
        ValueType::Uint32 => raw.parse::<u32>().is_ok(),
        ValueType::Bool | ValueType::String => true,
    };
    if kind == Kind::Null || (fits(ty, kind) && in_range) {
        return Ok(());
    }
    bad(
        source,
        whose,
        typed.value,
        name,
        format!("is said to be a {}, and is none", ty.word()),
    )
}

/// Takes the words and values of an info, in text order.
///
/// # Errors
/// The first wrong word or value.
pub(super) fn take(
    source: &Source<'_>,
    intake: &mut Intake,
    whose: Whose,
    info: Json<'_>,
) -> Result<(), SpecError> {
    let owner = whose.owner();
    for (_, name, value) in info.members() {
        if value.kind() == Kind::Null {
            continue;
        }
        let Some(key) = key_of(&name) else {
            take_unknown(intake, owner, &name, value)?;
            continue;
        };
        let typed = typed(source, whose, &name, value)?;
        let text = match typed.value.kind() {
            Kind::Null | Kind::False => continue,
            Kind::String => typed.value.string(),
            Kind::True | Kind::Integer | Kind::Number | Kind::Array | Kind::Object => {
                typed.value.raw().to_owned()
            }
        };
        let scope = typed.scope.unwrap_or(Scope::Global);
        let row = intake.text(source.text(owner, &name, typed.value, text.clone()));
        let app = app_id(owner.app().unwrap_or(0));
        match key.meaning {
            Meaning::Directive(form) => intake.directive(owner, form, row, scope)?,
            Meaning::Host => intake.hosts(app, row, scope)?,
            Meaning::Hostfile => intake.hostfile(app, &text, scope),
            Meaning::Single(number) => intake.single(owner, number, row, scope)?,
            Meaning::Nothing | Meaning::Parsed => {}
        }
    }
    Ok(())
}

#[expect(clippy::unnecessary_wraps, reason = "as the other ways to take a key")]
fn take_unknown(
    intake: &mut Intake,
    owner: Owner,
    name: &str,
    value: Json<'_>,
) -> Result<(), SpecError> {
    let mut typed = Typed {
        value,
        ty: None,
        scope: None,
    };
    if has_form(value) {
        for (_, member, inner) in value.members() {
            let word = || inner.string();
            match member.as_str() {
                "value" => typed.value = inner,
                "type" => typed.ty = ValueType::of_word(&word()),
                "scope" if word() == "local" => typed.scope = Some(Scope::Local),
                _ => {}
            }
        }
    }
    let ty = match (typed.ty, typed.value.kind()) {
        (_, Kind::Null) => return Ok(()),
        (Some(ty), _) => ty.word(),
        (None, Kind::String) => "string",
        (None, Kind::True | Kind::False) => "bool",
        (None, Kind::Integer | Kind::Number) => "number",
        (None, Kind::Array | Kind::Object) => "json",
    };
    intake.unknown(Unknown {
        owner,
        name: name.to_owned(),
        ty: ty.to_owned(),
        value: typed.value.compact(),
        scope: typed.scope.unwrap_or(Scope::Global),
    });
    Ok(())
}
