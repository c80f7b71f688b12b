//! Random jobs: equal and different nodes, in any order; every policy; written orders of ranks; programs with awkward words.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use std::collections::BTreeMap;
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

const TOPOLOGIES: [&str; 6] = [
    "package:2 core:2 pu:2",
    "core:4 pu:1",
    "package:1 core:4 pu:2(indexes=2*4:1*2)",
    "package:2 numa:2 core:2 pu:1",
    "package:1 l3:2 core:2 pu:2",
    "pu:3",
];
const WORDS: [&str; 14] = [
    "-x",
    "a b",
    "it's",
    "\"q\"",
    "$HOME",
    "%t",
    "100%",
    "#c",
    "back\\slash",
    "",
    "--map-by",
    "*",
    "a;b|c&d",
    "=,:@",
];
const MAPS: [&str; 14] = [
    "slot",
    "node",
    "core",
    "package",
    "hwthread",
    "slot:pe=2:hwtcpus",
    "core:oversubscribe",
    "slot:oversubscribe",
    "node:oversubscribe",
    "ppr:1:node",
    "ppr:2:node",
    "ppr:1:package",
    "package:oversubscribe",
    "core:hwtcpus",
];
const RANKS: [&str; 4] = ["slot", "node", "fill", "span"];
const BINDS: [&str; 7] = [
    "none",
    "core",
    "hwthread",
    "package",
    "core:overload-allowed",
    "package:overload-allowed",
    "hwthread:overload-allowed",
];

/// GPUs near objects that some of the topologies have, in the order of the objects and in other orders.
const DEVICES: [&str; 8] = [
    "package",
    "package:1,0",
    "package:2",
    "package:2,3,0,1",
    "core",
    "core:3,2,1,0",
    "numa:1",
    "machine:3",
];
const GPU_MAPS: [&str; 4] = ["gpu", "gpu:span", "ppr:1:gpu", "ppr:2:gpu"];
const GPU_WORDS: [&[&str]; 5] = [
    &["--gpus", "split"],
    &["--gpus", "share"],
    &["--gpus", "none"],
    &["--gpus-per-rank", "1"],
    &["--gpus-per-rank", "2"],
];

pub(crate) struct Random(ChaCha8Rng);

/// Files by name.
#[derive(Default)]
pub(crate) struct Made(BTreeMap<String, String>);

impl Files for Made {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.0.get(path).ok_or("No such file")?;
        Ok(text.as_bytes().to_vec())
    }
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.0.next_u32() as usize) % end
    }
    fn one<'w>(&mut self, words: &[&'w str]) -> &'w str {
        words[self.below(words.len())]
    }
    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// The next job that can be placed: its words, and its plan.
    pub(crate) fn plan(&mut self) -> (Vec<String>, Plan) {
        loop {
            let (words, files) = self.job();
            let Ok(asked) = map_args(&words) else {
                continue;
            };
            if let Ok(placed) = place(asked, &FilesAlone(&files)) {
                return (words, placed.mapped.plan);
            }
        }
    }

    fn names(&mut self) -> Vec<String> {
        let count = 1 + self.below(5);
        let from = self.one(&["n8", "n08", "a", "r1n"]);
        let mut names: Vec<String> = (0..count)
            .map(|at| match from {
                "n8" => format!("n{}", 8 + at),
                "n08" => format!("n{:02}", 8 + at),
                "a" => ["a", "b", "c", "d", "e"][at].to_owned(),
                _ => format!("r1n{at}"),
            })
            .collect();
        if self.chance(3) {
            for at in (1..names.len()).rev() {
                let other = self.below(at + 1);
                names.swap(at, other);
            }
        }
        names
    }

    fn program(&mut self, words: &mut Vec<String>) {
        if self.chance(12) {
            return;
        }
        words.push(self.one(&["./x", "./y", "/bin/true", "my prog"]).to_owned());
        if self.chance(3) {
            for _ in 0..1 + self.below(3) {
                words.push(self.one(&WORDS).to_owned());
            }
        }
    }

    /// GPUs for all nodes; now and then one node has other GPUs.
    fn devices(&mut self, names: &[String], words: &mut Vec<String>) {
        let all = self.one(&DEVICES);
        words.extend(["--devices".to_owned(), format!("gpu={all}")]);
        if names.len() > 1 && self.chance(4) {
            let (name, own) = (&names[self.below(names.len())], self.one(&DEVICES));
            words.extend(["--devices".to_owned(), format!("{name}=gpu={own}")]);
        }
    }

    fn job(&mut self) -> (Vec<String>, Made) {
        let mut files = Made::default();
        let names = self.names();
        let topology = self.one(&TOPOLOGIES);
        let mut words = vec!["--topo".to_owned(), topology.to_owned()];
        if names.len() > 1 && self.chance(4) {
            let other = self.one(&TOPOLOGIES);
            words.extend(["--topo".to_owned(), format!("{}={other}", names[0])]);
        }
        let with_gpus = self.chance(3);
        if with_gpus {
            self.devices(&names, &mut words);
        }
        let equal = self.chance(2);
        let slots = 1 + self.below(4);
        let counts: Vec<usize> = names
            .iter()
            .map(|_| if equal { slots } else { 1 + self.below(5) })
            .collect();
        let hosts: Vec<String> = names
            .iter()
            .zip(&counts)
            .map(|(name, count)| format!("{name}:{count}"))
            .collect();
        words.extend(["-H".to_owned(), hosts.join(",")]);
        let all: usize = counts.iter().sum();
        let apps = if self.chance(3) { 2 + self.below(2) } else { 1 };
        let listed = self.chance(4);
        if listed {
            let ranks = self.rankfile(&names, &counts);
            files.0.insert("ranks".to_owned(), ranks);
            words.extend(["--map-by".to_owned(), "rankfile:file=ranks".to_owned()]);
            if self.chance(3) {
                words.extend(["--bind-to".to_owned(), "none".to_owned()]);
            }
        }
        let mut left = all;
        for app in 0..apps {
            if app > 0 {
                words.push(":".to_owned());
            }
            if !listed && (app == 0 || self.chance(3)) {
                let by_gpu = with_gpus && self.chance(2);
                let map = self.one(if by_gpu { &GPU_MAPS } else { &MAPS });
                words.extend(["--map-by".to_owned(), map.to_owned()]);
                if self.chance(2) {
                    words.extend(["--rank-by".to_owned(), self.one(&RANKS).to_owned()]);
                }
                if self.chance(2) {
                    words.extend(["--bind-to".to_owned(), self.one(&BINDS).to_owned()]);
                }
            }
            if with_gpus && self.chance(2) {
                let at = self.below(GPU_WORDS.len());
                words.extend(GPU_WORDS[at].iter().map(|&word| word.to_owned()));
            }
            let own = if app + 1 == apps {
                left.max(1)
            } else {
                1 + self.below(left.max(1))
            };
            let own = if self.chance(3) {
                own
            } else {
                own.min(1 + self.below(all))
            };
            left = left.saturating_sub(own);
            words.extend(["-n".to_owned(), own.to_string()]);
            self.program(&mut words);
        }
        (words, files)
    }

    /// Every slot once, in random order, on cores that may differ between nodes.
    fn rankfile(&mut self, names: &[String], counts: &[usize]) -> String {
        let mut places: Vec<(usize, usize)> = Vec::new();
        for (node, &count) in counts.iter().enumerate() {
            places.extend((0..count).map(|slot| (node, slot)));
        }
        let runs = self.chance(2);
        for at in (1..places.len()).rev() {
            if runs && !self.chance(3) {
                continue;
            }
            let other = self.below(at + 1);
            places.swap(at, other);
        }
        let turned = self.chance(3);
        let mut text = String::new();
        for (rank, (node, slot)) in places.iter().enumerate() {
            let slot = if turned {
                (slot + node) % counts[*node].max(2)
            } else {
                *slot
            };
            text += &format!("rank {rank}={} slot={slot}\n", names[*node]);
        }
        text
    }
}
