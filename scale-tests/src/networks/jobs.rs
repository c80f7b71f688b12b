//! Jobs on networks: words of the command line, and who sends to whom.

use super::Drawn;
use crate::choices::Choices;
use std::fmt::Write as _;

/// A pattern, as a word and as edges.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The word of `--pattern`.
    pub word: String,
    /// The matrix that it reads, as `from,to,bytes`; the file is `matrix`.
    pub matrix: String,
    /// Who sends how much to whom.
    pub edges: Vec<(u32, u32, u64)>,
}

/// The words of a job on some nodes of a network: a few ranks on each, and how many in all.
#[derive(Clone, Debug)]
pub struct Job {
    /// The words.
    pub words: Vec<String>,
    /// All ranks.
    pub ranks: u32,
}

impl Drawn {
    /// The words that name the network.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec!["--network".to_owned(), self.word.clone()];
        if let Some(levels) = &self.level_words {
            words.extend(["--network-levels".to_owned(), levels.clone()]);
        }
        words
    }

    /// Gives some levels other words, from the lowest up.
    pub fn rename(&mut self, choices: &mut Choices<'_>) {
        let levels = u32::try_from(self.levels.len()).unwrap_or(1);
        let named = choices.within(1, levels) as usize;
        let words = (0..named).map(|number| format!("tier{number}"));
        let words: Vec<String> = words.collect();
        for (level, word) in self.levels.iter_mut().rev().zip(&words) {
            level.word.clone_from(word);
        }
        self.level_words = Some(words.join(","));
    }
}

/// A job on the hosts of a network. `most`: ranks of a node.
pub fn job(choices: &mut Choices<'_>, drawn: &Drawn, most: u32) -> Job {
    let even = choices.once_in(2);
    let each = choices.within(1, most);
    let mut slots = 0;
    let hosts = drawn.hosts.iter().map(|&host| {
        let own = if even { each } else { choices.within(1, most) };
        slots += own;
        format!("{}:{own}", drawn.nodes[host])
    });
    let hosts: Vec<String> = hosts.collect();
    let ranks = if choices.once_in(3) {
        choices.within(1, slots)
    } else {
        slots
    };
    let (list, count) = (hosts.join(","), ranks.to_string());
    let map = *choices.pick(&["slot", "slot", "node"]);
    let topo = format!("core:{most} pu:1");
    let words = ["--topo", &topo, "-H", &list, "-n", &count, "--map-by", map];
    let mut words: Vec<String> = words.map(str::to_owned).to_vec();
    if choices.once_in(4) {
        words.extend(["--node-order", "network"].map(str::to_owned));
    }
    Job { words, ranks }
}

/// A pattern that fits so many ranks.
pub fn pattern(choices: &mut Choices<'_>, ranks: u32) -> Pattern {
    match choices.below(6) {
        0 => {
            let each = (0..ranks).flat_map(|rank| {
                let next = (rank + 1) % ranks;
                [(rank, next, 1), (next, rank, 1)]
            });
            named(
                "ring".to_owned(),
                each.filter(|own| own.0 != own.1).collect(),
            )
        }
        1 => {
            let group = choices.within(1, ranks);
            let pairs = (0..ranks).flat_map(|a| (0..ranks).map(move |b| (a, b, 1)));
            let edges = pairs.filter(|&(a, b, _)| a != b && a / group == b / group);
            named(format!("alltoall:{group}"), edges.collect())
        }
        2 => matrix(choices, ranks),
        _ => grid(choices, ranks),
    }
}

fn named(word: String, edges: Vec<(u32, u32, u64)>) -> Pattern {
    Pattern {
        word,
        matrix: String::new(),
        edges,
    }
}

/// A matrix of a few entries for each rank.
pub fn matrix(choices: &mut Choices<'_>, ranks: u32) -> Pattern {
    let mut matrix = "from,to,bytes\n".to_owned();
    let mut edges = Vec::new();
    for _ in 0..choices.within(1, 4 * ranks) {
        let (a, b) = (choices.below(ranks), choices.below(ranks));
        let weight = u64::from(choices.below(9));
        let _ = writeln!(matrix, "{a},{b},{weight}");
        if a != b {
            edges.push((a, b, weight));
        }
    }
    Pattern {
        word: "file:matrix".to_owned(),
        matrix,
        edges,
    }
}

/// A halo of two or three dimensions over all ranks.
pub fn grid(choices: &mut Choices<'_>, ranks: u32) -> Pattern {
    let mut left = ranks;
    let mut sizes = Vec::new();
    for _ in 0..choices.within(1, 2) {
        let all: Vec<u32> = (1..=left)
            .filter(|&size| left.is_multiple_of(size))
            .collect();
        let size = *choices.pick(&all);
        sizes.push(size);
        left /= size;
    }
    sizes.push(left);
    let periodic = choices.once_in(3);
    let each: Vec<String> = sizes.iter().map(u32::to_string).collect();
    let end = if periodic { ":periodic" } else { "" };
    let word = format!("halo:{}{end}", each.join("x"));
    let mut edges = Vec::new();
    for rank in 0..ranks {
        let mut stride = 1;
        for &size in sizes.iter().rev() {
            let at = rank / stride % size;
            let next = [at.checked_sub(1), Some(at + 1).filter(|&next| next < size)];
            let beyond = [size - 1, 0].map(|beyond| Some(beyond).filter(|_| periodic));
            for to in next
                .into_iter()
                .zip(beyond)
                .filter_map(|(to, beyond)| to.or(beyond))
            {
                if to != at {
                    edges.push((rank, rank - at * stride + to * stride, 1));
                }
            }
            stride *= size;
        }
    }
    named(word, edges)
}
