//! Plans that a launcher could not express. Found by trying, not by the exporter's reasons.

use crate::launchers::truth::Truth;
use roaring::RoaringBitmap;
use stowplan::launchers::export::Dialect;

/// Whether the launcher really has no words for this plan.
pub(crate) fn could_not(dialect: Dialect, truth: &Truth) -> bool {
    let several = truth.apps.len() > 1;
    let unnamed = several
        && truth
            .processes
            .iter()
            .any(|process| process.words.is_empty());
    if unnamed && dialect.starts() {
        return true;
    }
    match dialect {
        Dialect::Srun => !srun(truth),
        Dialect::Prterun => {
            truth.tells_gpus() || long_slots(truth) || any_word(truth, |word| word == "--map-by")
        }
        Dialect::Hydra => truth.tells_gpus(),
        Dialect::Intel => {
            truth.tells_gpus() || !truth.is_unbound() && (common(truth).is_none() || !equal(truth))
        }
        Dialect::Flux => {
            let lost = |word: &String| word.contains("%t") || word.contains("%o");
            let (ranks, nodes) = (truth.processes.len(), truth.order.len());
            let crowded = ranks.div_ceil(nodes) > truth.fewest_cores as usize;
            crowded && !ranks.is_multiple_of(nodes)
                || common(truth).is_none()
                || !one_gpu_list(truth, &truth.order)
                || (several && any_word(truth, lost))
        }
        Dialect::Pals => {
            common(truth).is_none()
                || !one_gpu_list(truth, &truth.order)
                || !(blocks_of_apps(truth) || (!several && equal(truth)))
        }
        Dialect::Jsrun => {
            let plain = |word: &String| {
                !word.is_empty()
                    && word
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&byte))
            };
            several && any_word(truth, |word| !plain(word))
        }
        Dialect::RankOrder => !equal(truth),
        Dialect::Hostfile => !blocks(truth),
        Dialect::Rankfile => unreachable!("it is not listed"),
    }
}

fn any_word(truth: &Truth, is: impl Fn(&String) -> bool) -> bool {
    truth
        .processes
        .iter()
        .any(|process| process.words.iter().any(&is))
}

fn counts(truth: &Truth) -> Vec<usize> {
    truth
        .order
        .iter()
        .map(|node| truth.ranks_of(node).len())
        .collect()
}

fn equal(truth: &Truth) -> bool {
    counts(truth).windows(2).all(|two| two[0] == two[1])
}

/// Nodes in rank order, with their numbers of ranks; `None`: the ranks come back to a node.
fn in_turn(truth: &Truth, ranks: impl Iterator<Item = usize>) -> Option<Vec<(String, usize)>> {
    let mut turns: Vec<(String, usize)> = Vec::new();
    for rank in ranks {
        let node = &truth.processes[rank].node;
        let met = turns.iter().position(|(other, _)| other == node);
        match met {
            Some(at) if at + 1 == turns.len() => turns[at].1 += 1,
            Some(_) => return None,
            None => turns.push((node.clone(), 1)),
        }
    }
    Some(turns)
}

fn blocks(truth: &Truth) -> bool {
    in_turn(truth, 0..truth.processes.len()).is_some()
}

fn blocks_of_apps(truth: &Truth) -> bool {
    let mut ends = truth.apps[1..].to_vec();
    ends.push(truth.processes.len());
    let mut met: Vec<String> = Vec::new();
    truth.apps.iter().zip(ends).all(|(&first, end)| {
        let Some(turns) = in_turn(truth, first..end) else {
            return false;
        };
        let full = turns[0].1;
        let (last, others) = turns.split_last().unwrap();
        let fits = last.1 <= full && others.iter().all(|(_, count)| *count == full);
        let own = turns.iter().all(|(node, _)| !met.contains(node));
        met.extend(turns.iter().map(|(node, _)| node.clone()));
        fits && own
    })
}

/// One list such that the list of every node is its beginning.
fn common(truth: &Truth) -> Option<Vec<RoaringBitmap>> {
    if truth.is_unbound() {
        return Some(Vec::new());
    }
    let lists: Vec<Vec<RoaringBitmap>> = truth.order.iter().map(|node| truth.list(node)).collect();
    let longest = lists.iter().max_by_key(|list| list.len())?.clone();
    lists
        .iter()
        .all(|list| longest.starts_with(list))
        .then_some(longest)
}

/// Whether one list of GPUs serves these nodes and has some GPUs for each rank. (A rank with an empty entry would be shown all
/// GPUs, or the first.)
fn one_gpu_list(truth: &Truth, nodes: &[String]) -> bool {
    if !truth.tells_gpus() {
        return true;
    }
    let lists: Vec<Vec<Vec<u32>>> = nodes.iter().map(|node| truth.gpus(node)).collect();
    let longest = lists.iter().max_by_key(|list| list.len()).unwrap();
    let one = lists.iter().all(|list| longest.starts_with(list));
    one && !longest.iter().any(Vec::is_empty)
}

fn long_slots(truth: &Truth) -> bool {
    // Numbers of cores are not looked up here. Only lists as long as this could be cut.
    truth
        .processes
        .iter()
        .any(|process| process.cpus.as_ref().is_some_and(|cpus| cpus.len() > 20))
}

/// Whether srun can start it in one step, or in parts.
fn srun(truth: &Truth) -> bool {
    let several = truth.apps.len() > 1;
    let lost = |word: &String| word.is_empty() || word.contains('\n');
    let words = !several || !any_word(truth, lost);
    (words && fits_all(truth, &truth.order)) || parts(truth)
}

/// Whether one list serves these nodes, and each node has the cpus of every entry.
fn fits_all(truth: &Truth, nodes: &[String]) -> bool {
    if !one_gpu_list(truth, nodes) {
        return false;
    }
    if truth.is_unbound() {
        return true;
    }
    let lists: Vec<Vec<RoaringBitmap>> = nodes.iter().map(|node| truth.list(node)).collect();
    let longest = lists.iter().max_by_key(|list| list.len()).unwrap();
    lists.iter().all(|list| longest.starts_with(list))
        && nodes.iter().all(|node| {
            longest
                .iter()
                .all(|cpus| cpus.is_subset(&truth.nodes[node]))
        })
}

/// Ranks are cut into parts so that no node is in two of them. Every such cut is made from the smallest such parts: if srun cannot
/// express one of these, it can express no cut.
fn parts(truth: &Truth) -> bool {
    let mut first = 0;
    while first < truth.processes.len() {
        let mut end = first;
        let mut at = first;
        while at <= end {
            let last = truth.ranks_of(&truth.processes[at].node).pop().unwrap();
            end = end.max(last);
            at += 1;
        }
        let ranks: Vec<usize> = (first..=end).collect();
        let mut nodes: Vec<String> = ranks
            .iter()
            .map(|&rank| truth.processes[rank].node.clone())
            .collect();
        nodes.sort();
        nodes.dedup();
        let one_app = truth.app(first) == truth.app(end);
        if !one_app || !fits_all(truth, &nodes) || !layout(truth, &ranks, &nodes) {
            return false;
        }
        first = end + 1;
    }
    true
}

/// Rounds of some size over nodes sorted by name. Names in these jobs have the same length, or are in the order of their
/// numbers.
fn layout(truth: &Truth, ranks: &[usize], nodes: &[String]) -> bool {
    let mut nodes = nodes.to_vec();
    nodes.sort_by_key(|name| (name.len(), name.clone()));
    let order: Vec<&String> = ranks
        .iter()
        .map(|&rank| &truth.processes[rank].node)
        .collect();
    let full = |name: &String| {
        let ranks = order.iter().filter(|own| **own == name).count() as u64;
        ranks > truth.nodes[name].len()
    };
    if nodes.len() > 1 && nodes.iter().any(full) {
        return false;
    }
    let rounds =
        |size: usize| (0..order.len()).all(|at| *order[at] == nodes[at / size % nodes.len()]);
    (1..=order.len()).any(rounds)
}
