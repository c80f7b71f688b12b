//! Networks: the corpus of forms, refusals and scores, and what orders cost when they are counted by hand on small networks.

use crate::console::{MadeUp, root, stowplan};
use serde_json::Value;
use std::path::PathBuf;

/// The corpus beside the project, if it is there.
fn corpus() -> Option<String> {
    let shared = std::env::var_os("STOWPLAN_SHARED");
    let folder = shared.map_or_else(|| root().join("../shared"), PathBuf::from);
    let text = std::fs::read_to_string(folder.join("network/cases.jsonl")).ok();
    if text.is_none() {
        println!(
            "skipped: there is no network/cases.jsonl in {}",
            folder.display()
        );
    }
    text
}

fn text<'v>(case: &'v Value, key: &str) -> &'v str {
    case[key].as_str().unwrap_or_default()
}

fn words(case: &Value, key: &str) -> Vec<String> {
    let list = case[key].as_array();
    let list = list.into_iter().flatten();
    list.map(|word| word.as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The words of `--network`; a file is put among the files.
fn network(case: &Value, files: &mut MadeUp) -> Vec<String> {
    let described = text(case, "text");
    let named = match text(case, "format") {
        "synthetic" | "builtin" | "missing" => described.to_owned(),
        "names" => format!("names {described}"),
        _ => {
            files
                .files
                .insert("net".to_owned(), described.as_bytes().to_vec());
            match case["which"].as_str() {
                Some(which) => format!("net#{which}"),
                None => "net".to_owned(),
            }
        }
    };
    let mut words = vec!["--network".to_owned(), named];
    if let Some(levels) = case["levels"].as_str() {
        words.extend(["--network-levels".to_owned(), levels.to_owned()]);
    }
    words
}

fn run(args: &[&str], more: &[Vec<String>], files: &MadeUp) -> (u8, String, String) {
    let mut all: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
    all.extend(more.iter().flatten().cloned());
    let said = stowplan(&all, files);
    (said.status, said.out, said.err)
}

/// What a network, a refusal or a score of the corpus lacks.
#[expect(clippy::too_many_lines, reason = "a case has many parts")]
fn fault(case: &Value) -> Option<String> {
    let mut files = MadeUp::default();
    let network = network(case, &mut files);
    let hosts = case["hosts"]
        .as_str()
        .map(|hosts| vec!["-H".to_owned(), hosts.to_owned()]);
    let hosts = hosts.unwrap_or_default();
    match text(case, "kind") {
        "network" => {
            let (status, out, err) = run(
                &["topo", "show", "--format", "json"],
                &[network, hosts],
                &files,
            );
            let Ok(found) = serde_json::from_str::<Value>(&out) else {
                return Some(format!("status {status}: {err}"));
            };
            let names = |value: &Value, of: fn(&Value) -> &Value| -> Vec<String> {
                let levels = value["levels"].as_array().into_iter().flatten();
                let objects =
                    levels.flat_map(|level| level["objects"].as_array().into_iter().flatten());
                objects
                    .map(|object| of(object).as_str().unwrap_or_default().to_owned())
                    .collect()
            };
            let same = found["kind"] == case["want"]["kind"]
                && names(&found, |object| &object["name"])
                    == names(&case["want"], |object| &object[0])
                && (case["want"]["places"].is_null() || found["places"] == case["want"]["places"]);
            (!same).then_some(out)
        }
        "refused" => {
            let job = words(case, "job");
            let (status, out, err) = if job.is_empty() {
                run(&["topo", "show"], &[network, hosts], &files)
            } else {
                run(
                    &["score", "--pattern", "ring"],
                    &[network, vec!["--".to_owned()], job],
                    &files,
                )
            };
            let word = text(case, "word").to_lowercase();
            let line = case["line"].as_u64().unwrap_or(0);
            let placed = line == 0 || err.contains(&format!(":{line}:"));
            let fine = status == 2
                && out.is_empty()
                && err.starts_with("error[bad-network]")
                && placed
                && err.to_lowercase().contains(&word);
            (!fine).then_some(err)
        }
        "score" => {
            let pattern = match case["matrix"].as_str() {
                Some(matrix) => {
                    files
                        .files
                        .insert("matrix".to_owned(), matrix.as_bytes().to_vec());
                    "file:matrix"
                }
                None => text(case, "pattern"),
            };
            let mut own = vec!["--pattern".to_owned(), pattern.to_owned()];
            if let Some(distances) = case["distances"].as_str() {
                own.extend(["--distances".to_owned(), distances.to_owned()]);
            }
            let job = [vec!["--".to_owned()], words(case, "job")].concat();
            let (_, out, err) = run(&["score", "--format", "json"], &[own, network, job], &files);
            let Ok(found) = serde_json::from_str::<Value>(&out) else {
                return Some(err);
            };
            let want = &case["want"];
            let levels = want["levels"]
                .as_array()
                .into_iter()
                .flatten()
                .zip(found["levels"].as_array().into_iter().flatten());
            for (want, found) in levels {
                let keys: &[&str] = if want["level"] == "node" {
                    &["level", "leave", "worst", "worst_of"]
                } else {
                    &[
                        "level", "leave", "worst", "worst_of", "objects", "nodes", "pair",
                        "pair_of",
                    ]
                };
                if let Some(key) = keys.iter().find(|key| want[**key] != found[**key]) {
                    return Some(format!("{key}: {found}, not {want}"));
                }
            }
            let keys = ["hops", "far", "apart", "J"];
            let other = keys
                .iter()
                .find(|key| !want[**key].is_null() && want[**key] != found["network"][**key]);
            other.map(|key| format!("{key}: {}", found["network"]))
        }
        _ => None,
    }
}

#[test]
fn networks_of_the_corpus_are_read_refused_and_scored() {
    let Some(corpus) = corpus() else {
        return;
    };
    let mut faults = Vec::new();
    for line in corpus.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        if let Some(fault) = fault(&case) {
            faults.push(format!("{}: {fault}", text(&case, "id")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Distances between nodes, and sums, counted pair by pair.
fn counted(sizes: [usize; 2], width: u32, order: &[u32]) -> [u64; 3] {
    let [groups, nodes] = sizes;
    let ranks = order.len();
    let each = ranks / (groups * nodes);
    let mut place = vec![0; ranks];
    for (at, &rank) in order.iter().enumerate() {
        place[rank as usize] = at;
    }
    let (mut node, mut group) = (0, 0);
    for a in 0..u32::try_from(ranks).unwrap() {
        for b in [a + 1, a + width] {
            let near = b == a + width || b % width != 0;
            if near && (b as usize) < ranks {
                let (a, b) = (place[a as usize] / each, place[b as usize] / each);
                node += 2 * u64::from(a != b);
                group += 2 * u64::from(a / nodes != b / nodes);
            }
        }
    }
    [group, node, group + node]
}

#[test]
fn figures_of_levels_are_those_of_counting_by_hand() {
    for (sizes, width, grid) in [
        ([2, 2], 4, "4x4"),
        ([3, 2], 3, "4x3"),
        ([2, 3], 6, "4x6"),
        ([4, 2], 8, "4x8"),
    ] {
        let [groups, nodes] = sizes;
        let last = groups * nodes - 1;
        let net = format!("group:{groups} node:{nodes} w[0-{last}]");
        let ranks: u32 = grid
            .split('x')
            .map(|size| size.parse::<u32>().unwrap())
            .product();
        let each = ranks / u32::try_from(last + 1).unwrap();
        let mut turned: Vec<u32> = (0..ranks).collect();
        turned.rotate_left(3);
        turned.swap(0, 5);
        for order in [(0..ranks).collect::<Vec<u32>>(), turned] {
            let mut files = MadeUp::default();
            let list: Vec<String> = order.iter().map(u32::to_string).collect();
            files
                .files
                .insert("order".to_owned(), list.join(",").into_bytes());
            let line = format!(
                "score --pattern halo:{grid} --format json -- --topo core:{each}_pu:1 -H w[0-{last}]:{each} -n {ranks} --map-by slot --rank-order file:order"
            );
            let own: Vec<String> = line.split(' ').map(|word| word.replace('_', " ")).collect();
            let job = [
                own[..3].to_vec(),
                vec!["--network".to_owned(), net.clone()],
                own[3..].to_vec(),
            ]
            .concat();
            let said = stowplan(&job, &files);
            let found: Value =
                serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}", said.err));
            let [group, node, _] = counted(sizes, width, &order);
            assert_eq!(found["levels"][0]["leave"], group, "{net} {grid}");
            assert_eq!(found["levels"][1]["leave"], node, "{net} {grid}");
        }
    }
}

/// The least sum of all ways to put four ranks on each of two groups of two nodes.
fn least(width: u32, ranks: u32) -> u64 {
    let mut best = u64::MAX;
    let mut order: Vec<u32> = (0..ranks).collect();
    permute(&mut order, 0, &mut |order| {
        // Two ranks a node: their order on the node, and that of nodes in a group, changes nothing.
        if order.chunks(2).all(|own| own[0] < own[1])
            && order.chunks(4).all(|own| own[0] < own[2])
            && order[0] == 0
        {
            best = best.min(counted([2, 2], width, order)[2]);
        }
    });
    best
}

fn permute(order: &mut [u32], at: usize, visit: &mut impl FnMut(&[u32])) {
    if at == order.len() {
        return visit(order);
    }
    for other in at..order.len() {
        order.swap(at, other);
        permute(order, at + 1, visit);
        order.swap(at, other);
    }
}

#[test]
fn advice_finds_the_least_of_all_orders_of_a_small_job() {
    for (grid, width) in [("2x4", 4), ("4x2", 2)] {
        let line = format!(
            "advise --by sum --pattern halo:{grid} --format json -- --topo core:2_pu:1 -H w[0-3]:2 -n 8 --map-by slot"
        );
        let own: Vec<String> = line.split(' ').map(|word| word.replace('_', " ")).collect();
        let net = ["--network".to_owned(), "group:2 node:2 w[0-3]".to_owned()];
        let job = [own[..3].to_vec(), net.to_vec(), own[3..].to_vec()].concat();
        let said = stowplan(&job, &MadeUp::default());
        let found: Value =
            serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{}", said.err));
        assert_eq!(found["answers"][0]["sum"], least(width, 8), "{grid}");
    }
}
