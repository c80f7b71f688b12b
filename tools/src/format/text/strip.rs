//! Strips: one character per core of a node, package by package. It shows the local rank that is bound to the core.

use super::bound::{Sets, bound, sizes};
use super::placement::Placement;
use super::series;
use super::shapes::{Shape, level, places};
use super::unit_threads::{Thread, unit_threads};
use crate::format::screen::counted;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;
use stowplan::answers::openmp::job::JobThreads;
use stowplan_engine::plan::Plan;
use stowplan_engine::policy::ObjKind;

/// No process is bound here.
const FREE: char = '.';
/// No process may use this unit.
const FORBIDDEN: char = '~';
/// Several threads run in this unit alone.
const SEVERAL: char = '+';
/// The signs of local ranks: one for each rank below 10, then one for ten ranks each. Behind the last one they come again.
const SIGNS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The first local rank whose sign stands for another one too.
pub const AGAIN: u32 = 530;
/// The most columns of one item of a folded strip.
const ITEM_COLUMNS: usize = 16;

/// The drawing of one node.
pub(super) struct Strips {
    units: Vec<Unit>,
    /// The kind of object that one character stands for.
    pub(super) kind: ObjKind,
    /// The levels that the node has and the drawing shows.
    pub(super) levels: Levels,
    /// The number of units that may be used.
    pub(super) allowed: u32,
    /// The number of units that a process is bound to.
    pub(super) used: u32,
    /// The size of each process's binding: `2 cores`.
    pub(super) bound: String,
    /// Whether units show threads.
    pub(super) threads: bool,
}

/// Levels that are drawn if the node has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Levels {
    pub(super) package: bool,
    pub(super) numa: bool,
    pub(super) l3: bool,
}

/// A core; or a hwthread, if there are no cores or not all processes have whole cores.
struct Unit {
    mark: Mark,
    thread: Option<Thread>,
    package: Option<u32>,
    numa: Option<u32>,
    l3: Option<u32>,
}

/// The processes that are bound to a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Free,
    Forbidden,
    /// One process: its local rank and its app.
    One {
        local: u32,
        app: u32,
    },
    /// This number of processes share it.
    Load(u64),
}

/// A piece of a strip, and the app it belongs to.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) app: Option<u32>,
}

/// What one item of a line stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fold {
    /// A core.
    Unit,
    /// All cores under one L3.
    L3,
    /// All cores of one NUMA node.
    Numa,
    /// The whole package.
    Package,
}

/// A line: the packages it shows, and their strip.
pub(super) struct Line {
    pub(super) label: String,
    pub(super) pieces: Vec<Piece>,
    /// The strip of their threads.
    pub(super) threads: Option<String>,
}

/// Neighbouring packages that look the same.
struct Packages {
    /// `None`: the node has no packages.
    first: Option<u32>,
    count: u32,
    pieces: Vec<Piece>,
    text: String,
    threads: Option<String>,
}

impl Packages {
    fn goes_on(&self, next: Option<u32>) -> bool {
        self.first
            .is_some_and(|first| next == Some(first + self.count))
    }
}

impl From<Packages> for Line {
    fn from(packages: Packages) -> Self {
        let label = match (packages.first, packages.count) {
            (Some(first), 1) => format!("pkg{first}"),
            (Some(first), count) => format!("pkg{first}-{}", first + count - 1),
            (None, _) => "node".to_owned(),
        };
        Self {
            label,
            pieces: packages.pieces,
            threads: packages.threads,
        }
    }
}

impl Line {
    /// Its characters, without colours.
    pub(super) fn text(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }
}

impl Strips {
    /// Draws a shape. Cost: its patterns, then the PUs of each distinct cpu set, and the threads of each.
    pub(super) fn new(
        plan: &Plan,
        shape: &Shape,
        placement: &Placement,
        threads: Option<&mut JobThreads<'_>>,
    ) -> Self {
        let world = plan.world();
        let topologies = &world.topologies;
        let (sets, whole) = sets(plan, shape);
        let kind = match topologies.count(shape.topology, ObjKind::Core) {
            0 => ObjKind::Hwthread,
            _ if whole => ObjKind::Core,
            _ => ObjKind::Hwthread,
        };
        let marks = marks(plan, shape, placement, &sets);
        let allowed = world.pusets.get(shape.allowed);
        let levels = [ObjKind::Package, ObjKind::Numa, ObjKind::L3]
            .map(|kind| level(topologies, shape.topology, kind));
        let has = |kind| topologies.count(shape.topology, kind) > 0;
        let mut strips = Self {
            units: Vec::new(),
            kind,
            levels: Levels {
                package: has(ObjKind::Package),
                numa: has(ObjKind::Numa),
                l3: has(ObjKind::L3),
            },
            allowed: 0,
            used: 0,
            bound: bound(plan, shape, &sets),
            threads: false,
        };
        for object in topologies.objects(shape.topology, kind) {
            let ranges = topologies.ranges(object);
            let mut pus = ranges
                .iter()
                .flat_map(|&(first, end)| first as usize..end as usize);
            let Some(first) = ranges.first().map(|&(first, _)| first as usize) else {
                continue;
            };
            let usable = pus
                .clone()
                .find(|&pu| allowed.get(pu).is_some_and(|bit| *bit));
            let mark = match usable {
                None => Mark::Forbidden,
                Some(_) => pus.find_map(|pu| marks[pu]).unwrap_or(Mark::Free),
            };
            let [package, numa, l3] = &levels;
            strips.allowed += u32::from(usable.is_some());
            strips.used += u32::from(matches!(mark, Mark::One { .. } | Mark::Load(_)));
            strips.units.push(Unit {
                mark,
                thread: None,
                package: package[first],
                numa: numa[first],
                l3: l3[first],
            });
        }
        let alone = |unit: &Unit| !matches!(unit.mark, Mark::Load(_));
        if let Some(threads) = threads.filter(|_| strips.units.iter().all(alone)) {
            let found = unit_threads(plan, shape, kind, threads);
            strips.threads = found.iter().any(Option::is_some);
            for (unit, thread) in strips.units.iter_mut().zip(found) {
                unit.thread = thread;
            }
        }
        strips
    }

    /// How far the strips must be folded to fit into `columns`; a package per item if nothing fits.
    pub(super) fn fold(&self, columns: usize) -> Fold {
        // A level that the node lacks is skipped.
        let folds = [
            Some(Fold::Unit),
            self.levels.l3.then_some(Fold::L3),
            self.levels.numa.then_some(Fold::Numa),
        ];
        let fits = |&fold: &Fold| {
            let lines = self.lines(fold);
            lines
                .iter()
                .all(|line| line.label.len() + 1 + line.text().chars().count() <= columns)
        };
        folds
            .into_iter()
            .flatten()
            .find(fits)
            .unwrap_or(Fold::Package)
    }

    /// The lines; neighbouring packages that look the same share one line.
    pub(super) fn lines(&self, fold: Fold) -> Vec<Line> {
        let packages = self.units.chunk_by(|one, next| one.package == next.package);
        let mut lines: Vec<Packages> = Vec::new();
        for units in packages {
            let pieces = strip(units, fold, signs);
            let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
            let threads = (self.threads && fold == Fold::Unit).then(|| {
                let pieces = strip(units, fold, thread_signs);
                pieces.into_iter().map(|piece| piece.text).collect()
            });
            let first = units[0].package;
            match lines.last_mut() {
                Some(same)
                    if same.text == text && same.threads == threads && same.goes_on(first) =>
                {
                    same.count += 1;
                }
                Some(_) | None => lines.push(Packages {
                    first,
                    count: 1,
                    pieces,
                    text,
                    threads,
                }),
            }
        }
        lines.into_iter().map(Line::from).collect()
    }

    /// The meanings of the characters that are drawn, for one character per unit.
    pub(super) fn meanings(&self) -> Vec<&'static str> {
        let drawn = |test: fn(&Mark) -> bool| self.units.iter().any(|unit| test(&unit.mark));
        let mut meanings = Vec::new();
        if drawn(|mark| matches!(mark, Mark::One { local: AGAIN.., .. })) {
            meanings.push("local rank (a 10-19, b 20-29 … z 260-269, A 270-279 … Z 520-529, then 0 530, 1 531 … again)");
        } else if drawn(|mark| matches!(mark, Mark::One { local: 270.., .. })) {
            meanings.push("local rank (a 10-19, b 20-29 … z 260-269, A 270-279 …)");
        } else if drawn(|mark| matches!(mark, Mark::One { local: 10.., .. })) {
            meanings.push("local rank (a 10-19, b 20-29 …)");
        } else if drawn(|mark| matches!(mark, Mark::One { .. })) {
            meanings.push("local rank");
        }
        if drawn(|mark| matches!(mark, Mark::Load(_))) {
            meanings.push("between blanks how many share");
        }
        if drawn(|mark| *mark == Mark::Free) {
            meanings.push(". free");
        }
        if drawn(|mark| *mark == Mark::Forbidden) {
            meanings.push("~ not allowed");
        }
        meanings
    }
}

/// The character of a local rank: `0`-`9`, then `a` for 10-19, `b` for 20-29 … `A` for 270-279 … `Z` for 520-529; 530 is `0`.
pub fn sign(local: u32) -> char {
    let at = match local % AGAIN {
        small @ 0..10 => small,
        tens => 9 + tens / 10,
    };
    char::from(SIGNS[at as usize])
}

/// `signs`: writes the units of an L3.
fn strip(units: &[Unit], fold: Fold, signs: fn(&[Unit], &mut Vec<Piece>)) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let plain = |text: &str| Piece {
        text: text.to_owned(),
        app: None,
    };
    if fold == Fold::Package {
        return vec![plain("["), item(units), plain("]")];
    }
    for numa in units.chunk_by(|one, next| one.numa == next.numa) {
        pieces.push(plain("["));
        if fold == Fold::Numa {
            pieces.push(item(numa));
        } else {
            for (at, l3) in numa.chunk_by(|one, next| one.l3 == next.l3).enumerate() {
                if at > 0 {
                    pieces.push(plain("|"));
                }
                if fold == Fold::L3 {
                    pieces.push(item(l3));
                } else {
                    signs(l3, &mut pieces);
                }
            }
        }
        pieces.push(plain("]"));
    }
    pieces
}

/// Units one by one; neighbours shared by the same number of processes become that number between blanks.
fn signs(units: &[Unit], pieces: &mut Vec<Piece>) {
    for same in units.chunk_by(|one, next| one.mark == next.mark) {
        let (text, app) = match same[0].mark {
            Mark::Free => (FREE.to_string().repeat(same.len()), None),
            Mark::Forbidden => (FORBIDDEN.to_string().repeat(same.len()), None),
            Mark::One { local, app } => (sign(local).to_string().repeat(same.len()), Some(app)),
            Mark::Load(load) => (format!(" {load} "), None),
        };
        pieces.push(Piece { text, app });
    }
}

/// The threads of units one by one.
fn thread_signs(units: &[Unit], pieces: &mut Vec<Piece>) {
    let sign = |unit: &Unit| match (unit.mark, unit.thread) {
        (Mark::Forbidden, _) => FORBIDDEN,
        (Mark::Free | Mark::One { .. } | Mark::Load(_), None) => FREE,
        (Mark::Free | Mark::One { .. } | Mark::Load(_), Some(Thread::Several)) => SEVERAL,
        (Mark::Free | Mark::One { .. } | Mark::Load(_), Some(Thread::One(thread))) => sign(thread),
    };
    let text = units.iter().map(sign).collect();
    pieces.push(Piece { text, app: None });
}

/// Many units as one item: their local ranks, or how many processes share them.
fn item(units: &[Unit]) -> Piece {
    let mut locals = Vec::new();
    let mut loads = Vec::new();
    let mut apps = BTreeSet::new();
    for unit in units {
        match unit.mark {
            Mark::One { local, app } => {
                apps.insert(app);
                if locals.last() != Some(&local) {
                    locals.push(local);
                }
            }
            Mark::Load(load) if loads.last() != Some(&load) => loads.push(load),
            Mark::Load(_) | Mark::Free | Mark::Forbidden => {}
        }
    }
    let loads: Vec<String> = loads.iter().map(u64::to_string).collect();
    let mut text = series::numbers(&locals);
    if text.len() > ITEM_COLUMNS {
        text = counted(locals.len() as u64, "rank");
    }
    match (locals.is_empty(), loads.is_empty()) {
        (true, true) => text = FREE.to_string(),
        (_, true) => {}
        (true, false) => text = format!(" {} ", loads.join(" ")),
        (false, false) => text = format!("{text}  {} ", loads.join(" ")),
    }
    let app = apps.first().copied().filter(|_| apps.len() == 1);
    Piece { text, app }
}

/// The sets, and whether each one has all hwthreads of the cores it touches.
fn sets(plan: &Plan, shape: &Shape) -> (Sets, bool) {
    let mut sets = Sets::new();
    for at in &shape.runs {
        for (place, count) in places(at.of(plan), plan.patterns()) {
            *sets.entry(place.cpus).or_default() += count;
        }
    }
    let sizes = sizes(plan, shape, ObjKind::Core, &sets);
    let whole = sizes.iter().all(|size| size.whole);
    (sets, whole)
}

/// The processes bound to each logical PU.
fn marks(plan: &Plan, shape: &Shape, placement: &Placement, sets: &Sets) -> Vec<Option<Mark>> {
    let world = plan.world();
    let os = world.topologies.pus_os(shape.topology);
    let logical: BTreeMap<u32, usize> = os.iter().copied().zip(0..).collect();
    let mut loads = vec![0_u64; os.len()];
    for (set, count) in sets {
        let pus = set.iter().flat_map(|set| world.cpusets.get(*set));
        for pu in pus.filter_map(|pu| logical.get(&pu)) {
            loads[*pu] += count;
        }
    }
    let mut marks: Vec<Option<Mark>> = loads
        .iter()
        .map(|&load| (load > 0).then_some(Mark::Load(load)))
        .collect();
    // Processes that share a mask are more than one on each of its PUs.
    let mut met = HashSet::new();
    for (local, proc) in (0..).zip(&placement.locals) {
        if !met.insert(Rc::as_ptr(&proc.cpus).cast::<u32>()) {
            continue;
        }
        for pu in proc.cpus.iter().filter_map(|pu| logical.get(pu)) {
            if loads[*pu] == 1 {
                marks[*pu] = Some(Mark::One {
                    local,
                    app: proc.app,
                });
            }
        }
    }
    marks
}
