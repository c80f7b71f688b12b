//! Where passes over nodes ended, in bytes. Places alone do not show this (`semantics` 4.8).

use super::each_app::each_app;
use super::frame::BadPlan;
use super::ranges::nodes_behind;
use super::wire::{Reader, Writer};
use crate::plan::app::AppPlan;
use crate::plan::placed::{PassRun, Placed};

/// The number of the section of passes.
pub const PASSES: u32 = 3;

/// Writes the passes of the apps that record them. A plan without such apps has the same bytes as before this section existed.
pub(super) fn write(writer: &mut Writer, apps: &[AppPlan]) {
    let apps = (0_u32..).zip(apps);
    let told = apps.filter_map(|(at, app)| Some((at, app.passes()?)));
    let told: Vec<(u32, &[PassRun])> = told.collect();
    if told.is_empty() {
        return;
    }
    writer.number(PASSES);
    writer.size(told.len());
    for (app, runs) in told {
        writer.number(app);
        writer.size(runs.len());
        let mut next = 0;
        for run in runs {
            writer.number(run.nodes.first - next);
            writer.number(run.nodes.count);
            next = run.nodes.end();
            writer.size(run.ends.len());
            let mut before = 0;
            for &end in &run.ends {
                writer.number(end - before);
                before = end;
            }
        }
    }
}

/// Reads the section, behind its number.
pub(super) fn read(
    reader: &mut Reader<'_>,
    placed: &mut [Placed],
    nodes: u32,
) -> Result<(), BadPlan> {
    each_app(reader, placed.len(), |reader, app| {
        placed[app].passes = Some(read_runs(reader, nodes)?);
        Ok(())
    })
}

/// Reads the passes of an app on so many nodes.
pub fn read_runs(reader: &mut Reader<'_>, nodes: u32) -> Result<Vec<PassRun>, BadPlan> {
    let mut end = 0;
    reader.list("as many runs as are counted", |reader| {
        let gap = reader.number(u32::MAX, "nodes between runs")?;
        let count = reader.number(u32::MAX, "a number of nodes")?;
        let nodes = nodes_behind(end, gap, count, nodes);
        let nodes = reader.require(nodes, "nodes of the pool")?;
        end = nodes.end();
        let mut last = None;
        let ends = reader.list("as many passes as are counted", |reader| {
            let more = reader.number(u32::MAX, "processes of a pass")?;
            // Only the first pass may have no processes.
            let end = match last {
                None => Some(more),
                Some(last) => more.checked_add(last).filter(|_| more > 0),
            };
            last = end;
            reader.require(end, "processes of a pass")
        })?;
        reader.ensure(|| !ends.is_empty(), "as many passes as are counted")?;
        Ok(PassRun { nodes, ends })
    })
}
