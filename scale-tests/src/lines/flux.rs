//! Random lines of Flux.

use super::regular;
use crate::choices::Choices;
use stowplan_reference::lines::flux::{Affinity, Ask, Flux, FluxNode, Policy, Sharing, Tasks};

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>) -> (Flux, Vec<String>) {
    let mut words = Vec::new();
    let (policy, word) = *choices.pick(&[
        (Policy::Simple, "simple"),
        (Policy::Lonodex, "lonodex"),
        (Policy::First, "first"),
    ]);
    let nodes = nodes(choices, policy, &mut words);
    let count = u32::try_from(nodes.len()).unwrap_or(1);
    words.extend(["-H".to_owned(), format!("n[0-{}]", count - 1)]);
    words.extend(["--site".to_owned(), format!("policy={word}")]);
    words.extend(["flux".to_owned(), "run".to_owned()]);
    let mut say = |word: String| words.push(word);
    let wanted = choices
        .once_in(2)
        .then(|| choices.within(1, count) as usize);
    if let Some(nodes) = wanted {
        say(format!("-N{nodes}"));
    }
    let ask = if choices.once_in(4) {
        per_resource(choices, wanted, &mut say)
    } else {
        let tasks = choices.once_in(2).then(|| choices.within(1, 16) as usize);
        if let Some(tasks) = tasks {
            say(format!("-n{tasks}"));
        }
        let cores = if choices.once_in(2) {
            choices.within(1, 3) as usize
        } else {
            1
        };
        if cores > 1 {
            say(format!("-c{cores}"));
        }
        Ask::PerTask {
            tasks,
            nodes: wanted,
            cores,
        }
    };
    let mut sharing = Sharing::Shared;
    if wanted.is_some() && choices.once_in(5) {
        sharing = Sharing::Exclusive;
        say("-x".to_owned());
    }
    let cyclic = choices.once_in(4).then(|| choices.within(1, 3) as usize);
    if let Some(k) = cyclic {
        say(format!("--taskmap=cyclic:{k}"));
    }
    let (affinity, word) = *choices.pick(&[
        (Affinity::On, "on"),
        (Affinity::Off, "off"),
        (Affinity::PerTask, "per-task"),
    ]);
    say(format!("-ocpu-affinity={word}"));
    say("./a".to_owned());
    let line = Flux {
        nodes,
        policy,
        ask,
        sharing,
        cyclic,
        affinity,
    };
    (line, words)
}

/// The nodes, of one shape or several.
fn nodes(choices: &mut Choices<'_>, policy: Policy, words: &mut Vec<String>) -> Vec<FluxNode> {
    let count = choices.within(1, 5);
    let first = regular(choices);
    let even = policy == Policy::First || choices.once_in(2);
    let mut nodes = Vec::new();
    for number in 0..count {
        let own = if even {
            first.clone()
        } else {
            regular(choices)
        };
        words.extend(["--topo".to_owned(), format!("n{number}={}", own.text)]);
        nodes.push(FluxNode {
            name: format!("n{number}"),
            cores: own.cores,
        });
    }
    nodes
}

fn per_resource(
    choices: &mut Choices<'_>,
    nodes: Option<usize>,
    say: &mut impl FnMut(String),
) -> Ask {
    let cores = choices.once_in(2).then(|| choices.within(1, 8) as usize);
    if let Some(cores) = cores {
        say(format!("--cores={cores}"));
    }
    let each = choices.within(1, 3) as usize;
    let tasks = match choices.below(2) {
        0 => {
            say(format!("--tasks-per-node={each}"));
            Tasks::PerNode(each)
        }
        _ => {
            say(format!("--tasks-per-core={each}"));
            Tasks::PerCore(each)
        }
    };
    Ask::PerResource {
        nodes,
        cores,
        tasks,
    }
}
