//! Grid Engine: a file with host, slots, queue and cpus in each line.

use super::{BadEnvironment, Found, Lookup, lines, number, set};

const NAME: &str = "PE_HOSTFILE";

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let path = set(lookup, NAME).unwrap_or_default();
    let mut found = Found {
        source: NAME.to_owned(),
        ..Found::default()
    };
    for line in lines(lookup, NAME, &path)? {
        let mut words = line.split_whitespace();
        let (host, slots) = (words.next(), words.next());
        let (Some(host), Some(slots)) = (host, slots) else {
            let why = format!("a host and its slots must stand in the line {line:?}");
            return Err(BadEnvironment::broken(NAME, &path, &why));
        };
        let slots = number(NAME, slots).map_err(|_| {
            let why = format!("a number of slots must stand second in the line {line:?}");
            BadEnvironment::broken(NAME, &path, &why)
        })?;
        found.hosts.add(host, slots, NAME)?;
    }
    Ok(found)
}
