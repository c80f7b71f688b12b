//! The policies that parameters give to jobs that say none.

use super::{Class, Effect, Text, find, is_on};
use crate::job::error::{bad_words, value};
use stowplan_engine::error::spec::Owner;
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::defaults::Defaults;
use stowplan_engine::spawn::inherit::ByDefault;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::text::mapping::MapForm;

/// A directive of a parameter: the parameter, its class and its text.
struct Given<'p> {
    key: &'p str,
    class: Class,
    text: String,
}

/// Reads the policies that parameters give. A parameter given twice counts as said last; an empty value is none.
///
/// # Errors
/// Errors in the words of a default, with the name of its parameter; `not-modelled`.
///
/// Cost: linear in the parameters.
pub(crate) fn read(
    parameters: &[(String, String)],
    notes: &mut Vec<Note>,
) -> Result<Defaults, SpecError> {
    let mut strong: Vec<Given<'_>> = Vec::new();
    let mut weak: Vec<Given<'_>> = Vec::new();
    let mut inherit = ByDefault::Stays;
    for (key, value) in parameters {
        let value = value.trim();
        match find(key) {
            Some(Effect::Default(class, text)) => put(&mut strong, key, class, said(text, value)),
            Some(Effect::Weak(class, text)) => put(&mut weak, key, class, said(text, value)),
            Some(Effect::Threads) => {
                let text = is_on(value).then(|| ":hwtcpus".to_owned());
                put(&mut strong, key, Class::Map, text);
            }
            Some(Effect::Inherit) => {
                inherit = match is_on(value) {
                    true => ByDefault::Inherits,
                    false => ByDefault::Stays,
                }
            }
            Some(Effect::Component) => component(key, value, &mut weak, notes),
            Some(Effect::NotModelled) => return Err(not_modelled(key)),
            Some(
                Effect::Topology
                | Effect::Topologies
                | Effect::CpuList
                | Effect::Hostfile
                | Effect::Nodes
                | Effect::Slots
                | Effect::MaxSlots,
            )
            | None => {}
        }
    }
    let names = |given: &Given<'_>| !given.text.starts_with(':');
    for given in weak {
        if !strong
            .iter()
            .any(|own| own.class == given.class && names(own))
        {
            strong.push(given);
        }
    }
    let mut intake = Intake::new();
    for given in &strong {
        let row = intake.text(value(None, given.key, &given.text));
        let form = match given.class {
            Class::Map => DirectiveForm::Map(MapForm::Whole),
            Class::Rank => DirectiveForm::Rank,
            Class::Bind => DirectiveForm::Bind,
        };
        intake.directive(Owner::Job, form, row, Scope::Global)?;
    }
    Ok(Defaults {
        job: intake.finish()?.request,
        inherit,
    })
}

/// Keeps what a parameter says in place of what it, or another of its names, said before.
fn put<'p>(all: &mut Vec<Given<'p>>, key: &'p str, class: Class, text: Option<String>) {
    all.retain(|own| find(own.key) != find(key));
    if let Some(text) = text {
        all.push(Given { key, class, text });
    }
}

/// The directive that a value stands for.
fn said(text: Text, value: &str) -> Option<String> {
    match text {
        Text::Whole => Some(value.to_owned()),
        Text::Into(_) if value.is_empty() => None,
        Text::Into(form) => Some(form.replacen('V', value, 1)),
        Text::If(word) => is_on(value).then(|| word.to_owned()),
    }
    .filter(|text| !text.is_empty())
}

/// `rmaps`: the component that may map.
fn component<'p>(key: &'p str, value: &str, weak: &mut Vec<Given<'p>>, notes: &mut Vec<Note>) {
    let map = match value {
        "seq" => Some("seq"),
        "rank_file" => Some("rankfile"),
        "" => return,
        _ => None,
    };
    match map {
        Some(map) => put(weak, key, Class::Map, Some(map.to_owned())),
        None => notes.push(Note::OfLine {
            class: "no-effect",
            text: format!(
                "{key} {value}: components are chosen by the policy here; --map-by says which"
            ),
        }),
    }
}

fn not_modelled(key: &str) -> SpecError {
    bad_words(
        "not-modelled",
        format!("{key}: this parameter changes where processes go, and how is not known here"),
        vec!["say it by --map-by, --rank-by or --bind-to".to_owned()],
    )
}
