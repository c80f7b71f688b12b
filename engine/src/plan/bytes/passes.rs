//! Where passes over nodes ended: what places alone do not tell (`semantics` 4.8).

use super::wire::{BadPlan, Reader, Writer};
use crate::limit::APPS_MAX;
use crate::plan::app::AppPlan;
use crate::plan::placed::{PassRun, Placed};
use crate::table::names::NodeRange;

/// The section of the passes, behind all others.
pub(super) const PASSES: u32 = 3;

/// Writes them for the apps that tell them; plans without such apps have the bytes that they always had.
pub(super) fn write(writer: &mut Writer, apps: &[AppPlan]) {
    let told = || {
        (0_u32..)
            .zip(apps)
            .filter_map(|(at, app)| Some((at, app.passes()?)))
    };
    let count = told().count();
    if count == 0 {
        return;
    }
    writer.number(PASSES);
    writer.size(count);
    for (app, runs) in told() {
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

/// Reads what stands behind the number of the section.
pub(super) fn read(
    reader: &mut Reader<'_>,
    placed: &mut [Placed],
    nodes: u32,
) -> Result<(), BadPlan> {
    let apps = reader.number(APPS_MAX, "a number of apps")?;
    let mut next = 0;
    for _ in 0..apps {
        let app = reader.number(APPS_MAX, "an app with passes")?;
        reader.ensure(|| app >= next, "an app behind the one before")?;
        next = app + 1;
        let Some(placed) = placed.get_mut(app as usize) else {
            return Err(reader.bad("an app that there is"));
        };
        placed.passes = Some(read_runs(reader, nodes)?);
    }
    Ok(())
}

pub(super) fn read_runs(reader: &mut Reader<'_>, nodes: u32) -> Result<Vec<PassRun>, BadPlan> {
    let count = reader.number(u32::MAX, "a number of runs")? as usize;
    let some = count <= reader.left();
    reader.ensure(|| some, "as many runs as are counted")?;
    let mut runs = Vec::new();
    let mut next = 0_u32;
    for _ in 0..count {
        let gap = reader.number(u32::MAX, "nodes between runs")?;
        let count = reader.number(u32::MAX, "a number of nodes")?;
        let first = next.checked_add(gap);
        let end = first.and_then(|first| first.checked_add(count));
        let (Some(first), Some(end)) = (first, end.filter(|&end| count > 0 && end <= nodes)) else {
            return Err(reader.bad("nodes of the pool"));
        };
        next = end;
        let passes = reader.number(u32::MAX, "a number of passes")? as usize;
        let some = passes > 0 && passes <= reader.left();
        reader.ensure(|| some, "as many passes as are counted")?;
        let mut ends = Vec::new();
        let mut last = 0_u32;
        for _ in 0..passes {
            let more = reader.number(u32::MAX, "processes of a pass")?;
            let grows = more > 0 || ends.is_empty();
            let end = last.checked_add(more).filter(|_| grows);
            last = end.ok_or_else(|| reader.bad("processes of a pass"))?;
            ends.push(last);
        }
        let nodes = NodeRange { first, count };
        runs.push(PassRun { nodes, ends });
    }
    Ok(runs)
}
