//! A line of PALS, one rank at a time, as far as it is certain. Source: `lines/pals/spec.md` 3, 4.

use super::{Class, LineRow, set_of};

/// What a local rank is bound to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bind {
    /// Nothing is said, or `none`.
    Free,
    /// A set for each local rank.
    List(Vec<Vec<u32>>),
    /// The next cpus in OS order.
    Depth,
    /// The next cores.
    Core,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pals {
    /// The hosts.
    pub hosts: Vec<String>,
    /// `-n`
    pub ranks: usize,
    /// `-ppn`
    pub per_host: Option<usize>,
    /// `-d`
    pub depth: usize,
    /// `--cpu-bind`
    pub bind: Bind,
    /// The threads of each core of a host, in the order of their first thread.
    pub cores: Vec<Vec<u32>>,
}

/// Places every rank.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Pals) -> Result<Vec<LineRow>, Class> {
    let each = match line.per_host {
        Some(each) => each,
        None if line.hosts.len() == 1 => line.ranks,
        None => return Err("not-modelled"),
    };
    if line.ranks > each * line.hosts.len() {
        return Err("not-modelled");
    }
    let mut cpus: Vec<u32> = line.cores.iter().flatten().copied().collect();
    cpus.sort_unstable();
    let mut rows = Vec::new();
    for rank in 0..line.ranks {
        let local = rank % each;
        let own: Option<Vec<u32>> = match &line.bind {
            Bind::Free => None,
            Bind::List(sets) => {
                // One set without a colon is every rank's.
                let set = if sets.len() == 1 {
                    sets.first()
                } else {
                    sets.get(local)
                };
                let set = set.ok_or("not-modelled")?;
                if set.iter().any(|cpu| !cpus.contains(cpu)) {
                    return Err("launch-fails");
                }
                Some(set.clone())
            }
            // Which thread comes first where those of a core have neighbouring numbers is not known.
            Bind::Depth
                if line
                    .cores
                    .iter()
                    .any(|core| core.windows(2).any(|two| two[1] == two[0] + 1)) =>
            {
                return Err("not-modelled");
            }
            Bind::Depth => {
                let first = local * line.depth;
                let own = cpus.get(first..first + line.depth);
                Some(own.ok_or("not-modelled")?.to_vec())
            }
            Bind::Core => {
                let first = local * line.depth;
                let own = line.cores.get(first..first + line.depth);
                Some(own.ok_or("not-modelled")?.concat())
            }
        };
        rows.push(LineRow {
            app: 0,
            node: line.hosts[rank / each].clone(),
            local,
            cpus: own.map(set_of),
            gpus: None,
        });
    }
    Ok(rows)
}
