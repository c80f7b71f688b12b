//! How costs grow with the cores of one node and with the lines of a file. CPU times of the command, as the shell that ran it
//! reports them, are compared between sizes; absolute times are not asserted. Memory is capped.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::float_arithmetic,
    reason = "what fails here fails the test, in its helpers too; a fit is made of fractions, and told"
)]

use crate::folder::Folder;
use std::process::Command;

/// The cap on the address space. Unit: kilobytes. A command whose memory grew with the square of 2^16 cores took more.
const CAP: &str = "1500000";

/// The error of the clock. Unit: seconds.
const GRAIN: f64 = 0.03;

/// The CPU seconds of the command.
fn seconds(words: &[&str]) -> f64 {
    read_from("/dev/null", words)
}

/// The same, with a file as standard input.
fn read_from(input: &str, words: &[&str]) -> f64 {
    let script = format!(
        "ulimit -c 0; ulimit -v {CAP}; \"$0\" \"$@\" <\"$STDIN\" >/dev/null || exit 3; times"
    );
    let mut command = Command::new("bash");
    command.env("STDIN", input);
    command.args(["-c", &script, env!("CARGO_BIN_EXE_stowplan")]);
    let said = command.args(words).output().unwrap();
    let err = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{words:?}: {err}");
    let text = String::from_utf8(said.stdout).unwrap();
    // The second line: user and system time of the shell's children, as 0m0.012s.
    let times = text.lines().nth(1).unwrap().split(' ');
    let seconds = times.map(|time| {
        let (minutes, rest) = time.split_once('m').unwrap();
        let rest: f64 = rest.trim_end_matches('s').parse().unwrap();
        minutes.parse::<f64>().unwrap() * 60.0 + rest
    });
    seconds.sum::<f64>()
}

/// Sizes as powers of two, far enough apart to show quadratic growth. The long check goes up to 2^16.
fn sizes() -> (u32, u32) {
    if std::env::var_os("STOWPLAN_LONG").is_some() {
        (10, 16)
    } else {
        (11, 14)
    }
}

/// A size, made smaller so that the largest is 2^`most`.
fn up_to(most: u32, size: u32) -> u32 {
    size >> (sizes().1 - most)
}

/// Asserts that the time grows with at most the power 1.2 from the smaller size to the larger. The long check also asserts that
/// fixed costs hide no quadratic growth: from a quarter of the larger size on, the power is less than 1.3. Measures up to three
/// times before it fails.
fn grows(what: &str, at: &dyn Fn(u32) -> f64) {
    let (small, large) = sizes();
    let mut said = String::new();
    for _ in 0..3 {
        let costs = (at(small), at(large));
        let fitted = (costs.1 / costs.0.max(GRAIN)).log2() / f64::from(large - small);
        said = format!("{what}: {costs:.3?} s, exponent {fitted:.2}");
        let hides = large == 16 && costs.1 > 6.0 * (at(large - 2) + GRAIN);
        if fitted <= 1.2 && !hides {
            println!("{said}");
            return;
        }
    }
    panic!("{said}");
}

/// A job on one node with this many cores.
type Job = fn(u32) -> Vec<String>;

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(|word| word.replace('~', " ")).collect()
}

fn by_core(cores: u32) -> Vec<String> {
    words(&format!(
        "map --threads 1 --topo core:{cores}~pu:1 -H a:{cores} -n {cores} --map-by core"
    ))
}

fn measured(what: &str, job: &dyn Fn(u32) -> Vec<String>) {
    let at = |log: u32| {
        let words = job(1 << log);
        seconds(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    grows(what, &at);
}

#[test]
fn formats_grow_with_the_cores_of_a_node() {
    for format in [
        "text", "map", "tsv", "ndjson", "json", "html", "svg", "taskmap", "pmi", "raw",
    ] {
        measured(format, &|cores| {
            let mut job = by_core(cores);
            job.extend(["--format".to_owned(), format.to_owned()]);
            job
        });
    }
    for threads in ["-x OMP_NUM_THREADS=2", "--columns rank,threads"] {
        measured(threads, &|cores| {
            let mut job = by_core(cores);
            job.extend(words(threads));
            job
        });
    }
}

/// Policies and bindings, one node each.
const JOBS: &[(&str, Job)] = &[
    ("a list in order", |cores| {
        let last = cores - 1;
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{cores} -n {cores} --map-by pe-list=0-{last}:ordered"
        ))
    }),
    ("two cpus each", |cores| {
        let procs = cores / 2;
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{procs} -n {procs} --map-by slot:pe=2"
        ))
    }),
    ("two cpus each of a package", |cores| {
        let (procs, half) = (cores / 2, cores / 2);
        words(&format!(
            "--topo package:2~core:{half}~pu:1 -H a:{procs} -n {procs} --map-by package:pe=2"
        ))
    }),
    ("two on each core", |cores| {
        words(&format!(
            "--topo core:{cores}~pu:2 -H a:{} --map-by ppr:2:core:hwtcpus",
            2 * cores
        ))
    }),
    ("two on each core, shared", |cores| {
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{} --map-by ppr:2:core --bind-to core:overload-allowed",
            2 * cores
        ))
    }),
    ("by core, shared", |cores| {
        let procs = 2 * cores;
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{procs} -n {procs} --map-by core --bind-to core:overload-allowed"
        ))
    }),
    ("by core, again and again", |cores| {
        let procs = 3 * cores;
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{cores} -n {procs} --map-by core:oversubscribe --bind-to core:overload-allowed"
        ))
    }),
    ("by package, shared, limited", |cores| {
        let (procs, half) = (2 * cores, cores / 2);
        words(&format!(
            "--topo package:2~core:{half}~pu:1 -H a:{procs} -n {procs} --map-by package --bind-to core:overload-allowed:limit=1"
        ))
    }),
    ("by package, limited", |cores| {
        let half = cores / 2;
        words(&format!(
            "--topo package:2~core:{half}~pu:1 -H a:{cores} -n {cores} --map-by package --bind-to core:limit=1"
        ))
    }),
    ("by slot, if supported", |cores| {
        words(&format!(
            "--topo core:{cores}~pu:1 -H a:{cores} -n {cores} --map-by slot --bind-to core:if-supported:limit=1"
        ))
    }),
    ("by slot, to hwthreads", |cores| {
        words(&format!(
            "--topo core:{cores}~pu:2 -H a:{cores} -n {cores} --map-by slot --bind-to hwthread:no-overload"
        ))
    }),
];

fn map(job: Vec<String>, more: &[&str]) -> Vec<String> {
    let mut words = vec!["map".to_owned(), "--threads".to_owned(), "1".to_owned()];
    words.extend(job);
    words.extend(more.iter().map(|&word| word.to_owned()));
    words
}

#[test]
fn bindings_grow_with_the_cores_of_a_node() {
    for (what, job) in JOBS {
        measured(what, &|cores| map(job(cores), &["--format", "taskmap"]));
    }
}

#[test]
fn the_judge_grows_with_the_cores_of_a_node() {
    let folder = Folder::new("growth");
    let path = folder.file("job.plan");
    let own: (&str, Job) = ("by core", |cores| by_core(cores).split_off(3));
    for (what, job) in std::iter::once(&own).chain(JOBS) {
        measured(&format!("check: {what}"), &|cores| {
            let saving = map(job(cores), &["--format", "taskmap", "--save", &path]);
            seconds(&saving.iter().map(String::as_str).collect::<Vec<_>>());
            vec!["check".to_owned(), path.clone()]
        });
    }
}

/// The line of a file for this node.
type Line = fn(u32) -> String;

#[test]
fn files_grow_with_their_lines() {
    let folder = Folder::new("lines");
    let name = folder.file("lines");
    let lettered = |node: u32| {
        let letter = |at: u32| char::from(b'a' + u8::try_from(node / 26_u32.pow(at) % 26).unwrap());
        (0..5).map(letter).collect::<String>()
    };
    let files: [(&str, Line, &str); 5] = [
        (
            "a hostfile of numbered names",
            |node| format!("n{node} slots=4"),
            "--hostfile FILE --map-by ppr:1:node",
        ),
        (
            "a hostfile of names with numbers inside",
            |node| format!("r{}c{}s{} slots=4", node / 64, node / 8 % 8, node % 8),
            "--hostfile FILE --map-by ppr:1:node",
        ),
        (
            "a hostfile of ranges",
            |node| format!("n[{}-{}] slots=4", 10 * node, 10 * node + 7),
            "--hostfile FILE --map-by ppr:1:node",
        ),
        (
            "a sequence",
            |node| format!("n{node}"),
            "-H n[0-999999]:4 --map-by seq:file=FILE",
        ),
        (
            "a rankfile",
            |node| format!("rank {node}=n{node} slot=0"),
            "-H n[0-999999]:4 --map-by rankfile:file=FILE",
        ),
    ];
    let at = |line: &dyn Fn(u32) -> String, job: &str, log: u32| {
        let text: String = (0..1 << log).map(|node| line(node) + "\n").collect();
        std::fs::write(&name, text).unwrap();
        let job = map(
            words(&job.replace("FILE", &name)),
            &["--topo", "pu:4", "--format", "taskmap"],
        );
        seconds(&job.iter().map(String::as_str).collect::<Vec<_>>())
    };
    for (what, line, job) in files {
        grows(what, &|log| at(&line, job, log));
    }
    let job = "--hostfile FILE --map-by ppr:1:node";
    let what = "a hostfile of names without numbers";
    grows(what, &|log| at(&lettered, job, log));
}

#[test]
fn explaining_a_node_grows_with_its_ranks() {
    let job = |cores: u32| by_core(cores).split_off(3);
    measured("explain --node", &|size| {
        // At most 4,096 ranks are explained at once.
        let cores = up_to(12, size);
        let mut line = words("explain --node a --");
        line.extend(job(cores));
        line
    });
    measured("explain --cpus", &|size| {
        let cores = up_to(12, size);
        let mut line = words(&format!("explain --cpus 0-{} --", cores - 1));
        line.extend(job(cores));
        line
    });
}

#[test]
fn lists_and_shared_masks_grow_with_their_processes() {
    measured("a list of every second cpu", &|size| {
        // A word of a command line has at most 128 KiB.
        let procs = up_to(14, size);
        let list: Vec<String> = (0..procs).map(|at| (2 * at).to_string()).collect();
        words(&format!(
            "map --threads 1 --topo core:{}~pu:1 -H a:{procs} -n {procs} --map-by pe-list={}",
            2 * procs,
            list.join(",")
        ))
    });
    measured("one mask for all", &|procs| {
        words(&format!(
            "map --threads 1 --topo core:{procs}~pu:1 -H a:{procs} -n {procs} --map-by pe-list=0-{}",
            procs - 1
        ))
    });
}

/// Each answer would name every candidate; what is printed of them is bounded.
#[test]
fn answers_of_sessions_grow_with_their_events() {
    let folder = Folder::new("growth-sessions");
    grows("spawns", &|log| {
        let nodes = 1_u32 << (log - 1);
        let names: Vec<String> = (0..nodes).map(|node| format!("\"n{node}\"")).collect();
        let names = names.join(",");
        let mut lines = format!("{{\"initial\":{{\"nodes\":[{names}],\"tools\":[\"t\"]}}}}\n");
        for (job, name) in names.split(',').enumerate() {
            let event = format!("\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j{job}\"");
            lines.push_str(&format!("{{{event},\"hosts\":[{name}]}}\n"));
        }
        let (events, journal) = (folder.file("events"), folder.file("journal"));
        std::fs::write(&events, lines).unwrap();
        drop(std::fs::remove_file(&journal));
        read_from(&events, &["session", "serve", "--journal", &journal])
    });
}

/// The lines of a server in which each job uses all nodes. A node joins before every second job.
fn jobs_without_hosts(nodes: u32) -> String {
    let names: Vec<String> = (0..nodes).map(|node| format!("\"n{node}\"")).collect();
    let names = names.join(",");
    let mut lines =
        format!("{{\"initial\":{{\"nodes\":[{names}],\"tools\":[\"t\"],\"scheduler\":\"s\"}}}}\n");
    for job in 0..nodes {
        if job % 2 == 0 {
            let attrs = "\"attrs\":{\"PMIX_ALLOC_SHARE\":true}";
            let alloc = "\"event\":\"alloc\",\"from\":\"t\",\"directive\":\"PMIX_ALLOC_NEW\"";
            let grant = format!("\"event\":\"grant\",\"req\":{}", job / 2 + 1);
            lines.push_str(&format!(
                "{{{alloc},{attrs}}}\n{{{grant},\"nodes\":[\"g{job}\"]}}\n"
            ));
        }
        let spawn = format!("\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j{job}\"");
        lines.push_str(&format!("{{{spawn}}}\n"));
    }
    lines
}

/// A spawn that names no hosts uses all candidates; its answer names the first of them, and the last line of all says each set of nodes
/// once, and what is different. A replay says them so too, to people and to programs.
#[test]
fn jobs_without_hosts_grow_with_their_events() {
    let folder = Folder::new("growth-without-hosts");
    let journal = |log: u32| folder.file(&format!("journal-{log}"));
    let served = |log: u32| {
        let (events, journal) = (folder.file("events"), journal(log));
        std::fs::write(&events, jobs_without_hosts(1_u32 << (log - 1))).unwrap();
        drop(std::fs::remove_file(&journal));
        read_from(&events, &["session", "serve", "--journal", &journal])
    };
    grows("spawns without hosts", &served);
    for format in ["text", "json"] {
        grows(&format!("a replay as {format}"), &|log| {
            let journal = journal(log);
            if !std::fs::exists(&journal).unwrap() {
                served(log);
            }
            seconds(&["session", "replay", &journal, "--format", format])
        });
    }
}

/// A scenario is told to people by the first names of each step.
#[test]
fn scenarios_as_text_grow_with_their_steps() {
    let folder = Folder::new("growth-scenarios");
    grows("a scenario as text", &|log| {
        let nodes = 1_u32 << (log - 1);
        let names: Vec<String> = (0..nodes).map(|node| format!("\"n{node}\"")).collect();
        let step = |job| format!("{{\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j{job}\"}}");
        let steps: Vec<String> = (0..nodes).map(step).collect();
        let initial = format!("{{\"nodes\":[{}],\"tools\":[\"t\"]}}", names.join(","));
        let scenario = folder.file("scenario");
        let steps = steps.join(",");
        let text = format!("{{\"name\":\"s\",\"initial\":{initial},\"steps\":[{steps}]}}");
        std::fs::write(&scenario, text).unwrap();
        seconds(&["session", "run", &scenario, "--format", "text"])
    });
}

/// Each app has a note of its own, and no app looks at those of others.
#[test]
fn apps_with_unknown_keys_grow_with_their_number() {
    let folder = Folder::new("growth-unknown-keys");
    grows("apps with unknown keys", &|log| {
        let apps = 1_u32 << (log + 1);
        let nodes = apps.div_ceil(8) - 1;
        let first = format!("\"PMIX_HOST\":\"n[0-{nodes}]:8\",");
        let app = |hosts: &str| {
            format!("{{\"cmd\":\"x\",\"maxprocs\":1,\"info\":{{{hosts}\"site.key\":\"1\"}}}}")
        };
        let others = vec![app(""); apps as usize - 1].join(",");
        let request = folder.file("request.json");
        std::fs::write(&request, format!("{{\"apps\":[{},{others}]}}", app(&first))).unwrap();
        let mut line = vec!["spawn", &request];
        line.extend([
            "--threads",
            "1",
            "--topo",
            "core:8 pu:1",
            "--format",
            "taskmap",
        ]);
        seconds(&line)
    });
}

#[test]
fn stated_devices_grow_with_their_options() {
    measured("--devices", &|size| {
        let nodes = size / 2;
        let mut line = words(&format!(
            "map --threads 1 --topo package:2~core:4~pu:2 -H n[0-{}]:2 -n {nodes} --format taskmap",
            nodes - 1
        ));
        line.extend((0..nodes).flat_map(|node| {
            let stated = format!("n{node}=gpu=numa:{}", node % 3 + 1);
            ["--devices".to_owned(), stated]
        }));
        line
    });
}
