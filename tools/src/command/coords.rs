//! `stowplan export coords`: MPICH's file of coordinates, for its collectives.

use crate::report::{Refused, told};
use std::io::{self, Write};
use stowplan::score::network::OnNetwork;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;

/// The word behind `export`.
pub(super) const WORD: &str = "coords";

/// The coordinates of each node of a job: its object of the top level, of the lowest one, and its place there.
///
/// # Errors
/// `not-expressible` where nodes are in places of a torus.
fn of_nodes(on: &OnNetwork) -> Result<Vec<[u32; 3]>, Refused> {
    let network = on.network();
    let (Some(top), Some(lowest)) = (network.levels().first(), network.levels().last()) else {
        return Ok(Vec::new());
    };
    if network.spot(0).is_some() {
        return Err(told(
            "not-expressible",
            format!(
                "coords cannot say where nodes of a {} are: it takes a group, a switch and a port",
                network.kind().word()
            ),
        ));
    }
    // The place of the first node of each stretch in its object.
    let all = network.names().len();
    let mut before: Vec<(u32, u32)> = Vec::new();
    for stretches in lowest.stretches(all) {
        let mut place = 0;
        for (first, end) in stretches {
            before.push((first, place));
            place += end - first;
        }
    }
    before.sort_unstable();
    let place = |node: u32| {
        let at = before.partition_point(|own| own.0 <= node) - 1;
        node - before[at].0 + before[at].1
    };
    let each = on.numbers().iter();
    Ok(each
        .map(|&node| [top.object(node), lowest.object(node), place(node)])
        .collect())
}

/// Writes a line of words, and a line for each rank.
///
/// # Errors
/// `bad-option` without a network; `not-expressible`.
pub(super) fn write(
    plan: &Plan,
    on: Option<&OnNetwork>,
) -> Result<impl FnOnce(&mut dyn Write) -> io::Result<()>, Refused> {
    let Some(on) = on else {
        return Err(told(
            "bad-option",
            "export coords needs --network: it writes where the nodes are",
        ));
    };
    let nodes = of_nodes(on)?;
    let levels = on.network().levels();
    let word = |at: Option<&stowplan::score::network::Level>| {
        at.map_or("-", |level| level.word.as_str()).to_owned()
    };
    let (top, lowest) = (word(levels.first()), word(levels.last()));
    Ok(move |out: &mut dyn Write| {
        writeln!(
            out,
            "# rank: {top} {lowest} place, for MPIR_CVAR_COORDINATES_FILE of MPICH"
        )?;
        for rank in 0..plan.ranks() {
            if let Some(place) = plan.place(stowplan_engine::count::Rank(rank)) {
                let [group, switch, port] = nodes[place.node.row()];
                writeln!(out, "{rank}: {group} {switch} {port}")?;
            }
        }
        Ok(())
    })
}
