//! Which objects of a network a job uses, and how few could hold it.

use super::Network;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::NodeId;

/// Nodes in objects with less than this share of the largest one's are lonely.
const LONELY_PERCENT: u64 = 5;

/// What a job uses of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// The level.
    pub level: String,
    /// Nodes of the job in each object that it uses, most first.
    pub sizes: Vec<u32>,
    /// How few objects could hold so many nodes.
    pub fewest: u32,
    /// Nodes of the largest object of the network.
    pub largest: u32,
    /// Nodes in objects with less than 5 % of the largest one's.
    pub lonely: Vec<String>,
}

/// A row for each level, from the top. `numbers`: the network's numbers of the job's nodes.
#[must_use]
pub fn allocation(network: &Network, numbers: &[u32]) -> Vec<Used> {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let all = network.names().len();
    let mut found = Vec::new();
    for level in network.levels() {
        let mut own = vec![0_u32; level.objects.len()];
        for &node in &numbers {
            own[level.object(node) as usize] += 1;
        }
        let held = level.stretches(all).into_iter();
        let mut held: Vec<u32> = held
            .map(|nodes| nodes.iter().map(|nodes| nodes.1 - nodes.0).sum())
            .collect();
        held.sort_unstable_by(|a, b| b.cmp(a));
        let (mut left, mut fewest) = (u32::try_from(numbers.len()).unwrap_or(u32::MAX), 0);
        for size in &held {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(*size);
            fewest += 1;
        }
        let most = own.iter().max().copied().unwrap_or(0);
        let is_lonely = |node: &&u32| {
            let here = own[level.object(**node) as usize];
            u64::from(here) * 100 < u64::from(most) * LONELY_PERCENT
        };
        let lonely = numbers.iter().filter(is_lonely);
        let lonely = lonely
            .map(|&node| network.names().name(NodeId::from_row(node as usize)))
            .collect();
        let mut sizes: Vec<u32> = own.iter().copied().filter(|&size| size > 0).collect();
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        found.push(Used {
            level: level.word.clone(),
            sizes,
            fewest,
            largest: held.first().copied().unwrap_or(0),
            lonely,
        });
    }
    found
}
