//! srun's arithmetic, step by step. Section 3.

use super::level::Levels;
use super::{Distribution, First, Flag, Packing, Parameter, Slurm, Words};
use crate::lines::Class;

/// What is asked of the controller.
pub(super) struct Step {
    pub(super) n: usize,
    pub(super) min: usize,
    pub(super) max: usize,
    pub(super) cpus: Option<usize>,
    pub(super) tpn: Option<usize>,
    pub(super) fits: bool,
    pub(super) exact: bool,
    pub(super) list: Option<Vec<usize>>,
    /// The list in its order, with names that stand twice.
    pub(super) order: Vec<usize>,
    pub(super) distribution: Distribution,
    pub(super) pack: bool,
}

fn different(list: &[usize]) -> Vec<usize> {
    let mut found = Vec::new();
    for &node in list {
        if !found.contains(&node) {
            found.push(node);
        }
    }
    found
}

/// Steps 1 to 10.
#[expect(
    clippy::too_many_lines,
    reason = "the steps of the section in their order"
)]
pub(super) fn step(
    asked: &Slurm,
    env: &Words,
    levels: &Levels,
    cpn: &[usize],
) -> Result<Step, Class> {
    let (line, version, all) = (&asked.line, asked.version, asked.nodes.len());
    let refused = Err("launcher-refuses");
    let plain = Distribution {
        first: First::Block,
        second: None,
        packing: None,
    };
    let distribution = line.distribution.or(env.distribution).unwrap_or(plain);
    let block = distribution.first == First::Block;
    let by_site = asked.site.has(Parameter::PackNodes) && block;
    let pack = distribution.packing == Some(Packing::Pack)
        || by_site && distribution.packing != Some(Packing::NoPack);
    let arbitrary = distribution.first == First::Arbitrary;
    let cpus = line.cpus.or(env.cpus);
    let mut n = line.tasks.or(env.tasks);
    let mut set = n.is_some();
    let mut n_by_env = line.tasks.is_none() && env.tasks.is_some();
    let mut nodes_by_env = line.nodes.is_none() && env.nodes.is_some();
    let mut given = line.nodes.is_some() || env.nodes.is_some();
    let (mut min, mut max) = line.nodes.or(env.nodes).unwrap_or((1, 0));
    let mut tpn = line.per_node.or(env.per_node);
    let mut list = line.list.as_ref().map(|list| different(list));
    let order = line.list.clone().unwrap_or_default();
    let mut h = list.as_ref().map_or(0, Vec::len);
    // 1
    let mpack = pack && nodes_by_env;
    if mpack {
        min = 1;
    }
    // 2
    if arbitrary {
        if order.is_empty() {
            return refused;
        }
        if n_by_env {
            n = None;
            n_by_env = false;
        }
        if version >= 2311 && line.nodes.is_some() {
            return refused;
        }
        if n.is_some_and(|n| n != order.len()) {
            return refused;
        }
        n = Some(order.len());
        set = true;
        if line.nodes.is_none() {
            (min, max) = (h, h);
            given = true;
            nodes_by_env = false;
        }
    }
    // 3
    if let Some(names) = &mut list {
        if version == 2205 {
            if !arbitrary && max > 0 && h > max {
                names.truncate(max);
                h = max;
            }
            min = if given { min.max(h) } else { h };
            given = true;
        } else if given {
            h = 0;
        } else {
            min = h;
            given = true;
        }
    }
    // 4
    let open = min == max || max == 0;
    let guess =
        (given || line.extra.is_some()) && open && !set && (version == 2205 || tpn.is_none());
    if guess {
        n = Some(min);
        let extra = line.extra.map(|extra| (extra.sockets, extra.cores));
        if let (Some((Some(sockets), Some(cores))), Some(threads)) = (extra, levels.tpc) {
            n = Some(min * sockets * cores * threads);
            set = true;
        } else if let Some(each) = tpn.filter(|_| version == 2205) {
            n = Some(min * each);
            set = true;
        }
    } else if let (true, true, Some(tasks)) = (given, set, n) {
        // 5
        max = max.min(tasks);
        if tasks < min {
            (min, max) = (tasks, tasks);
            nodes_by_env = false;
            if let Some(names) = list.as_mut().filter(|_| h > min) {
                names.sort_unstable();
                names.truncate(min);
            }
        }
        if let Some(each) = tpn {
            if version >= 2302 && n_by_env && !nodes_by_env {
                n = None;
                set = false;
                n_by_env = false;
            } else if version < 2405 {
                if each != tasks / min {
                    tpn = None;
                }
            } else if max > 0 && tasks > max * each && !mpack
                || mpack && tasks != min * each && tasks > each
            {
                tpn = None;
            }
        }
    }
    // 6
    if let Some(each) = tpn.filter(|_| !set) {
        n = Some(min * each);
        set = true;
    }
    let mut n = n.unwrap_or(1);
    // 7
    if line.relative.is_some_and(|first| first + min > all) {
        return refused;
    }
    // 8
    let out = line.exclude.clone().unwrap_or_default();
    let mut nn = (0..all).filter(|node| !out.contains(node)).count();
    if list.iter().flatten().any(|node| out.contains(node)) || nn == 0 {
        return refused;
    }
    if !given {
        min = if set && n < nn { n } else { nn };
    }
    if max == 0 {
        max = min;
    }
    nn = nn.min(max);
    if line.exclude.is_some() {
        let mut filled = list.unwrap_or_default();
        for node in 0..all {
            if filled.len() < nn && !out.contains(&node) && !filled.contains(&node) {
                filled.push(node);
            }
        }
        list = Some(filled);
    }
    // 9
    let said = line.tasks.is_some() || n_by_env;
    let settled = match version {
        2205 => set,
        2302 | 2311 => set && tpn.is_none(),
        _ => said || set && tpn.is_none(),
    };
    let mut fits = false;
    if !settled {
        match (tpn, cpus) {
            (Some(each), _) => n = (nn * each).max(nn),
            (None, Some(c)) if version < 2405 => {
                let sum: usize = cpn.iter().map(|cpus| cpus / c).sum();
                n = nn.max(sum);
            }
            (None, Some(_)) => fits = true,
            (None, None) => n = nn,
        }
    }
    // 10
    if min > nn {
        return refused;
    }
    let overcommit = line.has(Flag::Overcommit);
    Ok(Step {
        n,
        min: nn.min(min),
        max: nn.min(max),
        cpus,
        tpn,
        fits,
        // Cpus of a task make a step exact, but not under -O.
        exact: line.has(Flag::Exact) || cpus.is_some() && !overcommit,
        list,
        order,
        distribution,
        pack,
    })
}
