//! The cores of the step on a node. Sections 6 and 9.

use super::{FREE, Flag, Node, Scene, Second};
use crate::lines::Class;

/// Which cores of a node the step has. `gpus`: the GPUs of the step there.
pub(super) fn cores(
    scene: &Scene<'_>,
    at: usize,
    t: usize,
    gpus: &[usize],
) -> Result<Vec<bool>, Class> {
    let (asked, node) = (scene.asked, &scene.asked.nodes[at]);
    let (version, raw, all) = (asked.version, scene.raw[at], node.all());
    let configured_cores = node.counted == 1;
    let u = if scene.one_thread() || configured_cores {
        1
    } else {
        scene.tpc.unwrap_or(node.threads)
    };
    let npc = scene.levels.npc.filter(|&own| own != FREE);
    let overcommit = asked.line.has(Flag::Overcommit);
    // 1
    let sum: usize = scene.raw.iter().sum();
    let free = version == 2205 || npc.is_none() || npc == asked.job_threads();
    if !overcommit && (scene.want == sum && free || asks_all(scene)) {
        return Ok(node.has.clone());
    }
    let whole = !scene.step.exact || t == all;
    let (needed, p);
    if version == 2205 {
        // 3
        if whole {
            return Ok(node.has.clone());
        }
        needed = match scene.cpt {
            0 => t,
            cpt if cpt > u => t * cpt.div_ceil(u),
            cpt => (t * cpt).div_ceil(u),
        };
        if needed > raw {
            return Err("launcher-refuses");
        }
        p = needed / t;
    } else {
        // 4
        let mut q = scene.cpt;
        if let Some(npc) = npc {
            let a = scene.tpc.unwrap_or(node.counted) / npc;
            if a > 1 {
                q = q.next_multiple_of(a);
            }
        }
        if whole && (t <= all * npc.unwrap_or(u) || overcommit && version < 2605) {
            return Ok(match gpus.is_empty() || version >= 2605 {
                true => node.has.clone(),
                false => twice(scene, node, raw.div_ceil(u), t, gpus),
            });
        }
        needed = if q > 0 { (t * q).div_ceil(u) } else { t };
        let beyond = match version >= 2411 {
            true => needed > raw.div_ceil(u),
            false => needed * u > raw,
        };
        if beyond && !overcommit {
            return Err("launcher-refuses");
        }
        p = needed.div_ceil(t);
    }
    let mut taken = vec![false; all];
    let mut left = needed;
    for pool in pools(node, gpus) {
        let open: Vec<bool> = (0..all).map(|core| pool[core] && !taken[core]).collect();
        for core in take(node, &open, left, p, second(scene)) {
            taken[core] = true;
            left -= 1;
        }
    }
    if left > 0 && !overcommit {
        return Err("would-wait");
    }
    Ok(taken)
}

/// Whether a line makes its job and says nothing of tasks and cpus: it asks for all cpus.
fn asks_all(scene: &Scene<'_>) -> bool {
    let (line, step) = (&scene.asked.line, &scene.step);
    let counts = [line.tasks, line.per_node, step.cpus, line.per_gpu];
    let silent = counts.iter().all(Option::is_none) && scene.levels.tpc.is_none();
    silent && scene.asked.job.is_none()
}

pub(super) fn second(scene: &Scene<'_>) -> Second {
    scene.step.distribution.second.unwrap_or(Second::Cyclic)
}

/// Cores near every GPU, near some, all.
fn pools(node: &Node, gpus: &[usize]) -> Vec<Vec<bool>> {
    let near = |gpu: &usize, core: usize| node.gpus[*gpu].contains(&core);
    let all = node.has.clone();
    if gpus.is_empty() {
        return vec![all];
    }
    let both = (0..all.len()).map(|core| all[core] && gpus.iter().all(|gpu| near(gpu, core)));
    let any = (0..all.len()).map(|core| all[core] && gpus.iter().any(|gpu| near(gpu, core)));
    vec![both.collect(), any.collect(), all.clone()]
}

/// Up to 24.11 each pass counts again the cores that it already had.
fn twice(scene: &Scene<'_>, node: &Node, needed: usize, t: usize, gpus: &[usize]) -> Vec<bool> {
    let p = needed.div_ceil(t);
    let pools = pools(node, gpus);
    let mut left = needed;
    let mut found = vec![false; node.all()];
    for (pass, pool) in pools.iter().enumerate() {
        if pass > 0 && *pool == pools[pass - 1] {
            continue;
        }
        for core in take(node, pool, left, p, second(scene)) {
            found[core] = true;
            left -= 1;
        }
    }
    found
}

/// Cores of a pool in the order of the second part.
fn take(node: &Node, pool: &[bool], needed: usize, p: usize, second: Second) -> Vec<usize> {
    let mut taken = Vec::new();
    match second {
        Second::Block => {
            for (core, &open) in pool.iter().enumerate() {
                if open && taken.len() < needed {
                    taken.push(core);
                }
            }
        }
        Second::Fcyclic => {
            for place in 0..node.cores {
                for socket in 0..node.sockets {
                    let core = socket * node.cores + place;
                    if pool[core] && taken.len() < needed {
                        taken.push(core);
                    }
                }
            }
        }
        Second::Cyclic => {
            let mut next = vec![0; node.sockets];
            let mut counter = 0;
            while taken.len() < needed && next.iter().any(|&at| at < node.cores) {
                #[expect(
                    clippy::needless_range_loop,
                    reason = "a socket is a number of cores too"
                )]
                for socket in 0..node.sockets {
                    while next[socket] < node.cores && taken.len() < needed {
                        let core = socket * node.cores + next[socket];
                        next[socket] += 1;
                        if !pool[core] {
                            continue;
                        }
                        taken.push(core);
                        counter += 1;
                        if counter == p {
                            counter = 0;
                            break;
                        }
                    }
                }
            }
        }
    }
    taken
}
