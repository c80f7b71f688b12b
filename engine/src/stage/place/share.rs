//! How many processes go to each node: arithmetic over runs of equal nodes, never over nodes. Source: `semantics` 4.

/// A run of equal nodes: how many there are, and how many processes each can take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunShare {
    /// How many nodes.
    pub nodes: u32,
    /// The most processes that each takes.
    pub cap: u32,
}

/// A part of a run: how many nodes, and how many processes each gets.
pub(crate) type SharePart = (u32, u32);

/// Fills each node before the next: the parts of one run while `left` processes remain.
#[inline]
pub fn fill(share: RunShare, left: u32) -> [SharePart; 3] {
    if share.cap == 0 || left == 0 {
        return [(share.nodes, 0), (0, 0), (0, 0)];
    }
    let full = share.nodes.min(left / share.cap);
    let rest = left - full * share.cap;
    if full == share.nodes || rest == 0 {
        return [(full, share.cap), (0, 0), (share.nodes - full, 0)];
    }
    let last = rest.min(share.cap);
    [(full, share.cap), (1, last), (share.nodes - full - 1, 0)]
}

/// Round-robin under caps: every node gets `min(cap, rounds)`; the first `extra` nodes with a larger cap get one more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RoundRobin {
    /// Whole rounds.
    pub rounds: u32,
    /// Processes of the last round, which is not whole.
    pub extra: u32,
}

/// How `procs` processes are dealt round-robin; `None` if the caps do not hold them.
///
/// Cost: a sort of the runs by cap. `caps`: scratch.
pub fn round_robin(
    shares: impl Iterator<Item = RunShare>,
    procs: u32,
    caps: &mut Vec<(u32, u64)>,
) -> Option<RoundRobin> {
    caps.clear();
    caps.extend(shares.map(|share| (share.cap, u64::from(share.nodes))));
    caps.sort_unstable();
    let mut open: u64 = caps.iter().map(|&(_, nodes)| nodes).sum();
    let (mut dealt, mut left) = (0_u32, u64::from(procs));
    for &(cap, nodes) in &*caps {
        let step = u64::from(cap - dealt) * open;
        if step > left {
            let rounds = left / open;
            let extra = left % open;
            let rounds = dealt + u32::try_from(rounds).expect("rounds are at most the processes");
            return Some(RoundRobin {
                rounds,
                extra: u32::try_from(extra).expect("fewer than the nodes"),
            });
        }
        left -= step;
        dealt = cap;
        open -= nodes;
    }
    (left == 0).then_some(RoundRobin {
        rounds: dealt,
        extra: 0,
    })
}

/// The parts of one run under a round-robin deal; `extra` counts down over the runs.
pub fn dealt(share: RunShare, round_robin: RoundRobin, extra: &mut u32) -> [SharePart; 2] {
    if share.cap <= round_robin.rounds {
        return [(share.nodes, share.cap), (0, 0)];
    }
    let more = share.nodes.min(*extra);
    *extra -= more;
    [
        (more, round_robin.rounds + 1),
        (share.nodes - more, round_robin.rounds),
    ]
}

/// Even shares: node `at` of `all` gets `left / all`, and one more if it is among the first `left % all`.
/// Returns the parts of a run of `nodes` that starts at `at`.
pub fn even(nodes: u32, at: u64, all: u64, left: u32) -> [SharePart; 2] {
    let base = u64::from(left) / all;
    let more = (u64::from(left) % all)
        .saturating_sub(at)
        .min(u64::from(nodes));
    let narrow = |count: u64| {
        u32::try_from(count).expect("a share is at most the processes, a part at most its run")
    };
    [
        (narrow(more), narrow(base + u64::from(more > 0))),
        (nodes - narrow(more), narrow(base)),
    ]
}
