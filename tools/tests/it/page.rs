//! The page for people: jobs that are placed differently never look the same, at any width.

use crate::console::{MadeUp, stowplan};
use crate::random_jobs::long;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use std::collections::HashMap;

const TOPOLOGIES: &[&str] = &[
    "package:2 numa:2 l3:2 core:2 pu:2",
    "package:2 core:8 pu:1",
    "numa:4 pu:4",
    "package:1 l2:6 core:1 pu:2(indexes=2*6:1*2)",
];
const HOSTS: &[&str] = &[
    "a[0-7]:16",
    "a[0-5]:16,b:3,c[0-3]:16",
    "a[0-19]:3,b[0-1]:1",
    "n[0-2]:40",
    "x,y:90,z:4",
];
const MAPS: &[&str] = &[
    "slot",
    "node",
    "core",
    "package",
    "numa",
    "l3cache",
    "hwthread",
    "ppr:3:node",
    "ppr:2:package",
    "slot:pe=2",
    "package:pe=2",
    "node:pe=2",
    "core:span",
    "numa:span",
    "package:oversubscribe",
    "node:oversubscribe",
    "pe-list=0,2,1",
];
const RANKS: &[&str] = &["", "slot", "node", "fill", "span"];
const BINDS: &[&str] = &[
    "",
    "none",
    "core",
    "package",
    "numa:overload-allowed",
    "hwthread",
];

fn pick<'w>(random: &mut ChaCha8Rng, words: &[&'w str]) -> &'w str {
    words[random.next_u32() as usize % words.len()]
}

fn job(random: &mut ChaCha8Rng) -> Vec<String> {
    let mut words = vec![
        "--topo",
        pick(random, TOPOLOGIES),
        "-H",
        pick(random, HOSTS),
    ];
    let apps = 1 + random.next_u32() % 2;
    let counts = ["", "33", "40", "7", "64"];
    for app in 0..apps {
        if app > 0 {
            words.push(":");
        }
        for (option, values) in [
            ("-n", &counts[..]),
            ("--map-by", MAPS),
            ("--rank-by", RANKS),
            ("--bind-to", BINDS),
        ] {
            let value = pick(random, values);
            if !value.is_empty() {
                words.extend([option, value]);
            }
        }
        words.push("./x");
    }
    words.into_iter().map(str::to_owned).collect()
}

fn answer(format: &str, job: &[String]) -> Option<String> {
    let mut args = vec!["map".to_owned(), "--format".to_owned(), format.to_owned()];
    args.extend_from_slice(job);
    let said = stowplan(&args, &MadeUp::default());
    (said.status == 0).then_some(said.out)
}

#[test]
fn jobs_that_place_differently_have_different_pages() {
    let mut random = ChaCha8Rng::seed_from_u64(18);
    let mut pages: HashMap<String, (Vec<String>, Vec<String>)> = HashMap::new();
    let mut compared = 0;
    let jobs = if long() { 6_000 } else { 2_000 };
    for _ in 0..jobs {
        let job = job(&mut random);
        // A job that is refused is refused in every format.
        let Some(page) = answer("text", &job) else {
            continue;
        };
        let table = answer("tsv", &job).unwrap();
        assert!(
            page.lines().count() <= 24 || table.lines().count() <= 33,
            "{job:?}\n{page}"
        );
        if page.contains("\nD ") {
            continue;
        }
        let page: Vec<&str> = page
            .lines()
            .filter(|line| !line.starts_with("app"))
            .collect();
        // rank, node, local rank, cpus
        let rows = table.lines().map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            [columns[0], columns[3], columns[4], columns[7]].join(" ")
        });
        let rows: Vec<String> = rows.collect();
        compared += 1;
        let (known, by) = pages
            .entry(page.join("\n"))
            .or_insert_with(|| (rows.clone(), job.clone()));
        assert_eq!(
            *known,
            rows,
            "one page for {by:?} and {job:?}:\n{}",
            page.join("\n")
        );
    }
    assert!(6 * compared > jobs, "{compared} jobs were placed");
    assert!(12 * pages.len() > jobs, "{} pages", pages.len());
}
