//! Random lines of Hydra.

use super::{host, programs};
use crate::choices::Choices;
use stowplan_engine::policy::ObjKind;
use stowplan_reference::lines::hydra::{Binding, Hydra};
use stowplan_reference::machine::Machine;

/// Kinds of objects by a word of Hydra's.
const KINDS: &[(&str, ObjKind)] = &[
    ("machine", ObjKind::Machine),
    ("socket", ObjKind::Package),
    ("die", ObjKind::Die),
    ("numa", ObjKind::Numa),
    ("core", ObjKind::Core),
    ("hwthread", ObjKind::Hwthread),
    ("l1dcache", ObjKind::L1),
    ("l2cache", ObjKind::L2),
    ("l3cache", ObjKind::L3),
];

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>, machine: &Machine) -> (Hydra, Vec<String>) {
    let mut words = vec!["mpiexec.hydra".to_owned()];
    let mut hosts = Vec::new();
    let mut list = Vec::new();
    for _ in 0..choices.within(1, 5) {
        let (name, slots) = (host(choices), choices.within(1, 4));
        list.push(match slots {
            1 if choices.once_in(2) => name.clone(),
            _ => format!("{name}:{slots}"),
        });
        hosts.push((name, slots as usize));
    }
    words.extend(["-hosts".to_owned(), list.join(",")]);
    let per_node = choices.once_in(3).then(|| choices.within(1, 6));
    words.extend(
        per_node
            .iter()
            .flat_map(|each| ["-ppn".to_owned(), each.to_string()]),
    );
    let rank_map = choices.once_in(5).then(|| rank_map(choices));
    if let Some(map) = &rank_map {
        let text: Vec<String> = map.iter().map(usize::to_string).collect();
        words.extend(["-rankmap".to_owned(), text.join(",")]);
    }
    let binding = binding(choices, machine, &mut words);
    let line = Hydra {
        hosts,
        per_node: per_node.map(|each| each as usize),
        rank_map,
        procs: programs(choices, &mut words),
        binding,
    };
    (line, words)
}

fn rank_map(choices: &mut Choices<'_>) -> Vec<usize> {
    let length = choices.within(1, 12);
    (0..length).map(|_| choices.below(4) as usize).collect()
}

fn binding(choices: &mut Choices<'_>, machine: &Machine, words: &mut Vec<String>) -> Binding {
    let mut say = |option: &str, value: String| words.extend([option.to_owned(), value]);
    match choices.below(8) {
        0 => Binding::Free,
        1 => {
            say("-bind-to", "rr".to_owned());
            Binding::InTurn
        }
        2 => {
            let cpus: Vec<u32> = machine.cpus.iter().collect();
            let mut entries = Vec::new();
            for _ in 0..choices.within(1, 4) {
                let mut entry: Vec<u32> = (0..choices.within(1, 3))
                    .map(|_| *choices.pick(&cpus))
                    .collect();
                // A cpu that no machine has.
                entry.extend(choices.once_in(20).then_some(4000));
                entries.push(entry);
            }
            let text = |entry: &Vec<u32>| {
                let cpus: Vec<String> = entry.iter().map(u32::to_string).collect();
                cpus.join("+")
            };
            let list: Vec<String> = entries.iter().map(text).collect();
            say("-bind-to", format!("user:{}", list.join(",")));
            Binding::User(entries)
        }
        _ => {
            let bind = objects(choices);
            say("-bind-to", bind.0);
            let mut map = bind.1;
            if choices.once_in(2) {
                let by = objects(choices);
                say("-map-by", by.0);
                map = by.1;
            }
            Binding::Objects { bind: bind.1, map }
        }
    }
}

/// `OBJ[:k]`
fn objects(choices: &mut Choices<'_>) -> (String, (ObjKind, usize)) {
    let (word, kind) = *choices.pick(KINDS);
    if choices.once_in(2) {
        return (word.to_owned(), (kind, 1));
    }
    let count = choices.within(1, 6);
    (format!("{word}:{count}"), (kind, count as usize))
}
