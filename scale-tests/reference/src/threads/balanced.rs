//! Section 6: `balanced`.

use super::layers::Layers;
use super::{Asked, Set, Why};

/// What a thread is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    Thread,
    Core,
    Package,
}

impl Unit {
    pub(super) fn of(layer: usize, layers: &Layers) -> Self {
        if layer == layers.thread() {
            Self::Thread
        } else if layer == 0 && layers.core() > 0 {
            Self::Package
        } else {
            Self::Core
        }
    }
}

/// What of its unit a thread has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    One,
    Unit,
}

/// The cpus of each thread.
pub(super) fn sets(
    asked: &Asked<'_>,
    mask: &Set,
    unit: Unit,
    threads: usize,
) -> Result<Vec<Set>, Why> {
    let layers = Layers::of(asked, mask);
    let cores = layers.objects(layers.core());
    let packages = layers.objects(0);
    let single = match unit {
        Unit::Thread => true,
        Unit::Core => cores.iter().all(|core| core.len() == 1),
        Unit::Package => cores.len() == packages.len(),
    };
    let bound = if single { Bound::One } else { Bound::Unit };
    let even = (0..layers.kinds.len()).all(|row| {
        let children = |object: u32| {
            let own = layers
                .cpus
                .iter()
                .filter(|cpu| row == 0 || cpu.objects[row - 1] == object);
            let mut met: Vec<u32> = own.map(|cpu| cpu.objects[row]).collect();
            met.sort_unstable();
            met.dedup();
            met.len()
        };
        let parents = layers
            .cpus
            .iter()
            .map(|cpu| if row == 0 { 0 } else { cpu.objects[row - 1] });
        let mut counts: Vec<usize> = parents.map(children).collect();
        counts.dedup();
        counts.len() == 1
    });
    if even {
        return Ok(of_even(&layers, &cores, &packages, bound, threads));
    }
    uneven(&layers, &cores, bound, threads)
}

fn of_even(
    layers: &Layers,
    cores: &[Set],
    packages: &[Set],
    bound: Bound,
    threads: usize,
) -> Vec<Set> {
    let one = cores[0].len() == 1 && packages.len() > 1;
    let row = if one { 0 } else { layers.core() };
    let units: Vec<Vec<u32>> = layers
        .objects(row)
        .iter()
        .map(|unit| in_order(layers, unit))
        .collect();
    let (each, big) = (threads / units.len(), threads % units.len());
    let mut found = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        for thread in 0..each + usize::from(number < big) {
            let whole: Set = unit.iter().copied().collect();
            found.push(if bound == Bound::One {
                Set::from([unit[thread % unit.len()]])
            } else {
                whole
            });
        }
    }
    found
}

/// The cpus of an object in id order.
fn in_order(layers: &Layers, unit: &Set) -> Vec<u32> {
    let own = layers.cpus.iter().map(|cpu| cpu.os);
    own.filter(|os| unit.contains(os)).collect()
}

fn uneven(layers: &Layers, cores: &[Set], bound: Bound, threads: usize) -> Result<Vec<Set>, Why> {
    let no_second = cores.iter().all(|core| core.len() == 1);
    let row = if no_second {
        layers.core() - 1
    } else {
        layers.core()
    };
    let units: Vec<Vec<u32>> = layers
        .objects(row)
        .iter()
        .map(|unit| in_order(layers, unit))
        .collect();
    let cpus = layers.cpus.len();
    if threads > cpus && cores.iter().any(|core| core.len() != cores[0].len()) {
        return Err(Why::NotModelled);
    }
    let bind = |unit: &Vec<u32>, cpu: usize| -> Set {
        if bound == Bound::One {
            Set::from([unit[cpu]])
        } else {
            unit.iter().copied().collect()
        }
    };
    // How many threads are on each cpu of each unit.
    let mut on: Vec<Vec<usize>> = units.iter().map(|unit| vec![0; unit.len()]).collect();
    let mut left = threads;
    for round in 0..cpus {
        for own in on.iter_mut().filter(|own| own.len() > round) {
            if left > 0 {
                own[round] += 1;
                left -= 1;
            }
        }
    }
    while left > 0 {
        for own in &mut on {
            if left > 0 {
                own[0] += 1;
                left -= 1;
            }
        }
    }
    let mut found = Vec::new();
    for (unit, counts) in units.iter().zip(on) {
        for (cpu, count) in counts.into_iter().enumerate() {
            found.extend((0..count).map(|_| bind(unit, cpu)));
        }
    }
    Ok(found)
}
