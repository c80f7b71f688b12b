//! `KMP_AFFINITY=balanced`: threads dealt to the cores of a mask.

use super::binding::Fineness;
use super::layers::{Layer, Layers};
use super::refused::Refused;
use roaring::RoaringBitmap;

/// The cpus of each thread. `threads`: at least 2.
pub(super) fn balanced(
    layers: &Layers,
    fineness: Fineness,
    threads: usize,
) -> Result<Vec<RoaringBitmap>, Refused> {
    let cores = layers.objects(Layer::Core);
    let packages = layers.objects(Layer::Package);
    let single = cores.iter().all(|core| core.len() == 1);
    let fine = match fineness {
        Fineness::Thread => true,
        Fineness::Core => single,
        Fineness::Package => packages.len() == cores.len(),
    };
    let seats = match layers.is_even() {
        true => {
            let units = if single && packages.len() > 1 {
                packages
            } else {
                cores
            };
            even(units, threads)
        }
        false => uneven(layers, cores, threads)?,
    };
    // The cpus of a unit follow each other as cores and threads do, whatever their OS numbers.
    let cpu = |unit: &RoaringBitmap, at: u32| {
        let own = layers.cpus.iter().filter(|cpu| unit.contains(**cpu));
        own.copied().nth(at as usize)
    };
    let cpus = seats.into_iter().map(|(unit, at)| match fine {
        true => cpu(&unit, at).into_iter().collect(),
        false => unit,
    });
    Ok(cpus.collect())
}

/// Equal units: threads are dealt in runs, the first units get one more.
fn even(units: Vec<RoaringBitmap>, threads: usize) -> Vec<(RoaringBitmap, u32)> {
    let (each, more) = (threads / units.len(), threads % units.len());
    let runs = units.into_iter().enumerate().flat_map(|(number, unit)| {
        let own = each + usize::from(number < more);
        let cpus = u32::try_from(unit.len()).unwrap_or(u32::MAX);
        let turns = (0..cpus).cycle().take(own);
        turns.map(move |at| (unit.clone(), at)).collect::<Vec<_>>()
    });
    runs.collect()
}

/// Unequal units: rounds over the units, each giving a thread to the next free cpu of those that have one.
fn uneven(
    layers: &Layers,
    cores: Vec<RoaringBitmap>,
    threads: usize,
) -> Result<Vec<(RoaringBitmap, u32)>, Refused> {
    let single = cores.iter().all(|core| core.len() == 1);
    let above = layers.kinds.iter().rposition(|&kind| kind == Layer::Core);
    let above = above
        .and_then(|at| at.checked_sub(1))
        .map(|at| layers.kinds[at]);
    let unequal = cores.iter().any(|core| core.len() != cores[0].len());
    let units = match above {
        Some(layer) if single => layers.objects(layer),
        Some(_) | None => cores,
    };
    if threads > layers.cpus.len() && unequal {
        return Err(Refused::unknown(
            "KMP_AFFINITY=balanced",
            "how more threads than cpus go to cores of unequal size was not measured",
        ));
    }
    let mut dealt: Vec<Vec<u32>> = Vec::with_capacity(units.len());
    for unit in &units {
        dealt.push(vec![0; usize::try_from(unit.len()).unwrap_or(0)]);
    }
    let rounds = dealt.iter().map(Vec::len).max().unwrap_or(0);
    let mut left = threads;
    for round in 0..rounds {
        for own in dealt.iter_mut().filter(|own| own.len() > round) {
            if left > 0 {
                own[round] += 1;
                left -= 1;
            }
        }
    }
    // All cpus have one: the first cpu of each unit takes the rest, unit by unit.
    while left > 0 {
        for own in dealt.iter_mut().take(left) {
            own[0] += 1;
        }
        left = left.saturating_sub(units.len());
    }
    let seats = units.into_iter().zip(dealt).flat_map(|(unit, own)| {
        let each = (0..)
            .zip(own)
            .flat_map(|(at, count)| (0..count).map(move |_| at));
        each.map(|at| (unit.clone(), at)).collect::<Vec<_>>()
    });
    Ok(seats.collect())
}
