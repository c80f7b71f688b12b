//! Flux: the resources of the job, R, as JSON. Source: RFC 20.

use super::hostlist::hosts as names;
use super::{BadEnvironment, Found, HOSTS_MAX, Lookup, set};
use crate::cpus::{ranges, read_list};
use roaring::RoaringBitmap;
use serde_json::Value;
use std::collections::BTreeMap;
use stowplan_engine::count::counted;
use stowplan_engine::limit::PUS_MAX;

/// The error if R is not given: the environment alone does not say which cores the job has.
pub(super) fn wants_resources(lookup: &dyn Lookup) -> BadEnvironment {
    let job = set(lookup, "FLUX_JOB_ID").unwrap_or_default();
    BadEnvironment(format!(
        "FLUX_JOB_ID={job}: Flux tells hosts and cores in R alone: flux job info $FLUX_JOB_ID R | stowplan map --here=- …"
    ))
}

/// The hosts of R.
pub(super) fn resources(text: &[u8]) -> Result<Found, BadEnvironment> {
    let bad = |why: &str| BadEnvironment(format!("R on standard input: {why}"));
    let whole: Value =
        serde_json::from_slice(text).map_err(|error| bad(&format!("no JSON: {error}")))?;
    let execution = &whole["execution"];
    let list = execution["nodelist"]
        .as_array()
        .ok_or_else(|| bad("execution.nodelist must be an array"))?;
    let mut hosts = Vec::new();
    for entry in list {
        let entry = entry
            .as_str()
            .ok_or_else(|| bad("execution.nodelist must hold texts"))?;
        hosts.extend(names("execution.nodelist", entry)?);
        if hosts.len() > HOSTS_MAX {
            return Err(bad("more hosts than there can be"));
        }
    }
    let lite = execution["R_lite"]
        .as_array()
        .ok_or_else(|| bad("execution.R_lite must be an array"))?;
    let mut by_rank: BTreeMap<u32, RoaringBitmap> = BTreeMap::new();
    for entry in lite {
        let rank = entry["rank"].as_str().and_then(id_set);
        let ranks = rank.ok_or_else(|| bad("R_lite has a rank that is no set of numbers"))?;
        let core = entry["children"]["core"].as_str().and_then(id_set);
        let cores = core.ok_or_else(|| bad("R_lite has cores that are no set of numbers"))?;
        if by_rank.len() as u64 + ranks.len() > HOSTS_MAX as u64 {
            return Err(bad("more ranks than there can be"));
        }
        for rank in ranks {
            *by_rank.entry(rank).or_default() |= &cores;
        }
    }
    if by_rank.len() != hosts.len() || hosts.is_empty() {
        return Err(bad(&format!(
            "nodelist names {}, and R_lite has {}",
            counted(hosts.len() as u64, "host"),
            counted(by_rank.len() as u64, "rank")
        )));
    }
    let mut found = Found {
        source: "R on standard input".to_owned(),
        ..Found::default()
    };
    let mut kinds: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (host, cores) in hosts.iter().zip(by_rank.values()) {
        found.hosts.add(host, cores.len(), "execution.nodelist")?;
        let of_kind = kinds.entry(ranges(cores, ',')).or_default();
        of_kind.push(host);
    }
    let one = kinds.len() == 1;
    let kinds = kinds.into_iter();
    found.cores = if one {
        kinds.map(|(cores, _)| cores).collect()
    } else {
        kinds
            .map(|(cores, hosts)| format!("{}={cores}", folded(&hosts)))
            .collect()
    };
    Ok(found)
}

/// Hosts with neighbouring numbers in brackets: `node[1-3],login`.
fn folded(hosts: &[&str]) -> String {
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

/// Reads a set such as `0-3,7`, with or without brackets.
fn id_set(text: &str) -> Option<RoaringBitmap> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    read_list(inner.unwrap_or(text), PUS_MAX)
}
