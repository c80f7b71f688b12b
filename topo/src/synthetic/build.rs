//! Makes a topology from levels. Siblings are in the order of their lowest PU, as in hwloc.

use super::{Description, Fault, Level, indexes};
use crate::error::SyntheticFault;
use crate::kind::Kind;
use std::ops::Range;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{DraftObject, TopologyDraft};

/// Builds the topology. `text` contains the values of `indexes=`.
pub(super) fn draft(text: &[u8], described: &Description) -> Result<TopologyDraft, Fault> {
    let levels = &described.levels;
    let pus = levels.last().map_or(1, |level| level.width);
    let pus_os = match os_numbers(text, described, levels.len() - 1) {
        Some(numbers) => {
            each_once(&numbers, PUS_MAX).map_err(|fault| at_level(levels.last(), fault))?;
            Some(numbers)
        }
        None => None,
    };
    let order = Order::of(levels, pus_os.as_deref());
    let mut draft = TopologyDraft {
        pus_os: order.numbers(levels.len() - 1, pus, pus_os.as_deref()),
        ..TopologyDraft::default()
    };
    draft.objects.push(DraftObject {
        kind: ObjKind::Machine,
        os: Some(0),
        pus: std::iter::once(0..pus).collect(),
    });
    for (row, level) in levels.iter().enumerate().skip(1) {
        let Some(kind) = level.kind.and_then(Kind::listed) else {
            continue;
        };
        // If two levels of a cache have the same PUs, hwloc keeps one object, with the number of the inner one if it has a number.
        let twin = levels[row + 1..]
            .iter()
            .any(|inner| inner.kind == level.kind);
        if matches!(kind, ObjKind::Hwthread | ObjKind::Numa) || twin {
            continue;
        }
        let given = os_numbers(text, described, row);
        let numbered = given.is_some() || !matches!(level.kind, Some(Kind::Cache(..)));
        let numbers = order.numbers(row, level.width, given.as_deref());
        let size = pus / level.width;
        draft.objects.extend(
            (0..level.width)
                .zip(numbers)
                .map(|(place, os)| DraftObject {
                    kind,
                    os: numbered.then_some(os),
                    pus: std::iter::once(place * size..(place + 1) * size).collect(),
                }),
        );
    }
    draft.objects.extend(memory(text, described, &order)?);
    // Kind by kind, so that a machine gives the same topology from every source.
    draft.objects.sort_by_key(|object| object.kind);
    Ok(draft)
}

fn at_level(level: Option<&Level>, fault: SyntheticFault) -> Fault {
    (level.map_or(0, |level| level.at), fault)
}

fn os_numbers(text: &[u8], described: &Description, row: usize) -> Option<Vec<u32>> {
    let level = &described.levels[row];
    let place = level.indexes.as_ref()?;
    indexes::numbers(text, place, level.width, &described.levels)
}

/// Checks that no number is given twice, and none is too large.
fn each_once(numbers: &[u32], limit: u32) -> Result<(), SyntheticFault> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(SyntheticFault::TwiceOs { os: pair[0] });
    }
    match sorted.last() {
        Some(&largest) if largest >= limit => Err(SyntheticFault::TooLarge {
            what: "as the largest OS number",
            found: u64::from(largest),
            limit: limit - 1,
        }),
        Some(_) | None => Ok(()),
    }
}

/// Where the objects of each level are in the tree: by place, their numbers in the order of the description.
struct Order {
    /// Shape `[levels][objects]`; empty when every object is where it was described.
    by_level: Vec<Vec<u32>>,
}

impl Order {
    fn of(levels: &[Level], pus_os: Option<&[u32]>) -> Self {
        let Some(pus_os) = pus_os.filter(|numbers| !numbers.is_sorted()) else {
            return Self {
                by_level: Vec::new(),
            };
        };
        // The lowest PU of each object, from the PUs up.
        let mut lowest = vec![pus_os.to_vec()];
        for pair in levels.windows(2).rev() {
            let arity = (pair[1].width / pair[0].width) as usize;
            let below = lowest.last().map_or(&[][..], Vec::as_slice);
            let above = below
                .chunks(arity)
                .filter_map(|of| of.iter().min().copied());
            let above = above.collect();
            lowest.push(above);
        }
        let mut by_level: Vec<Vec<u32>> = vec![vec![0]];
        let mut above = 0;
        for (row, (level, lowest)) in levels.iter().zip(lowest.iter().rev()).enumerate().skip(1) {
            let arity = level.width / levels[above].width;
            let mut order: Vec<u32> = by_level[above]
                .iter()
                .flat_map(|&parent| parent * arity..(parent + 1) * arity)
                .collect();
            for siblings in order.chunks_mut(arity as usize) {
                siblings.sort_unstable_by_key(|&object| lowest[object as usize]);
            }
            by_level.push(order);
            if level.holds_together() {
                above = row;
            }
        }
        Self { by_level }
    }

    /// The number of each object of a level, by place: its number in `given`, or in the description.
    fn numbers(&self, row: usize, width: u32, given: Option<&[u32]>) -> Vec<u32> {
        let described: Vec<u32> = match self.by_level.get(row) {
            Some(order) => order.clone(),
            None => (0..width).collect(),
        };
        match given {
            Some(given) => described
                .into_iter()
                .map(|object| given[object as usize])
                .collect(),
            None => described,
        }
    }

    /// The place of each object of a level, by its number in the description.
    fn places(&self, row: usize, width: u32) -> Vec<u32> {
        let mut places: Vec<u32> = (0..width).collect();
        if let Some(order) = self.by_level.get(row) {
            for (place, &object) in (0..).zip(order) {
                places[object as usize] = place;
            }
        }
        places
    }
}

/// The NUMA nodes: of a level, or attached. A NUMA node follows the objects below the object that it belongs to. NUMA nodes with
/// the same PUs are in the order of their OS numbers.
fn memory(text: &[u8], described: &Description, order: &Order) -> Result<Vec<DraftObject>, Fault> {
    let levels = &described.levels;
    let pus = levels.last().map_or(1, |level| level.width);
    let level = levels
        .iter()
        .position(|level| level.kind == Some(Kind::Numa));
    let mut nodes: Vec<(Range<u32>, u32)> = match level {
        Some(row) => {
            let size = pus / levels[row].width;
            let given = os_numbers(text, described, row);
            let numbers = order.numbers(row, levels[row].width, given.as_deref());
            (0..)
                .zip(numbers)
                .map(|(place, os)| (place * size..(place + 1) * size, os))
                .collect()
        }
        None => attached(text, described, order),
    };
    let numbers: Vec<u32> = nodes.iter().map(|(_, os)| *os).collect();
    let of = level.map(|row| &levels[row]);
    each_once(&numbers, u32::MAX).map_err(|fault| at_level(of, fault))?;
    nodes.sort_by_key(|(pus, os)| (pus.end, pus.end - pus.start, *os));
    Ok(nodes
        .into_iter()
        .map(|(pus, os)| DraftObject {
            kind: ObjKind::Numa,
            os: Some(os),
            pus: std::iter::once(pus).collect(),
        })
        .collect())
}

/// The attached NUMA nodes with their PUs, numbered in the order of the description: children before parents.
fn attached(text: &[u8], described: &Description, order: &Order) -> Vec<(Range<u32>, u32)> {
    let levels = &described.levels;
    let pus = levels.last().map_or(1, |level| level.width);
    // (where its PUs end in the description, depth, PUs in the tree)
    let mut nodes: Vec<(u32, std::cmp::Reverse<usize>, Range<u32>)> = Vec::new();
    for (depth, level) in levels
        .iter()
        .enumerate()
        .filter(|(_, level)| level.attached > 0)
    {
        let size = pus / level.width;
        for (object, place) in (0..).zip(order.places(depth, level.width)) {
            let one = (
                (object + 1) * size,
                std::cmp::Reverse(depth),
                place * size..(place + 1) * size,
            );
            nodes.extend(std::iter::repeat_n(one, level.attached as usize));
        }
    }
    nodes.sort_by_key(|(end, depth, _)| (*end, *depth));
    let given = described
        .attached_indexes
        .as_ref()
        .and_then(|place| indexes::numbers(text, place, described.attached, levels));
    (0..)
        .zip(nodes)
        .map(|(count, (_, _, pus))| match &given {
            Some(numbers) => (pus, numbers[count as usize]),
            None => (pus, count),
        })
        .collect()
}
