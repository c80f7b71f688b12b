//! `stowplan onto`: a saved plan on the hosts that were granted.

use super::carry::{Behind, Split, carry, print, split};
use super::saved::Saved;
use super::show::{self, SHOWS, only_plan, own_options, own_words};
use crate::recorded::Recorded;
use crate::report::Refused;
use crate::{Console, output};
use std::io;
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
    let (words, job) = own_words("onto", &own)?;
    let path = only_plan(&words)?;
    let files = Recorded::new(console.files);
    let mut with_files = Console {
        out: &mut *console.out,
        err: &mut *console.err,
        files: &files,
        screen: console.screen,
        audience: console.audience,
    };
    let saved = Saved::read(path, &files)?;
    let mut carried = carry(saved, &hosts.unwrap_or_default(), &mut with_files)?;
    carried.on_network(&job, &files)?;
    output::refuse_overwriting(&job, &files.paths(&job))?;
    if let Some(path) = &job.save {
        let bytes = carried.bytes();
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    show::write(&carried.told(), &job, console)?;
    print(&carried.notes, console);
    Ok(())
}
