//! Thousands of small jobs and patterns, compared with a count that looks at every pair of ranks.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use std::collections::HashMap;
use std::io::BufRead;
use stowplan::job::args::map_args;
use stowplan::job::error::JobError;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::score::figures::{Matrices, score};
use stowplan::score::pattern::Part;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::stage::resolve::NoFiles;

/// Places a job.
pub(crate) fn plan(words: &[&str]) -> Result<Plan, JobError> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let asked = map_args(&words)?;
    Ok(place(asked, &FilesAlone(&NoFiles))?.mapped.plan)
}

/// A matrix in memory.
pub(crate) struct Written(pub(crate) String);

impl Matrices for Written {
    fn open(&self, _: &str) -> Result<Box<dyn BufRead + Send + '_>, String> {
        Ok(Box::new(self.0.as_bytes()))
    }
}

pub(crate) struct Dice(pub(crate) ChaCha8Rng);

impl Dice {
    pub(crate) fn below(&mut self, end: u32) -> u32 {
        self.0.next_u32() % end
    }
    pub(crate) fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        let at = self.below(u32::try_from(of.len()).unwrap());
        of[at as usize]
    }
}

/// What leaves each object, by level.
type Sums = Vec<(String, u64, u64)>;

/// The object of a rank, as a unique name.
fn object(plan: &Plan, rank: u32, kind: Option<ObjKind>) -> String {
    let place = plan.place(Rank(rank)).unwrap();
    let world = plan.world();
    let node = world.names.name(place.node);
    let Some(kind) = kind else {
        return node;
    };
    let topology = world.states.get(world.before.state(place.node)).topology;
    let cpus = place.cpus.map(|cpus| world.cpusets.get(cpus));
    let holds = |object| {
        cpus.is_some_and(|cpus| {
            cpus.iter().all(|cpu| {
                world
                    .cpusets
                    .get(world.topologies.cpuset(object))
                    .contains(cpu)
            })
        })
    };
    let mut objects = world.topologies.objects(topology, kind);
    match objects.position(holds) {
        Some(at) => format!("{node}/{at}"),
        None => format!("{node}/rank {rank}"),
    }
}

fn plain(plan: &Plan, edges: &[(u32, u32, u64)]) -> Sums {
    let world = plan.world();
    let kinds = [ObjKind::Package, ObjKind::Numa, ObjKind::L3, ObjKind::Core];
    let mut levels = vec![None];
    for kind in kinds {
        let everywhere = (0..plan.ranks()).all(|rank| {
            let node = plan.place(Rank(rank)).unwrap().node;
            let topology = world.states.get(world.before.state(node)).topology;
            world.topologies.count(topology, kind) > 0
        });
        if everywhere {
            levels.push(Some(kind));
        }
    }
    let mut sums = Vec::new();
    for kind in levels {
        let of: Vec<String> = (0..plan.ranks())
            .map(|rank| object(plan, rank, kind))
            .collect();
        let mut each: HashMap<&str, u64> = HashMap::new();
        for &(from, to, weight) in edges {
            if of[from as usize] != of[to as usize] {
                *each.entry(&of[from as usize]).or_default() += weight;
            }
        }
        let word = kind.map_or("node", ObjKind::word).to_owned();
        sums.push((
            word,
            each.values().sum(),
            each.values().max().copied().unwrap_or(0),
        ));
    }
    sums
}

fn scored(plan: &Plan, parts: &[Part], text: &str) -> (u64, Sums) {
    let found = score(plan, parts, &Written(text.to_owned())).unwrap();
    let number = |text: String| text.parse::<u64>().unwrap();
    let levels = found.levels.iter().map(|level| {
        let word = level.level.word().to_owned();
        (
            word,
            number(level.leave.to_string()),
            number(level.worst.to_string()),
        )
    });
    (number(found.edges.to_string()), levels.collect())
}

/// A job of some apps, and how many processes each has.
fn job(dice: &mut Dice) -> Option<(Plan, Vec<u32>)> {
    let topo = dice.one(&[
        "package:2 core:4 pu:1",
        "package:2 numa:2 l3cache:2 core:2 pu:2",
        "numa:2 core:3 pu:1",
        "package:1 l3cache:3 core:2 pu:2",
    ]);
    let other = dice.one(&["package:2 core:3 pu:2", "package:2 numa:1 core:8 pu:1"]);
    let mut words = vec!["--topo".to_owned(), topo.to_owned()];
    if dice.below(3) == 0 {
        words.extend(["--topo".to_owned(), format!("n[1-2]={other}")]);
    }
    let slots = 1 + dice.below(8);
    words.extend(["-H".to_owned(), format!("n[0-3]:{slots}")]);
    let apps = 1 + dice.below(2);
    let mut sizes = Vec::new();
    for app in 0..apps {
        if app > 0 {
            words.push(":".to_owned());
        }
        let procs = 1 + dice.below(slots * 4 / apps + 1);
        sizes.push(procs);
        words.extend(["-n".to_owned(), procs.to_string()]);
        let map = dice.one(&[
            "slot",
            "node",
            "core",
            "package",
            "slot:pe=2",
            "package:span",
        ]);
        words.extend(["--map-by".to_owned(), map.to_owned()]);
        let object = !map.starts_with("slot") && map != "node";
        let rank = if object {
            dice.one(&["slot", "node", "fill", "span"])
        } else {
            dice.one(&["slot", "node"])
        };
        words.extend(["--rank-by".to_owned(), rank.to_owned()]);
        if map != "slot:pe=2" {
            let bind = dice.one(&["none", "core", "core"]);
            words.extend(["--bind-to".to_owned(), bind.to_owned()]);
        }
    }
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    plan(&words).ok().map(|plan| (plan, sizes))
}

/// The edges of a halo.
fn halo(words: &[&str], n: u32) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    let grid: Vec<i64> = words[1]
        .split('x')
        .map(|size| size.parse().unwrap())
        .collect();
    let has = |word: &str| words.contains(&word);
    let hops = words.iter().find_map(|word| word.strip_prefix("hops="));
    let hops: i64 = hops.map_or(1, |hops| hops.parse().unwrap());
    let mut offsets: Vec<Vec<i64>> = Vec::new();
    let count = 3_usize.pow(u32::try_from(grid.len()).unwrap());
    for number in 0..count {
        let steps: Vec<i64> = (0..grid.len())
            .map(|at| (number / 3_usize.pow(u32::try_from(at).unwrap()) % 3) as i64 - 1)
            .collect();
        let moved = steps.iter().filter(|&&step| step != 0).count();
        if moved == 1 || (moved > 1 && has("box")) {
            offsets.push(steps);
        }
    }
    for hop in 2..=hops {
        for step in [-hop, hop] {
            let mut offset = vec![0; grid.len()];
            offset[0] = step;
            offsets.push(offset);
        }
    }
    if has("but-last") {
        offsets.retain(|offset| offset[grid.len() - 1] == 0);
    }
    for rank in 0..i64::from(n) {
        let mut at = vec![0; grid.len()];
        let mut left = rank;
        for dim in (0..grid.len()).rev() {
            at[dim] = left % grid[dim];
            left /= grid[dim];
        }
        for offset in &offsets {
            let mut to = 0;
            let mut inside = true;
            for dim in 0..grid.len() {
                let mut there = at[dim] + offset[dim];
                if has("periodic") {
                    there = ((there % grid[dim]) + grid[dim]) % grid[dim];
                } else if there < 0 || there >= grid[dim] {
                    inside = false;
                }
                to = to * grid[dim] + there;
            }
            if inside {
                found.push((u32::try_from(rank).unwrap(), u32::try_from(to).unwrap()));
            }
        }
    }
    found
}

/// The edges of a pattern, as defined on the page.
pub(crate) fn edges(word: &str, sizes: &[u32], app: usize) -> Vec<(u32, u32)> {
    let n = sizes[app];
    let mut found = Vec::new();
    let words: Vec<&str> = word.split(':').collect();
    match words[0] {
        "ring" => return edges(&format!("halo:{n}:periodic"), sizes, app),
        "halo" => found = halo(&words, n),
        "pairs" => found.extend((0..n).filter(|r| r ^ 1 < n).map(|r| (r, r ^ 1))),
        "alltoall" => {
            let group: u32 = words.get(1).map_or(n, |group| group.parse().unwrap());
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            found.extend(pairs.filter(|(a, b)| a / group == b / group));
        }
        "transpose" => {
            let columns: u32 = words[1].split_once('x').unwrap().1.parse().unwrap();
            let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
            found.extend(
                pairs.filter(|(a, b)| a / columns == b / columns || a % columns == b % columns),
            );
        }
        "tree" => {
            let k: u64 = words[1].parse().unwrap();
            for r in 0..u64::from(n) {
                if r > 0 {
                    found.push((
                        u32::try_from(r).unwrap(),
                        u32::try_from((r - 1) / k).unwrap(),
                    ));
                }
                for child in k * r + 1..=k * r + k {
                    if child < u64::from(n) {
                        found.push((u32::try_from(r).unwrap(), u32::try_from(child).unwrap()));
                    }
                }
            }
        }
        _ => {
            let (first, second) = words[1].split_once(',').unwrap();
            let (a, b): (usize, usize) = (first.parse().unwrap(), second.parse().unwrap());
            let base = |app: usize| sizes[..app].iter().sum::<u32>();
            for i in 0..sizes[a] {
                for j in 0..sizes[b] {
                    let meets = match words[2] {
                        "all" => true,
                        _ if sizes[a] <= sizes[b] => i == j * sizes[a] / sizes[b],
                        _ => j == i * sizes[b] / sizes[a],
                    };
                    if meets {
                        found.push((base(a) + i, base(b) + j));
                        found.push((base(b) + j, base(a) + i));
                    }
                }
            }
            return found;
        }
    }
    let base = sizes[..app].iter().sum::<u32>();
    found.retain(|(a, b)| a != b);
    found
        .into_iter()
        .map(|(a, b)| (a + base, b + base))
        .collect()
}

/// A pattern that fits an app.
pub(crate) fn pattern(dice: &mut Dice, sizes: &[u32], app: usize) -> String {
    let n = sizes[app];
    let divisors: Vec<u32> = (1..=n).filter(|size| n.is_multiple_of(*size)).collect();
    let mut one = |of: u32| {
        let fitting: Vec<u32> = divisors
            .iter()
            .copied()
            .filter(|size| of.is_multiple_of(*size))
            .collect();
        fitting[dice.below(u32::try_from(fitting.len()).unwrap()) as usize]
    };
    let a = one(n);
    let b = one(n / a);
    let mut word = match dice.below(9) {
        0 => return "ring".to_owned(),
        1 => return "pairs".to_owned(),
        2 => return "alltoall".to_owned(),
        3 => return format!("alltoall:{}", 1 + dice.below(n + 1)),
        4 => return format!("transpose:{a}x{}", n / a),
        5 => return format!("tree:{}", 1 + dice.below(4)),
        6 if sizes.len() > 1 => {
            let how = dice.one(&["block", "all"]);
            return format!("between:{}:{how}", dice.one(&["0,1", "1,0"]));
        }
        7 => format!("halo:{a}x{}", n / a),
        _ => format!("halo:{a}x{b}x{}", n / a / b),
    };
    for (option, odds) in [(":periodic", 2), (":box", 2), (":but-last", 4)] {
        if dice.below(odds) == 0 {
            word.push_str(option);
        }
    }
    if dice.below(3) == 0 {
        word.push_str(&format!(":hops={}", 1 + dice.below(5)));
    }
    word
}

#[test]
fn named_patterns_agree_with_a_plain_count() {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(23));
    let mut counted = 0;
    for _ in 0..4000 {
        let Some((plan, sizes)) = job(&mut dice) else {
            continue;
        };
        let (mut parts, mut all, mut words) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..1 + dice.below(2) {
            let app = dice.below(u32::try_from(sizes.len()).unwrap()) as usize;
            let word = pattern(&mut dice, &sizes, app);
            all.extend(
                edges(&word, &sizes, app)
                    .into_iter()
                    .map(|(a, b)| (a, b, 1)),
            );
            let word = if app == 0 || word.starts_with("between") {
                word
            } else {
                format!("{app}={word}")
            };
            parts.push(Part::read(&word).unwrap());
            words.push(word);
        }
        let expected = (all.len() as u64, plain(&plan, &all));
        assert_eq!(
            scored(&plan, &parts, ""),
            expected,
            "{words:?} of {sizes:?}"
        );
        counted += 1;
    }
    assert!(counted > 2500, "{counted} jobs were placed");
}

#[test]
fn matrices_agree_with_a_plain_count() {
    let mut dice = Dice(ChaCha8Rng::seed_from_u64(24));
    for _ in 0..1500 {
        let Some((plan, sizes)) = job(&mut dice) else {
            continue;
        };
        let app = dice.below(u32::try_from(sizes.len()).unwrap()) as usize;
        let (n, base) = (sizes[app], sizes[..app].iter().sum::<u32>());
        let market = dice.below(2) == 0;
        let symmetric = market && dice.below(2) == 0;
        let bytes = !market || dice.below(2) == 0;
        let entries = dice.below(40);
        let mut text = if market {
            let field = if bytes {
                dice.one(&["real", "integer"])
            } else {
                "pattern"
            };
            let shape = if symmetric { "symmetric" } else { "general" };
            format!(
                "%%MatrixMarket matrix coordinate {field} {shape}\n% words\n\n{n} {n} {entries}\n"
            )
        } else {
            dice.one(&["", "from,to,bytes\n"]).to_owned()
        };
        let mut all = Vec::new();
        for _ in 0..entries {
            let (a, b) = (dice.below(n), dice.below(n));
            let weight = if bytes {
                u64::from(dice.below(9000))
            } else {
                1
            };
            match (market, bytes) {
                (true, true) => text.push_str(&format!("{} {} {weight}\n", a + 1, b + 1)),
                (true, false) => text.push_str(&format!("{} {}\n", a + 1, b + 1)),
                (false, _) => text.push_str(&format!("{a}, {b},{weight}\n")),
            }
            if a != b {
                all.push((base + a, base + b, weight));
                if symmetric {
                    all.push((base + b, base + a, weight));
                }
            }
        }
        let part = Part::read(&format!("{app}=file:m")).unwrap();
        let edges = all.iter().map(|&(_, _, weight)| weight).sum();
        assert_eq!(
            scored(&plan, &[part], &text),
            (edges, plain(&plan, &all)),
            "{text}"
        );
    }
}
