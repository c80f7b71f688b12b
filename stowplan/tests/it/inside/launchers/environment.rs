//! Recorded environments of each system, and environments that are refused.

use stowplan::launchers::environment::rank::identity;
use stowplan::launchers::environment::{Here, Lookup, hosts};

/// A recorded environment: variables, and files by path.
struct Recorded<'t>(&'t [(&'t str, &'t str)]);

impl Lookup for Recorded<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let mut rows = self.0.iter();
        let found = rows.find(|(own, _)| *own == name)?;
        Some(found.1.to_owned())
    }
    fn file(&self, path: &str) -> Result<Vec<u8>, String> {
        let mut rows = self.0.iter();
        let found = rows.find(|(own, _)| *own == path);
        let text = found.ok_or("No such file or directory")?.1;
        Ok(text.as_bytes().to_vec())
    }
}

fn found(here: &str, rows: &[(&str, &str)]) -> Result<(String, String), String> {
    let here = Here::read(here).unwrap();
    match hosts(here, &Recorded(rows)) {
        Ok(found) => Ok((found.hosts.to_list(), found.source)),
        Err(error) => Err(error.to_string()),
    }
}

#[track_caller]
fn gives(rows: &[(&str, &str)], list: &str, source: &str) {
    assert_eq!(found("", rows), Ok((list.to_owned(), source.to_owned())));
}

#[track_caller]
fn refuses(rows: &[(&str, &str)], words: &[&str]) {
    let error = found("", rows).unwrap_err();
    for word in words {
        assert!(error.contains(word), "{error}: {word}");
    }
}

#[test]
fn slurm() {
    gives(
        &[
            ("SLURM_JOB_NODELIST", "r[1-2]n[1-3,05],login1"),
            ("SLURM_TASKS_PER_NODE", "16(x4),8(x4),1"),
        ],
        "r1n1:16,r1n2:16,r1n3:16,r1n05:16,r2n1:8,r2n2:8,r2n3:8,r2n05:8,login1:1",
        "SLURM_JOB_NODELIST",
    );
    gives(
        &[
            ("SLURM_JOB_NODELIST", "nid[0098-0100]"),
            ("SLURM_JOB_CPUS_PER_NODE", "72(x2),3"),
            ("SLURM_CPUS_PER_TASK", "8"),
        ],
        "nid0098:9,nid0099:9,nid0100:1",
        "SLURM_JOB_NODELIST",
    );
    gives(
        &[
            ("SLURM_JOB_NODELIST", "a"),
            ("SLURM_HET_SIZE", "2"),
            ("SLURM_JOB_NODELIST_HET_GROUP_0", "a"),
            ("SLURM_TASKS_PER_NODE_HET_GROUP_0", "4"),
            ("SLURM_JOB_NODELIST_HET_GROUP_1", "b[1-2]"),
            ("SLURM_JOB_CPUS_PER_NODE_HET_GROUP_1", "6(x2)"),
            ("SLURM_CPUS_PER_TASK_HET_GROUP_1", "3"),
        ],
        "a:4,b1:2,b2:2",
        "SLURM_JOB_NODELIST_HET_GROUP_0 to _1",
    );
}

#[test]
fn what_slurm_cannot_mean() {
    let with = |list, tasks| {
        [
            ("SLURM_JOB_NODELIST", list),
            ("SLURM_TASKS_PER_NODE", tasks),
        ]
    };
    refuses(
        &with("a[1-3]", "2(x2)"),
        &["SLURM_TASKS_PER_NODE=2(x2)", "2 hosts", "3"],
    );
    refuses(
        &with("a[1-3]", "2(x4)"),
        &["SLURM_TASKS_PER_NODE=2(x4)", "more"],
    );
    refuses(&with("a[1-3", "2(x3)"), &["SLURM_JOB_NODELIST=a[1-3"]);
    refuses(&with("a[3-1]", "2(x3)"), &["SLURM_JOB_NODELIST=a[3-1]"]);
    refuses(&with("a,,b", "2(x2)"), &["SLURM_JOB_NODELIST=a,,b"]);
    refuses(&with("a;b", "2"), &["SLURM_JOB_NODELIST=a;b"]);
    refuses(
        &with("a[1-4000000000]", "2"),
        &["SLURM_JOB_NODELIST", "more hosts"],
    );
    refuses(&with("a", "0"), &["SLURM_TASKS_PER_NODE=0"]);
    refuses(&with("a", "2(x"), &["SLURM_TASKS_PER_NODE=2(x"]);
    refuses(&with("a", "2(x9999999999)"), &["SLURM_TASKS_PER_NODE"]);
    refuses(&[("SLURM_JOB_NODELIST", "a")], &["SLURM_TASKS_PER_NODE"]);
    refuses(
        &[
            ("SLURM_HET_SIZE", "2"),
            ("SLURM_JOB_NODELIST_HET_GROUP_0", "a"),
            ("SLURM_TASKS_PER_NODE_HET_GROUP_0", "1"),
        ],
        &["SLURM_JOB_NODELIST_HET_GROUP_1"],
    );
}

#[test]
fn files_with_a_line_for_each_slot() {
    let lines = ("/n", "a\nb\na\n\nc\nb\n");
    for name in ["PBS_NODEFILE", "COBALT_NODEFILE", "OAR_NODEFILE"] {
        gives(&[(name, "/n"), lines], "a:2,b:2,c:1", name);
        refuses(&[(name, "/gone")], &[name, "/gone", "No such file"]);
        refuses(&[(name, "/n"), ("/n", "\n")], &[name, "no host"]);
    }
    let smp = [("PBS_NODEFILE", "/n"), ("PBS_PPN", "16"), ("/n", "a\nb\n")];
    gives(&smp, "a:16,b:16", "PBS_NODEFILE and PBS_PPN");
    gives(&[smp[0], smp[1], lines], "a:2,b:2,c:1", "PBS_NODEFILE");
    refuses(&[smp[0], ("PBS_PPN", "x"), smp[2]], &["PBS_PPN=x"]);
}

#[test]
fn lsf() {
    let pairs = ("LSB_MCPU_HOSTS", "a 4 b 4 ");
    gives(&[pairs], "a:4,b:4", "LSB_MCPU_HOSTS");
    let affinity = ("LSB_AFFINITY_HOSTFILE", "/f");
    gives(
        &[affinity, ("/f", "a 0,1 0 2\na 2,3 0 2\nb 0,1\n"), pairs],
        "a:2,b:1",
        "LSB_AFFINITY_HOSTFILE",
    );
    gives(&[affinity, ("/f", ""), pairs], "a:4,b:4", "LSB_MCPU_HOSTS");
    refuses(
        &[("LSB_MCPU_HOSTS", "a 4 b")],
        &["LSB_MCPU_HOSTS=a 4 b", "pairs"],
    );
    refuses(&[("LSB_MCPU_HOSTS", "a x")], &["LSB_MCPU_HOSTS=a x"]);
    let launch = [("LSB_DJOB_HOSTFILE", "/f"), ("/f", "login\na\na\nb\nb\n")];
    let found = hosts(Here::Any, &Recorded(&launch)).unwrap();
    assert_eq!(found.hosts.to_list(), "a:2,b:2");
    assert_eq!(found.launch_node.as_deref(), Some("login"));
    gives(
        &[launch[0], ("/f", "a\nb\nb\nc\n")],
        "a:1,b:2,c:1",
        "LSB_DJOB_HOSTFILE",
    );
}

#[test]
fn grid_engine_and_pals() {
    gives(
        &[
            ("PE_HOSTFILE", "/p"),
            ("/p", "a.x.org 4 all.q@a <NULL>\nb 2 all.q@b 0,0\n"),
        ],
        "a.x.org:4,b:2",
        "PE_HOSTFILE",
    );
    refuses(&[("PE_HOSTFILE", "/p"), ("/p", "a\n")], &["PE_HOSTFILE=/p"]);
    gives(
        &[("PALS_HOSTLIST", "x,y"), ("PALS_PPN", "8")],
        "x:8,y:8",
        "PALS_HOSTLIST",
    );
    gives(
        &[("PALS_HOSTFILE", "/h"), ("/h", "x\ny\n")],
        "x:1,y:1",
        "PALS_HOSTFILE",
    );
    gives(
        &[("PALS_HOSTLIST", "x"), ("PALS_DEPTH", "4")],
        "x:1",
        "PALS_HOSTLIST",
    );
}

#[test]
fn flux() {
    refuses(
        &[("FLUX_JOB_ID", "f1")],
        &[
            "FLUX_JOB_ID",
            "flux job info $FLUX_JOB_ID R | stowplan map --here=-",
        ],
    );
    let r = |text: &str| {
        let rows = [("-", text)];
        found("-", &rows)
    };
    let ok = r#"{"version":1,"execution":{"R_lite":[{"rank":"19-20","children":{"core":"0-3,8","gpu":"0"}},{"rank":"3","children":{"core":"0-3,8"}}],"nodelist":["login","node[186-187]"]}}"#;
    let (hosts, source) = r(ok).unwrap();
    assert_eq!(
        (hosts.as_str(), source.as_str()),
        ("login:5,node186:5,node187:5", "R on standard input")
    );
    let given = |text: &str| {
        let rows = [("-", text)];
        stowplan::launchers::environment::hosts(Here::Resources, &Recorded(&rows))
            .unwrap()
            .cores
    };
    assert_eq!(given(ok), ["0-3,8"]);
    let partly = r#"{"version":1,"execution":{"R_lite":[{"rank":"0-9,12","children":{"core":"0-3"}},{"rank":"10-11","children":{"core":"2"}}],"nodelist":["n[8-18]","a07","login"]}}"#;
    assert_eq!(given(partly), ["n[8-17],login=0-3", "n18,a07=2"]);
    assert!(r("{").unwrap_err().contains("JSON"));
    assert!(r(r#"{"version":1}"#).unwrap_err().contains("nodelist"));
    let fewer = ok.replace("[186-187]", "186");
    assert!(
        r(&fewer)
            .unwrap_err()
            .contains("2 hosts, and R_lite has 3 ranks")
    );
}

#[test]
fn of_two_systems_the_inner_one() {
    let both = [
        ("SLURM_JOB_NODELIST", "s"),
        ("SLURM_TASKS_PER_NODE", "2"),
        ("PALS_HOSTLIST", "p"),
    ];
    gives(&both, "p:1", "PALS_HOSTLIST");
    let slurm = found("slurm", &both).unwrap();
    assert_eq!(slurm.0, "s:2");
    assert!(found("sge", &both).unwrap_err().contains("PE_HOSTFILE"));
    refuses(&[], &["no batch system", "SLURM_JOB_NODELIST"]);
    assert_eq!(Here::read("slrum"), None);
}

#[test]
fn ranks() {
    let of = |rows: &[(&str, &str)]| identity(&Recorded(rows));
    let rank = |rows: &[(&str, &str)]| of(rows).unwrap().rank;
    assert_eq!(rank(&[]), None);
    assert_eq!(rank(&[("SLURM_PROCID", "3")]), Some((3, "SLURM_PROCID")));
    // If a launcher runs inside a batch job, the batch system's variables belong to another process.
    let inner = of(&[
        ("PMI_RANK", "3"),
        ("SLURM_PROCID", "0"),
        ("SLURMD_NODENAME", "batch"),
    ])
    .unwrap();
    assert_eq!(inner.rank, Some((3, "PMI_RANK")));
    assert_eq!(inner.host, None);
    let own = of(&[
        ("PMI_RANK", "3"),
        ("SLURM_PROCID", "3"),
        ("SLURMD_NODENAME", "n1"),
        ("PMI_HOSTNAME", "10.0.0.1"),
        ("SLURM_STEP_NUM_TASKS", "8"),
    ])
    .unwrap();
    assert_eq!(own.host, Some(("n1".to_owned(), "SLURMD_NODENAME")));
    assert_eq!(own.sizes, [("SLURM_STEP_NUM_TASKS", "8".to_owned())]);
    assert!(
        of(&[("PMIX_RANK", "1"), ("PMI_RANK", "2")])
            .unwrap_err()
            .to_string()
            .contains("PMI_RANK=2")
    );
    assert!(
        of(&[("PMI_RANK", "x")])
            .unwrap_err()
            .to_string()
            .contains("PMI_RANK=x")
    );
    assert!(of(&[("SLURM_PROCID", "-1")]).is_err());
    assert_eq!(
        rank(&[("PALS_RANKID", "2"), ("SLURM_PROCID", "x")]),
        Some((2, "PALS_RANKID"))
    );
}
