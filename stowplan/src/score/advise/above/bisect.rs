//! Cuts a graph in two parts of given sizes: the graph is made smaller step by step, cut, and made larger again, and each time vertices
//! move as long as less is cut (Fiduccia and Mattheyses).

use super::links::Dice;
use super::movable::Movable;
use std::collections::BinaryHeap;

/// Vertices below which the graph is cut as it is.
const SMALL: usize = 60;
/// First cuts that are tried.
const TRIES: usize = 10;
/// Cuts of a graph, of which the best is taken.
const CUTS: usize = 3;
/// How often a cut is made better on smaller graphs.
const ROUNDS: usize = 2;
/// Passes over the vertices.
const PASSES: usize = 8;
/// Moves without a better cut after which a pass ends.
const IN_VAIN: usize = 120;

/// A graph whose vertices have weights.
#[derive(Clone, Debug, Default)]
pub(super) struct Weighted {
    pub(super) first: Vec<usize>,
    pub(super) all: Vec<(u32, i64)>,
    pub(super) weights: Vec<u32>,
}

impl Weighted {
    fn len(&self) -> usize {
        self.weights.len()
    }

    fn of_vertex(&self, vertex: usize) -> &[(u32, i64)] {
        &self.all[self.first[vertex]..self.first[vertex + 1]]
    }
}

/// Which part each vertex is in; the first has this weight, if vertices weigh one.
pub(super) fn bisect(graph: &Weighted, first: u64, dice: &mut Dice) -> Vec<bool> {
    let mut best: Option<(u64, i64, Vec<bool>)> = None;
    for _ in 0..CUTS {
        let mut side = cut_once(graph, first, None, dice);
        // Made smaller along the cut that was found, the graph shows moves of whole regions.
        for _ in 0..ROUNDS {
            side = cut_once(graph, first, Some(side), dice);
        }
        let own = (off(graph, &side, first), cut(graph, &side));
        if best.as_ref().is_none_or(|best| own < (best.0, best.1)) {
            best = Some((own.0, own.1, side));
        }
    }
    best.map(|best| best.2).unwrap_or_default()
}

/// One cut: a new one, or one that is made better.
fn cut_once(graph: &Weighted, first: u64, known: Option<Vec<bool>>, dice: &mut Dice) -> Vec<bool> {
    let mut levels: Vec<(Weighted, Vec<u32>)> = Vec::new();
    let total: u64 = graph.weights.iter().map(|&weight| u64::from(weight)).sum();
    let heaviest = u32::try_from((total / 24).max(1)).unwrap_or(u32::MAX);
    let mut known = known;
    loop {
        let now = levels.last().map_or(graph, |level| &level.0);
        if now.len() <= SMALL {
            break;
        }
        let (smaller, map) = smaller(now, heaviest, known.as_deref(), dice);
        if smaller.len() * 20 > now.len() * 19 {
            break;
        }
        known = known.map(|side| {
            let mut above = vec![false; smaller.len()];
            for (&to, &own) in map.iter().zip(&side) {
                above[to as usize] = own;
            }
            above
        });
        levels.push((smaller, map));
    }
    let coarsest = levels.last().map_or(graph, |level| &level.0);
    let mut side = match known {
        Some(side) => side,
        None => first_cut(coarsest, first, dice),
    };
    refine(coarsest, &mut side, first);
    while let Some((_, map)) = levels.pop() {
        let finer = levels.last().map_or(graph, |level| &level.0);
        side = map.iter().map(|&at| side[at as usize]).collect();
        refine(finer, &mut side, first);
    }
    side
}

/// Pairs of vertices that talk most, put together. Also gives the new vertex of each.
fn smaller(
    graph: &Weighted,
    heaviest: u32,
    side: Option<&[bool]>,
    dice: &mut Dice,
) -> (Weighted, Vec<u32>) {
    let mut order: Vec<usize> = (0..graph.len()).collect();
    dice.shuffle(&mut order);
    let mut map = vec![u32::MAX; graph.len()];
    let mut members: Vec<[usize; 2]> = Vec::new();
    for at in order {
        if map[at] != u32::MAX {
            continue;
        }
        let own = i64::from(graph.weights[at]);
        let free = graph.of_vertex(at).iter().filter(|(other, _)| {
            let other = *other as usize;
            let together = side.is_none_or(|side| side[at] == side[other]);
            map[other] == u32::MAX
                && other != at
                && together
                && graph.weights[at] + graph.weights[other] <= heaviest
        });
        let best = free.max_by_key(|(other, weight)| {
            let both = own * i64::from(graph.weights[*other as usize]);
            (weight.saturating_mul(1 << 10) / both, *other)
        });
        let other = best.map_or(at, |best| best.0 as usize);
        let number = u32::try_from(members.len()).unwrap_or(u32::MAX);
        map[at] = number;
        map[other] = number;
        members.push([at, other]);
    }
    let mut made = Weighted {
        first: vec![0],
        ..Weighted::default()
    };
    let mut pull = vec![0_i64; members.len()];
    let mut met: Vec<u32> = Vec::new();
    for (number, two) in (0_u32..).zip(&members) {
        let own = if two[0] == two[1] {
            &two[..1]
        } else {
            &two[..]
        };
        for &at in own {
            for &(other, weight) in graph.of_vertex(at) {
                let to = map[other as usize];
                if to != number {
                    if pull[to as usize] == 0 {
                        met.push(to);
                    }
                    pull[to as usize] += weight;
                }
            }
        }
        for to in met.drain(..) {
            made.all.push((to, std::mem::take(&mut pull[to as usize])));
        }
        made.first.push(made.all.len());
        made.weights
            .push(own.iter().map(|&at| graph.weights[at]).sum());
    }
    (made, map)
}

/// The best of some parts grown from a vertex.
fn first_cut(graph: &Weighted, first: u64, dice: &mut Dice) -> Vec<bool> {
    let mut best: Option<(u64, i64, Vec<bool>)> = None;
    for _ in 0..TRIES {
        let mut side = grown(graph, first, dice.below(graph.len()));
        refine(graph, &mut side, first);
        let (off, cut) = (off(graph, &side, first), cut(graph, &side));
        if best
            .as_ref()
            .is_none_or(|best| (off, cut) < (best.0, best.1))
        {
            best = Some((off, cut, side));
        }
    }
    best.map(|best| best.2).unwrap_or_default()
}

/// `true`: in the second part. The first part grows from a vertex by what talks most to it.
fn grown(graph: &Weighted, first: u64, start: usize) -> Vec<bool> {
    let mut side = vec![true; graph.len()];
    let mut pull = vec![0_i64; graph.len()];
    let mut near: BinaryHeap<(i64, usize)> = BinaryHeap::new();
    let (mut weight, mut next) = (0, start);
    while weight < first {
        side[next] = false;
        weight += u64::from(graph.weights[next]);
        for &(other, link) in graph.of_vertex(next) {
            let other = other as usize;
            if side[other] {
                pull[other] += link;
                let out: i64 = graph.of_vertex(other).iter().map(|own| own.1).sum();
                near.push((2 * pull[other] - out, other));
            }
        }
        let found = std::iter::from_fn(|| near.pop())
            .find(|own| side[own.1])
            .map(|own| own.1);
        match found.or_else(|| side.iter().position(|&open| open)) {
            Some(found) => next = found,
            None => break,
        }
    }
    side
}

fn cut(graph: &Weighted, side: &[bool]) -> i64 {
    let mut sum = 0;
    for at in 0..graph.len() {
        for &(other, weight) in graph.of_vertex(at) {
            if side[at] != side[other as usize] {
                sum += weight;
            }
        }
    }
    sum / 2
}

/// How far the first part is from its weight.
fn off(graph: &Weighted, side: &[bool], first: u64) -> u64 {
    let own = graph.weights.iter().zip(side).filter(|(_, other)| !**other);
    own.map(|(&weight, _)| u64::from(weight))
        .sum::<u64>()
        .abs_diff(first)
}

/// Moves vertices as long as that is better, and as near to the weight of the first part as vertices allow.
pub(super) fn refine(graph: &Weighted, side: &mut [bool], first: u64) {
    for _ in 0..PASSES {
        if !pass(graph, side, first) {
            break;
        }
    }
}

/// One pass: whether it was better.
fn pass(graph: &Weighted, side: &mut [bool], first: u64) -> bool {
    let heaviest = u64::from(graph.weights.iter().max().copied().unwrap_or(1));
    let count = graph.len();
    let mut open = [false, true].map(|part| {
        let gain = |at| (side[at] == part).then(|| gain_of(graph, at, side));
        Movable::new((0..count).map(gain))
    });
    let own = graph
        .weights
        .iter()
        .zip(side.iter())
        .filter(|(_, other)| !**other);
    let mut weight: u64 = own.map(|(&weight, _)| u64::from(weight)).sum();
    let slack = heaviest + first / 100;
    let (mut moved, mut change) = (Vec::new(), 0_i64);
    let start = (weight.abs_diff(first), 0_i64);
    let (mut best, mut best_at, mut in_vain) = (start, 0, 0);
    while in_vain < IN_VAIN {
        let chosen = choose((weight, first, slack), open[0].best(), open[1].best());
        let Some((gain, at)) = chosen else {
            break;
        };
        open[usize::from(side[at])].set(at, None);
        let own = u64::from(graph.weights[at]);
        weight = if side[at] { weight + own } else { weight - own };
        side[at] = !side[at];
        change -= gain;
        moved.push(at);
        for &(other, link) in graph.of_vertex(at) {
            let other = other as usize;
            let both = if side[other] == side[at] {
                -2 * link
            } else {
                2 * link
            };
            let own = &mut open[usize::from(side[other])];
            if let Some(gain) = own.gain(other) {
                own.set(other, Some(gain + both));
            }
        }
        let now = (weight.abs_diff(first), change);
        if now < best {
            (best, best_at, in_vain) = (now, moved.len(), 0);
        } else {
            in_vain += 1;
        }
    }
    for &at in &moved[best_at..] {
        side[at] = !side[at];
    }
    best < start
}

/// What less is cut if a vertex goes to the other side.
fn gain_of(graph: &Weighted, at: usize, side: &[bool]) -> i64 {
    let each = graph.of_vertex(at).iter();
    let gain = |&(other, weight): &(u32, i64)| {
        if side[at] == side[other as usize] {
            -weight
        } else {
            weight
        }
    };
    each.map(gain).sum()
}

/// Which of the best vertices of both sides moves. The first side weighs `weight`, and is to weigh `first`.
fn choose(
    (weight, first, slack): (u64, u64, u64),
    from_first: Option<(i64, usize)>,
    from_second: Option<(i64, usize)>,
) -> Option<(i64, usize)> {
    if weight > first + slack {
        from_first
    } else if weight + slack < first {
        from_second
    } else {
        match (from_first, from_second) {
            (Some(a), Some(b)) if a.0 == b.0 => Some(if weight >= first { a } else { b }),
            (Some(a), Some(b)) => Some(if a.0 > b.0 { a } else { b }),
            (a, b) => a.or(b),
        }
    }
}
