//! Random lines of jsrun.

use super::{hosts, number, regular};
use crate::choices::Choices;
use stowplan_reference::lines::jsrun::{Bind, Jsrun, Latency};

/// A line, as it is told to the plain model, and its words.
pub(super) fn line(choices: &mut Choices<'_>) -> (Jsrun, Vec<String>) {
    let hosts = hosts(choices);
    let (text, packages, gpu_packages) = hardware(choices);
    let mut words: Vec<String> = ["--topo", &text, "-H", &hosts.join(","), "jsrun"]
        .map(str::to_owned)
        .into();
    let sets = (!choices.once_in(4))
        .then(|| number(choices, &mut words, "-n", (10, 1)))
        .flatten();
    let per_host = number(choices, &mut words, "-r", (6, 2));
    let tasks = number(choices, &mut words, "-a", (4, 2));
    let all_tasks = number(choices, &mut words, "-p", (12, 8));
    let cores = number(choices, &mut words, "-c", (6, 2));
    let gpus = match gpu_packages.is_empty() {
        true => number(choices, &mut words, "-g", (2, 12)),
        false => number(choices, &mut words, "-g", (3, 2)),
    };
    let (mut cores, mut gpus) = (Some(cores.unwrap_or(1)), Some(gpus.unwrap_or(0)));
    if choices.once_in(12) {
        words.extend(["-c", "ALL_CPUS"].map(str::to_owned));
        cores = None;
    }
    if choices.once_in(12) {
        words.extend(["-g", "ALL_GPUS"].map(str::to_owned));
        gpus = None;
    }
    let (bind, turn, latency) = dealing(choices, &mut words);
    words.push("./a".to_owned());
    let line = Jsrun {
        hosts,
        packages,
        gpu_packages,
        sets,
        per_host,
        tasks,
        all_tasks,
        cores,
        gpus,
        bind,
        turn,
        latency,
    };
    (line, words)
}

/// How ranks are bound and dealt over sets, and where sets are cut.
fn dealing(choices: &mut Choices<'_>, words: &mut Vec<String>) -> (Bind, Option<usize>, Latency) {
    let mut say = |word: &str, value: &str| words.extend([word.to_owned(), value.to_owned()]);
    let (bind, word) = *choices.pick(&[
        (Bind::Packed(1), None),
        (Bind::Packed(1), Some("packed")),
        (Bind::Packed(2), Some("packed:2")),
        (Bind::Set, Some("rs")),
        (Bind::Free, Some("none")),
    ]);
    word.iter().for_each(|word| say("-b", word));
    let (turn, word) = *choices.pick(&[
        (None, None),
        (Some(usize::MAX), Some("packed")),
        (Some(1), Some("cyclic")),
        (Some(2), Some("plane:2")),
        (Some(3), Some("plane:3")),
    ]);
    word.iter().for_each(|word| say("-d", word));
    let latency = match choices.once_in(4) {
        true => {
            say("-l", "cpu-cpu");
            Latency::Cpu
        }
        false => Latency::Gpu,
    };
    (bind, turn, latency)
}

/// The hosts' hardware as text, the threads of each core of each package, and the package of each GPU.
fn hardware(choices: &mut Choices<'_>) -> (String, Vec<Vec<Vec<u32>>>, Vec<usize>) {
    if choices.once_in(3) {
        // Two packages of 22 cores, the last of which is the system's; four threads a core.
        let core = |first: u32, core: u32| (0..4).map(|thread| first + 4 * core + thread).collect();
        let package = |first: u32| (0..21).map(|at| core(first, at)).collect();
        let packages = vec![package(0), package(88)];
        return (
            "builtin:summit".to_owned(),
            packages,
            vec![0, 0, 0, 1, 1, 1],
        );
    }
    let node = regular(choices);
    let packages = node.packages();
    (node.text, packages, Vec::new())
}
