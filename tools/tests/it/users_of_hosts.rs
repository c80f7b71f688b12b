//! A user before a host, as `-H` may have it: launchers that log in write it, the others leave it out and say so.

use crate::folder::Folder;
use crate::launch::{err, out};
use std::fs;

const TOPO: [&str; 2] = ["--topo", "core:4 pu:1"];

fn saved(folder: &Folder, hosts: &str) {
    let words = [
        "map", "--save", "job.plan", "-o", "page", "-H", hosts, "-n", "4",
    ];
    let output = folder.run(&[], &[&words[..], &TOPO, &["./x"]].concat());
    assert!(output.status.success(), "{}", err(&output));
}

#[test]
fn a_user_is_written_where_a_launcher_logs_in() {
    let folder = Folder::new("users-of-hosts");
    saved(&folder, "me@n1:2,you@n3:2");
    let export = |dialect| folder.run(&[], &["export", dialect, "job.plan"]);
    for (dialect, lines) in [
        ("hostfile", ["me@n1 slots=2\nyou@n3 slots=2\n", "\n"]),
        (
            "prterun",
            ["me@n1 slots=2\nyou@n3 slots=2\n", "\nrank 2=n3 slot=0\n"],
        ),
        ("rankfile", ["\nrank 1=n1 slot=1\n", "\nrank 3=n3 slot=1\n"]),
    ] {
        let output = export(dialect);
        for line in lines {
            assert!(
                out(&output).contains(line),
                "{}{}",
                out(&output),
                err(&output)
            );
        }
    }
    for dialect in ["srun", "hydra", "flux", "pals", "jsrun", "intel"] {
        let output = export(dialect);
        let (script, notes) = (out(&output), err(&output));
        assert!(
            !script.contains("me@") && !script.contains("you@"),
            "{script}{notes}"
        );
        assert!(
            notes.contains("note[login-left-out]: n1: user me: "),
            "{notes}"
        );
    }
}

#[test]
fn a_process_on_a_host_is_where_a_user_of_the_host_was_planned() {
    let folder = Folder::new("live-users");
    saved(&folder, "me@n1:2,n2:2");
    let line =
        |rank, host, cpu| format!("{rank}\t{host}\t{cpu}\t-\tPMIX_RANK,hostname,affinity,-\n");
    let live = [(0, "n1", 0), (1, "n1", 1), (2, "n2", 0), (3, "n2", 1)]
        .map(|(rank, host, cpu)| line(rank, host, cpu));
    fs::write(folder.path().join("live"), live.concat()).unwrap();
    let check = ["check", "job.plan", "--live", "live"];
    let output = folder.run(&[], &check);
    assert_eq!(
        out(&output),
        "all 4 ranks are where they were planned\n",
        "{}",
        err(&output)
    );
    // What another process wrote as its host is shown without what would move the cursor.
    fs::write(
        folder.path().join("live"),
        line(0, "n9\u{1b}[2J\u{202e}", 0),
    )
    .unwrap();
    let output = folder.run(&[], &check);
    let told = out(&output) + &err(&output);
    assert!(told.contains("n9?[2J?"), "{told}");
}

/// Lists of hosts cannot tell one user's node from another's on one host.
#[test]
fn one_host_of_two_users_is_in_no_list() {
    let folder = Folder::new("one-host-of-two-users");
    saved(&folder, "n1:2,me@n1:2");
    let output = folder.run(&[], &["export", "hostfile", "job.plan"]);
    assert!(
        err(&output).contains("n1 is listed twice"),
        "{}",
        err(&output)
    );
}

#[test]
fn no_answer_replaces_a_request_a_script_or_granted_hosts() {
    let folder = Folder::new("replaces-no-input");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let request = r#"{"apps": [{"cmd": "./x", "maxprocs": 1, "info": {"PMIX_HOST": "a:2"}}]}"#;
    write("request.json", request);
    write("job.sh", "#!/bin/sh\n#SBATCH -N1 -n2\nsrun ./x\n");
    write("hosts", "a slots=4\n");
    saved(&folder, "b:4");
    for words in [
        &["spawn", "request.json", "--save", "request.json"][..],
        &["spawn", "request.json", "-o", "request.json"],
        &["map", "--save", "job.sh", "--script", "job.sh"],
        &["map", "--script", "job.sh", "-o", "./job.sh"],
        &["onto", "job.plan", "--hostfile", "hosts", "--save", "hosts"],
    ] {
        let topo = if words[0] == "onto" { &[][..] } else { &TOPO };
        let words = [&words[..1], topo, &words[1..]].concat();
        let output = folder.run(&[], &words);
        assert_eq!(output.status.code(), Some(2), "{words:?}: {}", err(&output));
        assert!(err(&output).contains("would replace"), "{}", err(&output));
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(
        (read("request.json").as_str(), read("hosts").as_str()),
        (request, "a slots=4\n")
    );
    assert!(read("job.sh").contains("srun"));
}

/// What explain and diff read is not replaced by what they say, before or behind the `--`.
#[test]
fn explain_and_diff_replace_nothing_that_they_read() {
    let folder = Folder::new("explain-replaces-no-input");
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, "a slots=2\n").unwrap();
    for line in [
        "explain 0 -o hosts -- --topo core:2_pu:1 --hostfile hosts -n 1 ./x",
        "diff -o hosts -- --topo core:2_pu:1 --hostfile hosts -n 1 ./x -- --topo core:2_pu:1 -H b:2 -n 1 ./x",
        "explain 0.1 -o hosts -- --topo core:2_pu:1 --hostfile hosts -n 1 -x OMP_NUM_THREADS=2 ./x",
    ] {
        let words: Vec<String> = line
            .split(' ')
            .map(|word| word.replace("2_pu", "2 pu"))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = folder.run(&[], &words);
        let told =
            "error[bad-option]: -o hosts would replace hosts, which was read for this answer\n";
        assert_eq!(output.status.code(), Some(2), "{line}: {}", err(&output));
        assert_eq!(err(&output), told, "{line}");
    }
    assert_eq!(fs::read_to_string(hosts).unwrap(), "a slots=2\n");
}
