//! Which GPUs each launcher shows to each rank, by its documented rule: it depends on the rank's position among the ranks of its node.

use crate::launchers::truth::Process;
use std::collections::BTreeMap;

/// What a launcher does with ranks after the end of its list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Beyond {
    /// It starts the list again.
    Wraps,
    /// There must be no such rank.
    None,
}

fn numbers(text: &str) -> Vec<u32> {
    let mut numbers: Vec<u32> = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<u32>().unwrap()..=last.parse().unwrap());
    }
    assert!(numbers.is_sorted(), "a variable lists them ascending");
    numbers
}

fn show(processes: &mut [Process], lists: &[Vec<u32>], beyond: Beyond) {
    assert!(
        lists.iter().all(|gpus| !gpus.is_empty()),
        "a launcher takes an entry of none for something else"
    );
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for process in processes {
        let at = next.entry(process.node.clone()).or_default();
        assert!(beyond == Beyond::Wraps || *at < lists.len());
        process.gpus = Some(lists[*at % lists.len()].clone());
        *at += 1;
    }
}

/// `gpu-affinity=map:4;5,6`: one list for each task, separated by semicolons; they start again at their end.
pub(crate) fn flux(word: &str, processes: &mut [Process]) {
    let list = word.strip_prefix("gpu-affinity=map:").unwrap();
    let lists: Vec<Vec<u32>> = list.split(';').map(numbers).collect();
    show(processes, &lists, Beyond::Wraps);
}

/// `--gpu-bind list:4:5,6`: one list for each rank, separated by colons.
pub(crate) fn pals(value: &str, processes: &mut [Process]) {
    let list = value.strip_prefix("list:").unwrap();
    let lists: Vec<Vec<u32>> = list.split(':').map(numbers).collect();
    show(processes, &lists, Beyond::None);
}

/// `cpu: {0-3}; gpu: {4,5}` of a resource file: the cpus and the GPUs of this rank. Without `gpu` it gets no GPU.
pub(crate) fn jsrun(resources: &str) -> (&str, Vec<u32>) {
    let (cpus, rest) = resources.split_once('}').unwrap();
    let gpus = match rest.strip_prefix("; gpu: {") {
        None => {
            assert_eq!(rest, "");
            Vec::new()
        }
        Some(rest) => numbers(rest.strip_suffix('}').unwrap()),
    };
    (cpus, gpus)
}
