//! hwloc's synthetic descriptions: `package:2 [numa] l3:2 core:8 pu:2(indexes=2*32:1*2)`.
//!
//! A level is a kind, and the number of such objects that each object of the level above has. We take what hwloc takes: its
//! abbreviations, levels without kinds (`2 4 2`), and NUMA nodes as a level or attached. `indexes=` gives OS numbers. hwloc ignores
//! an `indexes=` that it cannot use, and so do we: [`ignored`] says which.
//!
//! Differences: we refuse descriptions that are larger than the tables allow, that give one OS number to two PUs or two NUMA nodes,
//! or that have two widths of one kind of cache.

mod build;
mod indexes;
mod parse;

use crate::error::{SyntheticFault, TopoError};
use crate::kind::{Holds, Kind};
use stowplan_engine::table::topologies::TopologyDraft;

/// One level, from the machine (first) to the PUs (last).
#[derive(Clone, Debug)]
struct Level {
    /// Its kind. `None` if the description has no kinds, until the kinds are settled.
    kind: Option<Kind>,
    /// The depth that the text gives a group.
    group_depth: Option<u32>,
    /// Objects of this level in the whole machine.
    width: u32,
    /// Where it begins in the text.
    at: usize,
    /// Where the value of `indexes=` is in the text.
    indexes: Option<std::ops::Range<usize>>,
    /// NUMA nodes attached to each object.
    attached: u32,
}

impl Level {
    /// Whether the objects below one of its objects stay together. hwloc makes an instruction cache only if memory is attached to
    /// it. Otherwise it sorts the objects below the cache as children of the next wider object.
    fn holds_together(&self) -> bool {
        let instructions = matches!(self.kind, Some(Kind::Cache(_, Holds::Instructions)));
        !instructions || self.attached > 0
    }
}

/// A description that was read, but not built.
#[derive(Clone, Debug)]
struct Description {
    levels: Vec<Level>,
    /// `indexes=` of the attached NUMA nodes.
    attached_indexes: Option<std::ops::Range<usize>>,
    /// Attached NUMA nodes in the whole machine.
    attached: u32,
}

/// The topology of a synthetic description.
///
/// # Errors
/// `bad-topology`, with the column, when the text is not a description, or when it describes more than `limit.rs` allows. That is
/// found before anything is allocated for it.
///
/// Cost: linear in the objects described, plus a sort of siblings if `indexes=` is given.
/// ```
/// let draft = stowplan_topo::synthetic::parse("package:2 core:4 pu:2(indexes=2*8:1*2)").unwrap();
/// assert_eq!(draft.pus_os[..4], [0, 8, 1, 9]);
/// let error = stowplan_topo::synthetic::parse("package:2 cores:4").unwrap_err();
/// assert_eq!(error.class(), "bad-topology");
/// ```
pub fn parse(text: &str) -> Result<TopologyDraft, TopoError> {
    let fail = |(at, fault): Fault| TopoError::Synthetic {
        text: text.to_owned(),
        at,
        fault,
    };
    let description = parse::description(text.as_bytes()).map_err(fail)?;
    build::draft(text.as_bytes(), &description).map_err(fail)
}

/// The values of `indexes=` in this description that are ignored, as in hwloc, because they do not number all objects of their
/// level.
///
/// # Errors
/// As [`parse`].
pub fn ignored(text: &str) -> Result<Vec<&str>, TopoError> {
    let bytes = text.as_bytes();
    let description = parse::description(bytes).map_err(|(at, fault)| TopoError::Synthetic {
        text: text.to_owned(),
        at,
        fault,
    })?;
    let of_levels = description
        .levels
        .iter()
        .map(|level| (&level.indexes, level.width));
    let all = of_levels.chain([(&description.attached_indexes, description.attached)]);
    let unused = all.filter_map(|(place, total)| {
        let place = place.clone()?;
        let numbers = indexes::numbers(bytes, &place, total, &description.levels);
        numbers.is_none().then(|| &text[place])
    });
    Ok(unused.collect())
}

/// What is wrong, and where in the text.
type Fault = (usize, SyntheticFault);
