//! Tasks of each node. Source: `lines/slurm/spec.md` 5.

/// Neighbouring picked nodes with the same room, and the tasks that each of them gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Share {
    /// How many nodes.
    pub(super) nodes: u64,
    pub(super) room: u64,
    pub(super) tasks: u64,
}

/// Every node takes one in each round while `limit` allows it; the last round ends where tasks end.
fn rounds(shares: &mut Vec<Share>, left: u64, limit: impl Fn(&Share) -> u64) -> u64 {
    let until = |shares: &[Share], round: u64| -> u64 {
        let each = shares.iter().map(|own| {
            own.nodes
                .saturating_mul(limit(own).saturating_sub(own.tasks).min(round))
        });
        each.fold(0, u64::saturating_add)
    };
    let most = shares
        .iter()
        .map(|own| limit(own).saturating_sub(own.tasks))
        .max()
        .unwrap_or(0);
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if until(shares, middle) <= left {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    let mut rest = left - until(shares, low);
    let mut dealt = Vec::with_capacity(shares.len() + 1);
    for own in shares.iter() {
        let open = limit(own).saturating_sub(own.tasks);
        let tasks = own.tasks + open.min(low);
        let more = if open > low { own.nodes.min(rest) } else { 0 };
        rest -= more;
        push(
            &mut dealt,
            Share {
                nodes: more,
                tasks: tasks + 1,
                ..*own
            },
        );
        push(
            &mut dealt,
            Share {
                nodes: own.nodes - more,
                tasks,
                ..*own
            },
        );
    }
    *shares = dealt;
    rest
}

fn push(shares: &mut Vec<Share>, share: Share) {
    if share.nodes > 0 {
        shares.push(share);
    }
}

fn nodes(shares: &[Share]) -> u64 {
    shares.iter().map(|own| own.nodes).sum::<u64>().max(1)
}

/// Evenly, room after room; then without limit.
pub(super) fn block(shares: &mut Vec<Share>, tasks: u64) {
    let left = rounds(shares, tasks, |own| own.room);
    rounds(shares, left, |own| own.tasks.saturating_add(left));
}

/// As block, but what is too much raises every room first.
pub(super) fn cyclic(shares: &mut Vec<Share>, tasks: u64) {
    let room = shares
        .iter()
        .map(|own| own.nodes.saturating_mul(own.room))
        .fold(0, u64::saturating_add);
    let more = tasks.saturating_sub(room).div_ceil(nodes(shares));
    rounds(shares, tasks, |own| own.room + more);
}

/// One each, then node after node.
pub(super) fn pack(shares: &mut Vec<Share>, tasks: u64) {
    let mut left = rounds(shares, tasks, |_| 1);
    let mut filled = Vec::new();
    for own in shares.iter() {
        let open = own.room.saturating_sub(own.tasks);
        fill(&mut filled, *own, open, &mut left);
    }
    *shares = filled;
    rounds(shares, left, |own| own.tasks.saturating_add(left));
}

/// Each node of a share takes up to `open`, in order.
fn fill(filled: &mut Vec<Share>, own: Share, open: u64, left: &mut u64) {
    let full = left
        .checked_div(open)
        .map_or(own.nodes, |full| full.min(own.nodes));
    *left -= full * open;
    push(
        filled,
        Share {
            nodes: full,
            tasks: own.tasks + open,
            ..own
        },
    );
    if full < own.nodes {
        push(
            filled,
            Share {
                nodes: 1,
                tasks: own.tasks + *left,
                ..own
            },
        );
        *left = 0;
        push(
            filled,
            Share {
                nodes: own.nodes - full - 1,
                ..own
            },
        );
    }
}

/// In planes.
pub(super) fn plane(shares: &mut Vec<Share>, tasks: u64, size: u64) {
    let mut left = rounds(shares, tasks, |_| 1);
    let mut turn = size - 1;
    let mut unlimited = false;
    while left > 0 {
        if unlimited && turn == size {
            let each = size.saturating_mul(nodes(shares));
            let full = left / each;
            left -= full * each;
            shares.iter_mut().for_each(|own| own.tasks += full * size);
        }
        let mut space = false;
        let mut filled = Vec::new();
        for own in shares.iter() {
            let open = match unlimited || own.tasks > own.room {
                true => turn,
                false => turn.min(own.room - own.tasks),
            };
            space |= open > 0 && own.tasks + 2 <= own.room;
            fill(&mut filled, *own, open, &mut left);
        }
        *shares = filled;
        unlimited |= !space;
        turn = size;
    }
}
