//! IBM Spectrum LSF: a line for each slot in a file, or pairs in a variable.

use super::{BadEnvironment, Found, Hosts, Lookup, Unused, lines, number, set};

/// Variables with files of hosts: the first one that names a host counts.
const FILES: [&str; 3] = [
    "LSB_AFFINITY_HOSTFILE",
    "LSB_DJOB_RANKFILE",
    "LSB_DJOB_HOSTFILE",
];

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let mut empty: Vec<Unused> = Vec::new();
    for name in FILES {
        let Some(path) = set(lookup, name) else {
            continue;
        };
        let lines = lines(lookup, name, &path)?;
        // The affinity file exists but is empty if the job has no affinity.
        if lines.is_empty() {
            empty.push(Unused {
                said: format!("{name}={path}"),
                word: "the file is empty, and the next variable names the hosts".to_owned(),
            });
            continue;
        }
        let mut found = Found {
            source: name.to_owned(),
            ..Found::default()
        };
        let binds = lines.iter().any(|line| line.split_whitespace().count() > 1);
        if name != "LSB_DJOB_HOSTFILE" && binds {
            found.affinity = Some(path.clone());
        }
        found.unused.append(&mut empty);
        for line in lines {
            let host = line.split_whitespace().next().unwrap_or_default();
            found.hosts.add(host, 1, name)?;
        }
        return without_launch_node(found);
    }
    let name = "LSB_MCPU_HOSTS";
    let text = set(lookup, name).ok_or_else(|| {
        let files: Vec<&str> = empty.iter().map(|own| own.said.as_str()).collect();
        let files = match files[..] {
            [] => "no file names hosts".to_owned(),
            _ => format!("{}: there is no host in it", files.join(", ")),
        };
        BadEnvironment(format!("{name}: it is not set, and {files}"))
    })?;
    let words: Vec<&str> = text.split_whitespace().collect();
    let mut found = Found {
        source: name.to_owned(),
        unused: empty,
        ..Found::default()
    };
    for pair in words.chunks(2) {
        let [host, slots] = pair else {
            let why = "hosts and slots come in pairs";
            return Err(BadEnvironment::broken(name, &text, why));
        };
        let slots = number(name, slots).map_err(|_| {
            BadEnvironment::broken(name, &text, "a number of slots is expected after each host")
        })?;
        found.hosts.add(host, slots, name)?;
    }
    without_launch_node(found)
}

/// Leaves out the first host if it has one slot and all others have more: it only launches the job.
fn without_launch_node(mut found: Found) -> Result<Found, BadEnvironment> {
    let Some(((first, 1), others)) = found.hosts.hosts.split_first() else {
        return Ok(found);
    };
    if others.is_empty() || others.iter().any(|(_, slots)| *slots < 2) {
        return Ok(found);
    }
    let mut hosts = Hosts::default();
    for (host, slots) in others {
        hosts.add(host, *slots, &found.source)?;
    }
    found.launch_node = Some(first.clone());
    found.hosts = hosts;
    Ok(found)
}
