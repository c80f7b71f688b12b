//! A small world, enumerated: jobs of one app and of two apps on at most three nodes of at most two topologies of four PUs.
//!
//! `docs/fuzzing.md` says which jobs are enumerated, and which are left out because they are equal to others. Jobs are numbered, so
//! that a run can be split and a job can be found again by its number.

use crate::catalogue::MACHINES;
use crate::cell::{BINDINGS, Cell, POLICIES, QUALIFIERS, RANKINGS};
use crate::choices::Choices;
use crate::job::{App, Job};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// How many slot counts a node may have: 0 to 3.
const SLOTS: u64 = 4;
/// Clusters of one, two or three nodes, each with 0 to 3 slots.
#[doc(hidden)]
pub const CLUSTERS: u64 = SLOTS + SLOTS * SLOTS + SLOTS * SLOTS * SLOTS;
/// Which topologies the nodes have: all have the first one, all have the second, or only the last node has the second.
const MIXES: u64 = 3;
/// Clusters with their topologies. In a cluster of one node the last node is the whole cluster, so one mix is left out.
#[doc(hidden)]
pub const WORLDS: u64 = CLUSTERS * MIXES - SLOTS;
/// Process counts of an app: absent, 1 to 5.
const COUNTS: u64 = 6;
/// Process counts of the first of two apps.
const FIRST_COUNTS: [u32; 2] = [1, 3];
/// Process counts of the second: absent, 1, 3, 5.
const SECOND_COUNTS: [Option<u32>; 4] = [None, Some(1), Some(3), Some(5)];
/// Topologies of at most four PUs: with caches, and with threads.
const TOPOLOGIES: [&str; 2] = [
    "package:2 l3:1 l2:1 l1:1 core:2 pu:1",
    "package:2 core:1 pu:2",
];
/// Bindings of the apps of a pair.
const PAIR_BINDINGS: [&str; 2] = ["", "core"];
/// Mix and cluster of the few worlds in which two apps say everything they can: `a:3`, `a:2,b:3` and `a:2,b:1,c:3`, in all mixes.
#[doc(hidden)]
pub const FEW_WORLDS: [(u64, u64); 8] = [
    (0, 3),
    (1, 3),
    (0, 18),
    (1, 18),
    (2, 18),
    (0, 74),
    (1, 74),
    (2, 74),
];
/// Process counts of both apps in these worlds.
const FEW_COUNTS: [(u32, Option<u32>); 2] = [(2, Some(3)), (1, Some(2))];

/// The cells of a job of one app: those that can be placed and say something that no other cell says.
static CELLS: LazyLock<Vec<Cell>> = LazyLock::new(|| {
    let kept = |cell: &Cell| cell.may_be_placed() && cell.says_something();
    Cell::all().filter(kept).collect()
});
static MACHINE_ROWS: LazyLock<[usize; 2]> = LazyLock::new(|| {
    TOPOLOGIES.map(|topo| {
        MACHINES
            .iter()
            .position(|entry| entry.topo == topo)
            .unwrap_or(0)
    })
});

/// The cells of two apps in the few worlds: those of the first app, and those of the second.
static SPOKEN: LazyLock<[[Vec<Cell>; 2]; 3]> = LazyLock::new(|| {
    let cells = |rows: usize, cell: fn(usize, usize) -> Cell| -> Vec<Cell> {
        let each = |policy| (0..rows).map(move |row| cell(policy, row));
        (0..POLICIES.len()).flat_map(each).collect()
    };
    let qualified = cells(QUALIFIERS.len(), |policy, qualifier| Cell {
        policy,
        qualifier,
        ranking: 0,
        binding: 0,
    });
    // Only the job can say OVERSUBSCRIBE, so the second app doesn't.
    let own = qualified.iter().filter(|cell| !cell.oversubscribes());
    let own: Vec<Cell> = own.copied().collect();
    let ranked = cells(RANKINGS.len(), |policy, ranking| Cell {
        policy,
        qualifier: 0,
        ranking,
        binding: 0,
    });
    let bound = cells(BINDINGS.len(), |policy, binding| Cell {
        policy,
        qualifier: 0,
        ranking: 0,
        binding,
    });
    [
        [qualified, own],
        [ranked.clone(), ranked],
        [bound.clone(), bound],
    ]
});

/// How many pairs of a policy and a binding an app of a pair can have.
fn pair_cells() -> u64 {
    (POLICIES.len() * PAIR_BINDINGS.len()) as u64
}

/// How many jobs have one app.
#[must_use]
pub fn singles() -> u64 {
    WORLDS * COUNTS * CELLS.len() as u64
}

/// How many jobs have two apps.
#[must_use]
pub fn pairs() -> u64 {
    let counts = FIRST_COUNTS.len() * SECOND_COUNTS.len();
    WORLDS * counts as u64 * pair_cells() * pair_cells()
}

/// How many jobs of two apps are in the few worlds: every qualifier with every qualifier, every ranking with every ranking, every
/// binding with every binding.
#[must_use]
pub fn spoken() -> u64 {
    let of = |[first, second]: &[Vec<Cell>; 2]| first.len() * second.len();
    let pairs: usize = SPOKEN.iter().map(of).sum();
    (FEW_WORLDS.len() * FEW_COUNTS.len() * pairs) as u64
}

/// How many jobs the small world has.
#[must_use]
pub fn size() -> u64 {
    singles() + pairs() + spoken()
}

/// Splits a number into digits.
struct Digits(u64);

impl Digits {
    fn next(&mut self, base: u64) -> u64 {
        let digit = self.0 % base;
        self.0 /= base;
        digit
    }
}

/// The job of a number below [`size`].
#[must_use]
pub fn job(number: u64) -> Job {
    let of_few = number.checked_sub(singles() + pairs());
    let mut digits = Digits(number);
    if let Some(number) = of_few {
        digits.0 = number;
    } else if number >= singles() {
        digits.0 -= singles();
    }
    let (mix, cluster) = if of_few.is_some() {
        *choice(&FEW_WORLDS, &mut digits)
    } else {
        world(digits.next(WORLDS))
    };
    let hosts = hosts(cluster);
    let nodes: Vec<&str> = hosts
        .split(',')
        .filter_map(|entry| entry.split(':').next())
        .collect();
    let [first, second] = *MACHINE_ROWS;
    let mut job = Job::default();
    match mix {
        0 => job.machine = first,
        1 => job.machine = second,
        _ => {
            job.machine = first;
            job.others = vec![(nodes[nodes.len() - 1].to_owned(), second)];
        }
    }
    let lines = |form: &dyn Fn(usize, &str) -> String| -> String {
        let named = (0..5).zip(nodes.iter().cycle());
        named.map(|(i, node)| form(i, node)).collect()
    };
    let ranks = lines(&|i, node| format!("rank {i}={node} slot={}\n", i / nodes.len()));
    let sequence = lines(&|i, node| {
        if i % 2 == 0 {
            format!("{node} {}\n", i / nodes.len())
        } else {
            format!("{node}\n")
        }
    });
    let files = [("ranks0".to_owned(), ranks), ("seq0".to_owned(), sequence)];
    let absent = |count: u64| u32::try_from(count).ok().filter(|&np| np > 0);
    if of_few.is_some() {
        let &(first_np, np) = choice(&FEW_COUNTS, &mut digits);
        let (first, second) = spoken_pair(digits.0);
        // NOLOCAL has an effect only where there is a local node.
        let avoids = first.avoids_local() || second.avoids_local();
        job.head = avoids.then(|| "a".to_owned());
        job.apps.push(app(&first, Some(first_np), 0));
        job.apps.push(app(&second, np, 1));
    } else if number < singles() {
        let np = absent(digits.next(COUNTS));
        let cell = CELLS[usize::try_from(digits.0).unwrap_or(0) % CELLS.len()];
        job.head = cell.avoids_local().then(|| "a".to_owned());
        job.apps.push(app(&cell, np, 0));
    } else {
        let first_np = *choice(&FIRST_COUNTS, &mut digits);
        let np = *choice(&SECOND_COUNTS, &mut digits);
        let (first, second) = (digits.next(pair_cells()), digits.next(pair_cells()));
        job.apps.push(app(&pair_cell(first), Some(first_np), 0));
        job.apps.push(app(&pair_cell(second), np, 1));
    }
    job.apps[0].hosts = Some(hosts);
    let used = |name: &str| {
        job.apps
            .iter()
            .any(|app| app.map.as_ref().is_some_and(|map| map.ends_with(name)))
    };
    job.files = files.into_iter().filter(|(name, _)| used(name)).collect();
    job
}

/// Mix and cluster of a world: first the mixes of clusters of two and three nodes, then clusters of one node with either topology.
const fn world(number: u64) -> (u64, u64) {
    let several = CLUSTERS - SLOTS;
    if number < several * MIXES {
        return (number / several, SLOTS + number % several);
    }
    let single = number - several * MIXES;
    (single / SLOTS, single % SLOTS)
}

/// Two cells of the few worlds.
fn spoken_pair(number: u64) -> (Cell, Cell) {
    let mut rest = usize::try_from(number).unwrap_or(0);
    for [first, second] in SPOKEN.iter() {
        if rest < first.len() * second.len() {
            return (first[rest % first.len()], second[rest / first.len()]);
        }
        rest -= first.len() * second.len();
    }
    (pair_cell(0), pair_cell(0))
}

fn choice<'t, T>(of: &'t [T], digits: &mut Digits) -> &'t T {
    let at = digits.next(of.len() as u64);
    &of[usize::try_from(at).unwrap_or(0)]
}

/// `a:s`, `a:s,b:s` or `a:s,b:s,c:s`.
#[doc(hidden)]
pub fn hosts(number: u64) -> String {
    let (mut number, mut nodes, mut jobs) = (number, 1, SLOTS);
    while number >= jobs {
        number -= jobs;
        nodes += 1;
        jobs *= SLOTS;
    }
    let mut text = String::new();
    for node in ["a", "b", "c"].iter().take(nodes) {
        let comma = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}{node}:{}", number % SLOTS);
        number /= SLOTS;
    }
    text
}

fn pair_cell(number: u64) -> Cell {
    let number = usize::try_from(number).unwrap_or(0);
    let word = PAIR_BINDINGS[number / POLICIES.len() % PAIR_BINDINGS.len()];
    let binding = BINDINGS
        .iter()
        .position(|binding| *binding == word)
        .unwrap_or(0);
    Cell {
        policy: number % POLICIES.len(),
        qualifier: 0,
        ranking: 0,
        binding,
    }
}

/// An app that says what its cell says, in the simplest way.
fn app(cell: &Cell, np: Option<u32>, number: u32) -> App {
    let mut plain = Choices::from_bytes(&[]);
    let file = if cell.reads_ranks() {
        Some("ranks0")
    } else {
        cell.reads_sequence().then_some("seq0")
    };
    App {
        np,
        hosts: None,
        hostfile: None,
        map: cell.map_text(&mut plain, file, number),
        rank: cell.rank_text(&mut plain),
        bind: cell.bind_text(&mut plain),
        gpus: None,
    }
}
