//! What the controller counts of each node, and which nodes it takes. Section 4.

use super::{First, Flag, Scene, Selects, Share, Slurm};
use crate::lines::Class;

/// `raw` and `cpn` of each node. Section 4.1.
pub(super) fn counts(asked: &Slurm) -> (Vec<usize>, Vec<usize>) {
    let k = asked.job_threads();
    let linear = asked.site.selects == Selects::Linear;
    let by_cpu = asked.site.selects == Selects::Cpu;
    let whole = asked.share == Share::Whole;
    let mut raw = Vec::new();
    for node in &asked.nodes {
        raw.push(node.granted() * node.counted);
    }
    let mut told = raw.clone();
    if let Some(k) = k.filter(|_| whole && !linear) {
        for (at, node) in asked.nodes.iter().enumerate() {
            raw[at] = node.granted() * k.min(node.counted);
        }
        told.clone_from(&raw);
        let mut next = 0;
        for node in &asked.nodes {
            if node.counted != k {
                told[next] *= node.counted;
                next += 1;
            }
        }
        if !by_cpu {
            raw.clone_from(&told);
        }
    }
    let mut cpn = Vec::new();
    for (at, node) in asked.nodes.iter().enumerate() {
        let threads = node.counted;
        let old = linear && asked.version == 2205;
        cpn.push(if old {
            node.granted() * threads
        } else {
            told[at] / threads * threads.min(k.unwrap_or(threads))
        });
    }
    if by_cpu && !whole {
        raw.clone_from(&cpn);
    }
    (raw, cpn)
}

/// The step's own threads per core, where they are not those of a node, count its cpus since 26.05.
fn of_threads(scene: &Scene<'_>, node: usize, raw: usize) -> usize {
    let threads = scene.asked.nodes[node].threads;
    match scene.levels.tpc {
        Some(tpc) if scene.asked.version >= 2605 && tpc != threads => raw / threads * tpc,
        Some(_) | None => raw,
    }
}

fn usable(scene: &Scene<'_>, node: usize) -> usize {
    let mut raw = scene.raw[node];
    if let Some(each) = scene.asked.line.gpus_per_task {
        let gpus = scene.asked.nodes[node].gpus.len() / each;
        raw = raw.min(gpus * scene.step.cpus.unwrap_or(1));
    }
    of_threads(scene, node, raw)
}

/// The nodes of the step. Section 4.2.
#[expect(
    clippy::too_many_lines,
    reason = "the steps of the section in their order"
)]
pub(super) fn choose(scene: &mut Scene<'_>) -> Result<(), Class> {
    let asked = scene.asked;
    let refused = Err("launcher-refuses");
    let waits = Err("would-wait");
    let limit = asked.job_threads().unwrap_or(asked.nodes[0].threads);
    if scene.levels.tpc.is_some_and(|tpc| tpc > limit) {
        return refused;
    }
    // 1
    let (mut min, mut max) = (scene.step.min, scene.step.max);
    if max < min {
        return refused;
    }
    let out = asked.line.exclude.clone().unwrap_or_default();
    let mut avail: Vec<usize> = (0..asked.nodes.len())
        .filter(|node| !out.contains(node))
        .collect();
    if asked.version >= 2605 && scene.levels.tpc.is_some() {
        avail.retain(|&node| {
            let same = scene.levels.tpc == Some(asked.nodes[node].threads);
            same || of_threads(scene, node, scene.raw[node]) > 0
        });
    }
    // 3
    let mut picked: Vec<usize> = Vec::new();
    if let Some(names) = scene.step.list.clone() {
        if names.iter().any(|name| !avail.contains(name)) {
            return waits;
        }
        if scene.step.distribution.first == First::Arbitrary {
            min = names.len();
        }
        if names.len() > max {
            return refused;
        }
        if names.len() > min && min > 0 {
            avail.retain(|node| names.contains(node));
        } else {
            avail.retain(|node| !names.contains(node));
            picked = names;
        }
    }
    // 4
    let first = asked.line.relative.unwrap_or(0);
    avail.retain(|&node| node >= first);
    let overcommit = asked.line.has(Flag::Overcommit);
    let wanted = |scene: &Scene<'_>| match overcommit {
        true => 0,
        false => scene.step.n * scene.step.cpus.unwrap_or(1),
    };
    let mut want = wanted(scene);
    // 5
    if scene.step.fits {
        scene.step.n = fit(scene, &avail, min, max)?;
        want = wanted(scene);
    }
    scene.want = want;
    // 6
    let even = scene.cpn.iter().all(|&cpus| cpus == scene.cpn[0]);
    if want > 0 && even && scene.cpn[0] > 0 {
        let counted = asked.nodes[0].counted;
        let most = asked.job_threads().unwrap_or(counted).min(counted);
        let w = match scene.tpc {
            Some(tpc) if tpc < most => want.div_ceil(tpc) * counted,
            Some(_) | None => want,
        };
        min = min.max(w.div_ceil(scene.cpn[0]));
        if scene.step.pack {
            max = min;
        }
        if max < min {
            return refused;
        }
    }
    // 7
    if avail.len() + picked.len() < min {
        return waits;
    }
    // 8
    if min > picked.len() {
        let target = if max > min { max } else { min };
        let target = (target - picked.len()).min(avail.len());
        let have: usize = picked.iter().map(|&node| usable(scene, node)).sum();
        let missing = want.saturating_sub(have);
        let taken = take(scene, &avail, target, missing)?;
        avail.retain(|node| !taken.contains(node));
        picked.extend(taken);
    }
    // 9
    while want > 0 && picked.len() < max {
        let have: usize = picked.iter().map(|&node| usable(scene, node)).sum();
        if have >= want || avail.is_empty() {
            break;
        }
        picked.push(avail.remove(0));
    }
    let have: usize = picked.iter().map(|&node| usable(scene, node)).sum();
    if want > 0 && have < want {
        return refused;
    }
    picked.sort_unstable();
    scene.chosen = picked;
    scene.cpt = cpt(scene);
    Ok(())
}

/// As many tasks as fit.
fn fit(scene: &Scene<'_>, avail: &[usize], min: usize, max: usize) -> Result<usize, Class> {
    let line = &scene.asked.line;
    let none = line.relative.is_some() && scene.asked.version < 2605 && !line.has(Flag::Overlap);
    let looked: &[usize] = if none { &[] } else { avail };
    if looked.len() < min {
        return Err("would-wait");
    }
    let mut cpus = Vec::new();
    for &node in looked {
        let counted = scene.asked.nodes[node].counted;
        cpus.push(match scene.tpc {
            Some(tpc) => scene.raw[node].div_ceil(counted) * tpc,
            None => scene.raw[node],
        });
    }
    if max < cpus.len() {
        cpus.sort_unstable();
        cpus.reverse();
        cpus.truncate(max);
    }
    let each = scene.step.cpus.unwrap_or(1);
    match cpus.iter().map(|cpus| cpus / each).sum() {
        0 => Err("launcher-refuses"),
        n => Ok(n),
    }
}

/// Step 8: nodes that have enough, then smaller ones.
fn take(
    scene: &Scene<'_>,
    avail: &[usize],
    target: usize,
    wanted: usize,
) -> Result<Vec<usize>, Class> {
    if target == 0 || wanted <= target || wanted.div_ceil(target) > 1024 {
        return Ok(avail[..target].to_vec());
    }
    let goal = wanted.div_ceil(target);
    let mut order: Vec<usize> = Vec::new();
    for &node in avail {
        if usable(scene, node) >= goal {
            order.push(node);
        }
    }
    for count in (1..goal).rev() {
        for &node in avail {
            if usable(scene, node) == count {
                order.push(node);
            }
        }
    }
    let (mut taken, mut sum) = (Vec::new(), 0);
    for node in order {
        if taken.len() == target {
            break;
        }
        sum += usable(scene, node);
        taken.push(node);
    }
    match taken.len() == target && sum >= wanted {
        true => Ok(taken),
        false => Err("launcher-refuses"),
    }
}

/// Cpus of a task as the controller counts. Section 4.1.
fn cpt(scene: &Scene<'_>) -> usize {
    if let Some(cpus) = scene.step.cpus.filter(|_| scene.asked.version >= 2405) {
        return cpus;
    }
    if scene.want == 0 || !scene.want.is_multiple_of(scene.step.n) {
        return 0;
    }
    let q = (scene.want / scene.step.n).max(1);
    let sum: usize = scene.cpn.iter().map(|cpus| cpus / q).sum();
    match scene.cpn.iter().any(|&cpus| q > cpus) || sum < scene.step.n {
        true => 0,
        false => q,
    }
}
