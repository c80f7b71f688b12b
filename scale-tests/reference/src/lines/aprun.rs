//! A line of aprun, one rank at a time, as far as it is certain. Source: `lines/aprun/spec.md` 3, 4.

use super::{Class, LineRow, set_of};

/// `-cc`
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bind {
    /// `none`
    Free,
    /// `cpu` or `depth`: the cpus that a rank is dealt.
    Dealt,
    /// `numa_node`
    Numa,
    /// A set for each local rank.
    Sets(Vec<Vec<u32>>),
    /// A cpu for each rank in turn; `None`: unbound.
    Cpus(Vec<Option<u32>>),
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// `-n`
    pub ranks: usize,
    /// `-N`
    pub per_node: Option<usize>,
    /// `-d`
    pub depth: usize,
    /// `-j`
    pub threads: usize,
    /// `-S`
    pub per_numa: Option<usize>,
    /// `-sl`, or the first of `-sn`.
    pub numas: Option<Vec<usize>>,
    /// `-cc`
    pub bind: Bind,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aprun {
    /// The hosts.
    pub hosts: Vec<String>,
    /// The programs.
    pub programs: Vec<Program>,
    /// The threads of each core of each NUMA node of a host.
    pub numas: Vec<Vec<Vec<u32>>>,
}

/// Places every rank.
///
/// # Errors
/// The class of the refusal.
pub fn place(line: &Aprun) -> Result<Vec<LineRow>, Class> {
    let in_doubt = |program: &Program| program.threads > 1 && program.depth > 1;
    if line.programs.iter().any(in_doubt) {
        return Err("not-modelled");
    }
    let mut rows = Vec::new();
    let mut free = line.hosts.as_slice();
    for (app, program) in line.programs.iter().enumerate() {
        let numas = numas(line, program);
        let each = each(program, &numas)?;
        let needed = program.ranks.div_ceil(each);
        if needed > free.len() {
            return Err("launcher-refuses");
        }
        for rank in 0..program.ranks {
            let local = rank % each;
            rows.push(LineRow {
                app,
                node: free[rank / each].clone(),
                local,
                cpus: cpus(line, program, &numas, local)?.map(set_of),
                gpus: None,
            });
        }
        free = &free[needed..];
    }
    Ok(rows)
}

/// The cpus that a program uses of each NUMA node that it uses.
fn numas(line: &Aprun, program: &Program) -> Vec<Vec<u32>> {
    let mut used = Vec::new();
    for (at, numa) in line.numas.iter().enumerate() {
        if program
            .numas
            .as_ref()
            .is_some_and(|list| !list.contains(&at))
        {
            continue;
        }
        let mut cpus: Vec<u32> = Vec::new();
        for core in numa {
            cpus.extend(core.iter().take(program.threads));
        }
        cpus.sort_unstable();
        used.push(cpus);
    }
    used
}

/// How many ranks each node has.
fn each(program: &Program, numas: &[Vec<u32>]) -> Result<usize, Class> {
    let fits = |cpus: usize| cpus / program.depth;
    let holds = match program.per_numa {
        None => fits(numas.iter().map(Vec::len).sum()),
        Some(each) => {
            let least = numas.iter().map(|numa| fits(numa.len())).min();
            if each > least.unwrap_or(0) {
                return Err("launcher-refuses");
            }
            each * numas.len()
        }
    };
    let each = program.per_node.unwrap_or(holds);
    if holds == 0 || each > holds {
        return Err("launcher-refuses");
    }
    Ok(each)
}

fn cpus(
    line: &Aprun,
    program: &Program,
    numas: &[Vec<u32>],
    local: usize,
) -> Result<Option<Vec<u32>>, Class> {
    let dealt = || {
        let (cpus, first) = match program.per_numa {
            Some(each) => (numas[local / each].clone(), local % each * program.depth),
            None => {
                let mut all = numas.concat();
                all.sort_unstable();
                (all, local * program.depth)
            }
        };
        cpus[first..first + program.depth].to_vec()
    };
    let there = |set: Vec<u32>| {
        let known = |cpu: &u32| line.numas.iter().flatten().flatten().any(|own| own == cpu);
        match set.iter().all(known) {
            true => Ok(Some(set)),
            false => Err("launch-fails"),
        }
    };
    match &program.bind {
        Bind::Free => Ok(None),
        Bind::Dealt => Ok(Some(dealt())),
        Bind::Numa => {
            let first = dealt()[0];
            Ok(numas.iter().find(|numa| numa.contains(&first)).cloned())
        }
        Bind::Sets(sets) => there(sets.get(local).ok_or("not-modelled")?.clone()),
        Bind::Cpus(_) if program.depth > 1 => Err("not-modelled"),
        Bind::Cpus(list) => match list[local % list.len()] {
            Some(cpu) => there(vec![cpu]),
            None => Ok(None),
        },
    }
}
