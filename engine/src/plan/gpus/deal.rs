//! What the processes of one group get, one by one or as neighbours.

use crate::plan::row;
use crate::policy::GpuShare;
use crate::table::patterns::Pattern;

/// Things dealt to receivers as contiguous blocks, as even as can be, the larger ones first: block `at`.
pub(super) fn block(things: u32, receivers: u32, at: u32) -> (u32, u32) {
    let (each, more) = (things / receivers, things % receivers);
    let first = at * each + at.min(more);
    (first, first + each + u32::from(at < more))
}

/// What some neighbours get.
pub(super) enum Got {
    Nothing,
    /// Logical numbers.
    These(Vec<u32>),
    /// By these words, among the GPUs of this row; the number of the first of them in its group.
    Dealt(GpuShare, u32, u32),
}

/// GPUs that a map without objects says itself.
pub(super) fn mapped(
    pattern: &Pattern,
    (first, count): (u32, u32),
    (guest, runs): (usize, &mut Vec<(usize, u32, Got)>),
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
            runs.push((guest, own, Got::These(share.gpus.clone())));
        }
        if left == 0 {
            return;
        }
    }
    if left > 0 {
        runs.push((guest, left, Got::Nothing));
    }
}

/// What the process of this number in a group of so many gets, and up to which number others get the same.
pub(super) fn deal(share: GpuShare, gpus: &[u32], size: u32, at: u32) -> (Vec<u32>, u32) {
    let count = row(gpus.len());
    match share {
        _ if count == 0 => (Vec::new(), size),
        GpuShare::None => (Vec::new(), size),
        GpuShare::Share => (gpus.to_vec(), size),
        GpuShare::Split if count >= size => {
            let (first, end) = block(count, size, at);
            (gpus[first as usize..end as usize].to_vec(), at + 1)
        }
        GpuShare::Split => {
            let (each, more) = (size / count, size % count);
            let large = more * (each + 1);
            let gpu = match at < large {
                true => at / (each + 1),
                false => more + (at - large) / each,
            };
            let (_, end) = block(size, count, gpu);
            (vec![gpus[gpu as usize]], end)
        }
        GpuShare::PerRank(each) => {
            let first = u64::from(at) * u64::from(each) % u64::from(count);
            let own = (first..first + u64::from(each).min(u64::from(count)))
                .map(|gpu| usize::try_from(gpu % u64::from(count)).unwrap_or(0))
                .map(|gpu| gpus[gpu]);
            let until = if u32::from(each) % count == 0 {
                size
            } else {
                at + 1
            };
            (own.collect(), until)
        }
    }
}
