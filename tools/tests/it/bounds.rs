//! Extreme inputs under a cap on memory: the command answers or refuses them, and does nothing else.

#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    reason = "what fails here fails the test, in its helpers too"
)]

use crate::folder::Folder;
use std::process::{Command, Stdio};

/// The cap on the address space. Unit: kilobytes.
const CAP: &str = "3000000";

/// Runs the command under the cap. Gives the exit status and standard error.
fn capped(words: &[&str]) -> (Option<i32>, String) {
    capped_at(CAP, words)
}

fn capped_at(cap: &str, words: &[&str]) -> (Option<i32>, String) {
    let script = format!("ulimit -c 0; ulimit -v {cap}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_stowplan")]);
    // Under a cap, an arena of 128 MiB may fit and leave nothing for the rest, so memory is taken only when it is needed.
    command.env("MIMALLOC_ARENA_RESERVE", "0");
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let said = command.output().unwrap();
    (said.status.code(), String::from_utf8(said.stderr).unwrap())
}

/// Every policy, with the options that it needs.
const POLICIES: &[&str] = &[
    "slot",
    "node",
    "package",
    "numa",
    "l3cache",
    "core",
    "hwthread",
    "gpu",
    "package:span",
    "core:span",
    "slot:pe=2",
    "core:overload-allowed",
    "ppr:1:node",
    "ppr:2:core",
    "ppr:1:gpu",
    "pe-list=0-3",
    "pe-list=0-3:ordered",
    "dist:hsn0",
    "mpibind",
    "seq",
    "rankfile:file=cases/files/absent",
];

/// Runs a job under the cap with every policy, as a task map: it is answered or refused, and the status says which.
fn under_every_policy(job: &[&str], counts: &[&[&str]]) {
    for policy in POLICIES {
        let (map, bind) = match policy.strip_suffix(":overload-allowed") {
            Some(map) => (map, &["--bind-to", ":overload-allowed"][..]),
            None => (*policy, &[][..]),
        };
        for count in counts {
            if map.starts_with("ppr") && !count.is_empty() {
                continue;
            }
            let mut words = vec!["map", "--map-by", map, "--format", "taskmap"];
            words.extend(bind);
            words.extend(job);
            words.extend(*count);
            words.push("x");
            let (status, err) = capped(&words);
            assert!(matches!(status, Some(0 | 2)), "{words:?}: {status:?} {err}");
            assert_eq!(
                status == Some(2),
                err.contains("error["),
                "{words:?}: {err}"
            );
        }
    }
}

/// Host lists that name many nodes in few bytes.
#[test]
fn many_nodes_in_few_bytes_are_answered_or_refused() {
    let brackets = "n[0-1]".repeat(20);
    let lists = format!("{},{brackets}", "n[0-1]".repeat(16));
    for hosts in [
        "n[0-2147483647]",
        "n[0-4294967290]:4",
        "n[0-99999999]:1048576",
        &brackets,
        &lists,
    ] {
        let job = [
            "--topo",
            "package:2 core:2 pu:1",
            "--devices",
            "gpu=package",
            "-H",
            hosts,
        ];
        under_every_policy(&job, &[&["-n", "4"], &[]]);
    }
}

/// Nodes with very many cpus, and counts larger than all nodes together.
#[test]
fn large_nodes_and_counts_are_answered_or_refused() {
    for (topology, hosts) in [
        ("core:65536 pu:1", "a"),
        ("package:2 numa:16 core:1024 pu:2", "a:100000,b:4294967295"),
        ("pu:1048577", "a"),
    ] {
        let job = ["--topo", topology, "--devices", "gpu=package", "-H", hosts];
        under_every_policy(&job, &[&["-n", "4294967295"], &["-n", "3"], &[]]);
    }
}

/// A few characters that stand for millions of places.
#[test]
fn many_places_of_threads_are_answered_or_refused() {
    for places in [
        "{0}:4000000:0",
        "{0}:524289:0",
        "{0}:500000:0",
        "{0:4000000:0}:4000000",
    ] {
        let places = format!("OMP_PLACES={places}");
        let words = [
            "threads",
            "--topo",
            "core:4 pu:1",
            "--cpus",
            "0-3",
            "-x",
            &places,
        ];
        let (status, err) = capped_at("786432", &words);
        let refused = status == Some(2) && err.starts_with("error[");
        assert!(status == Some(0) || refused, "{places}: {status:?} {err}");
    }
}

/// Each file that a command reads, replaced by one that never ends: refused with its class.
#[test]
fn files_without_end_are_refused() {
    for words in [
        &["topo", "show", "/dev/zero"][..],
        &["session", "run", "/dev/zero"],
        &["session", "replay", "/dev/zero"],
        &["check", "/dev/zero"],
        &["map", "--topo", "/dev/zero", "-H", "a", "x"],
        &["map", "--topo", "pu:2", "--hostfile", "/dev/zero", "x"],
        &[
            "map",
            "--topo",
            "pu:2",
            "-H",
            "a",
            "--map-by",
            "seq:file=/dev/zero",
            "x",
        ],
        &[
            "map",
            "--topo",
            "pu:2",
            "-H",
            "a",
            "--session",
            "/dev/zero",
            "x",
        ],
        &["spawn", "/dev/zero"],
    ] {
        let (status, err) = capped(words);
        assert_eq!(status, Some(2), "{words:?}: {err}");
        assert!(err.starts_with("error["), "{words:?}: {err}");
    }
}

/// All topologies of a job share one limit on their objects, whether they were read or have PUs only.
#[test]
fn many_topologies_share_one_limit() {
    let topologies: Vec<String> = (0..6)
        .map(|node| format!("n{node}=pu:{}", 1_048_570 + node))
        .collect();
    let mut words = vec!["map", "-H", "n1"];
    for topology in &topologies {
        words.extend(["--topo", topology]);
    }
    words.push("x");
    let (status, err) = capped(&words);
    assert_eq!(status, Some(2), "{err}");
    assert!(
        err.starts_with("error[bad-topology]") && err.contains("at most"),
        "{err}"
    );
}

/// A named pipe is read like a file. If nobody writes to it, the command stops waiting and says so.
#[test]
fn pipes_are_read_or_given_up() {
    let folder = Folder::new("bounds");
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let path = pipe.to_str().unwrap();
    let words = ["map", "--topo", "pu:2", "--hostfile", path, "-n", "1", "x"];
    let (status, err) = capped(&words);
    assert_eq!(status, Some(2), "{err}");
    assert!(err.contains("a pipe that nobody writes to"), "{err}");
    let writer = Command::new("sh")
        .args(["-c", "printf 'a slots=2\\n' >\"$0\""])
        .arg(&pipe)
        .spawn();
    let (status, err) = capped(&words);
    assert_eq!(status, Some(0), "{err}");
    assert!(writer.unwrap().wait().unwrap().success());
    let script = format!(
        "exec {} map --topo pu:2 --hostfile <(printf 'a slots=2\\n') -n 2 --format tsv x",
        env!("CARGO_BIN_EXE_stowplan")
    );
    if let Ok(said) = Command::new("bash").args(["-c", &script]).output() {
        assert_eq!(
            said.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&said.stderr)
        );
    }
}

/// A number as plans encode it: seven bits a byte.
fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value > 0x7f {
        bytes.push(0x80 | u8::try_from(value & 0x7f).unwrap());
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap());
    bytes
}

/// A saved plan of some megabytes that stands for hundreds of gigabytes, in a valid encoding.
#[test]
fn a_plan_of_gigabytes_is_refused() {
    let folder = Folder::new("bounds");
    let path = folder.file("job.plan");
    // 256 equal steps of zero, in three bytes.
    let group = [number(2 * 256 + 1), number(0)].concat();
    let groups = 10_000_000;
    // No names and no local node. Then either the PUs of a topology; or no topology, no set, and states with seven columns.
    for (what, before, columns) in [("PUs", &[0, 0, 0, 1][..], 1), ("states", &[0; 5], 7)] {
        let rows = groups * 256 / columns;
        let held = [before, &number(rows), &group.repeat(groups)].concat();
        let length = (held.len() as u64).to_le_bytes();
        let mut plan = [b"stowplnw\x01", &length[..], &held].concat();
        plan.extend(crc32fast::hash(&plan).to_le_bytes());
        std::fs::write(&path, plan).unwrap();
        let (status, err) = capped(&["check", &path]);
        assert_eq!(status, Some(2), "{what}: {err}");
        assert!(err.starts_with("error[bad-plan]: "), "{what}: {err}");
    }
}

/// Texts of sessions with little content in many bytes, or much content in few.
#[test]
fn texts_of_small_values_are_bounded() {
    let folder = Folder::new("bounds");
    let file = folder.path().join("scenarios");
    std::fs::write(
        &file,
        format!("[{}{{}}]", "{\"\":1},".repeat(60_000_000 / 7)),
    )
    .unwrap();
    let path = file.to_str().unwrap();
    for words in [
        &["session", "run", path][..],
        &["spawn", path],
        &["map", "--topo", "pu:2", "--session", path, "x"],
    ] {
        let (status, err) = capped(words);
        assert_eq!(status, Some(2), "{words:?}: {err}");
        assert!(err.starts_with("error["), "{words:?}: {err}");
    }
    // A sparse file that is not a journal is refused without being read.
    let sparse = folder.path().join("sparse");
    std::fs::File::create(&sparse)
        .unwrap()
        .set_len(8 << 30)
        .unwrap();
    let path = sparse.to_str().unwrap();
    for words in [
        &["session", "replay", path][..],
        &["check", path],
        &["topo", "show", path],
    ] {
        let (status, err) = capped(words);
        assert_eq!(status, Some(2), "{words:?}: {err}");
        assert!(err.starts_with("error["), "{words:?}: {err}");
    }
}

/// Jobs that use all nodes are listed through the nodes, whatever is asked: memory does not grow with jobs times nodes.
#[test]
fn many_jobs_on_many_nodes_are_told_as_they_are_written() {
    let folder = Folder::new("bounds");
    let [scenario, journal] = ["scenario", "journal"].map(|name| folder.path().join(name));
    let nodes: Vec<String> = (0..1200).map(|node| format!("\"n{node}\"")).collect();
    let job = |job: u32| format!("{{\"event\":\"spawn\",\"from\":\"t\",\"job\":\"j{job}\"}}");
    let jobs: Vec<String> = (0..1200).map(job).collect();
    let text = format!(
        "{{\"version\":1,\"scenarios\":[{{\"name\":\"s\",\"initial\":{{\"nodes\":[{}],\"tools\":[\"t\"]}},\"steps\":[{}]}}]}}",
        nodes.join(","),
        jobs.join(",")
    );
    std::fs::write(&scenario, text).unwrap();
    let [scenario, journal] = [&scenario, &journal].map(|path| path.to_str().unwrap());
    for words in [
        &["session", "run", "--journal", journal, scenario][..],
        &["session", "replay", journal],
        &["session", "replay", "--format", "text", journal],
        &["session", "show", journal],
    ] {
        let (status, err) = capped_at("60000", words);
        assert_eq!(status, Some(0), "{words:?}: {err}");
    }
}
