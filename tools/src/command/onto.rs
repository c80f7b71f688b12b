//! `stowplan onto`: a saved plan on the hosts that were granted.

use super::carry::{Behind, Split, carry, print, split};
use super::saved::Saved;
use super::show::{self, SHOWS, only_plan, own_options};
use crate::report::Refused;
use crate::{Console, output};
use std::io;
use stowplan_job::args::job_args;
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
    own_options("onto", &own, &[SHOWS, &[Meaning::Save]].concat())?;
    let (words, job) = job_args(&own)?;
    let path = only_plan(&words)?;
    output::refuse_overwriting(&job, std::slice::from_ref(path))?;
    let saved = Saved::read(path, console.files)?;
    let mut carried = carry(saved, &hosts.unwrap_or_default(), console)?;
    carried.on_network(&job, console.files)?;
    if let Some(path) = &job.save {
        let bytes = carried.bytes();
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    show::write(&carried.told(), &job, console)?;
    print(&carried.notes, console);
    Ok(())
}
