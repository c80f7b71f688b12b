//! GPUs that `exec --gpus` shows to processes: `probe` reads them, and the result is compared with a plan.

use crate::folder::Folder;
use crate::launch::{err, out, refused};

/// A saved plan of a job on node a, unbound.
fn save(folder: &Folder, words: &str) {
    let words = format!("map --save p -H a:12 --bind-to none {words} ./x");
    let words: Vec<String> = words
        .split(' ')
        .map(|word| word.replace(';', " "))
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let saved = folder.run(&[], &words);
    assert!(saved.status.success(), "{}", err(&saved));
}

/// What a rank sees.
fn shown(folder: &Folder, rank: &str, options: &[&str], variables: &str) -> String {
    let mut words = vec!["exec", "p"];
    words.extend(options);
    let show = format!("echo {variables}");
    words.extend(["--", "sh", "-c", &show]);
    let output = folder.run(&[("PMI_RANK", rank), ("PMI_HOSTNAME", "a")], &words);
    assert!(output.status.success(), "{}", err(&output));
    out(&output).trim_end().to_owned()
}

#[test]
fn exec_shows_each_rank_its_gpus() {
    let folder = Folder::new("gpus");
    save(&folder, "--topo builtin:frontier -n 8 --map-by gpu");
    for (rank, gpu) in [("0", "4"), ("6", "0"), ("7", "1")] {
        assert_eq!(
            shown(&folder, rank, &["--gpus"], "$ROCR_VISIBLE_DEVICES"),
            gpu
        );
    }
    assert_eq!(shown(&folder, "0", &[], "x$ROCR_VISIBLE_DEVICES"), "x");
    let both = "$HIP_VISIBLE_DEVICES,$ROCR_VISIBLE_DEVICES";
    assert_eq!(
        shown(&folder, "0", &["--gpu-env", "HIP_VISIBLE_DEVICES"], both),
        "4,"
    );
    save(
        &folder,
        "--topo builtin:frontier -n 4 --map-by numa --gpus split",
    );
    assert_eq!(
        shown(&folder, "0", &["--gpus"], "$ROCR_VISIBLE_DEVICES"),
        "4,5"
    );
    save(&folder, "--topo builtin:perlmutter-gpu -n 4 --map-by gpu");
    assert_eq!(
        shown(&folder, "0", &["--gpus"], "$CUDA_VISIBLE_DEVICES"),
        "3"
    );
    save(&folder, "--topo builtin:aurora -n 12 --map-by gpu");
    let tiles = "$ZE_AFFINITY_MASK $ZE_FLAT_DEVICE_HIERARCHY";
    assert_eq!(shown(&folder, "11", &["--gpus"], tiles), "11 FLAT");
    save(
        &folder,
        "--topo builtin:frontier -n 2 --map-by core --gpus none",
    );
    assert_eq!(
        shown(&folder, "1", &["--gpus"], "${ROCR_VISIBLE_DEVICES-unset}"),
        ""
    );
}

#[test]
fn a_variable_that_nobody_knows_must_be_named() {
    let folder = Folder::new("gpu-env");
    save(
        &folder,
        "--topo core:2;pu:1 --devices gpu=core:7,3 -n 2 --map-by gpu",
    );
    let on = [("PMI_RANK", "1"), ("PMI_HOSTNAME", "a")];
    let go = |options: &[&str]| {
        let mut words = vec!["exec", "p"];
        words.extend(options);
        words.extend(["--", "true"]);
        folder.run(&on, &words)
    };
    refused(&go(&["--gpus"]), "bad-option");
    refused(&go(&["--gpus", "--gpu-env", "2x"]), "bad-value");
    refused(&go(&["--gpu-env=a b"]), "bad-value");
    let options = ["--gpus", "--gpu-env", "MY_GPUS"];
    assert_eq!(shown(&folder, "1", &options, "$MY_GPUS"), "3");
    save(&folder, "--topo core:2;pu:1 -n 2 --map-by core");
    refused(&go(&["--gpus"]), "bad-option");
}

#[test]
fn gpus_that_processes_see_are_compared_with_the_plan() {
    let folder = Folder::new("live-gpus");
    save(&folder, "--topo builtin:frontier -n 4 --map-by gpu");
    let stowplan = env!("CARGO_BIN_EXE_stowplan");
    let mut lines = String::new();
    for rank in ["0", "1", "2", "3"] {
        let on = [("PMI_RANK", rank), ("PMI_HOSTNAME", "a")];
        let words = ["exec", "p", "--gpus", "--", stowplan, "probe"];
        lines += &out(&folder.run(&on, &words));
    }
    assert!(
        lines.contains("\t4\tPMI_RANK,PMI_HOSTNAME,affinity,ROCR_VISIBLE_DEVICES\n"),
        "{lines}"
    );
    let check = |lines: &str| {
        folder.write("lines", lines);
        let json = folder.run(&[], &["check", "p", "--live", "lines", "--format", "json"]);
        let text = folder.run(&[], &["check", "p", "--live", "lines"]);
        assert_eq!(text.status, json.status);
        (json.status.code(), out(&json) + &out(&text))
    };
    let (status, said) = check(&lines);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("\"cpus\":\"\",\"gpus\":\"\"}"), "{said}");
    // Folklore: rank i is shown GPU i. This happens to be right for ranks 2 and 3.
    let folklore: String = (0..4)
        .map(|rank| {
            format!("{rank}\ta\t0\t{rank}\tPMI_RANK,hostname,affinity,ROCR_VISIBLE_DEVICES\n")
        })
        .collect();
    let (status, said) = check(&folklore);
    assert_eq!(status, Some(1));
    assert!(said.contains("\"gpus\":\"0-1\"}"), "{said}");
    assert!(
        said.contains("  shown other GPUs: 2 ranks: 0-1\n"),
        "{said}"
    );
    // Without a variable a process sees all GPUs.
    let (_, said) = check(&folklore.replace("\t2\tPMI_RANK", "\t-\tPMI_RANK"));
    assert!(said.contains("\"gpus\":\"0-2\"}"), "{said}");
}
