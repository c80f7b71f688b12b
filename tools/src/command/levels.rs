//! Which ranks are in other objects of a network in another plan.

use stowplan::job::error::one_line;
use stowplan::score::network::OnNetwork;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;

/// A plan on its network.
type On<'p> = (&'p Plan, &'p OnNetwork);

/// A line for each level: how many ranks are in another object, and where the first of them was and is.
///
/// Cost: the ranks.
pub(super) fn moved((a, on_a): On<'_>, (b, on_b): On<'_>) -> Vec<String> {
    let node = |plan: &Plan, rank: u32| {
        let place = plan.place(Rank(rank))?;
        u32::try_from(place.node.row()).ok()
    };
    let levels = on_a.network().levels().iter().enumerate();
    let mut lines = Vec::new();
    for (at, level) in levels {
        let (mut count, mut first) = (0_u32, None);
        for rank in 0..a.ranks().min(b.ranks()) {
            let (Some(one), Some(other)) = (node(a, rank), node(b, rank)) else {
                continue;
            };
            let (one, other) = (on_a.objects(one), on_b.objects(other));
            let (Some(was), Some(is)) = (one.get(at), other.get(at)) else {
                continue;
            };
            if was.1 != is.1 {
                count += 1;
                first = first.or_else(|| {
                    Some(format!(
                        "rank {rank}: {} -> {}",
                        one_line(was.1),
                        one_line(is.1)
                    ))
                });
            }
        }
        let word = &level.word;
        let ranks = if count == 1 {
            "1 rank is"
        } else {
            &format!("{count} ranks are")
        };
        match first {
            Some(first) => lines.push(format!("{word}  {ranks} in another one; {first}")),
            None => lines.push(format!("{word}  all ranks are in the same ones")),
        }
    }
    lines
}
