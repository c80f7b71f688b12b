//! Deals GPUs to the processes of one group, one by one or several at a time.
//!
//! `nodes.rs` deals for each kind of node, among the GPUs that `near.rs` says are near.

use crate::plan::placed::row;
use crate::policy::GpuShare;

/// Block `at` of things that are dealt to receivers in contiguous blocks, as evenly as possible, larger blocks first.
pub(super) fn block(things: u32, receivers: u32, at: u32) -> (u32, u32) {
    let (each, more) = (things / receivers, things % receivers);
    let first = at * each + at.min(more);
    (first, first + each + u32::from(at < more))
}

/// The sets of GPUs that process `at` of a group of `size`, and the processes behind it, get in turn; and the number of the
/// process at which this ends.
pub(super) fn deal(share: GpuShare, gpus: &[u32], size: u32, at: u32) -> (Vec<Vec<u32>>, u32) {
    let count = row(gpus.len());
    match share {
        GpuShare::None => (vec![Vec::new()], size),
        _ if count == 0 => (vec![Vec::new()], size),
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
            // After this many processes it is the first GPU's turn again.
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
