//! Patterns and placed runs in bytes.

use super::gpus;
use super::listed;
use super::sets;
use super::states::Used;
use super::wire::{BadPlan, Edition, Reader, Writer};
use crate::limit::{OBJECTS_MAX, RANKS_MAX};
use crate::plan::Plan;
use crate::plan::placed::{Placed, PlacedRun, RankOrder};
use crate::policy::ObjKind;
use crate::table::cpusets::{CpusetId, Cpusets};
use crate::table::names::NodeRange;
use crate::table::patterns::{PatternId, Patterns, Place, PlaceRun, Segment};

/// Patterns that the runs use, the cpu sets that these use, and per app its runs and the order of its ranks; no policies.
pub(super) fn write(writer: &mut Writer, plan: &Plan, edition: Edition) {
    let mut patterns: Used<PatternId> = Used::new();
    let mut apps = Writer::default();
    for app in plan.apps() {
        write_app(&mut apps, app, &mut patterns);
    }
    let mut cpusets: Used<CpusetId> = Used::new();
    let mut bodies = Writer::default();
    for &id in &patterns.rows {
        let segments = plan.patterns().get(id).segments();
        bodies.size(segments.len());
        for segment in segments {
            write_segment(&mut bodies, segment, &mut cpusets);
            if edition == Edition::Gpus {
                gpus::write_shares(&mut bodies, &segment.shares);
            }
        }
    }
    let masks = cpusets.rows.iter().map(|&id| plan.world().cpusets.get(id));
    sets::write(writer, masks);
    writer.size(patterns.rows.len());
    writer.append(&bodies);
    writer.size(plan.apps().len());
    writer.append(&apps);
}

fn write_segment(writer: &mut Writer, segment: &Segment, cpusets: &mut Used<CpusetId>) {
    writer.number(segment.procs);
    writer.maybe(segment.cycle);
    writer.size(segment.runs.len());
    let runs = &segment.runs;
    let masks = runs.iter().map(|run| run.place.cpus);
    let masks: Vec<u32> = masks
        .map(|mask| mask.map_or(0, |mask| cpusets.row(mask) + 1))
        .collect();
    let object = |at: usize| runs[at].place.object.map_or(0, |object| object + 1);
    writer.column_of(runs.len(), |at| runs[at].count);
    writer.column_of(runs.len(), object);
    writer.column(&masks);
}

fn write_app(writer: &mut Writer, app: &crate::plan::app::AppPlan, patterns: &mut Used<PatternId>) {
    let runs = app.runs();
    writer.size(runs.len());
    let numbered: Vec<u32> = runs.iter().map(|run| patterns.row(run.pattern)).collect();
    // How far a run starts behind the end of the last one, modulo 2^32: nearly always not at all.
    let gap = |at: usize| {
        let end = at.checked_sub(1).map_or(0, |last| runs[last].nodes.end());
        runs[at].nodes.first.wrapping_sub(end)
    };
    writer.column_of(runs.len(), gap);
    let column = |writer: &mut Writer, value: fn(&PlacedRun) -> u32| {
        writer.column_of(runs.len(), |at| value(&runs[at]));
    };
    column(writer, |run| run.nodes.count);
    column(writer, |run| run.procs);
    writer.column(&numbered);
    column(writer, |run| run.kind.map_or(0, |kind| kind as u32 + 1));
    column(writer, |run| run.own_before);
    column(writer, |run| run.used_before.wrapping_sub(run.own_before));
    match app.order() {
        RankOrder::Slot => writer.number(0_u32),
        RankOrder::Fill => writer.number(1_u32),
        RankOrder::Node => writer.number(2_u32),
        RankOrder::Span => writer.number(3_u32),
        RankOrder::Listed(entries) => {
            writer.number(4_u32);
            listed::write(writer, entries);
        }
    }
}

/// Patterns, and per app what was placed.
pub(super) fn read(
    reader: &mut Reader<'_>,
    cpusets: &mut Cpusets,
    nodes: u32,
) -> Result<(Patterns, Vec<Placed>), BadPlan> {
    let masks: Vec<CpusetId> = sets::read(reader)?
        .into_iter()
        .map(|set| cpusets.intern(set))
        .collect();
    let count = reader.size(1, "a number of patterns")?;
    let mut patterns = Patterns::default();
    let mut facts = Vec::with_capacity(count.min(4096));
    for _ in 0..count {
        let segments = reader.size(1, "a number of stretches")?;
        let mut draft = Vec::with_capacity(segments.min(64));
        for _ in 0..segments {
            draft.push(read_segment(reader, &masks)?);
        }
        facts.push((Facts::of(&draft), patterns.intern(draft)));
    }
    let count = reader.size(1, "a number of apps")?;
    let mut placed = Vec::with_capacity(count.min(4096));
    let mut ranks = 0;
    for _ in 0..count {
        placed.push(read_app(reader, &facts, nodes, &mut ranks)?);
    }
    Ok((patterns, placed))
}

pub(super) fn read_segment(
    reader: &mut Reader<'_>,
    masks: &[CpusetId],
) -> Result<Segment, BadPlan> {
    let procs = reader.number(u32::MAX, "a number of processes")?;
    let cycle = reader.maybe("a place in the stretch")?;
    let rows = reader.rows()?;
    let counts = reader.column(rows)?;
    let objects = reader.column(rows)?;
    let cpus = reader.column(rows)?;
    let mut runs = Vec::with_capacity(rows);
    for row in 0..rows {
        let object = objects[row].checked_sub(1);
        let cpus = match cpus[row].checked_sub(1) {
            None => None,
            Some(mask) => match masks.get(mask as usize) {
                Some(&mask) => Some(mask),
                None => return Err(reader.bad("a cpu set that there is")),
            },
        };
        let sound = counts[row] > 0 && object.is_none_or(|object| object < OBJECTS_MAX);
        reader.ensure(|| sound, "runs of processes on objects")?;
        runs.push(PlaceRun {
            count: counts[row],
            place: Place { object, cpus },
        });
    }
    let said: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    let sound = match cycle {
        Some(cycle) => (cycle as usize) < rows,
        None => said >= u64::from(procs),
    };
    reader.ensure(|| sound, "runs that say what each process gets")?;
    let shares = match reader.edition {
        Edition::Plain => Vec::new(),
        Edition::Gpus => gpus::read_shares(reader)?,
    };
    Ok(Segment {
        procs,
        runs,
        cycle,
        shares,
    })
}

/// What is asked of a pattern before a run may use it.
#[derive(Clone, Copy)]
pub(super) struct Facts {
    pub(super) procs: u64,
    pub(super) objects: HasObjects,
}

/// Whether the processes of a pattern have objects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum HasObjects {
    All,
    None,
    Some,
}

impl Facts {
    fn of(draft: &[Segment]) -> Self {
        let mut runs = draft.iter().flat_map(|segment| &segment.runs);
        let objects = if runs.clone().all(|run| run.place.object.is_some()) {
            HasObjects::All
        } else if runs.all(|run| run.place.object.is_none()) {
            HasObjects::None
        } else {
            HasObjects::Some
        };
        Self {
            procs: draft.iter().map(|segment| u64::from(segment.procs)).sum(),
            objects,
        }
    }
}

pub(super) fn read_app(
    reader: &mut Reader<'_>,
    patterns: &[(Facts, PatternId)],
    nodes: u32,
    ranks: &mut u64,
) -> Result<Placed, BadPlan> {
    let rows = reader.rows()?;
    let mut runs = Vec::with_capacity(rows);
    let mut next = 0_u32;
    let mut own = 0;
    let mut objects = HasObjects::All;
    for row in reader.table::<7>(rows)? {
        let value = |column: usize| row[column];
        let first = next.wrapping_add(value(0));
        let (count, procs) = (value(1), value(2));
        let end = first.checked_add(count).filter(|&end| end <= nodes);
        let pattern = patterns.get(value(3) as usize);
        let (Some(end), Some(&(facts, pattern))) = (end, pattern) else {
            return Err(reader.bad("runs of nodes and patterns that there are"));
        };
        let kind = match value(4).checked_sub(1) {
            None => None,
            Some(row) => match ObjKind::of_number(row) {
                Some(kind) => Some(kind),
                None => return Err(reader.bad("a kind of objects")),
            },
        };
        let sound = count > 0 && procs > 0 && facts.procs >= u64::from(procs);
        reader.ensure(|| sound, "runs that their patterns serve")?;
        if kind.is_none() || facts.objects != HasObjects::All {
            objects = HasObjects::Some;
        }
        let own_before = value(5);
        let used_before = own_before.wrapping_add(value(6));
        let fits =
            own_before.checked_add(procs).is_some() && used_before.checked_add(procs).is_some();
        reader.ensure(|| fits, "fewer processes on a node")?;
        own += u64::from(count) * u64::from(procs);
        *ranks += u64::from(count) * u64::from(procs);
        reader.ensure(|| *ranks <= u64::from(RANKS_MAX), "fewer processes")?;
        next = end;
        runs.push(PlacedRun {
            nodes: NodeRange { first, count },
            procs,
            pattern,
            kind,
            own_before,
            used_before,
        });
    }
    reader.ensure(|| apart(&runs), "each node once in an app")?;
    let order = match reader.number(4, "an order of ranks")? {
        0 => RankOrder::Slot,
        2 => RankOrder::Node,
        4 => RankOrder::Listed(listed::read(reader, &runs, own)?),
        by_object => {
            reader.ensure(
                || objects == HasObjects::All,
                "objects, by which ranks are ordered",
            )?;
            if by_object == 1 {
                RankOrder::Fill
            } else {
                RankOrder::Span
            }
        }
    };
    Ok(Placed {
        policy: None,
        runs,
        order,
        passes: None,
    })
}

fn apart(runs: &[PlacedRun]) -> bool {
    let mut ranges: Vec<NodeRange> = runs.iter().map(|run| run.nodes).collect();
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].end() <= pair[1].first)
}
