//! Where each launcher puts each rank, with which cpus and words, by the launcher's documented rules.

use crate::launchers::given::{Given, OWN};
use crate::launchers::gpus;
use crate::launchers::rank_map::rank_map;
use crate::launchers::truth::{Process, Truth};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan::launchers::export::Dialect;

pub(crate) fn ranks(dialect: Dialect, given: &Given, truth: &Truth) -> Vec<Process> {
    match dialect {
        Dialect::Srun | Dialect::Prterun => unreachable!("our own readers read their words"),
        Dialect::Hydra => hydra(given),
        Dialect::Intel => intel(given),
        Dialect::Flux => flux(given),
        Dialect::Pals => pals(given),
        Dialect::Jsrun => jsrun(given),
        Dialect::RankOrder | Dialect::Hostfile | Dialect::Rankfile => {
            panic!("they start nothing: {truth:?}")
        }
    }
}

fn list(text: &str) -> RoaringBitmap {
    let mut set = RoaringBitmap::new();
    for part in text.split([',', '+']) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        set.insert_range(first.parse::<u32>().unwrap()..=last.parse().unwrap());
    }
    set
}

fn mask(text: &str) -> RoaringBitmap {
    let digits = text.strip_prefix("0x").expect("masks begin with 0x");
    let number = u128::from_str_radix(digits, 16).unwrap();
    (0..128).filter(|bit| number >> bit & 1 == 1).collect()
}

/// `n[8-10,12],m`.
pub(crate) fn hosts(text: &str) -> Vec<String> {
    let mut hosts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let comma = rest.find(',').unwrap_or(rest.len());
        match rest.find('[').filter(|&open| open < comma) {
            None => {
                hosts.push(rest[..comma].to_owned());
                rest = rest.get(comma + 1..).unwrap_or("");
            }
            Some(open) => {
                let close = rest.find(']').unwrap();
                for part in rest[open + 1..close].split(',') {
                    let (first, last) = part.split_once('-').unwrap_or((part, part));
                    for number in first.parse::<u32>().unwrap()..=last.parse().unwrap() {
                        hosts.push(format!(
                            "{}{number:0width$}",
                            &rest[..open],
                            width = first.len()
                        ));
                    }
                }
                rest = rest[close + 1..]
                    .strip_prefix(',')
                    .unwrap_or(&rest[close + 1..]);
            }
        }
    }
    hosts
}

/// Slurm's order: by name; numbers in names are compared by value, and those with leading zeros character by character.
pub(crate) fn by_name(mut hosts: Vec<String>) -> Vec<String> {
    hosts.sort_by_key(|host| {
        let stem = host
            .trim_end_matches(|sign: char| sign.is_ascii_digit())
            .to_owned();
        let number = host[stem.len()..].to_owned();
        let length = if number.starts_with('0') {
            0
        } else {
            number.len()
        };
        (stem, length, number)
    });
    hosts
}

fn process(node: &str, words: &[String]) -> Process {
    let words = words.iter().filter(|word| *word != OWN).cloned().collect();
    Process {
        node: node.to_owned(),
        cpus: None,
        gpus: None,
        words,
    }
}

/// Gives each rank the cpus at its position among the ranks of its node.
fn bind(processes: &mut [Process], cpus: impl Fn(usize, &str) -> Option<RoaringBitmap>) {
    let mut next: BTreeMap<String, usize> = BTreeMap::new();
    for process in processes {
        let at = next.entry(process.node.clone()).or_default();
        process.cpus = cpus(*at, &process.node);
        *at += 1;
    }
}

/// Lines of programs: `0-2 ./x 'a b'`.
pub(crate) fn programs(text: &str, processes: &mut [Process], replaced: &[&str]) {
    for line in text.lines() {
        let (ranks, rest) = line.split_once(' ').unwrap();
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut signs = rest.chars();
        while let Some(sign) = signs.next() {
            match sign {
                ' ' => words.extend(word.take()),
                '\'' => {
                    let inner: String = signs.by_ref().take_while(|&end| end != '\'').collect();
                    assert!(!inner.contains('\\'), "a reader may take it for an escape");
                    word.get_or_insert_default().push_str(&inner);
                }
                '\\' => word.get_or_insert_default().extend(signs.next()),
                '%' => panic!("it would be replaced: {line}"),
                _ => word.get_or_insert_default().push(sign),
            }
        }
        words.extend(word);
        // Flux's reader keeps an empty word in quotes, Slurm's loses it.
        let lost = |word: &String| word.is_empty() && replaced.is_empty();
        let gone = |word: &String| lost(word) || replaced.iter().any(|sign| word.contains(sign));
        assert!(!words.iter().any(gone), "{line}");
        for rank in list(ranks) {
            processes[rank as usize].words.clone_from(&words);
        }
    }
}

/// What a step starts in place of its line's program, if that is a file of programs.
pub(crate) fn of_programs(
    given: &Given,
    words: &[String],
    mut processes: Vec<Process>,
) -> Vec<Process> {
    if let Some(at) = words.iter().position(|word| word == "--multi-prog") {
        programs(&given.files[&words[at + 1]], &mut processes, &[]);
    }
    processes
}

/// `-n 3 … ./x : -n 1 ./y`, after options that take a word each and go to `own`.
fn colons(words: &[String], own: &mut dyn FnMut(usize, &str, String)) -> Vec<(usize, Vec<String>)> {
    let apps = words.split(|word| word == ":").enumerate();
    let each = apps.map(|(app, words)| {
        let mut ranks = 0;
        let mut rest = words.iter().filter(|word| *word != OWN);
        let mut program = Vec::new();
        while let Some(word) = rest.next() {
            if program.is_empty() && word == "-n" {
                ranks = rest.next().unwrap().parse().unwrap();
            } else if program.is_empty() && word.starts_with('-') {
                own(app, word, rest.next().unwrap().clone());
            } else {
                program.push(word.clone());
            }
        }
        (ranks, program)
    });
    each.collect()
}

fn hydra(given: &Given) -> Vec<Process> {
    let mut options = BTreeMap::new();
    let apps = colons(&given.words, &mut |_, name, value| {
        assert!(
            options.insert(name.to_owned(), value).is_none(),
            "twice is an error"
        );
    });
    let (mut names, mut slots) = (Vec::new(), Vec::new());
    let mut own: BTreeMap<String, Vec<RoaringBitmap>> = BTreeMap::new();
    let lists = |text: &str| {
        text.strip_prefix("user:")
            .unwrap()
            .split(',')
            .map(list)
            .collect::<Vec<_>>()
    };
    for line in given.files[&options["-f"]].lines() {
        assert!(line.len() < 16 * 1024);
        let (host, binding) = line.split_once(" binding=").unwrap_or((line, ""));
        let (name, count) = host.rsplit_once(':').unwrap();
        slots.push(count.parse::<usize>().unwrap());
        assert!(!names.contains(&name.to_owned()), "a host stands once");
        names.push(name.to_owned());
        if !binding.is_empty() {
            own.insert(name.to_owned(), lists(binding));
        }
    }
    let ranks: usize = apps.iter().map(|(ranks, _)| ranks).sum();
    let nodes = match options.get("-rankmap") {
        Some(map) => rank_map(map),
        None => {
            let turns = slots.iter().enumerate().cycle();
            let turns = turns.flat_map(|(node, &slots)| std::iter::repeat_n(node, slots));
            turns.take(ranks).collect()
        }
    };
    assert_eq!(nodes.len(), ranks, "the whole map stands there");
    assert!(nodes.contains(&0), "a map without node 0 may abort");
    let words = apps
        .iter()
        .flat_map(|(ranks, words)| std::iter::repeat_n(words, *ranks));
    let mut processes: Vec<Process> = nodes
        .iter()
        .zip(words)
        .map(|(&node, words)| process(&names[node], words))
        .collect();
    match options.get("-bind-to").map(String::as_str) {
        Some("none") => {}
        Some(text) => {
            let all = lists(text);
            bind(&mut processes, |at, _| all.get(at).cloned());
        }
        None => bind(&mut processes, |at, node| own[node].get(at).cloned()),
    }
    processes
}

fn intel(given: &Given) -> Vec<Process> {
    let mut file = String::new();
    let apps = colons(&given.words, &mut |_, name, value| {
        assert_eq!(name, "-machinefile");
        file = value;
    });
    let nodes = given.files[&file].lines().flat_map(|line| {
        let (name, count) = line.split_once(':').unwrap();
        std::iter::repeat_n(name, count.parse().unwrap())
    });
    let words = apps
        .iter()
        .flat_map(|(ranks, words)| std::iter::repeat_n(words, *ranks));
    let mut processes: Vec<Process> = nodes
        .zip(words)
        .map(|(node, words)| process(node, words))
        .collect();
    if let Some(domains) = given.variables.get("I_MPI_PIN_DOMAIN") {
        let inner = domains
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap();
        let masks: Vec<RoaringBitmap> = inner.split(',').map(mask).collect();
        bind(&mut processes, |at, _| Some(masks[at].clone()));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        processes
            .iter()
            .for_each(|process| *counts.entry(&process.node).or_default() += 1);
        assert!(counts.values().all(|&count| count == masks.len()));
    } else {
        assert_eq!(given.variables["I_MPI_PIN"], "off");
    }
    processes
}

fn flux(given: &Given) -> Vec<Process> {
    let mut words = given.words.iter();
    assert_eq!(words.next().unwrap(), "run");
    let nodes: usize = words
        .next()
        .unwrap()
        .strip_prefix("-N")
        .unwrap()
        .parse()
        .unwrap();
    let said = words.next().unwrap();
    let tasks: usize = match said.strip_prefix("--tasks-per-node=") {
        Some(each) => nodes * each.parse::<usize>().unwrap(),
        None => said.strip_prefix("-n").unwrap().parse().unwrap(),
    };
    let mut next = words.next().unwrap();
    let whole = next == "-x" || said.starts_with("--tasks-per-node=");
    if next == "-x" {
        next = words.next().unwrap();
    }
    let names = by_name(hosts(next.strip_prefix("--requires=host:").unwrap()));
    assert_eq!(names.len(), nodes);
    let map = words.next().unwrap().strip_prefix("--taskmap=").unwrap();
    let order: Vec<String> = if let Some(text) = map.strip_prefix("manual:") {
        let blocks: Vec<[usize; 4]> = serde_json::from_str(text).unwrap();
        let mut order = Vec::new();
        for [first, count, ppn, repeat] in blocks {
            for _ in 0..repeat {
                for name in &names[first..first + count] {
                    order.extend(std::iter::repeat_n(name.clone(), ppn));
                }
            }
        }
        order
    } else {
        let file = map.strip_prefix("hostfile:").unwrap();
        given.files[file].lines().map(str::to_owned).collect()
    };
    assert_eq!(order.len(), tasks);
    assert_eq!(words.next().unwrap(), "-o");
    let affinity = words.next().unwrap().strip_prefix("cpu-affinity=").unwrap();
    let mut rest: Vec<String> = words.filter(|word| *word != OWN).cloned().collect();
    let mut gpu_affinity = None;
    if rest.first().is_some_and(|word| word == "-o") {
        gpu_affinity = Some(rest[1].clone());
        rest.drain(..2);
    }
    let mut processes: Vec<Process> = order.iter().map(|node| process(node, &rest)).collect();
    if rest.first().is_some_and(|word| word == "flux") {
        assert_eq!(rest[1], "multi-prog");
        programs(&given.files[&rest[2]], &mut processes, &["%t", "%o"]);
    }
    if let Some(text) = affinity.strip_prefix("map:") {
        assert!(whole, "the cpus are the job's on whole nodes alone");
        let lists: Vec<RoaringBitmap> = text.split(';').map(list).collect();
        bind(&mut processes, |at, _| {
            Some(lists[at % lists.len()].clone())
        });
    } else {
        assert_eq!(affinity, "off");
    }
    if let Some(word) = gpu_affinity {
        gpus::flux(&word, &mut processes);
    }
    processes
}

fn pals(given: &Given) -> Vec<Process> {
    let mut of: BTreeMap<(usize, String), String> = BTreeMap::new();
    let apps = colons(&given.words, &mut |app, name, value| {
        of.insert((app, name.to_owned()), value);
    });
    let mut processes = Vec::new();
    let mut taken: Vec<String> = Vec::new();
    for (app, (ranks, words)) in apps.iter().enumerate() {
        let hosts: Vec<&str> = of[&(app, "--hosts".to_owned())].split(',').collect();
        let ppn: usize = of[&(app, "--ppn".to_owned())].parse().unwrap();
        assert!(hosts.len() * ppn >= *ranks && (hosts.len() - 1) * ppn < *ranks);
        for host in &hosts {
            assert!(!taken.contains(&(*host).to_owned()), "apps share no node");
            taken.push((*host).to_owned());
        }
        processes.extend((0..*ranks).map(|rank| process(hosts[rank / ppn], words)));
    }
    if let Some(file) = given.variables.get("MPICH_RANK_REORDER_FILE") {
        assert_eq!(given.variables["MPICH_RANK_REORDER_METHOD"], "3");
        let ranks: Vec<usize> = given.files[file]
            .lines()
            .flat_map(|line| line.split(','))
            .map(|rank| rank.parse().unwrap())
            .collect();
        let placed = processes.clone();
        for (at, &rank) in ranks.iter().enumerate() {
            processes[rank].node.clone_from(&placed[at].node);
        }
    }
    let text = &of[&(0, "--cpu-bind".to_owned())];
    if let Some(text) = text.strip_prefix("list:") {
        let lists: Vec<RoaringBitmap> = text.split(':').map(list).collect();
        bind(&mut processes, |at, _| Some(lists[at].clone()));
    } else {
        assert_eq!(text, "none");
    }
    if let Some(value) = of.get(&(0, "--gpu-bind".to_owned())) {
        gpus::pals(value, &mut processes);
    }
    processes
}

fn jsrun(given: &Given) -> Vec<Process> {
    assert_eq!(given.words[0], "--erf_input");
    let only: Vec<String> = given.words[2..]
        .iter()
        .filter(|word| *word != OWN)
        .cloned()
        .collect();
    let mut apps: Vec<Vec<String>> = Vec::new();
    let (mut overlaps, mut tells_gpus) = (false, false);
    let mut processes: Vec<Process> = Vec::new();
    for line in given.files[&given.words[1]].lines() {
        if let Some(app) = line.strip_prefix("app ") {
            let (_, words) = app.split_once(": ").unwrap();
            apps.push(words.split(' ').map(str::to_owned).collect());
        } else if line == "overlapping_rs: allow" {
            overlaps = true;
        } else if line != "cpu_index_using: physical" {
            let rest = line
                .strip_prefix(&format!("rank: {}: {{ hostname: ", processes.len()))
                .unwrap();
            let (host, rest) = rest.split_once("; cpu: {").unwrap();
            let (resources, app) = rest.split_once(" } : app ").unwrap();
            let words = apps.get(app.parse::<usize>().unwrap()).unwrap_or(&only);
            let mut process = process(host, words);
            let (cpus, gpus) = gpus::jsrun(resources);
            process.cpus = Some(list(cpus));
            tells_gpus |= !gpus.is_empty();
            process.gpus = Some(gpus);
            processes.push(process);
        }
    }
    if !tells_gpus {
        processes.iter_mut().for_each(|process| process.gpus = None);
    }
    if !overlaps {
        let mut taken: BTreeMap<String, RoaringBitmap> = BTreeMap::new();
        for process in &processes {
            let taken = taken.entry(process.node.clone()).or_default();
            let cpus = process.cpus.as_ref().unwrap();
            assert!(taken.is_disjoint(cpus), "shared cpus must be allowed");
            *taken |= cpus;
        }
    }
    processes
}
