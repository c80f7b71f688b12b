//! HPE Cray PALS: hosts in a variable or a file, ranks on each.

use super::{BadEnvironment, Found, Lookup, Unused, lines, number, set};

pub(super) fn hosts(lookup: &dyn Lookup) -> Result<Found, BadEnvironment> {
    let (source, names) = match set(lookup, "PALS_HOSTLIST") {
        Some(list) => (
            "PALS_HOSTLIST",
            list.split(',').map(str::to_owned).collect(),
        ),
        None => {
            let path = set(lookup, "PALS_HOSTFILE").unwrap_or_default();
            ("PALS_HOSTFILE", lines(lookup, "PALS_HOSTFILE", &path)?)
        }
    };
    let of = |name: &str| {
        set(lookup, name)
            .map(|text| number(name, &text))
            .transpose()
    };
    let slots = of("PALS_PPN")?.unwrap_or(1);
    let mut found = Found {
        source: source.to_owned(),
        ..Found::default()
    };
    if let Some(depth) = of("PALS_DEPTH")?.filter(|&depth| depth != 1) {
        found.unused.push(Unused {
            said: format!("PALS_DEPTH={depth}"),
            word: format!("--map-by :pe={depth} gives each process so many"),
        });
    }
    for name in &names {
        found.hosts.add(name, slots, source)?;
    }
    Ok(found)
}
