//! Why a rank is where it is: each number is the plan's, each other job was planned.

use crate::console::{MadeUp, Said, stowplan, words};
use serde_json::Value;

fn run(line: &str) -> Said {
    stowplan(&words(line), &MadeUp::default())
}

fn quoted(words: &Value) -> Vec<String> {
    let words = words.as_array().expect("a job keeps its words").iter();
    words
        .map(|word| word.as_str().unwrap().to_owned())
        .collect()
}

fn map(words: &[String]) -> Said {
    let mut line = vec!["map".to_owned(), "--format".to_owned(), "tsv".to_owned()];
    line.extend_from_slice(words);
    stowplan(&line, &MadeUp::default())
}

fn rows(said: &Said) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect();
    said.out.lines().skip(1).map(cells).collect()
}

/// A number from a seed, below `sides`.
fn roll(seed: &mut u64, sides: usize) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % sides
}

/// A job at random, most of which can be placed.
fn job(seed: &mut u64) -> String {
    let topos = [
        "package:2 core:4 pu:2",
        "core:4 pu:1",
        "package:2 l3:2 core:2 pu:2",
        "core:1 pu:1",
    ];
    let hosts = [
        "n[0-3]:8",
        "a:4,b:2,c:4",
        "n[00-20]:2",
        "a:9",
        "z:3,y:3,x:1",
    ];
    let maps = [
        "",
        "--map-by slot",
        "--map-by node",
        "--map-by core",
        "--map-by package",
        "--map-by ppr:1:node",
        "--map-by slot:pe=2",
        "--map-by node:oversubscribe",
        "--map-by package:span",
        "--map-by pe-list=0,2",
        "-N 1",
        "--bynode",
    ];
    let ranks = [
        "",
        "",
        "--rank-by slot",
        "--rank-by node",
        "--rank-by fill",
        "--rank-by span",
    ];
    let binds = [
        "",
        "",
        "--bind-to none",
        "--bind-to core",
        "--bind-to core:overload-allowed",
    ];
    let mut line = format!(
        "--topo '{}' -H {}",
        topos[roll(seed, 4)],
        hosts[roll(seed, 5)]
    );
    for app in 0..=usize::from(roll(seed, 4) == 0) {
        let more = ["", " :"][app];
        line += &format!(
            "{more} -n {} {} {} {} ./app{app}",
            1 + roll(seed, 9),
            maps[roll(seed, maps.len())],
            ranks[roll(seed, ranks.len())],
            binds[roll(seed, binds.len())]
        );
    }
    line
}

#[test]
fn every_sentence_follows_the_plan_and_every_other_job_moves_the_rank() {
    let (mut seed, mut explained, mut moved, mut nothing) = (1_u64, 0, 0, 0);
    for _ in 0..400 {
        let job = job(&mut seed);
        let table = run(&format!("map --format tsv {job}"));
        if table.status != 0 {
            continue;
        }
        for row in rows(&table) {
            let said = run(&format!("explain --format json {} -- {job}", row[0]));
            assert_eq!(said.status, 0, "{job}: {}", said.err);
            let told: Value = serde_json::from_str(&said.out).unwrap();
            let why: Vec<&str> = told["why"]
                .as_array()
                .unwrap()
                .iter()
                .map(|s| s.as_str().unwrap())
                .collect();
            let all = why.join(" | ");
            assert_eq!(told["node"].as_str(), Some(row[3].as_str()));
            assert_eq!(told["local_rank"].to_string(), row[4]);
            assert_eq!(told["cpus"].as_str().unwrap_or("-"), row[7]);
            assert_eq!(told["object"].as_str().unwrap_or("-"), row[6]);
            assert!(all.contains(&format!("{} is number", row[3])), "{all}");
            assert!(all.contains(&format!("local rank {} ", row[4])), "{all}");
            assert!(
                row[6] == "-" || all.contains(&format!("gets {} of", row[6])),
                "{all}"
            );
            assert!(
                row[7] == "-" || all.contains(&format!("cpus {} (OS", row[7])),
                "{all}"
            );
            if let Some(sum) = all
                .split(": ")
                .find(|part| part.contains(" = ") && part.contains(" + "))
            {
                let numbers: Vec<u64> = sum
                    .split(|sign: char| !sign.is_ascii_digit())
                    .filter_map(|digits| digits.parse().ok())
                    .collect();
                assert_eq!(numbers[0] + numbers[1] + numbers[2], numbers[3], "{all}");
            }
            explained += 1;
            if told["instead"].is_null() {
                nothing += 1;
                continue;
            }
            let other = map(&quoted(&told["instead"]["words"]));
            assert_eq!(other.status, 0, "{job}: {}", other.err);
            let there = &rows(&other)[row[0].parse::<usize>().unwrap()];
            assert!(
                (&there[3], &there[7]) != (&row[3], &row[7]),
                "{job}: rank {}",
                row[0]
            );
            assert_eq!(told["instead"]["node"].as_str(), Some(there[3].as_str()));
            assert_eq!(told["instead"]["cpus"].as_str().unwrap_or("-"), there[7]);
            assert_eq!(told["instead"]["local_rank"].to_string(), there[4]);
            moved += 1;
        }
    }
    assert!(
        explained > 500 && moved > 400,
        "{explained} explained, {moved} moved, {nothing} not"
    );
}

#[test]
fn a_saved_plan_is_explained_without_its_words() {
    let path = std::env::temp_dir().join(format!("stowplan-explain-{}.plan", std::process::id()));
    let plan = path.display();
    let (mut seed, mut moved) = (7_u64, 0);
    for _ in 0..60 {
        let job = job(&mut seed);
        if run(&format!("map --save {plan} {job}")).status != 0 {
            continue;
        }
        let of_job: Value =
            serde_json::from_str(&run(&format!("explain --format json 0 -- {job}")).out).unwrap();
        let said = run(&format!("explain --format json 0 {plan}"));
        assert_eq!(said.status, 0, "{}", said.err);
        let of_plan: Value = serde_json::from_str(&said.out).unwrap();
        for key in [
            "rank",
            "node",
            "local_rank",
            "object",
            "cpus",
            "words",
            "why",
        ] {
            assert_eq!(of_plan[key], of_job[key], "{job}");
        }
        if !of_plan["instead"].is_null() {
            assert!(of_plan["instead"]["words"].is_null());
            moved += 1;
        }
    }
    std::fs::remove_file(path).unwrap();
    assert!(moved > 20, "{moved}");
}

#[test]
fn a_refusal_comes_with_jobs_that_fit() {
    for (job, class) in [
        ("-H a:2,b:2 -n 5 ./a", "not-enough-slots"),
        ("-H nid[001-004] -n 64 ./a", "not-enough-slots"),
        ("-H a:4 -n 4 ./a : -n 1 ./b", "nodes-full"),
        (
            "-H a:8 -n 8 --map-by core:pe=2 --bind-to core ./a",
            "pe-exceeds-object",
        ),
        (
            "-H a:16 -n 9 --map-by core --bind-to core ./a",
            "not-enough-cpus",
        ),
        ("-H a:9 -n 3 --map-by package:pe=3 ./a", "not-enough-cpus"),
        (
            "-H a:4,b:4 -n 20 --map-by ppr:1:core:oversubscribe ./a",
            "ppr-too-many",
        ),
        ("-H a:4 -n 3 --map-by pe-list=0,1 ./a", "pe-list-exhausted"),
        ("-H a:4 -n 2 --map-by l3cache ./a", "object-not-found"),
        (
            "-H a:4 -n 2 --map-by package --bind-to l3cache ./a",
            "bind-target-not-found",
        ),
        (
            "-H a:9 -n 3 --map-by package --bind-to package:limit=1 ./a",
            "bind-limit",
        ),
        ("-H a:4 -n 2 --map-by slot:pe=5 ./a", "span-packages"),
    ] {
        let job = format!("--topo 'package:2 core:4 pu:1' {job}");
        let refused = run(&format!("map {job}"));
        assert!(
            refused.err.starts_with(&format!("error[{class}]")),
            "{job}: {}",
            refused.err
        );
        let said = run(&format!("explain --format json 0 -- {job}"));
        assert_eq!(said.status, 0, "{job}: {}", said.err);
        assert_eq!(said.out.lines().count(), 1);
        let told: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(told["refused"]["class"].as_str(), Some(class));
        assert!(told["missing"]["what"].is_string());
        let nearest = told["nearest"].as_array().unwrap();
        assert!(!nearest.is_empty(), "{job}");
        for near in nearest {
            assert_eq!(map(&quoted(&near["words"])).status, 0, "{job}: {near}");
        }
        assert_eq!(run(&format!("explain 0 -- {job}")).status, 0);
    }
}

#[test]
fn nodes_and_cpus_are_explained_and_other_refusals_stay() {
    let job = "--topo 'package:2 core:4 pu:1' -H a:4,b:4,c:4 -n 6 --map-by core ./a";
    let said = run(&format!("explain --format json --node b -- {job}"));
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    let said = run(&format!("explain --format json --cpus 1 -- {job}"));
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    assert!(
        run(&format!("explain --node c -- {job}"))
            .out
            .contains("no process")
    );
    for (line, class) in [
        ("explain 0 -- --map-by foo ./a", "bad-directive"),
        (&*format!("explain 6 -- {job}"), "bad-value"),
        (&*format!("explain x -- {job}"), "bad-value"),
        (&*format!("explain --node z -- {job}"), "no-such-host"),
        (&*format!("explain --cpus 99 -- {job}"), "bad-value"),
        ("explain", "bad-option"),
        ("explain 0", "bad-option"),
        ("explain 0 nowhere.plan", "bad-plan"),
        ("explain --format raw 0 nowhere.plan", "bad-value"),
    ] {
        let said = run(line);
        assert_eq!((said.status, said.out.as_str()), (2, ""), "{line}");
        assert!(
            said.err.starts_with(&format!("error[{class}]")),
            "{line}: {}",
            said.err
        );
    }
}
