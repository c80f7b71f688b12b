//! The ranks of programs by `-rankmap`. Source: `lines/hydra/spec.md` 5.

use super::rank_map;
use super::refusal::fails;
use super::rounds::{Lister, Placed, Stretch};
use super::version::{RankMaps, Version};
use crate::launchers::line::{LineNote, LineRefused};
use std::collections::{HashMap, VecDeque};

/// Neighbouring ranks of one program.
pub(crate) struct Part {
    /// The program, by its place in the line.
    pub(crate) program: u32,
    /// Where these ranks are.
    pub(crate) placed: Placed,
}

/// The most parts of programs whose ranks are mixed.
const PARTS_MAX: usize = 1 << 16;

/// The ranks of programs by a rank map. `procs`: shape `[programs]`; `slots`: shape `[nodes]`.
///
/// # Errors
/// `launch-fails` for a map that MPICH cannot go by, `job-too-large`.
///
/// Cost: the ranks.
pub(crate) fn by_rank_map(
    map: &str,
    procs: &[u32],
    slots: &[u32],
    version: Version,
    notes: &mut Vec<LineNote>,
) -> Result<Vec<Part>, LineRefused> {
    let total: u32 = procs.iter().sum();
    let of_rank = rank_map::nodes_of(map, total, slots.len())?;
    let mut note = |text: String| {
        let class = "rank-map";
        notes.push(LineNote { class, text });
    };
    if !of_rank.contains(&0) {
        note(format!(
            "-rankmap {map} names no rank for node 0: MPICH aborts then in some runs"
        ));
    }
    let (of_rank, programs) = match version.rank_map() {
        RankMaps::CountsOnly => {
            let dealt = by_counts(&of_rank, slots)?;
            let programs = in_lists(&of_rank, &dealt, procs);
            let mixed = match programs.is_sorted() {
                true => "",
                false => "; the ranks of its programs are mixed",
            };
            note(format!(
                "before MPICH 5.0.2 a rank map says only how many ranks each node has{mixed}"
            ));
            (dealt, programs)
        }
        RankMaps::Exact | RankMaps::Unknown => (of_rank, in_line(procs).collect()),
    };
    parts(&of_rank, &programs)
}

/// The program of each rank, in the order of the line.
fn in_line(procs: &[u32]) -> impl Iterator<Item = u32> + Clone {
    let programs = (0..).zip(procs);
    programs.flat_map(|(program, &own)| std::iter::repeat_n(program, own as usize))
}

/// Before 5.0.2: a node's local ranks run the programs in the order in which the map gave it ranks, wherever these ranks went.
fn in_lists(of_rank: &[u32], dealt: &[u32], procs: &[u32]) -> Vec<u32> {
    let mut lists: HashMap<u32, VecDeque<u32>> = HashMap::new();
    for (program, &node) in in_line(procs).zip(of_rank) {
        lists.entry(node).or_default().push_back(program);
    }
    let own = |node| lists.get_mut(node).and_then(VecDeque::pop_front);
    // A node is dealt as many ranks as the map gave it.
    dealt.iter().filter_map(own).collect()
}

/// Neighbouring ranks of one program, with their nodes.
fn parts(of_rank: &[u32], programs: &[u32]) -> Result<Vec<Part>, LineRefused> {
    let mut lister = Lister::default();
    let mut parts = Vec::new();
    let mut rest = of_rank;
    for own in programs.chunk_by(|one, next| one == next) {
        let (nodes, behind) = rest.split_at(own.len());
        rest = behind;
        let stretch = |same: &[u32]| Stretch {
            node: same[0],
            ranks: u32::try_from(same.len()).unwrap_or(u32::MAX),
        };
        let stretches = nodes.chunk_by(|one, next| one == next).map(stretch);
        parts.push(Part {
            program: own[0],
            placed: lister.placed(&stretches.collect::<Vec<_>>()),
        });
        if parts.len() > PARTS_MAX {
            return Err(LineRefused::new(
                "job-too-large",
                format!("-rankmap mixes programs in more than {PARTS_MAX} stretches of ranks"),
            ));
        }
    }
    Ok(parts)
}

/// Before 5.0.2: the counts of a map; ranks are dealt in rounds over the nodes that have some.
fn by_counts(of_rank: &[u32], slots: &[u32]) -> Result<Vec<u32>, LineRefused> {
    let mut counts = vec![0_u32; slots.len()];
    let mut order = Vec::new();
    for &node in of_rank {
        if counts[node as usize] == 0 {
            order.push(node);
        }
        counts[node as usize] += 1;
    }
    order.sort_unstable();
    let own: Vec<u32> = order.iter().map(|&node| slots[node as usize]).collect();
    let mut left: Vec<u32> = order.iter().map(|&node| counts[node as usize]).collect();
    if own.iter().all(|&slots| slots == 0) {
        return Err(fails("the rank map names only hosts without a slot"));
    }
    let mut found = Vec::with_capacity(of_rank.len());
    while found.len() < of_rank.len() {
        for (at, &node) in order.iter().enumerate() {
            if found.len() == of_rank.len() {
                break;
            }
            // Ranks are numbered by the slots of the round: a node that has fewer leaves holes.
            let take = own[at].min(u32::try_from(of_rank.len() - found.len()).unwrap_or(u32::MAX));
            if left[at] < take {
                return Err(fails(
                    "the rank map does not fit the slots: ranks numbered past the job",
                ));
            }
            left[at] -= take;
            found.extend(std::iter::repeat_n(node, take as usize));
        }
    }
    Ok(found)
}
