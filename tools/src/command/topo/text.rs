//! A topology for people: a tree with equal subtrees folded, and both numberings.
//!
//! ```text
//! package:2 numa:2 core:4 pu:2: 2 packages, 4 numa nodes, 16 cores, 32 hwthreads
//! 2 x package L#0-1 P#0-1
//!   2 x numa L#0-3 P#0-3
//!     4 x core L#0-15 P#0-15
//!       2 x hwthread L#0-31 P#0-31
//! L# is the logical number, by place in the tree; P# that of the operating system, as cpu lists of it have.
//! ```

use super::{plain, push};
use std::collections::HashMap;
use std::ops::Range;
use stowplan_engine::count::counted;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::{Cpusets, list_form};
use stowplan_engine::table::topologies::{ObjectId, Topologies, TopologyId};
use stowplan_topo::builtin;

/// The most lines of the tree; further lines are only counted.
const LINES_MAX: usize = 60;
/// The most devices that are named.
const DEVICES_MAX: usize = 16;
/// The most bytes of a list of numbers.
const LIST_MAX: usize = 48;

/// Objects with the same PUs, outermost first, and the spots below them.
struct Spot {
    /// The kind, logical number and OS number of each object.
    objects: Vec<(ObjKind, u32, Option<u32>)>,
    pus: Range<u32>,
    below: Vec<usize>,
    /// Spots with the same shape are drawn alike.
    shape: usize,
}

/// Spots are alike if these are equal: their kinds, and the runs of shapes below them.
type Shape = (Vec<ObjKind>, Vec<(usize, usize)>);

/// The whole answer. Cost: the objects times the depth.
pub(super) fn text(
    source: &str,
    topologies: &Topologies,
    cpusets: &Cpusets,
    topology: TopologyId,
) -> String {
    let mut text = format!("{}: {}\n", plain(source), counts(topologies, topology));
    let machine = source.strip_prefix("builtin:").and_then(builtin::find);
    if let Some(machine) = machine.filter(|machine| !machine.kept.is_empty()) {
        let (kept, whole) = (short(machine.kept.iter().copied()), machine.synthetic);
        push(
            &mut text,
            format_args!("the site keeps core L#{kept} of {whole}\n"),
        );
    }
    let spots = spots(topologies, topology);
    let mut lines = Vec::new();
    // The first spot is the machine; the whole text describes it.
    match spots.first() {
        Some(machine) if machine.objects.len() > 1 => draw(&spots, &[0], 1, 0, &mut lines),
        Some(_) => draw_below(&spots, &[0], 0, &mut lines),
        None => {}
    }
    for line in lines.iter().take(LINES_MAX) {
        push(&mut text, format_args!("{line}\n"));
    }
    if let Some(more @ 1..) = lines.len().checked_sub(LINES_MAX) {
        push(
            &mut text,
            format_args!(
                "… and {}; --format tsv has all\n",
                counted(more as u64, "more line")
            ),
        );
    }
    without_cpus(topologies, topology, &mut text);
    example(topologies, topology, &mut text);
    gpus(topologies, cpusets, topology, &mut text);
    devices(topologies, topology, &mut text);
    text.push_str(
        "L# is the logical number, by place in the tree; P# that of the operating system, as cpu lists of it have.\n",
    );
    text
}

/// `2 packages, 4 numa nodes, 16 cores`
fn counts(topologies: &Topologies, topology: TopologyId) -> String {
    let names = ObjKind::ALL.iter().skip(1).filter_map(|&kind| {
        let count = topologies.count(topology, kind);
        let word = match kind {
            ObjKind::Numa => "numa node",
            ObjKind::Machine
            | ObjKind::Package
            | ObjKind::Die
            | ObjKind::L5
            | ObjKind::L4
            | ObjKind::L3
            | ObjKind::L2
            | ObjKind::L1
            | ObjKind::Core
            | ObjKind::Hwthread
            | ObjKind::Gpu
            | ObjKind::Device => kind.word(),
        };
        let plural = if count == 1 { "" } else { "s" };
        (count > 0).then(|| format!("{count} {word}{plural}"))
    });
    names.collect::<Vec<String>>().join(", ")
}

fn pus_of(topologies: &Topologies, object: ObjectId) -> Option<Range<u32>> {
    let ranges = topologies.ranges(object);
    Some(ranges.first()?.0..ranges.last()?.1)
}

/// All objects with PUs, each below the narrowest object that contains it. A spot comes before the spots below it.
fn spots(topologies: &Topologies, topology: TopologyId) -> Vec<Spot> {
    let mut objects = Vec::new();
    for kind in ObjKind::ALL {
        for object in topologies.objects(topology, kind) {
            objects.extend(pus_of(topologies, object).map(|pus| (pus, kind, object)));
        }
    }
    objects.sort_by_key(|(pus, kind, object)| (pus.start, u32::MAX - pus.end, *kind, *object));
    let mut spots: Vec<Spot> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for (pus, kind, object) in objects {
        while open.last().is_some_and(|&top| spots[top].pus.end < pus.end) {
            open.pop();
        }
        let named = (
            kind,
            topologies.logical(topology, object),
            topologies.os(object),
        );
        match open.last() {
            // Outer objects come first, so only the innermost open spot can have the same PUs.
            Some(&top) if spots[top].pus == pus => spots[top].objects.push(named),
            above => {
                let new = spots.len();
                if let Some(&above) = above {
                    spots[above].below.push(new);
                }
                spots.push(Spot {
                    objects: vec![named],
                    pus,
                    below: Vec::new(),
                    shape: 0,
                });
                open.push(new);
            }
        }
    }
    set_shapes(&mut spots);
    spots
}

fn set_shapes(spots: &mut [Spot]) {
    let mut known: HashMap<Shape, usize> = HashMap::new();
    for row in (0..spots.len()).rev() {
        let kinds = spots[row].objects.iter().map(|(kind, ..)| *kind).collect();
        let shapes = spots[row].below.iter().map(|&below| spots[below].shape);
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for shape in shapes {
            match runs.last_mut() {
                Some((last, count)) if *last == shape => *count += 1,
                Some(_) | None => runs.push((shape, 1)),
            }
        }
        let next = known.len();
        spots[row].shape = *known.entry((kinds, runs)).or_insert(next);
    }
}

/// Draws spots of one shape as one line, then the spots below them. `each`: how many of these spots each spot above has.
fn draw(spots: &[Spot], alike: &[usize], each: usize, depth: usize, lines: &mut Vec<String>) {
    let Some(first) = alike.first().map(|&first| &spots[first]) else {
        return;
    };
    let mut line = "  ".repeat(depth);
    if each > 1 {
        push(&mut line, format_args!("{each} x "));
    }
    let parts = first.objects.iter().enumerate().map(|(place, (kind, ..))| {
        let of_all = alike.iter().map(|&spot| spots[spot].objects[place]);
        let logical = of_all.clone().map(|(_, logical, _)| logical);
        let os = of_all.filter_map(|(.., os)| os);
        let mut part = format!("{} L#{}", kind.word(), short(logical));
        let os = short(os);
        if os != "-" {
            push(&mut part, format_args!(" P#{os}"));
        }
        part
    });
    // The whole text names the machine already.
    let parts: Vec<String> = parts.filter(|part| !part.starts_with("machine ")).collect();
    line.push_str(&parts.join(" + "));
    lines.push(line);
    draw_below(spots, alike, depth + 1, lines);
}

fn draw_below(spots: &[Spot], alike: &[usize], depth: usize, lines: &mut Vec<String>) {
    let Some(first) = alike.first().map(|&first| &spots[first]) else {
        return;
    };
    let mut from = 0;
    while let Some(&child) = first.below.get(from) {
        if lines.len() > LINES_MAX * 100 {
            return;
        }
        let run = first.below[from..]
            .iter()
            .take_while(|&&below| spots[below].shape == spots[child].shape)
            .count();
        let below: Vec<usize> = alike
            .iter()
            .flat_map(|&spot| &spots[spot].below[from..from + run])
            .copied()
            .collect();
        draw(spots, &below, run, depth, lines);
        from += run;
    }
}

/// A list of numbers, cut if it is long.
fn short(numbers: impl Iterator<Item = u32>) -> String {
    let mut list = list_form(&numbers.collect());
    if list.len() > LIST_MAX {
        let cut = list[..LIST_MAX].rfind(',').unwrap_or(LIST_MAX);
        let more = list[cut..].matches(',').count();
        list.truncate(cut);
        push(&mut list, format_args!(",… (+{more})"));
    }
    list
}

/// Memory without cpus, and packages that have no cpus left.
fn without_cpus(topologies: &Topologies, topology: TopologyId, text: &mut String) {
    for kind in ObjKind::ALL {
        let empty = topologies
            .objects(topology, kind)
            .filter(|&object| topologies.ranges(object).is_empty());
        let empty: Vec<ObjectId> = empty.collect();
        if empty.is_empty() {
            continue;
        }
        let logical = empty
            .iter()
            .map(|&object| topologies.logical(topology, object));
        let os = empty.iter().filter_map(|&object| topologies.os(object));
        push(
            text,
            format_args!(
                "without cpus: {} L#{} P#{}\n",
                kind.word(),
                short(logical),
                short(os)
            ),
        );
    }
}

/// The PUs of the first cores, if the two numberings differ.
fn example(topologies: &Topologies, topology: TopologyId, text: &mut String) {
    let pus_os = topologies.pus_os(topology);
    if (0..)
        .zip(pus_os)
        .all(|(logical, &os): (u32, &u32)| logical == os)
    {
        return;
    }
    let cores = topologies.objects(topology, ObjKind::Core).take(3);
    let cores: Vec<String> = cores
        .filter_map(|core| {
            let pus = pus_of(topologies, core)?;
            let os = pus_os[pus.start as usize..pus.end as usize].iter().copied();
            Some(format!(
                "core L#{} is P#{}",
                topologies.logical(topology, core),
                short(os)
            ))
        })
        .collect();
    if !cores.is_empty() {
        push(text, format_args!("for example {}\n", cores.join(", ")));
    }
}

/// Each GPU: its number here, and the number by which programs see it.
fn gpus(topologies: &Topologies, cpusets: &Cpusets, topology: TopologyId, text: &mut String) {
    let objects = topologies.objects(topology, ObjKind::Gpu);
    for (logical, (gpu, object)) in topologies.gpus(topology).iter().zip(objects).enumerate() {
        let near = cpusets.get(topologies.cpuset(object));
        let near = match near.is_empty() {
            true => "no cpu that may be used".to_owned(),
            false => format!("P#{}", list_form(near)),
        };
        push(
            text,
            format_args!("gpu L#{logical} visible {} near {near}", gpu.visible),
        );
        match gpu.name.as_str() {
            "" => text.push('\n'),
            name => push(text, format_args!(" ({})\n", plain(name))),
        }
    }
}

fn devices(topologies: &Topologies, topology: TopologyId, text: &mut String) {
    let devices = topologies.devices(topology);
    let pus_os = topologies.pus_os(topology);
    for (logical, device) in devices.iter().take(DEVICES_MAX).enumerate() {
        let pus = device
            .pus
            .iter()
            .flat_map(|range| &pus_os[range.start as usize..range.end as usize]);
        let subtype = match device.subtype.as_str() {
            "-" => String::new(),
            subtype => format!(" ({})", plain(subtype)),
        };
        push(
            text,
            format_args!(
                "device L#{logical} {}{subtype} near P#{}\n",
                plain(&device.name),
                short(pus.copied())
            ),
        );
    }
    if let Some(more @ 1..) = devices.len().checked_sub(DEVICES_MAX) {
        push(
            text,
            format_args!(
                "… and {}; --format tsv has all\n",
                counted(more as u64, "more device")
            ),
        );
    }
}
