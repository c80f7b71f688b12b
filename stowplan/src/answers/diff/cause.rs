//! The one option in which two requests differ.

use crate::answers::hosts::{all, host_list};
use crate::answers::policy;
use crate::job::line::cut;
use crate::job::our_words::in_our_words;
use crate::job::words::CommandLine;
use serde::Serialize;
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::MapBy;
use stowplan_engine::table::apps::{AppId, AppTable, Policy};
use stowplan_engine::table::origins::{Origin, Origins};

/// An option with different values.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cause {
    /// The option, such as `--map-by`.
    pub option: String,
    /// The app that has the option, from 0.
    pub app: usize,
    /// Its value in the first request; `None`: it is not given there.
    pub a: Option<String>,
    /// Its value in the second request.
    pub b: Option<String>,
}

/// Values by app and option.
type Values = BTreeMap<(usize, String), String>;

/// The key whose value differs, if there is exactly one.
fn only(a: &Values, b: &Values) -> Option<Cause> {
    let mut differing = a
        .keys()
        .chain(b.keys())
        .filter(|&key| a.get(key) != b.get(key));
    let key = differing.next()?;
    if differing.any(|other| other != key) {
        return None;
    }
    Some(Cause {
        option: key.1.clone(),
        app: key.0,
        a: a.get(key).cloned(),
        b: b.get(key).cloned(),
    })
}

/// The cause according to two command lines, with the values as typed.
#[must_use]
pub fn of_words(a: &[String], b: &[String]) -> Option<Cause> {
    // Lines of prterun's family are compared word by word.
    let own = in_our_words(a).zip(in_our_words(b));
    let (a, b) = own.as_ref().map_or((a, b), |(a, b)| (&a[..], &b[..]));
    let values = |words: &[String]| {
        let mut values = Values::new();
        if let Some(cut) = cut(words) {
            // Of a launcher's line all words are one value: what each of them means is its launcher's affair.
            values.insert((0, cut.command.join(" ")), cut.words.join(" "));
        }
        let ours = cut(words).map_or(words, |cut| cut.ours);
        for (app, words) in CommandLine::read(ours).apps.iter().enumerate() {
            for option in &words.options {
                let entry = values.entry((app, written(&option.name))).or_default();
                if !entry.is_empty() {
                    entry.push(' ');
                }
                *entry += &option.values.join(" ");
            }
        }
        values
    };
    only(&values(a), &values(b))
}

/// The name of an option as we write it.
fn written(name: &str) -> String {
    let bare = name.trim_start_matches('-');
    crate::job::options::find(bare).map_or_else(|| name.to_owned(), |row| row.written())
}

/// The cause according to two plans: from the words that were given, in canonical form.
#[must_use]
pub fn of_plans(a: &Plan, b: &Plan) -> Option<Cause> {
    only(&values(a), &values(b))
}

fn values(plan: &Plan) -> Values {
    let table = plan.resolved_apps();
    let mut values = Values::new();
    for app in table.ids() {
        let mut put = |option: &str, value: String| {
            values.insert((app.row(), option.to_owned()), value);
        };
        if let Some(np) = table.np[app] {
            put("-n", np.0.to_string());
        }
        for (option, value, origin) in given(plan, app) {
            let own = match origin {
                Origin::App => true,
                Origin::Job => app.row() == 0,
                Origin::Parent | Origin::Default(_) => false,
            };
            if own {
                put(option, value);
            }
        }
    }
    let world = plan.world();
    let mut slots = String::new();
    for (nodes, state) in world.before.iter() {
        let part = host_list(&world.names, nodes);
        slots += &format!("{part}:{},", world.states.get(state).slots);
    }
    if slots.len() <= HOSTS_MAX {
        slots.pop();
    } else {
        slots = host_list(&world.names, all(&world.names));
    }
    values.insert((0, "--host".to_owned()), slots);
    values
}

/// The longest host list with slots node by node; beyond it, the list has names alone.
const HOSTS_MAX: usize = 4096;

/// A policy in words: its option, its value, and where it came from.
pub type Given = (&'static str, String, Origin);

/// The three policies of an app in words, each with its origin.
#[must_use]
pub fn given(plan: &Plan, app: AppId) -> Vec<Given> {
    let table = plan.resolved_apps();
    let (Some(id), Some(origins)) = (plan.app(app).policy(), table.origins[app]) else {
        return Vec::new();
    };
    let own = &table.policies[id];
    // No words of ours decided anything.
    if own.map == MapBy::Given {
        return Vec::new();
    }
    let file = table.listing[app].map(|(listing, _)| table.listings[listing].path.as_str());
    in_words(table, own, origins, (app, file))
}

/// The policies of an app in words; its map may read a file.
#[must_use]
pub fn in_words(
    table: &AppTable,
    own: &Policy,
    origins: Origins,
    (app, file): (AppId, Option<&str>),
) -> Vec<Given> {
    let Origins { map, rank, bind } = origins;
    let mut word = policy::map(own, table);
    if let Some(file) = file {
        word += &format!(":file={file}");
    }
    if let Some(device) = &table.device[app] {
        word += &format!(":{device}");
    }
    vec![
        (
            "--map-by",
            policy::joined(&word, &policy::map_qualifiers(own)),
            map,
        ),
        ("--rank-by", policy::rank(own).to_owned(), rank),
        (
            "--bind-to",
            policy::joined(policy::bind(own), &policy::bind_qualifiers(own)),
            bind,
        ),
    ]
}
