//! Which GPUs each launcher shows to each rank, by its documented rule: it depends on the rank's position among the ranks of its node.

use crate::truth::Process;
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

/// `--gpu-bind`: decimal numbers, one for each task, or hexadecimal masks. Both lists start again at their end, and `N*3` means N
/// three times.
pub(crate) fn slurm(word: &str, processes: &mut [Process]) {
    let value = word.strip_prefix("--gpu-bind=").unwrap();
    let (of_text, list): (fn(&str) -> Vec<u32>, &str) = match value.split_once(':').unwrap() {
        ("map_gpu", list) => (|text| vec![text.parse().unwrap()], list),
        ("mask_gpu", list) => (
            |text| {
                let digits = text.strip_prefix("0x").unwrap_or(text);
                let mask = u64::from_str_radix(digits, 16).unwrap();
                (0..64).filter(|bit| mask >> bit & 1 == 1).collect()
            },
            list,
        ),
        other => panic!("{other:?}"),
    };
    let lists = list.split(',').flat_map(|entry| {
        let (entry, times) = entry.split_once('*').unwrap_or((entry, "1"));
        std::iter::repeat_n(of_text(entry), times.parse().unwrap())
    });
    show(processes, &lists.collect::<Vec<_>>(), Beyond::Wraps);
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
