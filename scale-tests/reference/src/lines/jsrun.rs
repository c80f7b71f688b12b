//! A line of jsrun, one rank at a time, as far as it is certain. Source: `lines/jsrun/spec.md` 3, 4.

use super::{Class, LineRow, set_of};

/// `-b`
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bind {
    /// `none`
    Free,
    /// `rs`
    Set,
    /// `packed:K`
    Packed(usize),
}

/// `-l`: where resource sets with GPUs are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Latency {
    /// `gpu-cpu`: out of the package of their GPUs.
    Gpu,
    /// `cpu-cpu`: core after core.
    Cpu,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Jsrun {
    /// The hosts, which are alike.
    pub hosts: Vec<String>,
    /// The threads of each core of each package.
    pub packages: Vec<Vec<Vec<u32>>>,
    /// The package of each GPU.
    pub gpu_packages: Vec<usize>,
    /// `-n`
    pub sets: Option<usize>,
    /// `-r`
    pub per_host: Option<usize>,
    /// `-a`
    pub tasks: Option<usize>,
    /// `-p`
    pub all_tasks: Option<usize>,
    /// `-c`; `None`: `ALL_CPUS`.
    pub cores: Option<usize>,
    /// `-g`; `None`: `ALL_GPUS`.
    pub gpus: Option<usize>,
    /// `-b`
    pub bind: Bind,
    /// `-d`: ranks that a set has in one turn, `packed` any number.
    pub turn: Option<usize>,
    /// `-l`
    pub latency: Latency,
}

/// A resource set: the threads of its cores, its GPUs.
#[derive(Clone)]
struct Set {
    cores: Vec<Vec<u32>>,
    gpus: Vec<usize>,
}

/// Why a node has no further set: it lacks something, or what it would be is not known.
type End = Class;
const LACKS: End = "launcher-refuses";
const UNKNOWN: End = "not-modelled";

/// Places every rank.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Jsrun) -> Result<Vec<LineRow>, Class> {
    let tasks = tasks(line)?;
    let (sets, of_host) = fill(line)?;
    let all: usize = of_host.iter().sum();
    let turn = match line.turn {
        Some(turn) => turn,
        None if tasks == 1 || all == 1 => tasks,
        None => return Err("not-modelled"),
    };
    let mut rows = Vec::new();
    let mut locals = vec![0; line.hosts.len()];
    let mut first = 0;
    while first < tasks {
        let end = tasks.min(first.saturating_add(turn));
        for (host, &count) in of_host.iter().enumerate() {
            for set in &sets[..count] {
                for task in first..end {
                    rows.push(LineRow {
                        app: 0,
                        node: line.hosts[host].clone(),
                        local: locals[host],
                        cpus: cpus(line.bind, set, task)?.map(set_of),
                        gpus: (!set.gpus.is_empty()).then(|| {
                            set.gpus
                                .iter()
                                .filter_map(|&gpu| u32::try_from(gpu).ok())
                                .collect()
                        }),
                    });
                    locals[host] += 1;
                }
            }
        }
        first = end;
    }
    Ok(rows)
}

/// Ranks of a set.
fn tasks(line: &Jsrun) -> Result<usize, Class> {
    let Some(all) = line.all_tasks else {
        return Ok(line.tasks.unwrap_or(1));
    };
    let sets = line.sets.ok_or("not-modelled")?;
    let each = all / sets;
    if each * sets != all || line.tasks.is_some_and(|own| own != each) {
        return Err("not-modelled");
    }
    Ok(each)
}

/// The sets that a host holds, and how many of them each host gets.
fn fill(line: &Jsrun) -> Result<(Vec<Set>, Vec<usize>), Class> {
    let (sets, end) = cut(line);
    let fits = sets.len();
    let mut left = line.sets.unwrap_or(usize::MAX);
    let wanted = line.per_host.map_or(1, |each| each.min(left));
    if fits < wanted {
        return Err(end.unwrap_or(LACKS));
    }
    if line.per_host.is_none() && left > fits && end == Some(UNKNOWN) {
        return Err(UNKNOWN);
    }
    let mut of_host = Vec::new();
    for _ in &line.hosts {
        let own = fits.min(left);
        of_host.push(own);
        left -= own;
    }
    match line.sets.is_some() && left > 0 {
        true => Err("not-modelled"),
        false => Ok((sets, of_host)),
    }
}

/// Cuts sets out of a host: `-r` of them, or all that it holds.
fn cut(line: &Jsrun) -> (Vec<Set>, Option<End>) {
    let all: usize = line.packages.iter().map(Vec::len).sum();
    let cores = line.cores.unwrap_or(all);
    let gpus = line.gpus.unwrap_or(line.gpu_packages.len());
    let mut free = line.packages.clone();
    let mut sets = Vec::new();
    while line.per_host.is_none_or(|most| sets.len() < most) {
        let first = sets.len() * gpus;
        let own: Vec<usize> = (first..first + gpus).collect();
        if first + gpus > line.gpu_packages.len() {
            return (sets, Some(LACKS));
        }
        let near: Vec<usize> = own.iter().map(|&gpu| line.gpu_packages[gpu]).collect();
        let found = match (line.latency, near.first()) {
            (_, None) if cores == 0 => Err(UNKNOWN),
            (Latency::Gpu, Some(&package)) => {
                let alike = near.iter().all(|&own| own == package);
                match alike {
                    true if free[package].len() >= cores => {
                        Ok(free[package].drain(..cores).collect())
                    }
                    false if cores == all => in_order(line, &mut free, cores),
                    _ => Err(UNKNOWN),
                }
            }
            (_, _) => in_order(line, &mut free, cores),
        };
        match found {
            Ok(cores) => sets.push(Set { cores, gpus: own }),
            Err(end) => return (sets, Some(end)),
        }
    }
    (sets, None)
}

/// The next cores in order: of one package, or whole packages.
fn in_order(line: &Jsrun, free: &mut [Vec<Vec<u32>>], cores: usize) -> Result<Vec<Vec<u32>>, End> {
    let first = free.iter().position(|left| !left.is_empty()).ok_or(LACKS)?;
    if free[first].len() >= cores {
        return Ok(free[first].drain(..cores).collect());
    }
    let mut found: Vec<Vec<u32>> = Vec::new();
    for (left, package) in free.iter_mut().zip(&line.packages).skip(first) {
        if found.len() == cores {
            break;
        }
        if left.len() < package.len() || found.len() + package.len() > cores {
            return Err(UNKNOWN);
        }
        found.append(left);
    }
    match found.len() == cores {
        true => Ok(found),
        false => Err(LACKS),
    }
}

fn cpus(bind: Bind, set: &Set, task: usize) -> Result<Option<Vec<u32>>, Class> {
    match bind {
        Bind::Free => Ok(None),
        Bind::Set if set.cores.is_empty() => Err("not-modelled"),
        Bind::Set => Ok(Some(set.cores.concat())),
        Bind::Packed(cores) => {
            let own = set.cores.get(task * cores..(task + 1) * cores);
            Ok(Some(own.ok_or("not-modelled")?.concat()))
        }
    }
}
