//! The names of a job's nodes, in Slurm's order.

use super::granted::Granted;
use super::node_set::NodeSet;
use super::options::Options;
use super::refusals;
use super::site::names;
use crate::launchers::line::{Allocation, LineAsked, LineNote, LineRefused, OurHosts};
use std::cmp::Ordering;
use stowplan_engine::table::names::{NameRange, Names};

/// The names of the job's nodes, in Slurm's order.
pub(super) fn job_names(
    asked: &LineAsked<'_>,
    words: &Options,
    line: &Options,
    granted: &[Granted],
    notes: &mut Vec<LineNote>,
) -> Result<Names, LineRefused> {
    let mut ranges: Vec<NameRange> = match asked.hosts {
        OurHosts::Said(hosts) => hosts.iter().map(|host| host.names.clone()).collect(),
        OurHosts::Unsaid if !granted.is_empty() => {
            granted.iter().flat_map(|own| own.names.clone()).collect()
        }
        OurHosts::Unsaid => match words
            .node_list
            .as_deref()
            .or(line.node_list.as_deref())
            .and_then(names)
        {
            Some(names) => names,
            None => {
                let count = words.nodes.or(line.nodes).map_or(1, |nodes| nodes.min);
                notes.push(LineNote::invented(count));
                vec![Allocation::invented(u32::try_from(count).unwrap_or(1))]
            }
        },
    };
    let gather = |ranges: &[NameRange]| -> Result<Names, LineRefused> {
        let mut names = Names::default();
        for range in ranges {
            names
                .add(range)
                .map_err(|_| refusals::value("the job has more nodes than there can be"))?;
        }
        Ok(names)
    };
    let first = gather(&ranges)?;
    ranges = first.ranges().map(|row| row.1).collect();
    if !granted.is_empty() {
        let found = granted
            .iter()
            .flat_map(|own| &own.names)
            .flat_map(|range| first.find(range).0);
        let set = NodeSet::of(found);
        ranges = first
            .ranges()
            .flat_map(|(nodes, names)| {
                let parts: Vec<NameRange> = set
                    .ranges()
                    .filter_map(|range| range.overlap(nodes))
                    .map(|part| NameRange {
                        first: names.first + u64::from(part.first - nodes.first),
                        count: part.count,
                        ..names.clone()
                    })
                    .collect();
                parts
            })
            .collect();
    }
    ranges.sort_by(|a, b| {
        natural(&a.prefix, &b.prefix)
            .then_with(|| a.suffix.cmp(&b.suffix))
            .then(a.first.cmp(&b.first))
            .then(a.width.cmp(&b.width))
    });
    gather(&ranges)
}

/// Compares texts with their numbers as numbers.
fn natural(a: &str, b: &str) -> Ordering {
    let pieces = |text: &str| -> Vec<(String, u64)> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let digits = rest
                .find(|sign: char| sign.is_ascii_digit())
                .unwrap_or(rest.len());
            let (words, behind) = rest.split_at(digits);
            let end = behind
                .find(|sign: char| !sign.is_ascii_digit())
                .unwrap_or(behind.len());
            pieces.push((words.to_owned(), behind[..end].parse().unwrap_or(0)));
            rest = &behind[end..];
        }
        pieces
    };
    pieces(a).cmp(&pieces(b)).then_with(|| a.cmp(b))
}
