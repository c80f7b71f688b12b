//! The second pass: even shares of the processes that are too many. `docs/semantics.md` 4, "second pass".

use crate::refusal::Refusal;
use crate::turn::Turn;

/// Shares the remaining processes evenly over the nodes, again and again until all are placed. `put` places at most one share on a node.
pub(super) fn share_out<'t, 'a>(
    turn: &mut Turn<'t, 'a>,
    mut put: impl FnMut(&mut Turn<'t, 'a>, usize, u64) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut list: Vec<usize> = (0..turn.seats.len()).collect();
    while turn.left > 0 {
        let rest = turn.left;
        let (each, extra) = (rest / list.len() as u64, rest % list.len() as u64);
        let mut stay = Vec::new();
        for (i, &seat) in (0..).zip(&list) {
            if turn.room(seat) == 0 {
                continue;
            }
            stay.push(seat);
            put(turn, seat, each + u64::from(i < extra))?;
        }
        if stay.is_empty() && turn.left > 0 {
            return Refusal::err(
                "out-of-resource",
                format!("{:?}: every node is at max_slots", turn.app),
            );
        }
        if turn.left == rest && stay.len() == list.len() {
            return Err(turn.lack_of_cpus());
        }
        list = stay;
    }
    Ok(())
}
