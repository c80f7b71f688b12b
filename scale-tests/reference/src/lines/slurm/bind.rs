//! The cpus of each task of a node. Section 7.

use super::cores::{cores, second};
use super::gpus;
use super::{CpuBind, First, Flag, Got, Level, Node, Parameter, Scene, Second};
use crate::cpus::Cpus;
use crate::lines::Class;

/// What each local rank gets.
pub(super) fn bound(scene: &Scene<'_>, at: usize, t: usize) -> Result<Vec<Got>, Class> {
    let node = &scene.asked.nodes[at];
    let own_gpus = gpus::of_step(scene, at, t)?;
    let cores = cores(scene, at, t, &own_gpus)?;
    let avail: Vec<usize> = (0..node.os.len())
        .filter(|cpu| cores[cpu / node.threads])
        .collect();
    let masks = masks(scene, node, &cores, &avail, t)?;
    let seen = gpus::seen(scene, node, &own_gpus, &masks);
    let set = |mask: &Vec<usize>| {
        let mut cpus = Cpus::none();
        mask.iter().for_each(|&cpu| cpus.add(node.os[cpu]));
        cpus
    };
    let got = masks.iter().enumerate().map(|(rank, mask)| {
        let gpus = seen.as_ref().map(|seen| seen[rank].clone());
        (mask.as_ref().map(set), gpus)
    });
    Ok(got.collect())
}

type Mask = Option<Vec<usize>>;

/// The abstract cpus of each local rank; `None`: unbound.
fn masks(
    scene: &Scene<'_>,
    node: &Node,
    cores: &[bool],
    avail: &[usize],
    t: usize,
) -> Result<Vec<Mask>, Class> {
    let everything = || vec![Some(avail.to_vec()); t];
    let all = cores.iter().all(|own| *own);
    match &scene.levels.kind {
        Some(CpuBind::None) if all => return Ok(vec![None; t]),
        Some(CpuBind::None) => return Ok(everything()),
        Some(CpuBind::Masks(lists)) => {
            let mut found = Vec::new();
            for list in lists {
                let mut mask = Vec::new();
                for os in list {
                    let cpu = node.os.iter().position(|own| own == os);
                    match cpu.filter(|cpu| avail.contains(cpu)) {
                        Some(cpu) => mask.push(cpu),
                        None => return Err("launch-fails"),
                    }
                }
                found.push(mask);
            }
            return Ok((0..t)
                .map(|rank| Some(found[rank % found.len()].clone()))
                .collect());
        }
        Some(CpuBind::Rank) if !all => return Err("launch-fails"),
        Some(CpuBind::Rank) => {
            let cpu = |rank: usize| {
                let os = u32::try_from(rank % node.os.len()).unwrap_or(0);
                node.os.iter().position(|own| *own == os)
            };
            return Ok((0..t).map(|rank| cpu(rank).map(|cpu| vec![cpu])).collect());
        }
        Some(CpuBind::Verbose | CpuBind::Level(_)) | None => {}
    }
    let each = scene.step.cpus.unwrap_or(1);
    let level = scene
        .levels
        .level
        .or_else(|| automatic(scene, node, cores, avail, t * each));
    let Some(level) = level else {
        return Ok(everything());
    };
    match dealt(scene, node, avail, t, each, level) {
        Some(masks) => Ok(masks.into_iter().map(Some).collect()),
        None if scene.asked.line.has(Flag::Overcommit) => Ok(everything()),
        None => Err("launch-fails"),
    }
}

fn automatic(
    scene: &Scene<'_>,
    node: &Node,
    cores: &[bool],
    avail: &[usize],
    m: usize,
) -> Option<Level> {
    let (mut whole, mut part) = (0, 0);
    for socket in 0..node.sockets {
        let own = &cores[socket * node.cores..(socket + 1) * node.cores];
        let has = own.iter().filter(|own| **own).count();
        whole += usize::from(has == node.cores);
        part += usize::from(has > 0 && has < node.cores);
    }
    if m == whole && part == 0 {
        Some(Level::Sockets)
    } else if m == cores.iter().filter(|own| **own).count() {
        Some(Level::Cores)
    } else if m == avail.len() {
        Some(Level::Threads)
    } else {
        scene.asked.site.autobind
    }
}

/// What cores and sockets gave so far, and how much they may give.
struct Given<'n> {
    node: &'n Node,
    rt: Option<usize>,
    pc: Option<usize>,
    ps: Option<usize>,
    threads: Vec<usize>,
    tasks: Vec<usize>,
    socket: Vec<usize>,
}

impl Given<'_> {
    fn clear(&mut self) {
        self.threads.fill(0);
        self.tasks.fill(0);
        self.socket.fill(0);
    }
    fn passes(&self, cpu: usize) -> bool {
        let core = cpu / self.node.threads;
        let full = |limit: Option<usize>, count: usize| limit.is_some_and(|most| count >= most);
        full(self.pc, self.tasks[core])
            || full(self.rt, self.threads[core])
            || full(self.ps, self.socket[core / self.node.cores])
    }
    fn finish(&mut self, cpu: usize) {
        let core = cpu / self.node.threads;
        self.tasks[core] += 1;
        self.socket[core / self.node.cores] += 1;
    }
}

/// Masks by a level; `None`: they cannot be distributed.
fn dealt(
    scene: &Scene<'_>,
    node: &Node,
    avail: &[usize],
    t: usize,
    each: usize,
    level: Level,
) -> Option<Vec<Vec<usize>>> {
    let (asked, job) = (scene.asked, scene.asked.job_words());
    let said = scene.step.distribution.second;
    let plane = matches!(scene.step.distribution.first, First::Plane(_));
    let by_site = said.is_none() && asked.site.has(Parameter::DefaultBlock);
    let block = plane || said == Some(Second::Block) || by_site;
    let one = scene.levels.one || node.counted == 1;
    let rt = scene.levels.tpc.or(one.then_some(1));
    let site = asked.site.has(Parameter::OneTaskPerCore).then_some(1);
    let pc = scene.levels.npc.or(job.per_core).or(site);
    let ps = asked.line.per_socket.or(job.per_socket).filter(|_| block);
    if rt.is_some_and(|rt| avail.len() < each * (node.threads / rt)) || avail.len() < t {
        return None;
    }
    let c = if avail.len() < t * each {
        avail.len() / t
    } else {
        each
    };
    let skip = match level == Level::Cores || pc == Some(1) {
        true if c < node.threads => node.threads - c,
        true => c % node.threads,
        false => 0,
    };
    let given = Given {
        node,
        rt,
        pc,
        ps,
        threads: vec![0; node.all()],
        tasks: vec![0; node.all()],
        socket: vec![0; node.sockets],
    };
    let masks = if block {
        in_order(given, avail, t, c, skip)?
    } else {
        in_turn(given, avail, (t, c, skip), second(scene))?
    };
    Some(
        masks
            .iter()
            .map(|mask| widened(node, avail, mask, level))
            .collect(),
    )
}

fn in_order(
    mut given: Given<'_>,
    avail: &[usize],
    t: usize,
    c: usize,
    skip: usize,
) -> Option<Vec<Vec<usize>>> {
    let all = given.node.os.len();
    let (mut masks, mut mask) = (Vec::new(), Vec::new());
    while masks.len() < t {
        let before = masks.len();
        let mut i = 0;
        given.clear();
        while i < all && masks.len() < t {
            if avail.contains(&i) && !given.passes(i) {
                given.threads[i / given.node.threads] += 1;
                mask.push(i);
                if mask.len() == c {
                    given.finish(i);
                    masks.push(std::mem::take(&mut mask));
                    i += skip;
                }
            }
            i += 1;
        }
        if masks.len() == before {
            return None;
        }
    }
    Some(masks)
}

fn in_turn(
    mut given: Given<'_>,
    avail: &[usize],
    (t, c, skip): (usize, usize, usize),
    second: Second,
) -> Option<Vec<Vec<usize>>> {
    let (node, full) = (given.node, second == Second::Fcyclic);
    let end = node.cores * node.threads;
    let mut next = vec![0; node.sockets];
    let (mut masks, mut mask) = (Vec::new(), Vec::new());
    let (mut s, mut steps) = (0, 0);
    while masks.len() < t {
        let from = s;
        while next[s] >= end {
            s = (s + 1) % node.sockets;
            if s == from {
                next.fill(0);
                given.clear();
            }
        }
        let cpu = s * end + next[s];
        next[s] += 1;
        steps += 1;
        if avail.contains(&cpu) && !given.passes(cpu) {
            given.threads[cpu / node.threads] += 1;
            mask.push(cpu);
            if full {
                s = (s + 1) % node.sockets;
            }
            if mask.len() == c {
                given.finish(cpu);
                masks.push(std::mem::take(&mut mask));
                steps = 0;
                next[s] += skip;
                if !full {
                    s = (s + 1) % node.sockets;
                }
            }
        }
        if steps > end * node.sockets {
            return None;
        }
    }
    Some(masks)
}

fn widened(node: &Node, avail: &[usize], mask: &[usize], level: Level) -> Vec<usize> {
    let block = match level {
        Level::Threads => return mask.to_vec(),
        Level::Cores => node.threads,
        Level::Sockets => node.threads * node.cores,
    };
    let touched = |cpu: &&usize| mask.iter().any(|own| own / block == **cpu / block);
    avail.iter().filter(touched).copied().collect()
}
