//! `#PBS`: `-l select=N:ncpus=C:mpiprocs=M+…` of PBS Professional, `-l nodes=N:ppn=P+…` of Torque.

use super::{Asked, Said, number};
use crate::job::batch::text::{Span, Text};
use stowplan_engine::error::SpecError;

/// What qsub's words fix.
pub(crate) fn asked(said: &Said, text: &Text<'_>) -> Result<Asked, SpecError> {
    let mut asked = Asked::default();
    for (list, span) in said.values("-l") {
        for (key, value) in resources(list) {
            match key {
                "select" => select(value, span, text, &mut asked)?,
                "nodes" => torque(value, span, text, &mut asked)?,
                _ => {}
            }
        }
    }
    for (list, _) in said.values("-v") {
        for (name, value) in list.split(',').filter_map(|part| part.split_once('=')) {
            asked.set(name, value);
        }
    }
    if asked.nodes.is_empty() {
        asked.push(1, Some(1));
    }
    Ok(asked)
}

/// The resources of a list. `select` and `place` have colons and equal signs of their own.
fn resources(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split(',').filter_map(|part| part.split_once('='))
}

/// How many there are of a chunk, and what it has: keys and values.
type Chunk<'c> = (u32, Vec<(&'c str, &'c str)>);

/// The number before a chunk, 1 if there is none; and what it has.
fn chunk<'c>(chunk: &'c str, span: Span, text: &Text<'_>) -> Result<Chunk<'c>, SpecError> {
    let mut parts = chunk.split(':').peekable();
    let counted = parts.next_if(|part| part.starts_with(|sign: char| sign.is_ascii_digit()));
    let count = match counted {
        Some(count) => number(text, span, "#PBS -l: ", count)?,
        None => 1,
    };
    let rest = parts.map(|part| part.split_once('=').unwrap_or((part, "")));
    Ok((count, rest.collect()))
}

/// `select=`: each chunk is taken for a node.
fn select(value: &str, span: Span, text: &Text<'_>, asked: &mut Asked) -> Result<(), SpecError> {
    asked.nodes.clear();
    let mut first = true;
    for own in value.split('+') {
        let (count, has) = chunk(own, span, text)?;
        let of = |key: &str| -> Result<Option<u32>, SpecError> {
            let found = has.iter().find(|(own, _)| *own == key);
            found
                .map(|(_, value)| number(text, span, &format!("#PBS {key}="), value))
                .transpose()
        };
        let cpus = of("ncpus")?.unwrap_or(1);
        asked.push(count, Some(of("mpiprocs")?.unwrap_or(1)));
        if first {
            asked.set("NCPUS", cpus);
            asked.set("OMP_NUM_THREADS", of("ompthreads")?.unwrap_or(cpus));
        }
        first = false;
    }
    Ok(())
}

/// `nodes=`: numbers or names.
fn torque(value: &str, span: Span, text: &Text<'_>, asked: &mut Asked) -> Result<(), SpecError> {
    asked.nodes.clear();
    let mut names = Vec::new();
    let mut total = 0_u64;
    let mut each = 1;
    for own in value.split('+') {
        let (count, has) = chunk(own, span, text)?;
        let found = has.iter().find(|(key, _)| *key == "ppn");
        each = match found {
            Some((_, value)) => number(text, span, "#PBS ppn=", value)?,
            None => 1,
        };
        asked.push(count, Some(each));
        total += u64::from(count) * u64::from(each);
        let named = own.split(':').next().unwrap_or_default();
        if !named.starts_with(|sign: char| sign.is_ascii_digit()) {
            names.push(named);
        }
    }
    if !names.is_empty() && names.len() as u64 == asked.count() {
        asked.named = Some(names.join(","));
    }
    asked.set("PBS_NP", total);
    asked.set("PBS_NUM_NODES", asked.count());
    asked.set("PBS_NUM_PPN", each);
    Ok(())
}
