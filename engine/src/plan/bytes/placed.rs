//! Patterns and placed runs in bytes.

use super::edition::Edition;
use super::frame::BadPlan;
use super::gpus;
use super::listed;
use super::sets;
use super::wire::{Reader, Writer, or_zero};
use crate::limit::{OBJECTS_MAX, RANKS_MAX};
use crate::plan::app::AppPlan;
use crate::plan::placed::{Placed, PlacedRun, RankOrder};
use crate::plan::{Claimed, Plan};
use crate::policy::ObjKind;
use crate::table::cpusets::{CpusetId, Cpusets};
use crate::table::interner::KeyRows;
use crate::table::names::NodeRange;
use crate::table::patterns::{PatternId, Patterns, Place, PlaceRun, Segment};

/// Writes the patterns that the runs use, the cpu sets of these patterns, and for each app its runs and the order of its ranks;
/// no policies.
pub(super) fn write(writer: &mut Writer, plan: &Plan, edition: Edition) {
    let mut patterns: KeyRows<PatternId> = KeyRows::default();
    let mut apps = Writer::default();
    for app in plan.apps() {
        write_app(&mut apps, app, &mut patterns);
    }
    let mut cpusets: KeyRows<CpusetId> = KeyRows::default();
    let mut bodies = Writer::default();
    for &id in patterns.keys() {
        let segments = plan.patterns().get(id).segments();
        bodies.size(segments.len());
        for segment in segments {
            write_segment(&mut bodies, segment, &mut cpusets);
            if edition.has_gpus() {
                gpus::write_shares(&mut bodies, &segment.shares);
            }
        }
    }
    let cpusets = cpusets.keys().iter();
    sets::write(writer, cpusets.map(|&id| plan.world().cpusets.get(id)));
    writer.size(patterns.keys().len());
    writer.append(&bodies);
    writer.size(plan.apps().len());
    writer.append(&apps);
}

fn write_segment(writer: &mut Writer, segment: &Segment, cpusets: &mut KeyRows<CpusetId>) {
    writer.number(segment.procs);
    writer.maybe(segment.cycle);
    writer.table(segment.runs.iter().map(|run| {
        let Place { object, cpus } = run.place;
        let cpus = cpus.map(|cpus| cpusets.meet(cpus));
        [run.count, or_zero(object), or_zero(cpus)]
    }));
}

fn write_app(writer: &mut Writer, app: &AppPlan, patterns: &mut KeyRows<PatternId>) {
    let mut end = 0;
    writer.table(app.runs().iter().map(|run| {
        // The distance from the end of the last run to the start of this one, modulo 2^32: nearly always 0.
        let gap = run.nodes.first.wrapping_sub(end);
        end = run.nodes.end();
        [
            gap,
            run.nodes.count,
            run.procs,
            patterns.meet(run.pattern),
            or_zero(run.kind.map(|kind| kind as u32)),
            run.own_before,
            run.used_before.wrapping_sub(run.own_before),
        ]
    }));
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

/// Reads the patterns and, for each app, what was placed.
pub(super) fn read(
    reader: &mut Reader<'_>,
    cpusets: &mut Cpusets,
    nodes: u32,
) -> Result<(Patterns, Vec<Placed>), BadPlan> {
    let masks = sets::read(reader)?.into_iter();
    let masks: Vec<CpusetId> = masks.map(|set| cpusets.intern(set)).collect();
    let mut patterns = Patterns::default();
    let facts = reader.list("a number of patterns", |reader| {
        let segments = reader.list("a number of stretches", |reader| {
            read_segment(reader, &masks)
        })?;
        Ok((PatternFacts::of(&segments), patterns.intern(segments)))
    })?;
    let mut ranks = 0;
    let placed = reader.list("a number of apps", |reader| {
        read_app(reader, &facts, nodes, &mut ranks)
    })?;
    Ok((patterns, placed))
}

/// Reads a segment. `masks`: the cpu sets of the plan.
pub fn read_segment(reader: &mut Reader<'_>, masks: &[CpusetId]) -> Result<Segment, BadPlan> {
    let procs = reader.number(u32::MAX, "a number of processes")?;
    let cycle = reader.maybe("a place in the stretch")?;
    let (rows, mut said) = (reader.table()?, 0);
    let mut runs = Vec::with_capacity(rows.len());
    for [count, object, cpus] in rows {
        let object = object.checked_sub(1);
        let cpus = cpus.checked_sub(1).map(|mask| {
            let mask = masks.get(mask as usize).copied();
            reader.require(mask, "a cpu set that there is")
        });
        let cpus = cpus.transpose()?;
        let sound = count > 0 && object.is_none_or(|object| object < OBJECTS_MAX);
        reader.ensure(|| sound, "runs of processes on objects")?;
        said += u64::from(count);
        let place = Place { object, cpus };
        runs.push(PlaceRun { count, place });
    }
    let sound = match cycle {
        Some(cycle) => (cycle as usize) < runs.len(),
        None => said >= u64::from(procs),
    };
    reader.ensure(|| sound, "runs that say what each process gets")?;
    let shares = match reader.edition.has_gpus() {
        true => gpus::read_shares(reader)?,
        false => Vec::new(),
    };
    Ok(Segment {
        procs,
        runs,
        cycle,
        shares,
    })
}

/// What is checked about a pattern before a run may use it.
#[derive(Clone, Copy)]
pub struct PatternFacts {
    /// How many processes it serves.
    pub procs: u64,
    /// Whether each of its processes has an object.
    pub objects: bool,
}

impl PatternFacts {
    fn of(draft: &[Segment]) -> Self {
        let mut runs = draft.iter().flat_map(|segment| &segment.runs);
        Self {
            procs: draft.iter().map(|segment| u64::from(segment.procs)).sum(),
            objects: runs.all(|run| run.place.object.is_some()),
        }
    }
}

/// Reads the runs and the order of an app.
pub fn read_app(
    reader: &mut Reader<'_>,
    patterns: &[(PatternFacts, PatternId)],
    nodes: u32,
    ranks: &mut u64,
) -> Result<Placed, BadPlan> {
    let rows = reader.table()?;
    let mut runs = Vec::with_capacity(rows.len());
    let (mut next, mut own) = (0_u32, 0);
    let mut objects = true;
    for [gap, count, procs, pattern, kind, own_before, used] in rows {
        let first = next.wrapping_add(gap);
        let end = first.checked_add(count).filter(|&end| end <= nodes);
        let there = end.zip(patterns.get(pattern as usize));
        let (end, &(facts, pattern)) =
            reader.require(there, "runs of nodes and patterns that there are")?;
        let kind = read_kind(reader, kind)?;
        let sound = count > 0 && procs > 0 && facts.procs >= u64::from(procs);
        reader.ensure(|| sound, "runs that their patterns serve")?;
        objects &= kind.is_some() && facts.objects;
        let used_before = own_before.wrapping_add(used);
        let most = u32::MAX - procs;
        reader.ensure(
            || own_before.max(used_before) <= most,
            "fewer processes on a node",
        )?;
        own += u64::from(count) * u64::from(procs);
        reader.ensure(|| *ranks + own <= u64::from(RANKS_MAX), "fewer processes")?;
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
    *ranks += own;
    reader.ensure(|| apart(&runs), "each node once in an app")?;
    let order = match reader.number(4, "an order of ranks")? {
        0 => RankOrder::Slot,
        2 => RankOrder::Node,
        4 => RankOrder::Listed(listed::read(reader, &runs, own)?),
        by_object => {
            reader.ensure(|| objects, "objects, by which ranks are ordered")?;
            match by_object {
                1 => RankOrder::Fill,
                _ => RankOrder::Span,
            }
        }
    };
    Ok(Placed {
        policy: None,
        runs,
        order,
        passes: None,
        claimed: Claimed::default(),
    })
}

/// Reads a kind of objects in a column: 0 for none, else its number plus one.
pub(crate) fn read_kind(reader: &Reader<'_>, kind: u32) -> Result<Option<ObjKind>, BadPlan> {
    let kind = kind.checked_sub(1).map(ObjKind::of_number);
    kind.map(|kind| reader.require(kind, "a kind of objects"))
        .transpose()
}

fn apart(runs: &[PlacedRun]) -> bool {
    let mut ranges: Vec<NodeRange> = runs.iter().map(|run| run.nodes).collect();
    ranges.sort_unstable();
    ranges.windows(2).all(|pair| pair[0].end() <= pair[1].first)
}
