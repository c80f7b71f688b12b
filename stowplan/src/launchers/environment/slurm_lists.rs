//! Slurm's lists: hosts, as in `r[1-2]n[1-3,05],login1`, where the last bracket varies fastest; and counts, as in `16(x4),8`.

use super::{BadEnvironment, HOSTS_MAX, number};
use stowplan_engine::count::counted;
use stowplan_engine::table::names::range_names;
use stowplan_engine::text::hostlist::{HostFault, read_host_names};

/// The hosts of a list, in the list's order.
pub(super) fn hosts(name: &str, text: &str) -> Result<Vec<String>, BadEnvironment> {
    let bad = |why: &str| BadEnvironment::broken(name, text, why);
    let ranges = read_host_names(text).map_err(|error| match error.fault {
        HostFault::Syntax(what) => bad(what),
        HostFault::TooMany(_) => bad("it names more hosts than there can be"),
    })?;
    let many: usize = ranges.iter().map(|range| range.count as usize).sum();
    if many > HOSTS_MAX {
        return Err(bad("it names more hosts than there can be"));
    }
    Ok(ranges.iter().flat_map(range_names).collect())
}

/// The counts of a list, one for each of `hosts` hosts.
pub(super) fn counts(name: &str, text: &str, hosts: usize) -> Result<Vec<u64>, BadEnvironment> {
    let mut counts = Vec::new();
    let mut all = 0_u64;
    for part in text.split(',') {
        let (count, times) = match part.split_once("(x") {
            None => (part, 1),
            Some((count, times)) => {
                let times = times.strip_suffix(')').ok_or_else(|| {
                    BadEnvironment::broken(name, text, "a count such as 16(x4) is expected here")
                })?;
                (count, number_in(name, text, times)?)
            }
        };
        let count = number_in(name, text, count)?;
        all = all.saturating_add(times);
        if all > hosts as u64 {
            break;
        }
        counts.extend((0..times).map(|_| count));
    }
    if all == hosts as u64 {
        return Ok(counts);
    }
    let why = if all < hosts as u64 {
        format!(
            "it counts for {}, and there are {hosts}",
            counted(all, "host")
        )
    } else {
        format!("it counts for more than the {hosts} there are")
    };
    Err(BadEnvironment::broken(name, text, &why))
}

fn number_in(name: &str, text: &str, part: &str) -> Result<u64, BadEnvironment> {
    number(name, part)
        .map_err(|_| BadEnvironment::broken(name, text, "counts from 1 on are expected here"))
}

/// Hosts with neighbouring numbers in brackets: `node[1-3],login`.
pub(super) fn folded(hosts: &[&str]) -> String {
    let mut text = String::new();
    let mut left = hosts;
    while let [host, ..] = left {
        let stem = host.trim_end_matches(|sign: char| sign.is_ascii_digit());
        let width = host.len() - stem.len();
        let first: u64 = host[stem.len()..].parse().unwrap_or(0);
        let is_next = |(at, other): &(u64, &&str)| {
            **other == format!("{stem}{:0width$}", first.saturating_add(*at))
        };
        // Only numbers that fit a u64, and only names with as many digits as the first.
        let run = match width {
            1..=18 => (0..).zip(left).take_while(is_next).count(),
            _ => 1,
        };
        let comma = if text.is_empty() { "" } else { "," };
        text += comma;
        if run > 1 {
            let last = first + (run as u64 - 1);
            text += &format!("{stem}[{first:0width$}-{last:0width$}]");
        } else {
            text += host;
        }
        left = &left[run..];
    }
    text
}
