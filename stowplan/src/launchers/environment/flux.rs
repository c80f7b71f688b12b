//! Flux: the resources of the job, R, as JSON. Source: RFC 20.

use super::r::{self, R};
use super::slurm_lists::{folded, hosts as names};
use super::{BadEnvironment, Found, HOSTS_MAX, Lookup, set};
use crate::launchers::cpus::ranges;
use roaring::RoaringBitmap;
use std::collections::{BTreeMap, HashMap};
use stowplan_engine::count::counted;

/// The error if R is not given: the environment alone does not say which cores the job has.
pub(super) fn wants_resources(lookup: &dyn Lookup) -> BadEnvironment {
    let job = set(lookup, "FLUX_JOB_ID").unwrap_or_default();
    BadEnvironment(format!(
        "FLUX_JOB_ID={job}: Flux tells hosts and cores in R alone: flux job info $FLUX_JOB_ID R | stowplan map --here=- …"
    ))
}

/// The hosts of R.
pub(super) fn resources(text: &[u8]) -> Result<Found, BadEnvironment> {
    let (hosts, by_rank) = ranked(text)?;
    let mut found = Found {
        source: "R on standard input".to_owned(),
        ..Found::default()
    };
    // A host that several ranks name has the cores of all of them, once each.
    let mut order: Vec<&str> = Vec::new();
    let mut of_host: HashMap<&str, Resources> = HashMap::new();
    for (host, (rank, own)) in hosts.iter().zip(&by_rank) {
        let known = of_host.entry(host).or_insert_with(|| {
            order.push(host);
            Resources::default()
        });
        known.ranks.insert(*rank);
        known.cores |= &own.cores;
        known.gpus |= &own.gpus;
    }
    let mut cores: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut gpus: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut told: BTreeMap<String, RoaringBitmap> = BTreeMap::new();
    for host in order {
        let own = &of_host[host];
        found
            .hosts
            .add(host, own.cores.len(), "execution.nodelist")?;
        let list = ranges(&own.cores, ',');
        *told.entry(list.clone()).or_default() |= &own.ranks;
        cores.entry(list).or_default().push(host);
        let numbers: Vec<String> = own.gpus.iter().map(|gpu| gpu.to_string()).collect();
        gpus.entry(numbers.join(",")).or_default().push(host);
    }
    found.cores = said(cores, |cores| cores.to_owned());
    // In the order of the lists: both ascend by them.
    let told = told.values().map(|ranks| {
        let noun = if ranks.len() == 1 { "rank" } else { "ranks" };
        format!("{noun} {} of R_lite", ranges(ranks, ','))
    });
    found.cores_of = told.collect();
    found.devices = said(gpus, |numbers| match numbers {
        "" => "gpu=none".to_owned(),
        numbers => format!("gpu=only:{numbers}"),
    });
    Ok(found)
}

/// The hosts that R names, and what each of its ranks has: as many of the one as of the other.
fn ranked(text: &[u8]) -> Result<(Vec<String>, BTreeMap<u32, Resources>), BadEnvironment> {
    let bad = |why: &str| BadEnvironment(format!("R on standard input: {why}"));
    let whole = r::json(text).map_err(|why| bad(&why))?;
    if whole["version"] != 1 {
        let version = &whole["version"];
        return Err(bad(&format!(
            "it is of version {version}, and RFC 20 knows version 1"
        )));
    }
    let R {
        hosts: lists,
        entries,
    } = R::of(&whole).map_err(|why| bad(&why))?;
    let mut hosts = Vec::new();
    for list in lists {
        hosts.extend(names("execution.nodelist", &list)?);
        if hosts.len() > HOSTS_MAX {
            return Err(bad("more hosts than there can be"));
        }
    }
    let mut by_rank: BTreeMap<u32, Resources> = BTreeMap::new();
    for entry in entries {
        if by_rank.len() as u64 + entry.ranks.len() > HOSTS_MAX as u64 {
            return Err(bad("more ranks than there can be"));
        }
        for rank in entry.ranks {
            let own = by_rank.entry(rank).or_default();
            own.cores |= &entry.cores;
            own.gpus |= &entry.gpus;
        }
    }
    if by_rank.len() != hosts.len() || hosts.is_empty() {
        return Err(bad(&format!(
            "nodelist names {}, and R_lite has {}",
            counted(hosts.len() as u64, "host"),
            counted(by_rank.len() as u64, "rank")
        )));
    }
    Ok((hosts, by_rank))
}

/// What a rank of R has.
#[derive(Clone, Default, Debug)]
struct Resources {
    /// The numbers of the ranks: several on one host are one.
    ranks: RoaringBitmap,
    cores: RoaringBitmap,
    gpus: RoaringBitmap,
}

/// A value for all hosts, or `HOSTS=VALUE` for each kind of host.
fn said(kinds: BTreeMap<String, Vec<&str>>, form: impl Fn(&str) -> String) -> Vec<String> {
    let one = kinds.len() == 1;
    let kinds = kinds.iter();
    kinds
        .map(|(value, hosts)| match one {
            true => form(value),
            false => format!("{}={}", folded(hosts), form(value)),
        })
        .collect()
}
