//! `stowplan onto`: a saved plan on the hosts that were granted.

use super::carry::{carry, print};
use super::given::Given;
use super::saved::Saved;
use super::show;
use super::subcommand::{Subcommand, subcommand};
use crate::files_read::Recorded;
use crate::report::Refused;
use crate::{Console, output};
use std::io;
use stowplan::job::options::Meaning;

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    of_job: &[
        Meaning::Host, Meaning::Hostfile, Meaning::Here, Meaning::Topo, Meaning::Devices, Meaning::Save,
        Meaning::Format, Meaning::Columns, Meaning::Dark, Meaning::Size, Meaning::Output,
        Meaning::Node, Meaning::Ranks, Meaning::App, Meaning::Network, Meaning::NetworkLevels,
    ],
    examples: &[
        ("stowplan onto job.plan -H g7,g12 --save granted.plan", "a plan that was made before its nodes were known"),
        ("stowplan show job.plan --onto -H g7,g12 --format tsv", "the same, without a new file"),
    ],
    ..subcommand("onto", "PLAN -H LIST|--hostfile F|--here [--topo T]... [--save NEW] [--format F] [-o FILE]", "Carries a saved plan onto the hosts that were granted, in order: node i is host i", onto)
};

fn onto(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    let given = Given::read(&COMMAND, args)?;
    let job = given.job()?;
    let path = given.only("PLAN")?;
    let files = Recorded::new(console.files);
    let mut with_files = Console {
        out: &mut *console.out,
        err: &mut *console.err,
        files: &files,
        screen: console.screen,
        audience: console.audience,
    };
    let saved = Saved::read(path, &files)?;
    let mut carried = carry(
        saved,
        given.hosts.as_deref().unwrap_or_default(),
        &mut with_files,
    )?;
    carried.on_network(&job, &files)?;
    output::refuse_overwriting(&job, &files.paths(&job))?;
    if let Some(path) = &job.save {
        let bytes = carried.bytes();
        output::give(Some(path), &mut io::sink(), |out| out.write_all(&bytes))?;
    }
    show::write(&carried.told(), &job, console)?;
    print(&carried.notes, console);
    Ok(0)
}
