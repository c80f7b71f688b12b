//! Idioms of other launchers inside the values of our options: what to type instead.

use crate::job::words::split_map;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::at::{At, AtText};
use stowplan_engine::error::spec::{OptionFault, Owner};
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake};
use stowplan_engine::text::mapping::MapForm;

/// Objects that Open MPI 4 ranks by.
const OBJECTS: &[&str] = &[
    "core", "hwthread", "numa", "package", "socket", "l1cache", "l2cache", "l3cache", "board",
];

/// What to type in place of a value that another launcher has in this place; a line of help without its lead.
#[must_use]
pub(crate) fn help(error: &SpecError) -> Option<String> {
    if let SpecError::BadOption {
        fault: OptionFault::Twice { first },
        option,
        ..
    } = error
    {
        return both(option, first);
    }
    let (SpecError::BadDirective { at, word, .. }
    | SpecError::BadQualifier { at, word, .. }
    | SpecError::BadValue {
        at, asked: word, ..
    }) = error
    else {
        return None;
    };
    let At {
        text: AtText::Value { option, value, .. },
        ..
    } = at
    else {
        return None;
    };
    let word = word.to_ascii_lowercase();
    match option.trim_start_matches('-') {
        "rank-by" | "rankby" if OBJECTS.contains(&&*word) => Some(
            "ranks in the order of the mapped objects are --rank-by fill, which a map by objects has by default"
                .to_owned(),
        ),
        "rank-by" | "rankby" => match &*word {
            "cyclic" | "rr" => Some("ranks round by round over nodes are --rank-by node".to_owned()),
            "block" => Some("ranks node by node are --rank-by slot".to_owned()),
            _ => None,
        },
        "map-by" | "mapby" => map(value, &word),
        "bind-to" | "bindto" => bind(value, &word),
        _ => None,
    }
}

/// `pe-list` as a qualifier, a comma for a colon, DISPLAY, boards.
fn map(value: &str, word: &str) -> Option<String> {
    if let Some(list) = word.strip_prefix("pe-list=") {
        let (head, qualifiers) = split_map(value);
        let kept: Vec<String> = qualifiers
            .into_iter()
            .filter(|own| !own.eq_ignore_ascii_case(word))
            .collect();
        return Some(if head.is_empty() && kept.is_empty() {
            format!("a list of cpus is a policy here: --map-by pe-list={list}")
        } else {
            let map = std::iter::once(head)
                .chain(kept)
                .collect::<Vec<_>>()
                .join(":");
            format!(
                "the cpus that may be used are --map-by {map} --prtemca hwloc_default_cpu_list {list}"
            )
        });
    }
    let colons = value.replace(',', ":");
    if colons != value && is_mapping(&colons) {
        return Some(format!("qualifiers follow colons: --map-by {colons}"));
    }
    match word {
        "display" | "displaymap" | "displayalloc" | "report" => {
            Some("the map is shown by --display map".to_owned())
        }
        "board" => Some("there are no boards any more: --map-by node".to_owned()),
        "cyclic" | "rr" => Some("one process on each node in turn is --map-by node".to_owned()),
        "block" => Some("node after node is --map-by slot".to_owned()),
        "thread" | "threads" | "ht" | "pu" => {
            Some("hardware threads are --map-by hwthread".to_owned())
        }
        "cpu" | "cpus" => Some("a cpu is a core by default: --map-by core".to_owned()),
        "machine" => Some("the whole machine is --map-by node".to_owned()),
        _ => None,
    }
}

/// Whether a text is a value of `--map-by`.
fn is_mapping(text: &str) -> bool {
    let mut trial = Intake::new();
    let row = trial.text(AtText::Value {
        app: None,
        option: String::new(),
        value: text.to_owned(),
    });
    let form = DirectiveForm::Map(MapForm::Whole);
    trial
        .directive(Owner::Job, form, row, Scope::Global)
        .is_ok()
}

/// Hydra's counts of objects.
fn bind(value: &str, word: &str) -> Option<String> {
    let digits =
        !word.is_empty() && word.len() < 6 && word.bytes().all(|byte| byte.is_ascii_digit());
    match value
        .split(':')
        .next()
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        Some("core") if digits => Some(format!(
            "{word} cores for each process are --map-by slot:pe={word}"
        )),
        Some("hwthread") if digits => Some(format!(
            "{word} hardware threads for each process are --map-by slot:pe={word}:hwtcpus"
        )),
        Some("thread" | "threads" | "ht" | "pu") => {
            Some("hardware threads are --bind-to hwthread".to_owned())
        }
        Some("cpu" | "cpus") => Some("a cpu is a core by default: --bind-to core".to_owned()),
        Some("board" | "machine" | "node") => {
            Some("bound to the whole node is not bound: --bind-to none".to_owned())
        }
        Some("user") => Some(
            "cpus of each process are the lines of a rankfile: --map-by rankfile:file=F".to_owned(),
        ),
        _ => None,
    }
}

/// Two maps, one of them in an old spelling.
fn both(option: &str, first: &str) -> Option<String> {
    let list = [option, first].into_iter().find_map(|said| {
        let (_, list) = said.split_once("which is --map-by pe-list=")?;
        Some(list)
    });
    if let Some(list) = list {
        return Some(format!(
            "to map otherwise onto these cpus alone, write --prtemca hwloc_default_cpu_list {list} in its place"
        ));
    }
    let old = [option, first]
        .into_iter()
        .any(|said| said.contains("which is --map-by "));
    old.then(|| "each of them says how the app is mapped: keep one".to_owned())
}

/// Whether a value of `--bind-to` is Open MPI 4's word for the cpus of `--cpu-list`.
pub(super) fn is_cpu_list(value: &str) -> bool {
    let word = value.split(':').next().unwrap_or(value);
    ["cpu-list", "cpulist"].contains(&&*word.to_ascii_lowercase())
}
