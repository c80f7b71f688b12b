//! Started by stand-in launchers: exec, probe, a comparison of what runs with what was planned, and hosts from the environment.

use crate::folder::Folder;
use std::fs;
use std::io::Write as _;
use std::process::{Command, Output, Stdio};

impl Folder {
    /// Runs the command in this folder, with these variables and no other launcher's.
    pub(crate) fn run(&self, variables: &[(&str, &str)], words: &[&str]) -> Output {
        self.run_with(variables, words, "")
    }
    pub(crate) fn run_with(
        &self,
        variables: &[(&str, &str)],
        words: &[&str],
        input: &str,
    ) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stowplan"));
        command.args(words).current_dir(self.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap());
        command.envs(variables.iter().copied());
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(input.as_bytes())
            .unwrap();
        child.wait_with_output().unwrap()
    }
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
pub(crate) fn refused(output: &Output, class: &str) {
    assert_eq!(output.status.code(), Some(2), "{}", err(output));
    assert!(
        err(output).starts_with(&format!("error[{class}]: ")),
        "{}",
        err(output)
    );
    assert!(output.stdout.is_empty(), "{}", out(output));
}

/// The cpus that this test may use as a list, and one of them.
fn own_cpu() -> (String, u32) {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .unwrap()
        .trim();
    let first = line.split([',', '-']).next().unwrap().parse().unwrap();
    (line.to_owned(), first)
}

/// Ranks 0 and 1 on a and b, each on this machine's first cpu; rank 2 on a, unbound.
fn planned(folder: &Folder) -> u32 {
    let (_, cpu) = own_cpu();
    let topology = format!("core:{} pu:1", cpu + 1);
    let words = [
        "map", "--save", "p", "--topo", &topology, "-H", "a:2,b:2", "-n", "2", "--map-by",
    ];
    let list = format!("pe-list={cpu}");
    let mut words: Vec<&str> = words.to_vec();
    words.extend([
        &list,
        "--bind-to",
        "core",
        "./x",
        ":",
        "-n",
        "1",
        "-H",
        "a",
        "--map-by",
        "slot",
        "--bind-to",
        "none",
        "./y",
    ]);
    let output = folder.run(&[], &words);
    assert!(output.status.success(), "{}", err(&output));
    cpu
}

#[test]
fn exec_binds_and_becomes_the_program() {
    let folder = Folder::new("exec");
    let cpu = planned(&folder);
    let on = [
        ("PMI_RANK", "1"),
        ("PMI_HOSTNAME", "b.site.org"),
        ("PMI_SIZE", "3"),
    ];
    let probe = env!("CARGO_BIN_EXE_stowplan");
    let output = folder.run(&on, &["exec", "p", "--strict", "--", probe, "probe"]);
    let line = format!("1\tb.site.org\t{cpu}\t-\tPMI_RANK,PMI_HOSTNAME,affinity,-\n");
    assert_eq!(out(&output), line, "{}", err(&output));
    let status = folder.run(&on, &["exec", "p", "--", "sh", "-c", "exit 9"]);
    assert_eq!(status.status.code(), Some(9));
    let show = "echo $OMP_NUM_THREADS $OMP_PLACES $OMP_PROC_BIND";
    let before = [("OMP_PLACES", "threads"), on[0], on[1]];
    let output = folder.run(&before, &["exec", "p", "--omp", "--", "sh", "-c", show]);
    assert_eq!(
        out(&output),
        format!("1 {{{cpu}}} close\n"),
        "{}",
        err(&output)
    );
    // Unbound: the cpus stay as found, and the process is told nothing.
    let unbound = [("SLURM_PROCID", "2"), ("SLURMD_NODENAME", "a")];
    let output = folder.run(&unbound, &["exec", "p", "--omp", "--", probe, "probe"]);
    assert_eq!(
        out(&output),
        format!(
            "2\ta\t{}\t-\tSLURM_PROCID,SLURMD_NODENAME,affinity,-\n",
            own_cpu().0
        )
    );
    let output = folder.run(&unbound, &["exec", "p", "--omp", "--", "sh", "-c", show]);
    assert_eq!(out(&output), "\n");
    // Words are passed on unchanged.
    let output = folder.run(
        &on,
        &[
            "exec", "p", "--", "printf", "%s|", "a b", "", "--omp", "--", "$x",
        ],
    );
    assert_eq!(out(&output), "a b||--omp|--|$x|");
}

#[test]
fn exec_refuses_before_the_program() {
    let folder = Folder::new("refuses");
    planned(&folder);
    let go = ["exec", "p", "--", "true"];
    refused(&folder.run(&[], &go), "no-rank");
    refused(&folder.run(&[("PMI_RANK", "x")], &go), "bad-environment");
    refused(
        &folder.run(&[("PMI_RANK", "1"), ("PMIX_RANK", "2")], &go),
        "bad-environment",
    );
    refused(&folder.run(&[("PMI_RANK", "3")], &go), "no-such-rank");
    refused(
        &folder.run(&[("PMI_RANK", "1"), ("PMI_HOSTNAME", "a")], &go),
        "wrong-node",
    );
    let on = [("PMI_RANK", "1"), ("PMI_HOSTNAME", "b"), ("PMI_SIZE", "4")];
    assert!(folder.run(&on, &go).status.success());
    refused(
        &folder.run(&on, &["exec", "p", "--strict", "--", "true"]),
        "bad-environment",
    );
    refused(&folder.run(&on, &["exec", "p"]), "no-program");
    refused(
        &folder.run(&on, &["exec", "p", "--", "./gone"]),
        "no-program",
    );
    refused(
        &folder.run(&on, &["exec", "gone", "--", "true"]),
        "bad-plan",
    );
    refused(
        &folder.run(&on, &["exec", "p", "--stirct", "--", "true"]),
        "bad-option",
    );
    // Cpus that no machine here has.
    let words = [
        "map",
        "--save",
        "far",
        "--topo",
        "core:1024 pu:1",
        "-H",
        "b:1",
        "-n",
        "1",
        "--map-by",
        "pe-list=1023",
        "--bind-to",
        "core",
        "./x",
    ];
    assert!(folder.run(&[], &words).status.success());
    refused(
        &folder.run(
            &[("PMI_RANK", "0"), ("PMI_HOSTNAME", "b")],
            &["exec", "far", "--", "true"],
        ),
        "cpus-missing",
    );
}

#[test]
fn probe_says_where_each_was_read() {
    let folder = Folder::new("probe");
    let (cpus, _) = own_cpu();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let host = host.trim();
    assert_eq!(
        out(&folder.run(&[], &["probe"])),
        format!("-\t{host}\t{cpus}\t-\t-,hostname,affinity,-\n")
    );
    let variables = [
        ("FLUX_TASK_RANK", "5"),
        ("ROCR_VISIBLE_DEVICES", "4"),
        ("ZE_AFFINITY_MASK", "0.1"),
    ];
    let line =
        format!("5\t{host}\t{cpus}\t4\tFLUX_TASK_RANK,hostname,affinity,ROCR_VISIBLE_DEVICES\n");
    assert_eq!(out(&folder.run(&variables, &["probe"])), line);
    refused(
        &folder.run(&[("PMI_RANK", "-1")], &["probe"]),
        "bad-environment",
    );
    refused(&folder.run(&[], &["probe", "x"]), "bad-option");
}

/// Eight ranks on each of `nodes` nodes, each rank on a core.
fn eight(folder: &Folder, nodes: u32, map: &str) {
    let hosts = format!("n[1-{nodes}]:8");
    let words = [
        "map",
        "--save",
        "p",
        "--topo",
        "core:8 pu:1",
        "-H",
        &hosts,
        "--map-by",
        map,
        "--bind-to",
        "core",
        "./x",
    ];
    assert!(folder.run(&[], &words).status.success());
}

fn live(folder: &Folder, lines: &str) -> (i32, String) {
    folder.write("lines", lines);
    let json = folder.run(&[], &["check", "p", "--live", "lines", "--format", "json"]);
    let text = folder.run(&[], &["check", "p", "--live", "lines"]);
    assert_eq!(text.status, json.status);
    (json.status.code().unwrap(), out(&json) + &out(&text))
}

fn lines(ranks: u32, of: impl Fn(u32) -> (String, String)) -> String {
    let line = |rank| {
        let (host, cpus) = of(rank);
        format!("{rank}\t{host}\t{cpus}\t-\tSLURM_PROCID,SLURMD_NODENAME,affinity,-\n")
    };
    (0..ranks).rev().map(line).collect()
}

#[test]
fn what_runs_is_compared_with_what_was_planned() {
    let folder = Folder::new("live");
    eight(&folder, 2, "core");
    let node = |rank: u32| format!("n{}.site.org", rank / 8 + 1);
    let fine = lines(16, |rank| (node(rank), (rank % 8).to_string()));
    let (status, said) = live(&folder, &fine);
    assert_eq!(status, 0, "{said}");
    let same = "{\"same\":true,\"ranks\":16,\"differ\":{\"missing\":\"\",\"unknown\":\"\",\"twice\":\"\",\"node\":\"\",\"cpus\":\"\"},\"cause\":null,\"kinds\":[]}\n";
    assert!(said.starts_with(same), "{said}");
    let wrapped = lines(16, |rank| (node(rank), (rank % 4).to_string()));
    let (status, said) = live(&folder, &wrapped);
    assert_eq!(status, 1);
    assert!(
        said.contains("\"cpus\":\"4-7,12-15\"},\"cause\":\"wrapped-list\""),
        "{said}"
    );
    assert!(
        said.contains("ranks 4-7 of every node: masks wrapped after 4"),
        "{said}"
    );
    let exchanged = lines(16, |rank| (node(15 - rank), (rank % 8).to_string()));
    let (_, said) = live(&folder, &exchanged);
    assert!(
        said.contains("\"node\":\"0-15\",\"cpus\":\"\"},\"cause\":\"node-order\""),
        "{said}"
    );
    let mut odd = lines(15, |rank| (node(rank), (rank % 8).to_string()));
    odd += "hello\n3\tn1\t3\t-\ta,b,c,d\n99\tn1\t0\t-\ta,b,c,d\n";
    let (_, said) = live(&folder, &odd);
    assert!(said.contains("{\"missing\":\"15\",\"unknown\":\"99\",\"twice\":\"3\",\"node\":\"\",\"cpus\":\"\"},\"cause\":null"), "{said}");
    let noted = folder.run(&[], &["check", "p", "--live", "lines"]);
    assert!(
        err(&noted).starts_with("note[foreign-lines]: "),
        "{}",
        err(&noted)
    );
}

#[test]
fn a_narrow_step_is_told_and_broken_lines_are_refused() {
    let folder = Folder::new("narrow");
    let words = [
        "map",
        "--save",
        "p",
        "--topo",
        "core:4 pu:2",
        "-H",
        "a:4",
        "--map-by",
        "core",
        "--bind-to",
        "core",
        "./x",
    ];
    assert!(folder.run(&[], &words).status.success());
    let narrow = lines(4, |rank| ("a".to_owned(), (rank * 2).to_string()));
    let (status, said) = live(&folder, &narrow);
    assert_eq!(status, 1);
    assert!(said.contains("\"cause\":\"narrow-step\""), "{said}");
    for bad in [
        "",
        "hello\n",
        "-\ta\t0\t-\ta,b,c,d\n",
        "0\ta\t0-\t-\ta,b,c,d\n",
        "x\ta\t0\t-\ta,b,c,d\n",
    ] {
        folder.write("lines", bad);
        refused(
            &folder.run(&[], &["check", "p", "--live", "lines"]),
            "bad-live",
        );
    }
    let output = folder.run_with(&[], &["check", "p", "--live", "-"], &narrow);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of environments")]
fn hosts_come_from_the_environment() {
    let folder = Folder::new("here");
    let slurm = [
        ("SLURM_JOB_NODELIST", "r[1-2]n[1-2]"),
        ("SLURM_TASKS_PER_NODE", "2(x3),1"),
    ];
    let words = [
        "map",
        "--here",
        "--topo",
        "core:4 pu:1",
        "--map-by",
        "slot",
        "--format",
        "raw",
        "./x",
    ];
    assert_eq!(out(&folder.run(&slurm, &words)), "0-1;2-3;4-5;6\n");
    let page = folder.run(&slurm, &["map", "--here", "--topo", "core:4 pu:1", "./x"]);
    assert!(
        out(&page)
            .lines()
            .next()
            .unwrap()
            .contains("from SLURM_JOB_NODELIST"),
        "{}",
        out(&page)
    );
    // Words that name hosts have precedence, and the variables are not read then.
    let broken = [("SLURM_JOB_NODELIST", "r["), ("SLURM_TASKS_PER_NODE", "2")];
    let own = [
        "map",
        "--here",
        "-H",
        "a:1",
        "--topo",
        "core:4 pu:1",
        "--format",
        "raw",
        "./x",
    ];
    assert_eq!(out(&folder.run(&broken, &own)), "0\n");
    refused(&folder.run(&broken, &words), "bad-environment");
    refused(&folder.run(&[], &words), "bad-environment");
    refused(
        &folder.run(&slurm, &["map", "--here=slrum", "./x"]),
        "bad-value",
    );
    refused(
        &folder.run(&slurm, &["map", "--here=pbs", "./x"]),
        "bad-environment",
    );
    let flux = [("FLUX_JOB_ID", "f1"), slurm[0], slurm[1]];
    let output = folder.run(&flux, &words);
    refused(&output, "bad-environment");
    assert!(err(&output).contains("flux job info $FLUX_JOB_ID R | stowplan map --here=-"));
    let r = r#"{"version":1,"execution":{"R_lite":[{"rank":"0-1","children":{"core":"2-3"}}],"nodelist":["n[1-2]"]}}"#;
    let words = [
        "map",
        "--here=-",
        "--topo",
        "core:4 pu:1",
        "--map-by",
        "core",
        "--bind-to",
        "core",
        "--format",
        "tsv",
        "./x",
    ];
    let partly = r.replace("}}],", r#"}},{"rank":"2","children":{"core":"1"}}],"#);
    let partly = partly.replace("n[1-2]", "n[1-3]");
    for (r, cores) in [
        (r, ["2", "3", "2", "3"].as_slice()),
        (&partly, &["2", "3", "2", "3", "1"]),
    ] {
        let output = folder.run_with(&flux, &words, r);
        let said = out(&output);
        let last = said.lines().skip(1).map(|line| line.rsplit('\t').next());
        let cpus: Vec<&str> = last.flatten().collect();
        assert_eq!(cpus, cores, "{}", err(&output));
    }
    let lsf = [("LSB_MCPU_HOSTS", "login 1 a 2 b 2")];
    let output = folder.run(
        &lsf,
        &[
            "map",
            "--here",
            "--topo",
            "core:4 pu:1",
            "--format",
            "raw",
            "./x",
        ],
    );
    assert!(
        err(&output).starts_with("note[launch-node]: "),
        "{}",
        err(&output)
    );
    assert_eq!(out(&output), "0-1;2-3\n");
}

/// 66 MB of resource file, rank by rank, written by a command with 60 MB of address space: files are written while they are made.
#[test]
#[cfg(target_os = "linux")]
fn a_file_of_all_ranks_is_streamed() {
    let folder = Folder::new("streamed");
    let odd_and_even = "package:2 core:128 pu:1(indexes=128*2:1*128)";
    let command = env!("CARGO_BIN_EXE_stowplan");
    let script = format!(
        "ulimit -c 0; ulimit -v 60000; exec '{command}' export jsrun --topo '{odd_and_even}' -H 'n[0-511]:256' \
         --map-by package --bind-to package -n 131072 ./x"
    );
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let bytes = std::io::copy(&mut child.stdout.take().unwrap(), &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(bytes > 60_000_000, "{bytes}");
}
