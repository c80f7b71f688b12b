//! What apps claimed of the nodes, in bytes. A plan without this section was written before there was one.

use super::frame::BadPlan;
use super::ranges::nodes_behind;
use super::wire::{Reader, Writer};
use crate::limit::{APPS_MAX, NODES_MAX};
use crate::plan::app::AppPlan;
use crate::plan::claimed::{Claim, Claimed, Fixed, Named, SlotsSaid};
use crate::plan::placed::Placed;
use crate::table::names::NodeRange;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of the section of claims, the last one.
pub(super) const CLAIMS: u32 = 4;

/// What is written of an app that told nothing, and of one that a launcher's own component placed. Rows follow.
const UNTOLD: u32 = 0;
const ELSEWHERE: u32 = 1;
const ROWS: u32 = 2;

/// The claims of an app: what it names, and what its own hostfile lowered.
type Row<'p> = (&'p Named, &'p [(NodeRange, u32)]);

/// Distinct claims, in the order of first use.
#[derive(Default)]
struct Rows<'p> {
    list: Vec<Row<'p>>,
    known: HashMap<Row<'p>, u32>,
    /// Apps with the same hosts share what they name, so that few claims are compared.
    shared: HashMap<*const Named, u32>,
}

impl<'p> Rows<'p> {
    fn row(&mut self, named: &'p Arc<Named>, lowered: &'p [(NodeRange, u32)]) -> u32 {
        let shared = lowered.is_empty().then_some(Arc::as_ptr(named));
        if let Some(&row) = shared.and_then(|shared| self.shared.get(&shared)) {
            return row;
        }
        let own: Row<'p> = (named, lowered);
        let fresh = crate::plan::placed::row(self.list.len());
        let row = *self.known.entry(own).or_insert(fresh);
        if row == fresh {
            self.list.push(own);
        }
        if let Some(shared) = shared {
            self.shared.insert(shared, row);
        }
        row
    }
}

/// Writes the claims. A plan whose apps tell none has the same bytes as before this section existed.
pub(super) fn write(writer: &mut Writer, apps: &[AppPlan]) {
    let mut rows = Rows::default();
    let of_apps: Vec<u32> = apps
        .iter()
        .map(|app| match &app.placed.claimed.0 {
            Claim::Untold => UNTOLD,
            Claim::Elsewhere => ELSEWHERE,
            Claim::Of(named, lowered) => ROWS + rows.row(named, lowered),
        })
        .collect();
    if of_apps.iter().all(|&row| row == UNTOLD) {
        return;
    }
    writer.number(CLAIMS);
    writer.size(rows.list.len());
    for (named, lowered) in rows.list {
        write_row(writer, named, lowered);
    }
    writer.column(of_apps);
}

fn write_row(writer: &mut Writer, named: &Named, lowered: &[(NodeRange, u32)]) {
    let mentions = named.mentions != named.list;
    let at_turn = named.fixed == Fixed::AtItsTurn;
    let parts = [named.claims.is_some(), mentions, at_turn];
    let parts = parts
        .iter()
        .zip(0_u32..)
        .map(|(&part, bit)| u32::from(part) << bit);
    writer.number(parts.sum::<u32>());
    writer.table(named.list.iter().map(|nodes| [nodes.first, nodes.count]));
    if let Some(claims) = &named.claims {
        writer.table(claims.iter().map(|(nodes, said)| {
            let low = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
            [nodes.first, nodes.count, low(said.counted), low(said.all)]
        }));
    }
    if mentions {
        writer.table(
            named
                .mentions
                .iter()
                .map(|nodes| [nodes.first, nodes.count]),
        );
    }
    writer.table(
        lowered
            .iter()
            .map(|&(nodes, slots)| [nodes.first, nodes.count, slots]),
    );
}

/// Reads the section, behind its number.
pub(super) fn read(
    reader: &mut Reader<'_>,
    placed: &mut [Placed],
    nodes: u32,
) -> Result<(), BadPlan> {
    let rows = reader.list("as many claims as are counted", |reader| {
        read_row(reader, nodes).map(|(named, lowered)| Claim::Of(Arc::new(named), lowered))
    })?;
    let most = placed.len().min(APPS_MAX as usize);
    let of_apps = reader.column(most)?;
    for (app, row) in placed.iter_mut().zip(of_apps) {
        let claim = match row {
            UNTOLD => Some(Claim::Untold),
            ELSEWHERE => Some(Claim::Elsewhere),
            row => rows.get((row - ROWS) as usize).cloned(),
        };
        app.claimed = Claimed(reader.require(claim, "claims that there are")?);
    }
    Ok(())
}

fn read_row(
    reader: &mut Reader<'_>,
    nodes: u32,
) -> Result<(Named, Vec<(NodeRange, u32)>), BadPlan> {
    let parts = reader.number(7, "the parts of a claim")?;
    let list = ranges(reader, nodes)?;
    reader.ensure(|| apart(list.iter().copied()), "each node once in a claim")?;
    let claims = if parts & 1 == 1 {
        let rows = reader.table()?;
        let claims = rows.into_iter().map(|[first, count, counted, all]| {
            let range = range(reader, first, count, nodes)?;
            let said = SlotsSaid {
                counted: u64::from(counted),
                all: u64::from(all),
            };
            Ok((range, said))
        });
        let claims: Vec<(NodeRange, SlotsSaid)> = claims.collect::<Result<_, _>>()?;
        let ascend = claims.is_sorted_by(|a, b| a.0.end() <= b.0.first);
        reader.ensure(|| ascend, "each node once in a claim")?;
        Some(claims)
    } else {
        None
    };
    let mentions = match parts & 2 {
        0 => list.clone(),
        _ => ranges(reader, nodes)?,
    };
    let fixed = match parts & 4 {
        0 => Fixed::Always,
        _ => Fixed::AtItsTurn,
    };
    let rows = reader.table()?;
    let lowered = rows
        .into_iter()
        .map(|[first, count, slots]| Ok((range(reader, first, count, nodes)?, slots)));
    let lowered: Vec<(NodeRange, u32)> = lowered.collect::<Result<_, _>>()?;
    let once = apart(lowered.iter().map(|row| row.0));
    reader.ensure(|| once, "each node once in a claim")?;
    let named = Named {
        list,
        mentions,
        claims,
        fixed,
    };
    Ok((named, lowered))
}

fn ranges(reader: &mut Reader<'_>, nodes: u32) -> Result<Vec<NodeRange>, BadPlan> {
    let rows = reader.table()?.into_iter();
    let ranges = rows.map(|[first, count]| range(reader, first, count, nodes));
    let ranges: Vec<NodeRange> = ranges.collect::<Result<_, _>>()?;
    let all: u64 = ranges.iter().map(|nodes| u64::from(nodes.count)).sum();
    reader.ensure(|| all <= u64::from(NODES_MAX), "nodes of the pool")?;
    Ok(ranges)
}

fn range(reader: &Reader<'_>, first: u32, count: u32, nodes: u32) -> Result<NodeRange, BadPlan> {
    reader.require(nodes_behind(0, first, count, nodes), "nodes of the pool")
}

fn apart(ranges: impl Iterator<Item = NodeRange>) -> bool {
    let mut ranges: Vec<NodeRange> = ranges.collect();
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].end() <= pair[1].first)
}
