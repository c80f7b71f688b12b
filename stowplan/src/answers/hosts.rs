//! Host lists: neighbouring names folded to bracket ranges, which `-H` can read.

use std::fmt;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::{NameStretch, Names, NodeId, NodeRange};

/// Neighbouring nodes, written with one bracket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostFold<'n> {
    prefix: &'n str,
    suffix: &'n str,
    first: u64,
    /// The least number of digits written; 0: a plain name.
    width: u8,
    /// Nodes.
    pub count: u32,
}

/// All nodes of a pool.
#[must_use]
pub const fn all(names: &Names) -> NodeRange {
    NodeRange {
        first: 0,
        count: names.len(),
    }
}

/// The folds of a range of nodes, in node order.
pub fn folds(names: &Names, nodes: NodeRange) -> impl Iterator<Item = HostFold<'_>> {
    let mut next = nodes.first;
    std::iter::from_fn(move || {
        let mut fold: Option<HostFold<'_>> = None;
        while next < nodes.end() {
            let stretch = names.around(NodeId::from_row(next as usize));
            let count = stretch.nodes.end().min(nodes.end()) - next;
            let own = HostFold::new(&stretch, next, count);
            match &mut fold {
                None => fold = Some(own),
                Some(fold) if fold.takes(&own) => fold.count += count,
                Some(_) => break,
            }
            next += count;
        }
        fold
    })
}

impl<'n> HostFold<'n> {
    fn new(stretch: &NameStretch<'n>, node: u32, count: u32) -> Self {
        Self {
            prefix: stretch.prefix,
            suffix: stretch.suffix,
            first: stretch.number + u64::from(node - stretch.nodes.first),
            width: stretch.digits,
            count,
        }
    }

    /// Whether the names of `next` continue these, so that one bracket can hold both.
    fn takes(&self, next: &Self) -> bool {
        let digits = |number: u64| number.checked_ilog10().map_or(1, |log| log + 1);
        let behind = self.first + u64::from(self.count);
        // `[8-12]` writes each number with the digits it needs, `[08-12]` with two.
        let written = if digits(self.first) == u32::from(self.width) {
            digits(behind)
        } else {
            digits(behind).max(u32::from(self.width))
        };
        self.width > 0
            && next.first == behind
            && u32::from(next.width) == written
            && (self.prefix, self.suffix) == (next.prefix, next.suffix)
    }
}

impl fmt::Display for HostFold<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = usize::from(self.width);
        match (self.width, self.count) {
            (0, _) => f.write_str(self.prefix),
            (_, 1) => write!(f, "{}{:0width$}{}", self.prefix, self.first, self.suffix),
            (_, count) => {
                let last = self.first + u64::from(count - 1);
                write!(
                    f,
                    "{}[{:0width$}-{last:0width$}]{}",
                    self.prefix, self.first, self.suffix
                )
            }
        }
    }
}

/// The host list of a range of nodes.
#[must_use]
pub fn host_list(names: &Names, nodes: NodeRange) -> String {
    let folds: Vec<String> = folds(names, nodes).map(|fold| fold.to_string()).collect();
    folds.join(",")
}
