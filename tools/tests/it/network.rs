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

/// A job on a small network whose orders can all be tried: two ranks on each of its nodes.
struct Small {
    groups: usize,
    nodes: usize,
    width: u32,
    height: u32,
    /// The nodes of the network that the job has, in its own order.
    order: Vec<usize>,
}

impl Small {
    /// A job that a number chooses.
    fn drawn(number: u64) -> Self {
        let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995;
        let mut below = move |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % bound).unwrap()
        };
        let (groups, nodes) = [(2, 2), (2, 3), (3, 2), (4, 1)][below(4)];
        let (width, height) = [(4, 2), (2, 4), (8, 1), (3, 2), (2, 3), (6, 1), (2, 2)][below(7)];
        let mut order: Vec<usize> = (0..groups * nodes).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, below(at as u64 + 1));
        }
        order.truncate(width * height / 2);
        let count = |size: usize| u32::try_from(size).unwrap();
        Self {
            groups,
            nodes,
            width: count(width),
            height: count(height),
            order,
        }
    }

    fn ranks(&self) -> u32 {
        self.width * self.height
    }

    /// Weights of the pairs of ranks that talk, both directions.
    fn edges(&self) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        for rank in 0..self.ranks() {
            if (rank + 1) % self.width != 0 {
                edges.push((rank, rank + 1));
            }
            if rank + self.width < self.ranks() {
                edges.push((rank, rank + self.width));
            }
        }
        edges
    }

    /// What leaves groups and nodes, and the busiest pair of groups. `nodes`: of each rank, a row of the job's nodes.
    fn figures(&self, edges: &[(u32, u32)], nodes: &[usize]) -> [u64; 3] {
        let (mut node, mut group) = (0, 0);
        let mut pairs = vec![0; self.groups * self.groups];
        for &(a, b) in edges {
            let (a, b) = (self.order[nodes[a as usize]], self.order[nodes[b as usize]]);
            let (one, other) = (a / self.nodes, b / self.nodes);
            node += 2 * u64::from(a != b);
            group += 2 * u64::from(one != other);
            if one != other {
                pairs[one * self.groups + other] += 1;
                pairs[other * self.groups + one] += 1;
            }
        }
        [group, node, pairs.into_iter().max().unwrap_or(0)]
    }

    /// Shows the figures of every way to put two ranks on each node.
    fn every(&self, visit: &mut impl FnMut([u64; 3])) {
        let edges = self.edges();
        let mut nodes = vec![usize::MAX; self.ranks() as usize];
        self.fill(&edges, &mut nodes, &mut vec![2; self.order.len()], 0, visit);
    }

    fn fill(
        &self,
        edges: &[(u32, u32)],
        nodes: &mut [usize],
        room: &mut [u32],
        rank: usize,
        visit: &mut impl FnMut([u64; 3]),
    ) {
        if rank == nodes.len() {
            return visit(self.figures(edges, nodes));
        }
        for node in 0..room.len() {
            if room[node] > 0 {
                room[node] -= 1;
                nodes[rank] = node;
                self.fill(edges, nodes, room, rank + 1, visit);
                room[node] += 1;
            }
        }
    }

    /// The answers of advice, with a network and these words, or without one.
    fn advice(&self, by: &[&str]) -> Value {
        let hosts: Vec<String> = self.order.iter().map(|node| format!("w{node}:2")).collect();
        let mut words = vec![
            "advise".to_owned(),
            "--pattern".to_owned(),
            format!("halo:{}x{}", self.height, self.width),
        ];
        words.extend(by.iter().map(|word| (*word).to_owned()));
        words.extend(
            [
                "--format",
                "json",
                "--",
                "--topo",
                "core:2 pu:1",
                "-H",
                &hosts.join(","),
                "-n",
                &self.ranks().to_string(),
            ]
            .map(str::to_owned),
        );
        words.extend(["--map-by", "slot"].map(str::to_owned));
        let said = stowplan(&words, &MadeUp::default());
        serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{words:?}: {}", said.err))
    }

    fn network(&self) -> String {
        let last = self.groups * self.nodes - 1;
        format!(
            "dragonfly group:{} node:{} w[0-{last}]",
            self.groups, self.nodes
        )
    }
}

#[test]
fn advice_is_that_of_trying_every_order_of_small_jobs() {
    for number in 0..20 {
        let job = Small::drawn(number);
        let (mut sum, mut group, mut pair, mut far, mut alone) =
            (u64::MAX, (u64::MAX, 0), (u64::MAX, 0), u64::MAX, u64::MAX);
        let edges = 2 * job.edges().len() as u64;
        let distance = |own: [u64; 3]| edges + 4 * own[1] + 15 * own[0];
        job.every(&mut |own| {
            let all = own[0] + own[1];
            sum = sum.min(all);
            group = group.min((own[0], all));
            pair = pair.min((own[2], all));
            far = far.min(distance(own));
            alone = alone.min(own[1]);
        });
        let mut kept = u64::MAX;
        let known = job.advice(&[])["answers"][0]["leave"].as_u64().unwrap();
        job.every(&mut |own| {
            if own[1] <= known {
                kept = kept.min(own[0] + own[1]);
            }
        });
        let network = job.network();
        let first = |by: &[&str]| {
            let found = job.advice(&[&["--network", &network], by].concat());
            let own = found["answers"][0].clone();
            let levels = own["levels"].clone();
            (
                own["sum"].as_u64().unwrap(),
                levels[0]["leave"].as_u64().unwrap(),
                levels[0]["pair"].as_u64().unwrap(),
                own["leave"].as_u64().unwrap(),
            )
        };
        let told = format!(
            "{number}: {network}, {:?}, halo:{}x{}",
            job.order, job.height, job.width
        );
        let (all, _, _, leave) = first(&[]);
        assert!(
            leave <= known,
            "{told}: {leave} leave nodes, {known} without a network"
        );
        assert_eq!((known, all), (alone, kept), "{told}");
        assert_eq!(first(&["--by", "sum"]).0, sum, "{told}");
        let by_group = first(&["--by", "group"]);
        assert_eq!((by_group.1, by_group.0), group, "{told}");
        let by_pair = first(&["--by", "pair"]);
        assert_eq!((by_pair.2, by_pair.0), pair, "{told}");
        let by_j = first(&["--by", "J", "--distances", "1:5:20"]);
        assert_eq!(distance([by_j.1, by_j.3, 0]), far, "{told}");
    }
}
