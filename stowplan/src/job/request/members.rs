//! Phase 2: the members of a request, in document order.

use super::{ParentShape, Shape, Source};
use crate::job::json::{Json, Kind};
use std::collections::HashSet;
use stowplan_engine::error::SpecError;
use stowplan_engine::limit::APPS_MAX;
use stowplan_engine::spawn::inherit::ParentKind;
use stowplan_engine::text::words::nearest;

/// Members of a request, of an app, of a parent.
const REQUEST_KEYS: &[&str] = &["version", "job_info", "apps", "parent"];
const APP_KEYS: &[&str] = &["cmd", "argv", "env", "cwd", "maxprocs", "info"];
const PARENT_KEYS: &[&str] = &["job_info", "tool"];

/// The fault of an unknown member, with the member that was meant. A policy belongs in an info.
fn unknown(what: &str, known: &[&str], name: &str) -> String {
    if let Some(near) = nearest(known.iter().copied(), name) {
        return format!("{what} has no such member, did you mean {near}?");
    }
    if let Some(key) = super::infos::nearest_key(name) {
        return format!("{what} has no such member; {key} belongs in an info");
    }
    format!("{what} has no such member, there are {}", known.join(" "))
}

/// Judges all members.
///
/// # Errors
/// `bad-request` at the first member that is not as the schema says.
pub(super) fn judge<'a>(source: &Source<'a>) -> Result<Shape<'a>, SpecError> {
    let root = source.root;
    if root.kind() != Kind::Object {
        return source.refuse(root, "$", "a request is an object");
    }
    let mut shape = Shape::default();
    let mut seen = HashSet::new();
    let mut apps = None;
    for (at, name, value) in root.members() {
        let path = format!("$.{name}");
        once(source, &mut seen, at, &name, &path)?;
        let kind = value.kind();
        match (name.as_str(), kind) {
            ("version" | "job_info" | "apps" | "parent", Kind::Null) => {}
            ("version", _) if value.raw() == "1" => {}
            ("version", _) => return source.refuse(value, &path, "the version is the number 1"),
            ("job_info", Kind::Object) => shape.job_info = Some(value),
            ("job_info", _) => return source.refuse(value, &path, "an info is an object"),
            ("apps", Kind::Array) => {
                shape.apps = check_apps(source, value)?;
                apps = Some(value);
            }
            ("apps", _) => return source.refuse(value, &path, "apps are an array"),
            ("parent", Kind::Object) => shape.parent = Some(check_parent(source, value)?),
            ("parent", _) => return source.refuse(value, &path, "a parent is an object"),
            (_, _) => return source.refuse(at, &path, &unknown("a request", REQUEST_KEYS, &name)),
        }
    }
    match apps {
        None => source.refuse(root, "$", "a request needs apps"),
        Some(at) if shape.apps.iter().all(Option::is_none) => {
            source.refuse(at, "$.apps", "a request needs at least one app")
        }
        Some(_) => Ok(shape),
    }
}

fn once(
    source: &Source<'_>,
    seen: &mut HashSet<String>,
    at: Json<'_>,
    name: &str,
    path: &str,
) -> Result<(), SpecError> {
    if seen.insert(name.to_owned()) {
        return Ok(());
    }
    source.refuse(at, path, "a member is given twice")
}

fn check_apps<'a>(
    source: &Source<'_>,
    array: Json<'a>,
) -> Result<Vec<Option<Json<'a>>>, SpecError> {
    let mut apps = Vec::new();
    for (row, app) in array.elements().into_iter().enumerate() {
        if row >= APPS_MAX as usize {
            return source.refuse(app, "$.apps", "these are more apps than a job may have");
        }
        apps.push(match app.kind() {
            Kind::Null => None,
            Kind::Object => {
                check_app(source, row, app)?;
                Some(app)
            }
            Kind::True
            | Kind::False
            | Kind::Integer
            | Kind::Number
            | Kind::String
            | Kind::Array => {
                return source.refuse(
                    app,
                    &format!("$.apps[{row}]"),
                    "an app is an object or null",
                );
            }
        });
    }
    Ok(apps)
}

fn check_app(source: &Source<'_>, row: usize, app: Json<'_>) -> Result<(), SpecError> {
    let mut seen = HashSet::new();
    for (at, name, value) in app.members() {
        let path = || format!("$.apps[{row}].{name}");
        if !seen.insert(name.clone()) {
            return source.refuse(at, &path(), "a member is given twice");
        }
        let fault = match (name.as_str(), value.kind()) {
            ("cmd", Kind::String) if value.string().is_empty() => "an empty word starts no program",
            ("cmd" | "cwd", Kind::String | Kind::Null)
            | ("maxprocs", Kind::Integer | Kind::Null)
            | ("info", Kind::Object | Kind::Null)
            | ("argv" | "env", Kind::Null) => continue,
            ("argv" | "env", Kind::Array) => {
                let mut elements = value.elements().into_iter();
                match elements.find(|element| element.kind() != Kind::String) {
                    None => continue,
                    Some(element) => {
                        return source.refuse(element, &path(), "a string is expected here");
                    }
                }
            }
            ("cmd" | "cwd", _) => "a string is expected here",
            ("argv" | "env", _) => "an array of strings is expected here",
            ("maxprocs", _) => "a number without fraction or exponent is expected here",
            ("info", _) => "an info is an object",
            (_, _) => return source.refuse(at, &path(), &unknown("an app", APP_KEYS, &name)),
        };
        return source.refuse(value, &path(), fault);
    }
    Ok(())
}

fn check_parent<'a>(source: &Source<'_>, parent: Json<'a>) -> Result<ParentShape<'a>, SpecError> {
    let mut shape = ParentShape {
        job_info: None,
        kind: ParentKind::Job,
    };
    let mut seen = HashSet::new();
    for (at, name, value) in parent.members() {
        let path = format!("$.parent.{name}");
        once(source, &mut seen, at, &name, &path)?;
        match (name.as_str(), value.kind()) {
            ("job_info" | "tool", Kind::Null) | ("tool", Kind::False) => {}
            ("job_info", Kind::Object) => shape.job_info = Some(value),
            ("tool", Kind::True) => shape.kind = ParentKind::Tool,
            ("job_info", _) => return source.refuse(value, &path, "an info is an object"),
            ("tool", _) => return source.refuse(value, &path, "true or false is expected here"),
            (_, _) => return source.refuse(at, &path, &unknown("a parent", PARENT_KEYS, &name)),
        }
    }
    Ok(shape)
}
