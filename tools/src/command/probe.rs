//! `stowplan probe`: one line with what this process really got.

use super::given::Given;
use super::subcommand::{Subcommand, subcommand};
use crate::affinity;
use crate::environment::{Environment, host_name};
use crate::report::{Refused, told};
use crate::{Console, output};
use stowplan::launchers::environment::Lookup as _;
use stowplan::launchers::environment::rank::identity;
use stowplan::launchers::live::Line;

/// Variables that tell which devices a process sees.
const DEVICES: [&str; 4] = [
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
];

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    examples: &[("stowplan probe", "under a launcher: srun stowplan probe | sort -n")],
    ..subcommand("probe", "", "Says in one line what this process really got: rank, host, cpus, devices, where each was read", run)
};

fn run(args: &[String], console: &mut Console<'_>) -> Result<u8, Refused> {
    Given::read(&COMMAND, args)?.no_words()?;
    // A single write, so that lines of many processes do not mix.
    let text = format!("{}\n", line(console)?);
    output::give(None, console.out, |out| out.write_all(text.as_bytes())).map(|()| 0)
}

fn line(console: &Console<'_>) -> Result<Line, Refused> {
    let environment = Environment {
        files: console.files,
    };
    let identity = identity(&environment);
    let identity = identity.map_err(|error| told(error.class(), error.to_string()))?;
    let cpus = affinity::allowed();
    let cpus = cpus.map_err(|why| told("cpus-missing", format!("probe: {why}")))?;
    let devices = DEVICES
        .iter()
        .find_map(|&name| Some((environment.variable(name)?, name)));
    let (host, host_from) = identity.host.unwrap_or_else(|| (host_name(), "hostname"));
    Ok(Line {
        rank: identity.rank.map(|(rank, _)| rank),
        host,
        cpus,
        sources: [
            identity.rank.map_or("-", |(_, name)| name),
            host_from,
            "affinity",
            devices.as_ref().map_or("-", |(_, name)| name),
        ],
        devices: devices.map(|(value, _)| value),
    })
}
