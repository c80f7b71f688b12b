//! Topologies and the nodes that have them. A row is split when an option names only some of its nodes.

use std::sync::Arc;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::table::topologies::TopologyDraft;

/// The most rows that options may make by splitting. Overlapping lists of nodes multiply the rows.
pub(crate) const ROWS_MAX: usize = 4096;

/// A topology, and the nodes that have it. `None`: all nodes that no other row names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) nodes: Option<Vec<NameRange>>,
    pub(crate) draft: Arc<TopologyDraft>,
    pub(crate) source: String,
}

/// Changes the topologies of all nodes, or of some. If several rows name a node, the last row counts.
///
/// # Errors
/// The errors of `change`.
///
/// Cost: the rows times the ranges of nodes, and a topology for each row that is split.
pub(crate) fn change<E>(
    rows: &mut Vec<Row>,
    nodes: Option<Vec<NameRange>>,
    change: &dyn Fn(&mut TopologyDraft) -> Result<(), E>,
) -> Result<(), E> {
    let Some(nodes) = nodes else {
        let mut rows = rows.iter_mut();
        return rows.try_for_each(|row| change(Arc::make_mut(&mut row.draft)));
    };
    let nodes: Vec<NameRange> = nodes.iter().map(numbered).collect();
    let (none_left, wanted) = (covered(&nodes, rows), Sorted::new(nodes.clone()));
    let mut changed = Vec::with_capacity(rows.len());
    for mut row in rows.drain(..) {
        let named = match &row.nodes {
            // If other rows name all of these nodes, none of them has this row's topology.
            None if none_left => Vec::new(),
            None => nodes.clone(),
            Some(own) => {
                let own: Vec<NameRange> = own.iter().map(numbered).collect();
                let common = common(&own, &wanted);
                if common == own {
                    change(Arc::make_mut(&mut row.draft))?;
                    changed.push(row);
                    continue;
                }
                common
            }
        };
        // The part that is changed comes right behind the row that it was of: rows behind both still count more.
        let part = match named.is_empty() {
            true => None,
            false => {
                let mut draft = row.draft.clone();
                change(Arc::make_mut(&mut draft))?;
                Some(Row {
                    nodes: Some(named),
                    draft,
                    source: row.source.clone(),
                })
            }
        };
        changed.push(row);
        changed.extend(part);
    }
    *rows = changed;
    Ok(())
}

/// Whether each of these ranges lies wholly in a range of some row.
fn covered(nodes: &[NameRange], rows: &[Row]) -> bool {
    let named = rows.iter().filter_map(|row| row.nodes.as_deref()).flatten();
    let named = Sorted::new(named.map(numbered).collect());
    nodes.iter().all(|range| {
        named
            .near(range)
            .any(|own| meet(own, range).as_ref() == Some(range))
    })
}

/// The names that are in both lists.
fn common(one: &[NameRange], other: &Sorted) -> Vec<NameRange> {
    let pairs = one.iter().flat_map(|a| other.near(a).map(move |b| (a, b)));
    pairs.filter_map(|(a, b)| meet(a, b)).collect()
}

/// Ranges by name and first number.
struct Sorted {
    ranges: Vec<NameRange>,
    /// The most names of a range: none that begins earlier than that reaches a name.
    longest: u64,
}

/// What the names of two ranges must have in common, so that the ranges can meet.
fn stem(range: &NameRange) -> (&str, &str, u8) {
    (&range.prefix, &range.suffix, range.width)
}

impl Sorted {
    fn new(mut ranges: Vec<NameRange>) -> Self {
        ranges.sort_by(|a, b| (stem(a), a.first).cmp(&(stem(b), b.first)));
        let longest = ranges.iter().map(|range| u64::from(range.count)).max();
        Self {
            ranges,
            longest: longest.unwrap_or(0),
        }
    }

    /// The ranges that may meet this one. Cost: a search, and these ranges.
    fn near<'s>(&'s self, range: &NameRange) -> impl Iterator<Item = &'s NameRange> + use<'s> {
        let own = stem(range);
        let from = range.first.saturating_sub(self.longest);
        let end = range.first + u64::from(range.count);
        let start = self
            .ranges
            .partition_point(|at| (stem(at), at.first) < (own, from));
        let stop = self
            .ranges
            .partition_point(|at| (stem(at), at.first) < (own, end));
        self.ranges[start..stop.max(start)].iter()
    }
}

/// The names that two ranges have in common.
fn meet(a: &NameRange, b: &NameRange) -> Option<NameRange> {
    if (&a.prefix, &a.suffix, a.width) != (&b.prefix, &b.suffix, b.width) {
        return None;
    }
    let first = a.first.max(b.first);
    let end = (a.first + u64::from(a.count)).min(b.first + u64::from(b.count));
    let count = u32::try_from(end.checked_sub(first)?).ok()?;
    let range = NameRange {
        first,
        count,
        ..a.clone()
    };
    (count > 0).then_some(range)
}

/// Turns a plain name that ends in a number into a range of one name.
pub(crate) fn numbered(range: &NameRange) -> NameRange {
    let name = &range.prefix;
    let digits = name.len()
        - name
            .trim_end_matches(|last: char| last.is_ascii_digit())
            .len();
    if range.width > 0 || digits == 0 || digits > 18 {
        return range.clone();
    }
    let (prefix, number) = name.split_at(name.len() - digits);
    NameRange {
        prefix: prefix.to_owned(),
        first: number.parse().unwrap_or(0),
        count: 1,
        width: u8::try_from(digits).unwrap_or(0),
        suffix: String::new(),
    }
}
