//! jsrun: an explicit resource file, one line for each rank.

use super::variables::prefix;
use super::{comment, program};
use crate::launchers::cpus;
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::lists::allowed;
use crate::launchers::script::{File, Script, Signs, Word};
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::fmt::{self, Write};
use stowplan_engine::plan::Located;

pub(crate) fn export<'p>(job: &'p Job<'p>) -> Result<Script<'p>, Unsaid> {
    job.all_named()?;
    let mut words = vec![Word::plain("--erf_input"), Word::path("resources")];
    words.push(Word::Arguments);
    match job.single() {
        Some(only) => {
            job.name_stands(only)?;
            words.extend(program(only));
        }
        None => plain(job)?,
    }
    let file = File {
        name: "resources",
        body: Box::new(|out| write(job, out)),
        signs: Signs::Shown,
    };
    Ok(Script {
        comment: comment(
            "jsrun",
            job,
            super::says(job),
            "that the allocation has these hosts and cpus",
        ),
        launcher: "jsrun",
        words,
        files: vec![file],
        ..Script::default()
    })
}

/// Checks that the lines of programs can carry every word.
fn plain(job: &Job<'_>) -> Result<(), Unsaid> {
    let fine = |sign: char| sign.is_ascii_alphanumeric() || "_@%+=:,./-".contains(sign);
    for program in &job.programs {
        let odd = program
            .words()
            .find(|word| word.is_empty() || !word.chars().all(fine));
        if let Some(word) = odd {
            return Err(Unsaid(format!(
                "the program of rank {} has the word {word:?}, and a resource file takes plain words alone",
                program.first
            )));
        }
        job.name_stands(program)?;
    }
    Ok(())
}

fn write(job: &Job<'_>, out: &mut dyn Write) -> fmt::Result {
    if job.single().is_none() {
        for (number, program) in job.programs.iter().enumerate() {
            let before = prefix(job, program);
            let words: Vec<&str> = before
                .iter()
                .map(String::as_str)
                .chain(program.words())
                .collect();
            writeln!(out, "app {number}: {}", words.join(" "))?;
        }
    }
    writeln!(out, "cpu_index_using: physical")?;
    if shares(job) {
        writeln!(out, "overlapping_rs: allow")?;
    }
    let world = job.plan.world();
    let given = job.gpus.as_ref().map(|_| job.plan.given_gpus());
    let mut next = 0;
    let mut app = 0;
    // All cpus of a node as text, made once for nodes with the same topology and the same usable cpus: as many texts as node
    // shapes.
    let mut whole: HashMap<_, String> = HashMap::new();
    for (rank, at) in job.plan.rows() {
        while rank.0 >= next {
            let program = &job.programs[app];
            next = program.first + program.ranks;
            app += 1;
        }
        let node = job.node_of(at);
        write!(
            out,
            "rank: {rank}: {{ hostname: {}; cpu: {{",
            job.nodes.name(node),
            rank = rank.0
        )?;
        match job.cpus_of(at) {
            Some(cpus) => out.write_str(&cpus::ranges(world.cpusets.get(cpus), ','))?,
            None => {
                let node = job.nodes.node(node);
                let state = world.states.get(world.before.state(node));
                let all = || cpus::ranges(&allowed(job.plan, node), ',');
                let text = whole
                    .entry((state.topology, state.allowed))
                    .or_insert_with(all);
                out.write_str(text)?;
            }
        }
        out.write_str("}")?;
        if let Some(given) = &given {
            let local = place_on_node(job, at);
            let gpus = given.of(job.nodes.node(node), local);
            if !gpus.is_empty() {
                write!(out, "; gpu: {{{}}}", crate::launchers::gpus::numbers(gpus))?;
            }
        }
        writeln!(out, " }} : app {}", app - 1)?;
    }
    Ok(())
}

/// The local rank of a process.
fn place_on_node(job: &Job<'_>, at: Located) -> u32 {
    let run = &job.plan.app(at.app).runs()[at.run as usize];
    run.own_before + at.local
}

/// Whether two ranks of a node have a cpu in common.
fn shares(job: &Job<'_>) -> bool {
    if job.lists.rows.is_empty() {
        return job.lists.groups.iter().any(|group| group.ranks > 1);
    }
    job.lists.rows.iter().any(|list| {
        let mut taken = RoaringBitmap::new();
        list.iter().any(|id| {
            let set = job.lists.sets.get(id);
            let meets = !taken.is_disjoint(set);
            taken |= set;
            meets
        })
    })
}
