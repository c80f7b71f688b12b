//! What an allocation says of placement is used, or a note names it with the word that would use it.

use crate::folder::Folder;
use crate::launch::{err, out, refused};
use std::fs;

const SLURM: [(&str, &str); 2] = [("SLURM_JOB_NODELIST", "n1"), ("SLURM_TASKS_PER_NODE", "2")];

/// Runs `map --here` and gives rows and notes.
fn mapped(folder: &Folder, variables: &[(&str, &str)], words: &[&str]) -> (String, String) {
    let words = [&["map", "--here", "--format", "tsv"], words, &["./x"]].concat();
    let output = folder.run(variables, &words);
    (out(&output), err(&output))
}

#[test]
fn gpus_that_this_node_shows_are_the_gpus_of_the_job() {
    let folder = Folder::new("visible");
    let gpus = |variables: &[(&str, &str)], map: &str| {
        let all = [&SLURM[..], variables].concat();
        let words = [
            "--topo",
            "builtin:perlmutter-gpu",
            "--map-by",
            map,
            "--columns",
            "rank,gpus",
        ];
        mapped(&folder, &all, &words)
    };
    let shown = |name, value| gpus(&[(name, value)], "gpu").0;
    assert_eq!(
        shown("CUDA_VISIBLE_DEVICES", "0,1"),
        "#rank\tgpus\n0\t1\n1\t0\n"
    );
    assert_eq!(
        shown("ZE_AFFINITY_MASK", "2.0,3.1"),
        "#rank\tgpus\n0\t3\n1\t2\n"
    );
    assert_eq!(
        gpus(&[("ROCR_VISIBLE_DEVICES", "")], "core").0,
        "#rank\tgpus\n0\t-\n1\t-\n"
    );
    let named = gpus(&[("CUDA_VISIBLE_DEVICES", "GPU-8a")], "core").1;
    assert!(
        named.contains("note[allocation-unused]: CUDA_VISIBLE_DEVICES=GPU-8a"),
        "{named}"
    );
    let two = [
        ("SLURM_JOB_NODELIST", "n[1-2]"),
        ("SLURM_TASKS_PER_NODE", "1(x2)"),
        ("CUDA_VISIBLE_DEVICES", "3"),
    ];
    let words = [
        "--topo",
        "builtin:perlmutter-gpu",
        "--gpus",
        "share",
        "--columns",
        "rank,gpus",
    ];
    let unknown = mapped(&folder, &two, &words).1;
    assert!(
        unknown.contains("CUDA_VISIBLE_DEVICES=3") && unknown.contains("gpu=only:3"),
        "{unknown}"
    );
    let here = [&two[..], &[("SLURMD_NODENAME", "n2")]].concat();
    let (rows, notes) = mapped(&folder, &here, &words);
    assert!(!notes.contains("allocation-unused"), "{rows}{notes}");
    // Where the hardware has no such GPU, that is said.
    let none = [&SLURM[..], &[("CUDA_VISIBLE_DEVICES", "0")]].concat();
    let notes = mapped(&folder, &none, &["--topo", "core:8 pu:1"]).1;
    assert!(
        notes.contains("note[allocation-unused]: CUDA_VISIBLE_DEVICES (gpu=only:0)"),
        "{notes}"
    );
    // So is a part that it has not.
    let more = [
        &two[..2],
        &[("CUDA_VISIBLE_DEVICES", "3,7")],
        &[("SLURMD_NODENAME", "n2")],
    ]
    .concat();
    let notes = mapped(&folder, &more, &words).1;
    assert!(
        notes.contains("the topology of n2 has no GPU 7;"),
        "{notes}"
    );
}

#[test]
fn cpus_of_grid_engine_are_those_of_its_file() {
    let folder = Folder::new("sge");
    let pe = |text: &str| fs::write(folder.path().join("pe"), text).unwrap();
    let variables = [("PE_HOSTFILE", "pe")];
    let topo = ["--topo", "package:2 core:4 pu:2", "--map-by", "core"];
    // Core 1 of the second package is core 5, whose PUs are 10 and 11. A queue's lines for one host add up; nothing binds b.
    pe("a 1 all.q@a 1,1\nb 1 all.q@b UNDEFINED\na 2 long.q@a 0,3:0,2\n");
    let (rows, notes) = mapped(&folder, &variables, &topo);
    let column = |at: usize| -> Vec<&str> {
        let rows = rows.lines().skip(1);
        rows.filter_map(|row| row.split('\t').nth(at)).collect()
    };
    assert_eq!(column(3), ["a", "a", "a", "b"], "{rows}");
    assert_eq!(column(7), ["4-5", "6-7", "10-11", "0-1"], "{rows}");
    assert!(!notes.contains("allocation-unused"), "{notes}");
    for (text, class) in [
        ("a 2 all.q@a 0,x\n", "bad-environment"),
        ("a 2 all.q@a 0,0:0\n", "bad-environment"),
        ("a 1 all.q@a 0,0\na 1 long.q@a NONE\n", "bad-environment"),
        ("a 1 all.q@a 0,4\n", "bad-cpu-list"),
        ("a 1 all.q@a 2,0\n", "bad-cpu-list"),
    ] {
        pe(text);
        let line = [&["map", "--here"][..], &topo, &["./x"]].concat();
        refused(&folder.run(&variables, &line), class);
    }
    // Nobody typed the list of cores: the refusal names where it is from.
    pe("a 1 all.q@a 0,4\n");
    let output = folder.run(
        &variables,
        &[&["map", "--here"][..], &topo, &["./x"]].concat(),
    );
    let told = err(&output);
    assert!(
        told.contains("PE_HOSTFILE gives cores a=0:4") && !told.contains("hwloc_default_cpu_list"),
        "{told}"
    );
    // A list of the line stands in its place, and that is said, by whatever name it has.
    for key in ["hwloc_default_cpu_list", "hwloc_base_cpu_set"] {
        let (rows, notes) = mapped(
            &folder,
            &variables,
            &[&topo[..], &["--prtemca", key, "2-3"]].concat(),
        );
        assert!(rows.ends_with("\t4-5\n"), "{rows}");
        assert!(
            notes.contains("note[allocation-unused]: PE_HOSTFILE gives cores a=0:4"),
            "{notes}"
        );
    }
}

#[test]
fn cpus_of_lsf_are_those_of_its_file() {
    let folder = Folder::new("lsf");
    fs::write(folder.path().join("cpus"), "h 4,5\nh 6,7\n").unwrap();
    fs::write(folder.path().join("none"), "").unwrap();
    let topo = ["--topo", "package:2 core:4 pu:1"];
    for name in ["LSB_AFFINITY_HOSTFILE", "LSB_DJOB_RANKFILE"] {
        let variables = [(name, "cpus"), ("LSB_MCPU_HOSTS", "h 2")];
        let (rows, _) = mapped(&folder, &variables, &topo);
        let cpus: Vec<&str> = rows
            .lines()
            .skip(1)
            .filter_map(|row| row.rsplit('\t').next())
            .collect();
        assert_eq!(cpus, ["4-5", "6-7"], "{rows}");
        // Words that map win over the file, and that is said.
        let (_, notes) = mapped(
            &folder,
            &variables,
            &[&topo[..], &["--map-by", "core"]].concat(),
        );
        assert!(
            notes.contains(&format!("note[allocation-unused]: {name}=cpus")),
            "{notes}"
        );
        let (_, notes) = mapped(&folder, &[(name, "none"), variables[1]], &topo);
        assert!(
            notes.contains(&format!("note[allocation-unused]: {name}=none")),
            "{notes}"
        );
    }
    let words = [
        "map",
        "--from-env",
        "LSB_AFFINITY_HOSTFILE",
        "-H",
        "h",
        "--topo",
        "core:4 pu:1",
        "./x",
    ];
    let notes = err(&folder.run(&[("LSB_AFFINITY_HOSTFILE", "none")], &words));
    assert!(notes.contains("LSB_AFFINITY_HOSTFILE=none"), "{notes}");
}

#[test]
fn variables_of_slurm_are_obeyed_by_its_line_and_noted_beside_other_words() {
    let folder = Folder::new("slurm-words");
    let all = [
        &SLURM[..],
        &[
            ("SLURM_CPUS_PER_TASK", "2"),
            ("SLURM_DISTRIBUTION", "cyclic"),
            ("SLURM_JOB_GPUS", "0"),
            ("SLURM_CPU_BIND", "cores"),
        ],
    ]
    .concat();
    let topo = ["--topo", "package:2 core:4 pu:1"];
    let (_, notes) = mapped(&folder, &all, &topo);
    for said in [
        "SLURM_CPUS_PER_TASK=2",
        ":pe=2",
        "SLURM_DISTRIBUTION=cyclic",
        "--map-by node",
        "SLURM_JOB_GPUS=0",
        "SLURM_CPU_BIND=cores",
    ] {
        assert!(notes.contains(said), "{said}: {notes}");
    }
    let (rows, notes) = mapped(&folder, &all, &[&topo[..], &["srun", "-n2"]].concat());
    assert!(
        rows.contains("0-1") && !notes.contains("allocation-unused"),
        "{rows}{notes}"
    );
    // What the words of the line say already has no note, whether they agree or not.
    let said = [&topo[..], &["--map-by", "node:pe=2", "--bind-to", "core"]].concat();
    let (_, notes) = mapped(&folder, &all, &said);
    let named: Vec<&str> = notes
        .lines()
        .filter(|line| line.contains("allocation-unused"))
        .collect();
    assert!(
        named.len() == 1 && named[0].contains("SLURM_JOB_GPUS"),
        "{notes}"
    );
    // Notes about the allocation are notes of the plan.
    let words = [
        &["map", "--here", "--format", "json", "--strict"],
        &topo[..],
        &["./x"],
    ]
    .concat();
    let output = folder.run(&all, &words);
    assert_eq!(output.status.code(), Some(3), "{}", err(&output));
    assert!(
        out(&output).contains(r#"{"note":"allocation-unused","app":null"#),
        "{}",
        out(&output)
    );
    let quiet = [
        &["map", "--here", "--quiet-notes", "allocation-unused"],
        &topo[..],
        &["./x"],
    ]
    .concat();
    assert!(!err(&folder.run(&all, &quiet)).contains("allocation-unused"));
}

#[test]
fn hints_of_slurm_are_noted_where_the_line_does_otherwise() {
    let folder = Folder::new("slurm-hint");
    let topo = ["--topo", "package:2 core:4 pu:2"];
    for (hint, words, noted) in [
        ("nomultithread", &[][..], None),
        (
            "nomultithread",
            &["--map-by", ":hwtcpus"],
            Some(":corecpus"),
        ),
        ("compute_bound", &["--use-hwthread-cpus"], Some(":corecpus")),
        ("multithread", &[], Some(":hwtcpus")),
        ("multithread", &["--map-by", "core:hwtcpus"], None),
        ("multithread", &["--use-hwthread-cpus"], None),
        ("memory_bound", &[], Some("--map-by package")),
        ("memory_bound", &["--map-by", "package"], None),
        ("memory_bound,nomultithread", &[], Some("srun line")),
    ] {
        let all = [&SLURM[..], &[("SLURM_HINT", hint)]].concat();
        let (_, notes) = mapped(&folder, &all, &[&topo[..], words].concat());
        let said = format!("note[allocation-unused]: SLURM_HINT={hint} is not used here: ");
        let line = notes.lines().find_map(|line| line.strip_prefix(&said));
        match (line, noted) {
            (Some(line), Some(noted)) => assert!(line.contains(noted), "{notes}"),
            (line, noted) => assert_eq!(line, noted, "{hint} {words:?}: {notes}"),
        }
    }
}

#[test]
fn numbers_of_hip_and_tiles_are_used_or_named() {
    let folder = Folder::new("hip");
    let words = [
        "--topo",
        "builtin:frontier",
        "--map-by",
        "gpu",
        "--columns",
        "rank,gpus",
    ];
    let shown =
        |variables: &[(&str, &str)]| mapped(&folder, &[&SLURM[..], variables].concat(), &words);
    let hip = ("HIP_VISIBLE_DEVICES", "1");
    let (rows, _) = shown(&[hip]);
    assert_eq!(rows, shown(&[("ROCR_VISIBLE_DEVICES", "1")]).0);
    // HIP counts among the GPUs that ROCR leaves.
    let (_, notes) = shown(&[("ROCR_VISIBLE_DEVICES", "4,5"), hip]);
    assert!(
        notes.contains("HIP_VISIBLE_DEVICES=1") && notes.contains("ROCR_VISIBLE_DEVICES=4,5"),
        "{notes}"
    );
    let (_, notes) = shown(&[("ZE_AFFINITY_MASK", "0.1")]);
    assert!(
        notes.contains("note[allocation-unused]: ZE_AFFINITY_MASK=0.1"),
        "{notes}"
    );
}

/// A core that R names and the topology lacks: the refusal has R, the rank's entry, the node and the core.
#[test]
fn a_core_of_r_that_is_not_there_is_named() {
    let folder = Folder::new("cores-of-r");
    let job = ["map", "--here=-", "--topo", "package:2 core:4 pu:1", "./x"];
    let plan = [&["map", "--save", "job.plan", "-H", "z:1"][..], &job[2..]].concat();
    assert!(folder.run(&[], &plan).status.success());
    let of = |lite: &str, nodes: &str| {
        format!(r#"{{"version":1,"execution":{{"R_lite":[{lite}],"nodelist":["{nodes}"]}}}}"#)
    };
    let few = r#"{"rank":"5-6","children":{"core":"0-3"}}"#;
    let many = r#"{"rank":"8","children":{"core":"2-9"}}"#;
    for (r, parts) in [
        (
            of(many, "c"),
            ["R on standard input", "rank 8 of R_lite", "node c", "8"],
        ),
        (
            of(&format!("{few},{many}"), "n[0-2]"),
            [
                "R on standard input",
                "rank 8 of R_lite",
                "n2=2-9",
                "core 8",
            ],
        ),
    ] {
        let carried = [
            "onto",
            "job.plan",
            "--here=-",
            "--topo",
            "package:2 core:4 pu:1",
        ];
        for words in [&job[..], &carried] {
            let output = folder.run_with(&[], words, &r);
            refused(&output, "bad-cpu-list");
            let told = err(&output);
            assert!(parts.iter().all(|part| told.contains(part)), "{told}");
        }
        let line = [
            "map",
            "--granted",
            &r,
            "--topo",
            "package:2 core:4 pu:1",
            "flux",
            "run",
            "-n1",
            "./x",
        ];
        let output = folder.run(&[], &line);
        refused(&output, "not-modelled");
        let told = err(&output);
        assert!(
            told.contains("rank 8 of R_lite") && told.contains("core 8 "),
            "{told}"
        );
    }
}

/// Each variable that places for its launcher has a note with our word, and none for the value that changes nothing.
#[test]
fn what_else_the_variables_say_has_a_note() {
    let folder = Folder::new("more-variables");
    let pals = [("PALS_HOSTLIST", "n1"), ("PALS_PPN", "2")];
    for (base, name, value, word) in [
        (&SLURM, "SLURM_NTASKS_PER_CORE", "1", "--map-by ppr:1:core"),
        (&SLURM, "SLURM_THREADS_PER_CORE", "2", "--map-by :hwtcpus"),
        (&SLURM, "SLURM_THREADS_PER_CORE", "1", ""),
        (&SLURM, "SLURM_OVERCOMMIT", "1", "--map-by :oversubscribe"),
        (&SLURM, "SLURM_OVERCOMMIT", "0", ""),
        (&SLURM, "SLURM_GPU_BIND", "closest", "--gpus split"),
        (&pals, "PALS_DEPTH", "4", "--map-by :pe=4"),
        (&pals, "PALS_DEPTH", "1", ""),
    ] {
        let variables = [&base[..], &[(name, value)]].concat();
        let (_, notes) = mapped(&folder, &variables, &["--topo", "core:8 pu:2"]);
        let lead = format!("note[allocation-unused]: {name}={value} is not used here: {word}");
        assert_eq!(notes.contains(&lead), !word.is_empty(), "{name}: {notes}");
        let named = notes.contains(&format!("{name}={value}"));
        assert_eq!(named, !word.is_empty(), "{name}: {notes}");
    }
}
