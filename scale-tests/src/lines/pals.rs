//! Random lines of PALS.

use super::{hosts, list, regular};
use crate::choices::Choices;
use stowplan_reference::lines::pals::{Bind, Pals};

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>) -> (Pals, Vec<String>) {
    let node = regular(choices);
    let hosts = hosts(choices);
    let mut words: Vec<String> = ["--topo", &node.text, "--as", "pals", "mpiexec", "--hosts"]
        .map(str::to_owned)
        .into();
    words.push(hosts.join(","));
    let mut say = |word: &str, value: String| words.extend([word.to_owned(), value]);
    let ranks = choices.within(1, 12) as usize;
    say("-n", ranks.to_string());
    let per_host = (!choices.once_in(4)).then(|| choices.within(1, 6) as usize);
    if let Some(each) = per_host {
        say("-ppn", each.to_string());
    }
    let depth = if choices.once_in(2) {
        choices.within(1, 4) as usize
    } else {
        1
    };
    if depth > 1 {
        say("-d", depth.to_string());
    }
    let bind = match choices.below(5) {
        0 => Bind::Free,
        1 => {
            say("--cpu-bind", "none".to_owned());
            Bind::Free
        }
        2 => {
            say("--cpu-bind", "depth".to_owned());
            Bind::Depth
        }
        3 => {
            say("--cpu-bind", "core".to_owned());
            Bind::Core
        }
        _ => {
            let cpus: Vec<u32> = node.cores.iter().flatten().copied().collect();
            let sets: Vec<Vec<u32>> = (0..choices.within(1, 6))
                .map(|_| {
                    let mut set: Vec<u32> = (0..choices.within(1, 3))
                        .map(|_| *choices.pick(&cpus))
                        .collect();
                    set.sort_unstable();
                    set.dedup();
                    set
                })
                .collect();
            let text: Vec<String> = sets.iter().map(|set| list(set)).collect();
            say("--cpu-bind", format!("list:{}", text.join(":")));
            Bind::List(sets)
        }
    };
    words.push("./a".to_owned());
    let line = Pals {
        hosts,
        ranks,
        per_host,
        depth,
        bind,
        cores: node.cores,
    };
    (line, words)
}
