//! Notes on the threads of jobs: every condition is counted again, rank by rank, with the plain model. A note that does not hold is not
//! printed, one that holds is not missing, and its first rank and their number are right.

use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use stowplan::answers::openmp::job_notes;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_reference::threads::{Asked, Hardware, Rules, Set, Told, Why, threads};
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::job::Held;
use stowplan_scale_tests::threads::machines::{Known, Shape, xml};

const JOBS: u64 = 3_000;

/// A value, and whether gnu and the others take its words.
type Value = (&'static str, bool, bool);
const PLACES: [Value; 7] = [
    ("cores", true, true),
    ("threads", true, true),
    ("sockets", true, true),
    ("cores(2)", true, true),
    ("core", false, false),
    ("l2_caches", false, true),
    ("hwthreads", false, false),
];
const BINDS: [Value; 8] = [
    ("close", true, true),
    ("spread", true, true),
    ("true", true, true),
    ("false", true, true),
    ("primary", true, true),
    ("TRUE", true, true),
    ("cores", false, false),
    ("spred", false, false),
];
const KMP: [Value; 5] = [
    ("compact", true, true),
    ("scatter", true, true),
    ("granularity=fine,compact", true, true),
    ("none", true, true),
    ("compct", true, false),
];

/// The words of a job, and the variables of each app.
fn words(choices: &mut Choices<'_>, cores: u32) -> Vec<String> {
    let mut words: Vec<String> = ["--topo", "m.xml", "-H"].map(str::to_owned).to_vec();
    words.push(format!("a:{cores},b:{}", choices.within(1, cores)));
    let omp = choices.pick(&["", "", "", "gnu", "llvm", "llvm@17", "intel"]);
    if !omp.is_empty() {
        words.extend(["--omp".to_owned(), (*omp).to_owned()]);
    }
    for app in 0..choices.within(1, 2) {
        if app > 0 {
            words.push(":".to_owned());
        }
        let map = choices.pick(&[
            "core",
            "slot",
            "numa",
            "package",
            "slot:pe=2",
            "node",
            "hwthread",
        ]);
        let procs = choices.within(1, 4).to_string();
        words.extend(["-n", &procs, "--map-by", map].map(str::to_owned));
        let bind = choices.pick(&["", "", "none", "package", "core"]);
        if !bind.is_empty() {
            words.extend(["--bind-to".to_owned(), (*bind).to_owned()]);
        }
        for (name, value) in variables(choices, cores) {
            words.extend(["-x".to_owned(), format!("{name}={value}")]);
        }
        words.push("./x".to_owned());
    }
    words
}

fn variables(choices: &mut Choices<'_>, cores: u32) -> Vec<(&'static str, String)> {
    let mut all = Vec::new();
    if !choices.once_in(4) {
        all.push(("OMP_NUM_THREADS", choices.within(1, 5).to_string()));
    }
    let bind = (!choices.once_in(3)).then(|| choices.pick(&BINDS).0.to_owned());
    let places = match choices.below(5) {
        0 | 1 => None,
        2 => Some(format!(
            "{{{}}},{{{}}}",
            choices.below(cores),
            choices.below(cores)
        )),
        _ => Some(choices.pick(&PLACES).0.to_owned()),
    };
    let mut both = [("OMP_PLACES", places), ("OMP_PROC_BIND", bind)];
    if choices.once_in(2) {
        both.reverse();
    }
    all.extend(
        both.into_iter()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    if choices.once_in(6) {
        let list = format!("{} {}", choices.below(cores), choices.below(cores));
        all.push(("GOMP_CPU_AFFINITY", list));
    }
    if choices.once_in(6) {
        let explicit = format!(
            "proclist=[{},{}],explicit",
            choices.below(cores),
            choices.below(cores)
        );
        let word = choices.pick(&KMP).0.to_owned();
        all.push((
            "KMP_AFFINITY",
            if choices.once_in(4) { explicit } else { word },
        ));
    }
    all
}

/// A process: its variables, its cpus, and its threads by the rules of each runtime.
struct Process {
    env: Vec<(String, String)>,
    mask: Set,
    told: Vec<(Rules, Result<Told, Why>)>,
}

impl Process {
    fn var(&self, name: &str) -> Option<&str> {
        let found = self.env.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    fn answers(&self) -> impl Iterator<Item = &Told> {
        self.told.iter().filter_map(|(_, told)| told.as_ref().ok())
    }
}

fn asked<'a>(
    hardware: &'a Hardware,
    mask: &'a Set,
    env: &'a [(String, String)],
    rules: Rules,
    all: &'a Set,
) -> Asked<'a> {
    Asked {
        hardware,
        mask,
        allowed: all,
        env,
        rules,
        levels: 1,
    }
}

fn used(told: &Told) -> Set {
    told.threads
        .iter()
        .flat_map(|(_, _, cpus)| cpus)
        .copied()
        .collect()
}

/// Whether a value's words are taken; `None`: it is a list.
fn taken(values: &[Value], value: &str, rules: Rules) -> Option<bool> {
    let found = values.iter().find(|(own, ..)| *own == value)?;
    Some(if rules == Rules::Gnu {
        found.1
    } else {
        found.2
    })
}

/// The numbers of the list in force that the mask lacks.
fn outside(process: &Process, rules: Rules) -> Set {
    let numbers = |value: &str| -> Set {
        let words = value.split(|sign: char| !sign.is_ascii_digit());
        let all: Set = words.filter_map(|word| word.parse().ok()).collect();
        all.difference(&process.mask).copied().collect()
    };
    let (places, gomp) = (process.var("OMP_PLACES"), process.var("GOMP_CPU_AFFINITY"));
    let is_list = |value: &str| value.starts_with('{');
    let bind = process.var("OMP_PROC_BIND");
    if rules == Rules::Gnu {
        let valid = |value: &&str| match taken(&PLACES, value, rules) {
            Some(taken) => taken,
            None => {
                let limit = 64 * (process.mask.last().copied().unwrap_or(0) / 64 + 1);
                let all = value.split(|sign: char| !sign.is_ascii_digit());
                let all: Set = all.filter_map(|word| word.parse().ok()).collect();
                all.iter().all(|&own| own < limit) && !all.is_disjoint(&process.mask)
            }
        };
        return match (bind, places.filter(valid)) {
            (Some("false"), _) => Set::new(),
            (_, Some(places)) if is_list(places) => numbers(places),
            (_, Some(_)) => Set::new(),
            (_, None) => gomp.map(numbers).unwrap_or_default(),
        };
    }
    match process.var("KMP_AFFINITY") {
        Some(value) if value.ends_with("explicit") => return numbers(value),
        Some("compct") | None => {}
        Some(_) => return Set::new(),
    }
    if let Some(gomp) = gomp {
        return numbers(gomp);
    }
    let position = |name: &str| process.env.iter().position(|(own, _)| own == name);
    let old = matches!(rules, Rules::Llvm(version) if version <= 17);
    let in_force = match bind {
        Some("false") => old && position("OMP_PLACES") > position("OMP_PROC_BIND"),
        Some(value) if taken(&BINDS, value, rules) == Some(false) => old,
        Some(_) | None => true,
    };
    places
        .filter(|places| is_list(places) && in_force)
        .map(numbers)
        .unwrap_or_default()
}

/// The classes that hold for one process.
fn classes(process: &Process, hardware: &Hardware) -> BTreeSet<&'static str> {
    let mut all = BTreeSet::new();
    let mut add = |class: &'static str, holds: bool| {
        if holds {
            all.insert(class);
        }
    };
    let cores = hardware.cores(&process.mask);
    let set = process.var("OMP_NUM_THREADS").is_some();
    for told in process.answers() {
        let (count, used) = (told.threads.len(), used(told));
        let whole = told
            .threads
            .iter()
            .all(|(_, _, cpus)| *cpus == process.mask);
        add("threads-share-core", set && count > cores);
        add("threads-counted", !set && count > cores);
        add(
            "threads-unbound",
            !told.bound && count > 1 && cores > 1 && whole,
        );
        add(
            "cores-idle",
            told.bound && hardware.cores(&used) < count.min(cores),
        );
        add("threads-leave-mask", !used.is_subset(&process.mask));
    }
    for (rules, told) in &process.told {
        add("runtime-aborts", matches!(told, Err(Why::Aborts)));
        add("omp-number-outside", !outside(process, *rules).is_empty());
        let unknown = |name: &str, values: &[Value]| {
            let value = process.var(name);
            value.is_some_and(|value| taken(values, value, *rules) == Some(false))
        };
        add(
            "omp-word-unknown",
            unknown("OMP_PLACES", &PLACES)
                || unknown("OMP_PROC_BIND", &BINDS)
                || unknown("KMP_AFFINITY", &KMP),
        );
    }
    if let [(_, Ok(one)), (_, Ok(other))] = process.told.as_slice() {
        let cpus =
            |told: &Told| -> Vec<Set> { told.threads.iter().map(|own| own.2.clone()).collect() };
        add(
            "runtimes-differ",
            one.number != other.number || cpus(one) != cpus(other),
        );
    }
    all
}

/// Ranks whose bound threads share a cpu with those of another rank of their node.
fn sharing(plan: &Plan, ranks: &[Rc<Process>]) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let node = |rank: usize| plan.place(Rank(u32::try_from(rank).unwrap())).unwrap().node;
    for runtime in 0..ranks[0].told.len() {
        let cpus: Vec<Option<Set>> = ranks
            .iter()
            .map(|own| {
                own.told[runtime]
                    .1
                    .as_ref()
                    .ok()
                    .filter(|told| told.bound)
                    .map(used)
            })
            .collect();
        for (a, one) in cpus.iter().enumerate() {
            for (b, other) in cpus.iter().enumerate() {
                let (Some(one), Some(other)) = (one, other) else {
                    continue;
                };
                if a != b && node(a) == node(b) && !one.is_disjoint(other) {
                    found.insert(u32::try_from(a).unwrap());
                }
            }
        }
    }
    found
}

/// `rank 3 and 4 more: …`: the first rank, and how many.
fn told_ranks(text: &str) -> (u32, u32) {
    let (head, _) = text.split_once(": ").unwrap();
    let mut words = head.split(' ').skip(1);
    let first = words.next().unwrap().parse().unwrap();
    let more = words.nth(1).map_or(0, |more| more.parse().unwrap());
    (first, more + 1)
}

/// The ranks for which each class holds.
type Holding = BTreeMap<&'static str, BTreeSet<u32>>;

/// The ranks for which each class holds, by the plain model; `None`: there is no answer.
fn wanted(known: &Known, plan: &Plan, rules: &[Rules]) -> Option<(Vec<Rc<Process>>, Holding)> {
    let all: Set = known.plain.cpus.iter().map(|cpu| cpu.os).collect();
    let mut processes: BTreeMap<(usize, Set), Rc<Process>> = BTreeMap::new();
    let mut ranks = Vec::new();
    for rank in 0..plan.ranks() {
        let place = plan.place(Rank(rank)).unwrap();
        let cpus = place
            .cpus
            .map(|cpus| plan.world().cpusets.get(cpus).iter().collect());
        let mask: Set = cpus.unwrap_or_else(|| all.clone());
        let key = (place.app.row(), mask);
        let process = processes.entry(key.clone()).or_insert_with(|| {
            let words = plan.thread_words().of(place.app).iter();
            let env: Vec<(String, String)> = words
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let told = rules.iter().map(|&rules| {
                (
                    rules,
                    threads(&asked(&known.plain, &key.1, &env, rules, &all)),
                )
            });
            Rc::new(Process {
                told: told.collect(),
                mask: key.1.clone(),
                env: env.clone(),
            })
        });
        ranks.push(Rc::clone(process));
    }
    let open = |process: &&Rc<Process>| {
        process
            .told
            .iter()
            .any(|(_, told)| matches!(told, Err(Why::NotModelled)))
    };
    if ranks.iter().any(|process| open(&process)) {
        return None;
    }
    let mut held: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for (rank, process) in (0..).zip(&ranks) {
        for class in classes(process, &known.plain) {
            held.entry(class).or_default().insert(rank);
        }
    }
    let both = sharing(plan, &ranks);
    if !both.is_empty() {
        held.insert("ranks-share-threads", both);
    }
    Some((ranks, held))
}

/// Whether the variable that a note says is passed over changes nothing for some rank, by the rules that it names.
fn is_passed_over(known: &Known, ranks: &[Rc<Process>], text: &str) -> bool {
    let all: Set = known.plain.cpus.iter().map(|cpu| cpu.os).collect();
    let (_, said) = text.split_once(": ").unwrap();
    let (name, _) = said.split_once('=').unwrap();
    let runtime = |rules: Rules| match rules {
        Rules::Gnu => "gnu",
        Rules::Llvm(_) => "llvm",
        Rules::Intel => "intel",
    };
    ranks.iter().any(|process| {
        let without: Vec<(String, String)> = process
            .env
            .iter()
            .filter(|(own, _)| own != name)
            .cloned()
            .collect();
        without.len() < process.env.len()
            && process.told.iter().any(|(rules, told)| {
                said.contains(&format!(", {}: ", runtime(*rules)))
                    && threads(&asked(&known.plain, &process.mask, &without, *rules, &all)) == *told
            })
    })
}

/// The rules that the words of a job ask for.
fn rules(words: &[String]) -> Vec<Rules> {
    let at = words.iter().position(|word| word == "--omp");
    match at.map(|at| words[at + 1].as_str()) {
        None => vec![Rules::Gnu, Rules::Llvm(19)],
        Some("gnu") => vec![Rules::Gnu],
        Some("intel") => vec![Rules::Intel],
        Some("llvm@17") => vec![Rules::Llvm(17)],
        Some(_) => vec![Rules::Llvm(19)],
    }
}

#[test]
fn notes_on_threads_of_jobs_hold_and_none_is_missing() {
    let (placed, given) = (AtomicUsize::new(0), AtomicUsize::new(0));
    (0..JOBS).into_par_iter().for_each(|number| {
        let mut choices = Choices::seeded(number.wrapping_mul(0x9e37_79b9) ^ 17);
        let known = Known::of(Shape::random(&mut choices));
        let cores: BTreeSet<u32> = known.plain.cpus.iter().map(|cpu| cpu.core).collect();
        let words = words(&mut choices, u32::try_from(cores.len()).unwrap());
        let files = [("m.xml".to_owned(), xml(&known.shape, &known.plain.cpus))];
        let held = Held(&files);
        let Ok(placement) = map_args(&words)
            .map_err(drop)
            .and_then(|asked| place(asked, &FilesAlone(&held)).map_err(drop))
        else {
            return;
        };
        let plan = &placement.mapped.plan;
        let rules = rules(&words);
        if plan.thread_words().is_empty() {
            return;
        }
        placed.fetch_add(1, Ordering::Relaxed);
        let (found, wanted) = (job_notes::notes(plan), wanted(&known, plan, &rules));
        let (Ok(found), Some((ranks, wanted))) = (&found, &wanted) else {
            assert_eq!(
                found.is_ok(),
                wanted.is_some(),
                "job {number}: {words:?} {found:?}"
            );
            return;
        };
        let mut told = BTreeMap::new();
        for note in found {
            let text = note.to_string();
            let text = text
                .split_once("]: ")
                .map_or(text.as_str(), |(_, text)| text);
            if note.class() == "omp-variable-ignored" {
                assert!(
                    is_passed_over(&known, ranks, text),
                    "job {number}: {text}\n{words:?}"
                );
                continue;
            }
            told.insert(note.class(), told_ranks(text));
        }
        given.fetch_add(found.len(), Ordering::Relaxed);
        let lists = |process: &Rc<Process>| {
            process
                .env
                .iter()
                .any(|(_, value)| value.starts_with('{') || value.starts_with("proclist"))
        };
        let mut wanted: BTreeMap<&str, (u32, u32)> = wanted
            .iter()
            .map(|(class, ranks)| {
                (
                    *class,
                    (*ranks.first().unwrap(), u32::try_from(ranks.len()).unwrap()),
                )
            })
            .collect();
        if ranks.iter().any(lists) {
            // A list is judged by its form as well.
            told.remove("omp-word-unknown");
            wanted.remove("omp-word-unknown");
        }
        assert_eq!(told, wanted, "job {number}: {:?}\n{words:?}", known.shape);
    });
    println!("{placed:?} jobs, {given:?} notes");
    assert!(placed.into_inner() > 1000 && given.into_inner() > 2000);
}
