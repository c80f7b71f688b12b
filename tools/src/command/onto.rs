//! `stowplan onto`: a saved plan on the hosts that were granted.

use super::carry::{Behind, Split, carry, print, split};
use super::saved::Saved;
use super::show::{self, misplaced, own_options};
use crate::report::Refused;
use crate::{Console, output};
use std::io;
use stowplan_engine::error::spec::OptionFault;
use stowplan_engine::plan::bytes::Remarks;
use stowplan_job::args::job_args;
use stowplan_job::line::launched::Launched;
use stowplan_job::options::Meaning;

/// Runs the subcommand with the arguments after `onto`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    match answer(args, console) {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

fn answer(args: &[String], console: &mut Console<'_>) -> Result<(), Refused> {
    let Split { own, hosts } = split(args, Behind::Options);
    own_options(
        "onto",
        &own,
        &[
            Meaning::Format,
            Meaning::Columns,
            Meaning::Output,
            Meaning::Save,
            Meaning::Node,
            Meaning::Ranks,
            Meaning::App,
            Meaning::Network,
            Meaning::NetworkLevels,
        ],
    )?;
    let (words, job) = job_args(&own)?;
    let path = match words.as_slice() {
        [path] => path,
        [] => return Err(misplaced("PLAN", OptionFault::NoValue)),
        [_, second, ..] => return Err(misplaced(second, OptionFault::Misplaced)),
    };
    output::refuse_overwriting(&job, std::slice::from_ref(path))?;
    let saved = Saved::read(path, console.files)?;
    let mut carried = carry(saved, &hosts.unwrap_or_default(), console)?;
    carried.on_network(&job, console.files)?;
    if let Some(path) = &job.save {
        let bytes = bytes(&carried);
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    show::write(&carried.told(), &job, console)?;
    print(&carried.notes, console);
    Ok(())
}

/// The bytes of a plan with what was shown beside it.
fn bytes(saved: &Saved) -> Vec<u8> {
    let source = |id| saved.sources.of(id).map(str::to_owned);
    saved.plan.to_bytes_with(&Remarks {
        sources: saved.plan.world().topologies.ids().map(source).collect(),
        notes: saved.notes.clone(),
        reading: saved.sources.launched.as_ref().map(Launched::remark),
    })
}
