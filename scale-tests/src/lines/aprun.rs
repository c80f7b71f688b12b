//! Random lines of aprun.

use super::{hosts, list, number, regular};
use crate::choices::Choices;
use stowplan_reference::lines::aprun::{Aprun, Bind, Program};

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>) -> (Aprun, Vec<String>) {
    let node = regular(choices);
    let hosts = hosts(choices);
    let numas = node.packages();
    let cpus: Vec<u32> = node.cores.concat();
    let text = node.text.replace("package:", "numa:");
    let mut words: Vec<String> = ["--topo", &text, "-H", &hosts.join(","), "aprun"]
        .map(str::to_owned)
        .into();
    let mut programs = Vec::new();
    for app in 0..choices.within(1, 3) {
        if app > 0 {
            words.push(":".to_owned());
        }
        programs.push(program(choices, numas.len(), &cpus, &mut words));
        words.push(format!("./app{app}"));
    }
    let line = Aprun {
        hosts,
        programs,
        numas,
    };
    (line, words)
}

fn program(
    choices: &mut Choices<'_>,
    numas: usize,
    cpus: &[u32],
    words: &mut Vec<String>,
) -> Program {
    let ranks = choices.within(1, 10) as usize;
    words.extend(["-n".to_owned(), ranks.to_string()]);
    let per_node = number(choices, words, "-N", (5, 2));
    let depth = number(choices, words, "-d", (4, 3)).unwrap_or(1);
    let threads = number(choices, words, "-j", (2, 4)).unwrap_or(1);
    let per_numa = number(choices, words, "-S", (3, 4));
    let mut listed = number(choices, words, "-sn", (3, 6)).map(|count| (0..count).collect());
    let mut say = |word: &str, value: String| words.extend([word.to_owned(), value]);
    if choices.once_in(6) {
        let most = u32::try_from(numas).unwrap_or(u32::MAX);
        let own: Vec<usize> = (0..choices.within(1, 2))
            .map(|_| choices.within(0, most) as usize)
            .collect();
        say("-sl", list(&own));
        listed = Some(own);
    }
    let bind = bind(choices, cpus, &mut say);
    Program {
        ranks,
        per_node,
        depth,
        threads,
        per_numa,
        numas: listed,
        bind,
    }
}

fn bind(choices: &mut Choices<'_>, cpus: &[u32], say: &mut impl FnMut(&str, String)) -> Bind {
    // A cpu, now and then one that the node lacks.
    let cpu = |choices: &mut Choices<'_>| match choices.once_in(20) {
        true => 99,
        false => *choices.pick(cpus),
    };
    match choices.below(7) {
        0 => Bind::Dealt,
        1 => {
            say("-cc", "none".to_owned());
            Bind::Free
        }
        2 => {
            say("-cc", "numa_node".to_owned());
            Bind::Numa
        }
        3 => {
            say("-cc", "depth".to_owned());
            Bind::Dealt
        }
        4 => {
            say("-cc", "cpu".to_owned());
            Bind::Dealt
        }
        5 => {
            let sets: Vec<Vec<u32>> = (0..choices.within(2, 6))
                .map(|_| (0..choices.within(1, 3)).map(|_| cpu(choices)).collect())
                .collect();
            let text: Vec<String> = sets.iter().map(|set| list(set)).collect();
            say("-cc", text.join(":"));
            Bind::Sets(sets)
        }
        _ => {
            let own: Vec<Option<u32>> = (0..choices.within(1, 6))
                .map(|_| (!choices.once_in(5)).then(|| cpu(choices)))
                .collect();
            let text = |cpu: &Option<u32>| cpu.map_or("x".to_owned(), |cpu| cpu.to_string());
            let text: Vec<String> = own.iter().map(text).collect();
            say("-cc", text.join(","));
            Bind::Cpus(own)
        }
    }
}
