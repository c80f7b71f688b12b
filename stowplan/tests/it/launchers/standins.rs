//! Random plans in every dialect: an exported plan lands where it should, and a refused plan could not have been said.

use crate::launchers::given::{self, Given, OWN};
use crate::launchers::own_readers::{self, Scripts, machine};
use crate::launchers::random::Random;
use crate::launchers::truth::{Process, Truth};
use crate::launchers::{rules, unsaid};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::export::{Dialect, export};
use stowplan_engine::plan::Plan;

/// Our mapper reads prterun's words as prterun does.
fn prterun(given: &Given, job: &[String]) -> Vec<Process> {
    let mut words: Vec<String> = Vec::new();
    for two in job.windows(2).filter(|two| two[0] == "--topo") {
        words.extend_from_slice(two);
    }
    words.extend(given.words.iter().filter(|word| *word != OWN).cloned());
    let asked = map_args(&words).unwrap_or_else(|error| panic!("{error}: {words:?}"));
    let placed = place(asked, &FilesAlone(&Scripts(given)))
        .unwrap_or_else(|error| panic!("{error}: {words:?} {:?}", given.files));
    Truth::of(&placed.mapped.plan).processes
}

/// Whether words of srun's name a program behind its options.
fn has_program(words: &[String]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-w" | "-m" => {
                words.next();
            }
            OWN => {}
            own if ["-N", "-n", "--cpu-bind=", "--gpu-bind="]
                .iter()
                .any(|word| own.starts_with(word)) => {}
            _ => return true,
        }
    }
    false
}

/// Slurm's own rules, in a job of whole nodes: each part of a het step is a line of its own, on the nodes that it names.
fn srun(given: &Given, job: &[String], truth: &Truth, version: &str) -> Vec<Process> {
    let mut ours = machine(job);
    let names: Vec<&str> = truth.nodes.keys().map(String::as_str).collect();
    ours.extend(["-H".to_owned(), names.join(",")]);
    ours.extend(["--as".to_owned(), format!("slurm@{version}")]);
    // A job asks for as many GPUs of every node: what steps see of unequal ones is not compared.
    let counts: Vec<usize> = truth.gpus_of_nodes.iter().copied().collect();
    let gres = match counts[..] {
        [gpus] if truth.tells_gpus() => format!(" --gres=gpu:{gpus}"),
        _ => String::new(),
    };
    ours.extend([
        "--alloc".to_owned(),
        format!("--exclusive -N {}{gres}", names.len()),
    ]);
    for (name, value) in &given.variables {
        ours.extend(["--env".to_owned(), format!("{name}={value}")]);
    }
    // The page says that more ranks than cpus need it.
    ours.extend(["--env".to_owned(), "SLURM_OVERCOMMIT=1".to_owned()]);
    let mut found = Vec::new();
    for part in given.words.split(|word| word == ":") {
        let mut words = ours.clone();
        words.push("srun".to_owned());
        words.extend(part.iter().filter(|word| *word != OWN).cloned());
        // The program is what the script is given.
        let named = has_program(part);
        words.extend((!named).then(|| "./given".to_owned()));
        let asked = map_args(&words).unwrap_or_else(|error| panic!("{error}: {words:?}"));
        let placed = place(asked, &FilesAlone(&Scripts(given)))
            .unwrap_or_else(|error| panic!("{error}: {words:?} {:?}", given.files));
        let mut own = Truth::of(&placed.mapped.plan).processes;
        if !named {
            own.iter_mut().for_each(|process| process.words.clear());
        }
        if !truth.tells_gpus() {
            // The plan says nothing of the GPUs that a step sees.
            own.iter_mut().for_each(|process| process.gpus = None);
        }
        found.extend(rules::of_programs(given, part, own));
    }
    if counts.len() > 1 {
        for (own, planned) in found.iter_mut().zip(&truth.processes) {
            own.gpus.clone_from(&planned.gpus);
        }
    }
    found
}

/// Compares each rank with the plan. Next to bound ranks, an unbound rank may have all cpus of its node, or be unbound.
fn compare(dialect: Dialect, real: &[Process], truth: &Truth, about: &str) {
    assert_eq!(real.len(), truth.processes.len(), "{about}");
    for (rank, (real, planned)) in real.iter().zip(&truth.processes).enumerate() {
        assert_eq!(real.node, planned.node, "rank {rank}: {about}");
        assert_eq!(real.words, planned.words, "rank {rank}: {about}");
        assert_eq!(real.gpus, planned.gpus, "GPUs of rank {rank}: {about}");
        let all = Some(&truth.nodes[&planned.node]);
        let is_any = planned.cpus.is_none() && (real.cpus.is_none() || real.cpus.as_ref() == all);
        let off = truth.is_unbound() && real.cpus.is_some() && dialect != Dialect::Jsrun;
        assert!(
            !off && (is_any || real.cpus == planned.cpus),
            "rank {rank}: {real:?} {planned:?}: {about}"
        );
    }
}

fn text(plan: &Plan, dialect: Dialect) -> Option<String> {
    let mut text = String::new();
    export(plan, dialect).ok()?.write_to(&mut text).unwrap();
    Some(text)
}

/// What became of a plan in a dialect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Judged {
    /// The dialect cannot say it.
    Unsaid,
    /// The script lands where it should.
    Said,
    /// The same, and our own reader of the launcher's lines places the line in the same way.
    ReadAgain,
}

/// Reads a line by our own reader of the launcher's lines, which places it in the same way or says what it does not know.
fn read_again(
    dialect: Dialect,
    given: &Given,
    job: &[String],
    truth: &Truth,
    about: &str,
) -> Judged {
    match own_readers::read(dialect, given, job, truth) {
        Some(Ok(real)) => {
            compare(dialect, &real, truth, &format!("our reader: {about}"));
            Judged::ReadAgain
        }
        Some(Err(why)) => {
            // Cray's public code says that hosts belong to the whole line; the script has them for each app (docs/launchers/pals.md).
            let parts = dialect == Dialect::Pals && truth.apps.len() > 1;
            let refused = parts && why.starts_with("launcher-refuses: ");
            assert!(
                refused || why.starts_with("not-modelled: "),
                "{why}: {about}"
            );
            Judged::Said
        }
        None => Judged::Said,
    }
}

fn judge(dialect: Dialect, plan: &Plan, truth: &Truth, job: &[String]) -> Judged {
    let Some(script) = text(plan, dialect) else {
        let why = export(plan, dialect).err().unwrap();
        assert!(
            unsaid::could_not(dialect, truth),
            "{}: {why}: {job:?} {truth:?}",
            dialect.word()
        );
        return Judged::Unsaid;
    };
    let about = format!("{} {job:?}\n{script}", dialect.word());
    match dialect {
        Dialect::RankOrder => {
            let lines = script.lines().filter(|line| !line.starts_with('#'));
            let ranks = truth.order.iter().map(|node| {
                let ranks: Vec<String> =
                    truth.ranks_of(node).iter().map(usize::to_string).collect();
                ranks.join(",")
            });
            assert!(lines.eq(ranks), "{about}");
        }
        Dialect::Hostfile => {
            let lines = script.lines().filter(|line| !line.starts_with('#'));
            let slots = lines.flat_map(|line| {
                let (name, slots) = line.split_once(" slots=").unwrap();
                std::iter::repeat_n(name, slots.parse().unwrap())
            });
            assert!(
                slots.eq(truth.processes.iter().map(|process| &*process.node)),
                "{about}"
            );
        }
        Dialect::Rankfile => unreachable!("it is not listed"),
        Dialect::Srun
        | Dialect::Prterun
        | Dialect::Hydra
        | Dialect::Intel
        | Dialect::Flux
        | Dialect::Pals
        | Dialect::Jsrun => {
            if let Some(bytes) = planned(&script) {
                // Each task finds its place and its program in the plan.
                assert!(truth.apps.len() > 1, "{about}");
                assert_eq!(bytes, plan.to_bytes(), "{about}");
                return Judged::Said;
            }
            let given = given::read(&script);
            if dialect == Dialect::Srun {
                // Older versions show the only rank of a node all GPUs, and the script says so.
                let new = script.contains("Slurm is 26.05 or newer");
                let versions: &[&str] = if new {
                    &["26.05"]
                } else {
                    &["22.05", "24.11", "26.05"]
                };
                for version in versions {
                    compare(dialect, &srun(&given, job, truth, version), truth, &about);
                }
                return Judged::ReadAgain;
            }
            let real = if dialect == Dialect::Prterun {
                prterun(&given, job)
            } else {
                rules::ranks(dialect, &given, truth)
            };
            compare(dialect, &real, truth, &about);
            if dialect != Dialect::Prterun {
                return read_again(dialect, &given, job, truth, &about);
            }
            return Judged::ReadAgain;
        }
    }
    Judged::Said
}

/// The plan in a script that starts tasks by `stowplan exec`.
fn planned(script: &str) -> Option<Vec<u8>> {
    script.contains("stowplan exec").then(|| {
        let lines = script
            .lines()
            .filter_map(|line| line.strip_prefix("printf '"));
        let octal = lines.flat_map(|line| line.trim_end_matches('\'').split('\\').skip(1));
        octal
            .map(|byte| u8::from_str_radix(byte, 8).unwrap())
            .collect()
    })
}

/// How many plans are tried: `few` in the gate, thirty times as many in the long check, or what the environment says.
pub(crate) fn plans(few: u64) -> u64 {
    let long = std::env::var_os("STOWPLAN_LONG").is_some();
    let asked = std::env::var("STOWPLAN_LAUNCH_PLANS").ok();
    let usual = if long { few * 30 } else { few };
    asked.map_or(usual, |asked| asked.parse().unwrap())
}

#[test]
fn random_plans_land_where_they_say() {
    let plans = plans(1000);
    let mut said = [0_u64; Dialect::ALL.len()];
    let mut with_gpus = [0_u64; Dialect::ALL.len()];
    let mut read = [0_u64; Dialect::ALL.len()];
    for seed in 0..plans {
        let (job, plan) = Random::new(seed).plan();
        let truth = Truth::of(&plan);
        for (row, dialect) in Dialect::ALL.into_iter().enumerate() {
            let judged = judge(dialect, &plan, &truth, &job);
            let one = u64::from(judged != Judged::Unsaid);
            read[row] += u64::from(judged == Judged::ReadAgain);
            said[row] += one;
            with_gpus[row] += if truth.tells_gpus() { one } else { 0 };
        }
    }
    for ((dialect, said), read) in Dialect::ALL.into_iter().zip(said).zip(read) {
        println!(
            "{}: {read} of {said} read again by our reader",
            dialect.word()
        );
        let reads = dialect.starts() && dialect != Dialect::Jsrun;
        assert!(!reads || read > said / 2, "{}: {read}", dialect.word());
    }
    for ((dialect, said), with_gpus) in Dialect::ALL.into_iter().zip(said).zip(with_gpus) {
        println!(
            "{}: {said} of {plans} plans said, {with_gpus} of them with GPUs",
            dialect.word()
        );
        let tells_gpus = [
            Dialect::Srun,
            Dialect::Flux,
            Dialect::Pals,
            Dialect::Jsrun,
            Dialect::RankOrder,
            Dialect::Hostfile,
        ];
        let enough = if tells_gpus.contains(&dialect) {
            plans / 32
        } else {
            0
        };
        assert_eq!(with_gpus > 0, enough > 0, "{}: {with_gpus}", dialect.word());
        assert!(with_gpus >= enough, "{}: {with_gpus}", dialect.word());
        assert!(
            said > plans / 8 && said <= plans,
            "{}: {said}",
            dialect.word()
        );
    }
}
