//! `--requires=host:LIST`: which nodes a job may use. Source: `lines/flux/spec.md` 4.

use super::instance::Instance;
use super::words::{Line, Means};
use crate::launchers::line::{LineAsked, LineRefused};
use roaring::RoaringBitmap;
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::text::hostlist::read_host_names;

/// The nodes that every `--requires` leaves.
///
/// # Errors
/// `not-modelled` for properties and for names that the instance has not; `launcher-refuses` for a broken list.
pub(super) fn left(
    asked: &LineAsked<'_>,
    line: &Line,
    instance: &Instance,
) -> Result<Vec<NodeRange>, LineRefused> {
    let mut left = RoaringBitmap::new();
    left.insert_range(0..instance.names.len());
    for said in line
        .said
        .iter()
        .filter(|said| said.means == Means::Requires)
    {
        let value = said.value.trim();
        let (is_without, bare) = match value.strip_prefix('-') {
            Some(bare) => (Keep::Others, bare),
            None => (Keep::Listed, value),
        };
        let hosts = bare
            .strip_prefix("host:")
            .or_else(|| bare.strip_prefix("hosts:"));
        let Some(hosts) = hosts.filter(|hosts| !hosts.contains([' ', '|', '&', '(', ')'])) else {
            let why = "only host:LIST and -host:LIST are known here, not properties";
            return Err(said.refuses(asked, "not-modelled", why));
        };
        let names = read_host_names(hosts)
            .map_err(|_| said.refuses(asked, "launcher-refuses", "this is no host list"))?;
        let mut listed = RoaringBitmap::new();
        for range in names {
            for nodes in instance.names.find(&range).0 {
                listed.insert_range(nodes.first..nodes.end());
            }
        }
        match is_without {
            Keep::Listed => left &= listed,
            Keep::Others => left -= listed,
        }
    }
    let mut ranges = Vec::new();
    let mut numbers = left.iter();
    while let Some(range) = numbers.next_range() {
        ranges.push(NodeRange::until(*range.start(), *range.end() + 1));
    }
    Ok(ranges)
}

/// Which nodes stay.
enum Keep {
    Listed,
    Others,
}
