//! What the processes of one group get, one by one or as neighbours.

use crate::plan::placed::row;
use crate::policy::GpuShare;
use crate::table::patterns::Pattern;

/// Things dealt to receivers as contiguous blocks, as even as can be, the larger ones first: block `at`.
pub(super) fn block(things: u32, receivers: u32, at: u32) -> (u32, u32) {
    let (each, more) = (things / receivers, things % receivers);
    let first = at * each + at.min(more);
    (first, first + each + u32::from(at < more))
}

/// What some neighbours get.
pub(super) enum GpuGrant {
    Nothing,
    /// Logical numbers.
    These(Vec<u32>),
    /// By these words, among the GPUs of this row; the number of the first of them in its group.
    Dealt(GpuShare, u32, u32),
}

/// GPUs that a map without objects says itself.
pub(super) fn mapped(
    pattern: &Pattern,
    first: u32,
    count: u32,
    guest: usize,
    runs: &mut Vec<(usize, u32, GpuGrant)>,
) {
    let mut skip = first;
    let mut left = count;
    for share in pattern
        .segments()
        .iter()
        .flat_map(|segment| &segment.shares)
    {
        if skip >= share.count {
            skip -= share.count;
            continue;
        }
        let own = (share.count - skip).min(left);
        skip = 0;
        left -= own;
        if own > 0 {
            runs.push((guest, own, GpuGrant::These(share.gpus.clone())));
        }
        if left == 0 {
            return;
        }
    }
    if left > 0 {
        runs.push((guest, left, GpuGrant::Nothing));
    }
}

/// What the process of this number in a group of so many gets, and those behind it in turn, up to which number.
pub(super) fn deal(share: GpuShare, gpus: &[u32], size: u32, at: u32) -> (Vec<Vec<u32>>, u32) {
    let count = row(gpus.len());
    match share {
        _ if count == 0 => (vec![Vec::new()], size),
        GpuShare::None => (vec![Vec::new()], size),
        GpuShare::Share => (vec![gpus.to_vec()], size),
        GpuShare::Split if count >= size => {
            let (first, end) = block(count, size, at);
            (vec![gpus[first as usize..end as usize].to_vec()], at + 1)
        }
        GpuShare::Split => {
            let (each, more) = (size / count, size % count);
            let large = more * (each + 1);
            let gpu = match at < large {
                true => at / (each + 1),
                false => more + (at - large) / each,
            };
            let (_, end) = block(size, count, gpu);
            (vec![vec![gpus[gpu as usize]]], end)
        }
        GpuShare::PerRank(each) => {
            let each = u32::from(each).min(count);
            let start = |at: u32| u64::from(at) * u64::from(each) % u64::from(count);
            // After so many processes it is the first GPU's turn again.
            let round = (1..=count).find(|&round| start(round) == 0);
            let round = round.unwrap_or(count).min(size - at);
            let own = |at: u32| {
                let first = usize::try_from(start(at)).unwrap_or(0);
                let own = (first..first + each as usize).map(|gpu| gpus[gpu % gpus.len()]);
                own.collect()
            };
            ((0..round).map(|ahead| own(at + ahead)).collect(), size)
        }
    }
}
