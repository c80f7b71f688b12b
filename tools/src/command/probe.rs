//! `stowplan probe`: one line with what this process really got.

use crate::affinity;
use crate::environment::{Environment, host_name};
use crate::report::Refused;
use crate::{Console, output};
use stowplan_launchers::environment::Lookup as _;
use stowplan_launchers::environment::rank::identity;
use stowplan_launchers::live::Line;

/// Variables that tell which devices a process sees.
const DEVICES: [&str; 4] = [
    "CUDA_VISIBLE_DEVICES",
    "ROCR_VISIBLE_DEVICES",
    "HIP_VISIBLE_DEVICES",
    "ZE_AFFINITY_MASK",
];

/// Runs the subcommand with the arguments after `probe`. Returns the exit status.
pub fn run(args: &[String], console: &mut Console<'_>) -> u8 {
    let line = match args.first() {
        None => line(console),
        Some(word) => Err(Refused::Told {
            class: "bad-option",
            sentence: format!("probe takes no arguments, and {word:?} is one"),
        }),
    };
    let given = line.and_then(|line| {
        // A single write, so that lines of many processes do not mix.
        let text = format!("{line}\n");
        output::give(None, console.out, |out| out.write_all(text.as_bytes()))
    });
    match given {
        Ok(()) => 0,
        Err(refused) => refused.print(console.err),
    }
}

fn line(console: &Console<'_>) -> Result<Line, Refused> {
    let environment = Environment {
        files: console.files,
    };
    let identity = identity(&environment).map_err(|error| Refused::Told {
        class: error.class(),
        sentence: error.to_string(),
    })?;
    let cpus = affinity::allowed().map_err(|why| Refused::Told {
        class: "cpus-missing",
        sentence: format!("probe: {why}"),
    })?;
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
