//! The hosts of a line of PALS, in order, each once. Source: `lines/pals/spec.md` 2 and 3.

use super::words::Means;
use crate::launchers::line::table::Part;
use crate::launchers::line::{Allocation, LineAsked, LineNote, LineRefused};
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::hostlist::{plain, read_host_names};

/// The hosts of a job.
pub(super) struct Hosts {
    /// The nodes.
    pub(super) allocation: Allocation,
    /// Notes about them.
    pub(super) notes: Vec<LineNote>,
    /// What named them.
    pub(super) origin: &'static str,
}

/// The hosts of a line. A file wins over a list, the line over variables, and these over our own words.
///
/// # Errors
/// `launcher-refuses` for a file or a list that cannot be read, and for a host outside of our own.
pub(super) fn read(asked: &LineAsked<'_>, line: &Part<Means>) -> Result<Hosts, LineRefused> {
    let (names, origin) = if let Some(said) = line.last(Means::HostFile) {
        (
            file(asked, &said.value)
                .map_err(|why| said.refused(asked, "launcher-refuses", &why))?,
            "--hostfile",
        )
    } else if let Some(said) = line.last(Means::Hosts) {
        (
            list(&said.value).map_err(|why| said.refused(asked, "launcher-refuses", &why))?,
            "--hosts",
        )
    } else {
        variables(asked)?
    };
    let ours = asked.our_names();
    let names = match (&ours, names.is_empty()) {
        (_, false) => names,
        (Some(ours), true) => ours.clone(),
        (None, true) => vec![plain("localhost")],
    };
    let allocation = Allocation::of(&names, asked.hardware)?;
    if let Some(ours) = &ours {
        let ours = Allocation::of(ours, asked.hardware)?;
        for range in &names {
            if let (_, Some(other)) = ours.names.find(range) {
                return Err(asked.refused(
                    "launcher-refuses",
                    format_args!("host {other} is not in the allocation"),
                ));
            }
        }
    }
    let named: u64 = names.iter().map(|range| u64::from(range.count)).sum();
    let repeated = named - u64::from(allocation.names.len());
    let note = LineNote {
        class: "repeated-hosts",
        text: format!(
            "{repeated} of {named} host names are repeated: each name counts once here; whether PALS does so is not known"
        ),
    };
    Ok(Hosts {
        allocation,
        notes: if repeated > 0 { vec![note] } else { Vec::new() },
        origin,
    })
}

fn variables(asked: &LineAsked<'_>) -> Result<(Vec<NameRange>, &'static str), LineRefused> {
    let refused =
        |name: &str, why: String| asked.refused("launcher-refuses", format_args!("{name}: {why}"));
    for name in ["PALS_HOSTFILE", "PALS_HOSTLIST", "PBS_NODEFILE"] {
        let Some(value) = asked.variable(name).filter(|value| !value.is_empty()) else {
            continue;
        };
        let read = match name {
            "PALS_HOSTLIST" => list(value),
            _ => file(asked, value),
        };
        return Ok((read.map_err(|why| refused(name, why))?, name));
    }
    Ok((Vec::new(), "the allocation"))
}

fn list(text: &str) -> Result<Vec<NameRange>, String> {
    read_host_names(text).map_err(|_| "this is no list of hosts".to_owned())
}

/// A name a line, `#` comments.
fn file(asked: &LineAsked<'_>, path: &str) -> Result<Vec<NameRange>, String> {
    let bytes = asked.files.read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let names = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or("").trim());
    let names: Vec<NameRange> = names.filter(|name| !name.is_empty()).map(plain).collect();
    match names.is_empty() {
        true => Err(format!("{path} names no host")),
        false => Ok(names),
    }
}
