//! Plans as pictures: an HTML page that needs no network and is readable without scripts, or the drawing alone.

// How a picture is drawn.
pub mod setting;
// Lines of text.
pub mod letters;
// Nodes that look the same.
mod shape;
// Boxes in boxes.
mod tree;
// Where processes are drawn in the boxes.
mod seats;
// As SVG.
pub mod draw;
// What is around nodes.
mod switches;
// The place of each rank.
mod ranks;
// What it shows, in one sentence.
mod sentence;
// The page around the drawing.
mod html;
// Plain colours.
pub mod colours;
// The drawing alone.
mod svg;
// Edges that leave nodes, and candidates.
pub mod figure;

use crate::answers::diff::words::change;
use crate::answers::row::Rows;
use crate::score::network::OnNetwork;
use draw::{Panel, panels};
use seats::{PROCS_MAX, Seats};
use setting::Setting;
use shape::{SHAPES_MAX, Shape, letter, shapes};
use stowplan_engine::count::Rank;
use stowplan_engine::count::counted;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::{NodeId, NodeRange};
use switches::Switches;

/// The most bytes of a picture.
pub const BYTES_MAX: usize = 300_000;
/// Of these: bytes for drawings, for host lists, and for the places of ranks.
const DRAWN_BYTES: usize = 165_000;
const HOSTS_BYTES: usize = 40_000;
const RANKS_BYTES: usize = 30_000;
/// The most parts of the strip of all nodes.
const STRIP_PARTS: u32 = 200;
/// The most apps that the legend names.
const APPS_MAX: usize = 12;

// The style of pictures and their colours.
const STYLE: &str = include_str!("style.css");

/// What the boxes mean.
const LEGEND: &str = "a filled box is a process, with its rank on the first node of the shape: in its core, over its cores, or above all cores that it shares; a dashed box is an idle core, where no rank may run, a grey one is kept from jobs; small numbers are those of the operating system, t3 is thread 3, t2.3 that of rank 2, +1 one more";

/// A page with a plan.
///
/// Cost: the plan's runs; the boxes of the shapes drawn; a few additions a rank for the search box.
#[must_use]
pub fn html(plan: &Plan) -> String {
    html_of(plan, &Setting::default())
}

/// As [`html()`], with what stands around the nodes.
///
/// Cost: as [`html()`].
#[must_use]
pub fn html_of(plan: &Plan, setting: &Setting<'_>) -> String {
    let drawing = Drawing::new(plan, 1, setting, &|_| false);
    html::page("stowplan", &[("", drawing)], setting.lines)
}

/// The drawing of a plan alone, as one SVG image without scripts: for notebooks and documents.
///
/// Cost: as [`html()`], without the search box.
#[must_use]
pub fn svg(plan: &Plan) -> String {
    svg_of(plan, &Setting::default())
}

/// As [`svg()`], with what stands around the nodes.
///
/// Cost: as [`svg()`].
#[must_use]
pub fn svg_of(plan: &Plan, setting: &Setting<'_>) -> String {
    let drawing = |across| vec![("", Drawing::in_rows(plan, 1, setting, &|_| false, across))];
    svg::image(&drawing, setting)
}

/// A plan, and the network around its nodes, if one is known.
pub type Around<'p> = (&'p Plan, Option<&'p OnNetwork>);

/// A page with two plans beside each other, with the ranks that moved marked. `lines`: text above the plans.
///
/// Cost: twice that of [`html()`].
#[must_use]
pub fn html_diff(a: Around<'_>, b: Around<'_>, lines: &[String]) -> String {
    let (moved, setting) = (moved(a.0, b.0), Setting::default());
    let side = |(plan, network)| {
        let setting = Setting { network, ..setting };
        Drawing::new(plan, 2, &setting, &moved)
    };
    let sides = [("before", side(a)), ("after", side(b))];
    html::page("stowplan diff", &sides, lines)
}

/// Two drawings beside each other, with the ranks that moved marked. `setting`: what else stands around the nodes of both.
///
/// Cost: twice that of [`svg()`].
#[must_use]
pub fn svg_diff(a: Around<'_>, b: Around<'_>, setting: &Setting<'_>) -> String {
    let moved = moved(a.0, b.0);
    let side = |(plan, network), across| {
        let setting = Setting {
            network,
            ..*setting
        };
        Drawing::in_rows(plan, 2, &setting, &moved, across)
    };
    let sides = |across| vec![("before", side(a, across)), ("after", side(b, across))];
    svg::image(&sides, setting)
}

/// Whether a rank has another place in the other plan.
fn moved<'p>(a: &'p Plan, b: &'p Plan) -> impl Fn(u32) -> bool + 'p {
    move |rank| {
        let ours = Rows::new(a).row(Rank(rank));
        let theirs = Rows::new(b).row(Rank(rank));
        change(ours.as_ref(), theirs.as_ref()).is_some()
    }
}

/// The content of a picture of a plan.
struct Drawing {
    summary: String,
    /// What it shows.
    sentence: String,
    apps: Vec<String>,
    /// Apps that the legend leaves out.
    more_apps: usize,
    drawn: Vec<Drawn>,
    /// Shapes that are not drawn, and the number of their nodes.
    more: (usize, u64),
    /// The network around the nodes, if one is known.
    switches: Option<Switches>,
    strip: Vec<StripPart>,
    /// What the strip shows, in words.
    strip_words: String,
    ranks: String,
}

/// Neighbouring nodes of one shape, as a part of the strip of all nodes, which is 1000 wide.
struct StripPart {
    name: String,
    /// `n0` and `n1` in turn, or `idle`.
    class: &'static str,
    title: String,
    x: u32,
    width: u32,
}

/// A shape with its panels.
struct Drawn {
    letter: String,
    hosts: String,
    /// Nodes that the list leaves out.
    more_hosts: u64,
    count: u64,
    procs: u64,
    panels: Vec<Panel>,
    /// What the panels do not show.
    note: Option<String>,
}

impl Drawing {
    /// `share`: how many drawings share the space.
    fn new(plan: &Plan, share: usize, setting: &Setting<'_>, moved: &dyn Fn(u32) -> bool) -> Self {
        let mut drawing = Self::in_rows(plan, share, setting, moved, 8);
        let chosen = setting.chosen.map(|ranks| shape::chosen(plan, ranks));
        let all = shapes(plan, chosen.as_ref());
        drawing.ranks = ranks::table(plan, &all, &largest(&all).0, RANKS_BYTES / share);
        drawing
    }

    /// As [`Self::new`], with at most `across` cells in a row of a box.
    fn in_rows(
        plan: &Plan,
        share: usize,
        setting: &Setting<'_>,
        moved: &dyn Fn(u32) -> bool,
        across: u32,
    ) -> Self {
        let chosen = setting.chosen.map(|ranks| shape::chosen(plan, ranks));
        let all = shapes(plan, chosen.as_ref());
        let (kept, rest) = largest(&all);
        // Each shape has its part; what one leaves, the next has besides.
        let fair = PROCS_MAX / u32::try_from(kept.len()).unwrap_or(PROCS_MAX).max(1);
        let mut budget = 0;
        let mut room = DRAWN_BYTES / share;
        let mut first = None;
        let hosts = HOSTS_BYTES / share / kept.len().max(1);
        let drawn = kept.iter().enumerate().map(|(at, &own)| {
            let shape = &all[own];
            let tree = tree::tree(plan, shape.topology);
            budget += fair;
            let seats = Seats::new(plan, shape, &tree, budget);
            budget -= u32::try_from(seats.procs.len()).unwrap_or(budget);
            let boxes = panels(&tree, &seats, moved, across);
            let mut drawn = Drawn::new(plan, shape, &seats, boxes);
            if at == 0 {
                first = Some((tree, seats));
            }
            let bytes: usize = drawn.panels.iter().map(|panel| panel.svg.len() + 120).sum();
            match room.checked_sub(bytes) {
                Some(left) => room = left,
                None => {
                    drawn.panels.clear();
                    let why = "not drawn: the picture has no room for it";
                    drawn.note = Some(match drawn.note.take() {
                        Some(note) => format!("{why}; {note}"),
                        None => why.to_owned(),
                    });
                }
            }
            (drawn.hosts, drawn.more_hosts) = shape.hosts(plan, hosts);
            drawn.letter = letter(at);
            drawn
        });
        let drawn = drawn.collect();
        let sentence = sentence::sentence(plan, &all, first.as_ref());
        let nodes = |rows: &[usize]| rows.iter().map(|&at| all[at].count).sum::<u64>();
        let used = nodes(&kept) + nodes(&rest);
        let (apps, more_apps) = apps(plan);
        Self {
            summary: summary(plan, used, all.len()),
            sentence,
            apps,
            more_apps,
            drawn,
            more: (rest.len(), nodes(&rest)),
            switches: { setting.network }.map(|on| Switches::new(plan, on, (&all, &kept), share)),
            strip: strip(
                plan,
                &all,
                &kept,
                chosen.as_ref().map_or("idle", |_| "not shown"),
            ),
            strip_words: strip_words(plan.world().names.len()),
            ranks: String::new(),
        }
    }
}

impl Drawn {
    fn new(plan: &Plan, shape: &Shape, seats: &Seats, panels: Vec<Panel>) -> Self {
        let mut notes = Vec::new();
        if let Some(gpus) = shape.gpus(plan) {
            notes.push(format!("GPUs by local rank: {gpus}"));
        }
        if seats.more > 0 {
            notes.push(format!("{} not drawn", counted(seats.more, "more process")));
        }
        Self {
            letter: String::new(),
            hosts: String::new(),
            more_hosts: 0,
            count: shape.count,
            procs: shape.size(),
            panels,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }

    /// `A  2 nodes, 8 ranks each: n[0-1]`.
    fn head(&self, hosts: usize) -> String {
        let mut shown: String = self.hosts.chars().take(hosts).collect();
        if shown.len() < self.hosts.len() || self.more_hosts > 0 {
            shown += " …";
        }
        let each = if self.count == 1 { "" } else { " on each" };
        format!(
            "{}, {}{each}: {shown}",
            counted(self.count, "node"),
            counted(self.procs, "rank")
        )
    }
}

/// The shapes that are drawn and the others: the largest first; of equal ones the first in node order.
fn largest(all: &[Shape]) -> (Vec<usize>, Vec<usize>) {
    let mut kept: Vec<usize> = (0..all.len()).collect();
    kept.sort_by_key(|&at| std::cmp::Reverse(all[at].count));
    let rest = kept.split_off(kept.len().min(SHAPES_MAX));
    (kept, rest)
}

/// The numbers that people quote: ranks, nodes, shapes.
fn summary(plan: &Plan, used: u64, shapes: usize) -> String {
    let idle = u64::from(plan.world().names.len()) - used;
    let idle = match idle {
        0 => String::new(),
        idle => format!(" · {} idle", counted(idle, "node")),
    };
    format!(
        "{} on {}{idle} · {}",
        counted(u64::from(plan.ranks()), "rank"),
        counted(used, "node"),
        counted(shapes as u64, "node shape")
    )
}

/// The apps in words, and how many are left out.
fn apps(plan: &Plan) -> (Vec<String>, usize) {
    let real: Vec<usize> = (0..plan.apps().len())
        .filter(|&app| plan.apps()[app].policy().is_some())
        .collect();
    let line = |&app: &usize| {
        let id = stowplan_engine::table::apps::AppId::from_row(app);
        let words: Vec<String> = crate::answers::diff::cause::given(plan, id)
            .into_iter()
            .map(|(option, value, _)| format!("{} {value}", option.trim_start_matches("--")))
            .collect();
        let words = match words.as_slice() {
            [] => String::new(),
            words => format!(", {}", words.join(", ")),
        };
        // An app without a program has no name.
        let table = plan.resolved_apps();
        let name = format!("app {} {}", table.number(id), table.label[id]);
        format!(
            "{}: {}{words}",
            name.trim_end(),
            counted(plan.apps()[app].procs().0, "rank")
        )
    };
    let told = real.iter().take(APPS_MAX).map(line).collect();
    (told, real.len().saturating_sub(APPS_MAX))
}

/// What the strip shows. A part of a long strip stands for several nodes, and that is said.
fn strip_words(nodes: u32) -> String {
    let words = "all nodes in their order, by shape".to_owned();
    match nodes.div_ceil(STRIP_PARTS) {
        0 | 1 => words,
        each => format!(
            "{words}; a part shows up to {each} nodes, and has the shape of the first of them"
        ),
    }
}

/// The strip of all nodes, by shape. `without`: what nodes in no shape are called.
fn strip(plan: &Plan, all: &[Shape], kept: &[usize], without: &str) -> Vec<StripPart> {
    let names = &plan.world().names;
    let nodes = names.len();
    let parts = nodes.min(STRIP_PARTS);
    let first_of = |part: u32| {
        let first = u64::from(part) * u64::from(nodes) / u64::from(parts.max(1));
        u32::try_from(first).unwrap_or(nodes)
    };
    let of_part: Vec<Option<usize>> = (0..parts)
        .map(|part| {
            let node = first_of(part);
            let has = |range: &NodeRange| (range.first..range.end()).contains(&node);
            all.iter().position(|shape| shape.nodes.iter().any(has))
        })
        .collect();
    let mut strip = Vec::new();
    let mut part = 0;
    for same in of_part.chunk_by(|one, next| one == next) {
        let end = part + u32::try_from(same.len()).unwrap_or(parts);
        let at = same[0].and_then(|own| kept.iter().position(|&shape| shape == own));
        let (class, name) = match (same[0], at) {
            (None, _) => ("idle", without.to_owned()),
            (Some(_), None) => ("idle", "other shapes".to_owned()),
            (Some(_), Some(at)) => (["n0", "n1"][at % 2], letter(at)),
        };
        let node = |at: u32| names.name(NodeId::from_row(at as usize));
        let last = first_of(end).saturating_sub(1).max(first_of(part));
        let (x, to) = (part * 1000 / parts, end * 1000 / parts);
        strip.push(StripPart {
            title: format!("{name}: {} to {}", node(first_of(part)), node(last)),
            name,
            class,
            x,
            width: to - x,
        });
        part = end;
    }
    strip
}
