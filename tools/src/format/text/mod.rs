//! A page for people: at most 24 lines for a job of any size. Rows are shapes of nodes, never nodes.

// Nodes that look the same.
mod shapes;
// One sign per core.
mod strip;
// A row per shape.
mod table;

use super::screen::{Colours, Screen, counted, grouped, width};
use super::{Told, policy};
use shapes::Shape;
use std::collections::BTreeMap;
use std::io::{self, Write};
use stowplan_engine::error::fold as notes;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::RankOrder;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::origins::{Origin, Origins};
use stowplan_engine::table::topologies::TopologyId;
use strip::{Fold, Strips};

/// Lines of a page.
pub const LINES_MAX: usize = 24;
/// Topologies that have a line.
const MACHINES: usize = 2;
/// Apps that have a line.
const APPS: usize = 4;
/// Shapes that have a row.
const SHAPES: usize = 6;
/// Lines for strips.
const STRIPS: usize = 5;
/// Columns up to which a topology's source stands before what it is made of.
const SOURCE_COLUMNS: usize = 32;

const _: () = assert!(
    1 + MACHINES + APPS + 1 + 1 + SHAPES + 1 + STRIPS + 3 <= LINES_MAX,
    "the parts fit the page"
);

/// What is on a page: the shapes shown, each with its picture.
struct Shown {
    shapes: Vec<Shape>,
    strips: Vec<Strips>,
    /// Shapes that are not shown, and the nodes they have.
    more: (usize, u64),
}

impl Shown {
    /// The biggest shapes, in node order.
    fn new(told: &Told<'_>) -> (Self, u64) {
        let mut shapes = shapes::shapes(told.plan);
        let nodes = shapes.iter().map(|shape| shape.count).sum();
        let mut more = (0, 0);
        if shapes.len() > SHAPES {
            let mut by_size: Vec<usize> = (0..shapes.len()).collect();
            by_size.sort_by_key(|&at| (std::cmp::Reverse(shapes[at].count), at));
            let mut kept = vec![false; shapes.len()];
            for &at in &by_size[..SHAPES - 1] {
                kept[at] = true;
            }
            more.0 = shapes.len() - (SHAPES - 1);
            let mut kept = kept.into_iter();
            shapes.retain(|_| kept.next().unwrap_or(false));
            more.1 = nodes - shapes.iter().map(|shape| shape.count).sum::<u64>();
        }
        let strips = shapes
            .iter()
            .map(|shape| Strips::new(told.plan, shape))
            .collect();
        let shown = Self {
            shapes,
            strips,
            more,
        };
        (shown, nodes)
    }
}

/// Writes a plan.
///
/// # Errors
/// When `out` cannot take it.
///
/// Cost: the runs of the plan, then the patterns of the shapes shown.
pub fn write(told: &Told<'_>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let (shown, nodes) = Shown::new(told);
    let mut page = vec![head(told, nodes, shown.shapes.len() + shown.more.0)];
    page.extend(machines(told));
    page.extend(apps(told, screen));
    page.push(String::new());
    page.extend(table::rows(told, &shown, screen));
    page.push(String::new());
    let first = page.len();
    let fold = fold(&shown.strips, screen);
    page.extend(pictures(&shown.strips, fold));
    let pictures = first..page.len();
    page.extend(legend(&shown.strips, fold));
    page.push(ranks(told));
    page.push(
        "next   --format tsv|json|map · --save PLAN, then stowplan check PLAN · stowplan man"
            .to_owned(),
    );
    debug_assert!(page.len() <= LINES_MAX, "the parts have their limits");
    for (at, line) in page.iter().enumerate() {
        let line = screen.line(line);
        match screen.colours {
            Colours::Ansi if at == 0 => writeln!(out, "\x1b[1m{line}\x1b[0m")?,
            Colours::Ansi if pictures.contains(&at) => writeln!(out, "{}", painted(&line))?,
            Colours::Ansi | Colours::No => writeln!(out, "{line}")?,
        }
    }
    out.flush()
}

/// The numbers that people quote.
fn head(told: &Told<'_>, nodes: u64, shapes: usize) -> String {
    let plan = told.plan;
    let all = u64::from(plan.world().names.len());
    let on = if nodes == all {
        counted(nodes, "node")
    } else {
        format!("{} of {}", grouped(nodes), counted(all, "node"))
    };
    let apps = plan.apps().iter().filter(|app| app.policy().is_some());
    format!(
        "{} on {on} · {} · {} · {}",
        counted(u64::from(plan.ranks()), "rank"),
        counted(apps.count() as u64, "app"),
        counted(shapes as u64, "node shape"),
        counted(notes::fold(told.notes).len() as u64, "note"),
    )
}

/// The topologies that the nodes have.
fn machines(told: &Told<'_>) -> Vec<String> {
    let world = told.plan.world();
    let mut nodes: BTreeMap<TopologyId, u64> = BTreeMap::new();
    for (range, state) in world.before.iter() {
        *nodes.entry(world.states.get(state).topology).or_default() += u64::from(range.count);
    }
    let many = nodes.len() > 1;
    let line = |(&id, &count): (&TopologyId, &u64)| {
        let source = told.sources.of(id).unwrap_or("a topology");
        let assumed = told
            .sources
            .assumed
            .map_or_else(String::new, |why| format!(" ({why})"));
        let nodes = if many {
            format!("{}: ", counted(count, "node"))
        } else {
            String::new()
        };
        let parts = objects(told, id);
        // What it is made of matters more than a long path.
        if width(source) > SOURCE_COLUMNS {
            format!("machine  {nodes}{parts}  {source}{assumed}")
        } else {
            format!("machine  {nodes}{source}{assumed}  {parts}")
        }
    };
    let mut lines: Vec<String> = nodes.iter().take(MACHINES).map(line).collect();
    if nodes.len() > MACHINES {
        lines.truncate(MACHINES - 1);
        let rest = nodes.values().skip(MACHINES - 1).sum();
        lines.push(format!(
            "machine  {} more topologies on {}",
            nodes.len() - (MACHINES - 1),
            counted(rest, "node")
        ));
    }
    lines
}

/// How many objects of each kind; caches that each core has for itself are left out.
fn objects(told: &Told<'_>, topology: TopologyId) -> String {
    let topologies = &told.plan.world().topologies;
    let cores = topologies.count(topology, ObjKind::Core);
    let own =
        |kind: ObjKind, count: u32| matches!(kind, ObjKind::L1 | ObjKind::L2) && count == cores;
    let kinds = ObjKind::ALL
        .into_iter()
        .filter(|&kind| kind != ObjKind::Machine);
    let counts = kinds.map(|kind| (kind, topologies.count(topology, kind)));
    let parts: Vec<String> = counts
        .filter(|&(kind, count)| count > 0 && !own(kind, count))
        .map(|(kind, count)| format!("{} {}", grouped(u64::from(count)), kind.word()))
        .collect();
    parts.join(" · ")
}

/// How much is said of where a policy came from.
#[derive(Clone, Copy)]
enum Phrase {
    Long,
    Short,
}

/// The apps: what each was asked, and where each word came from.
fn apps(told: &Told<'_>, screen: Screen) -> Vec<String> {
    let plan = told.plan;
    let real = || {
        (0..plan.apps().len())
            .map(AppId::from_row)
            .filter(|&app| plan.app(app).policy().is_some())
    };
    let count = real().count();
    let shown: Vec<AppId> = real()
        .take(if count > APPS { APPS - 1 } else { APPS })
        .collect();
    let lines = |phrase| {
        let rows: Vec<[String; 6]> = shown
            .iter()
            .map(|&app| app_row(told, app, phrase))
            .collect();
        table::aligned(&rows, &[table::Side::Left; 6])
    };
    let mut lines = [lines(Phrase::Long), lines(Phrase::Short)]
        .into_iter()
        .find_or_last(|lines| lines.iter().all(|line| width(line) <= screen.columns));
    if count > APPS {
        let ranks = real()
            .skip(APPS - 1)
            .map(|app| u64::from(plan.app(app).procs().0))
            .sum();
        lines.push(format!(
            "and {} more apps, {}",
            grouped((count - (APPS - 1)) as u64),
            counted(ranks, "rank")
        ));
    }
    lines
}

/// The last resort is the last one.
trait FindOrLast<T> {
    fn find_or_last(self, good: impl Fn(&T) -> bool) -> T;
}

impl<const N: usize, T> FindOrLast<T> for std::array::IntoIter<T, N> {
    fn find_or_last(mut self, good: impl Fn(&T) -> bool) -> T {
        let mut last = self.next().expect("there is a choice");
        while !good(&last) {
            match self.next() {
                Some(next) => last = next,
                None => break,
            }
        }
        last
    }
}

/// Columns of a program's name.
const LABEL_COLUMNS: usize = 24;

fn short(label: &str) -> String {
    if width(label) <= LABEL_COLUMNS {
        return label.to_owned();
    }
    let kept: String = label.chars().take(LABEL_COLUMNS - 1).collect();
    kept + "…"
}

fn app_row(told: &Told<'_>, app: AppId, phrase: Phrase) -> [String; 6] {
    let table = told.plan.table();
    let placed = told.plan.app(app);
    let own = placed
        .policy()
        .map(|id| &table.policies[id])
        .expect("only apps with a policy are shown");
    let origins = table.origins[app];
    let from = |pick: fn(Origins) -> Origin| {
        let Some(origins) = origins else {
            return String::new();
        };
        let phrase = match (phrase, pick(origins)) {
            (Phrase::Long, Origin::Default(rule)) => policy::default_phrase(rule),
            (Phrase::Short, Origin::Default(_)) => "default",
            (_, Origin::App) => "own",
            (_, Origin::Job) => "asked",
            (_, Origin::Parent) => "parent's",
        };
        format!(" ({phrase})")
    };
    [
        format!("app {}", app.row()),
        short(&table.label[app]),
        counted(u64::from(placed.procs().0), "rank"),
        format!(
            "map {}{}",
            policy::joined(&policy::map(own, table), &policy::map_qualifiers(own)),
            from(|origins| origins.map)
        ),
        format!("rank {}{}", policy::rank(own), from(|origins| origins.rank)),
        format!(
            "bind {}{}",
            policy::joined(policy::bind(own), &policy::bind_qualifiers(own)),
            from(|origins| origins.bind)
        ),
    ]
}

/// How far strips are folded, so that all of a page are folded alike.
fn fold(strips: &[Strips], screen: Screen) -> Fold {
    let columns = screen.columns.saturating_sub(3);
    let drawn = strips.iter().filter(|strips| strips.used > 0);
    drawn
        .map(|strips| strips.fold(columns))
        .max()
        .unwrap_or(Fold::Unit)
}

/// The nodes, drawn: a line per package, alike ones together.
fn pictures(strips: &[Strips], fold: Fold) -> Vec<String> {
    let mut lines = Vec::new();
    for (at, strips) in strips.iter().enumerate() {
        let letter = table::letter(at);
        if strips.used == 0 {
            lines.push(format!("{letter}  no process is bound"));
            continue;
        }
        for (row, (label, strip)) in strips.lines(fold).into_iter().enumerate() {
            let head = if row == 0 { letter } else { ' ' };
            lines.push(format!("{head}  {label} {strip}"));
        }
    }
    if lines.len() > STRIPS {
        let more = lines.len() - (STRIPS - 1);
        lines.truncate(STRIPS - 1);
        lines.push(format!("   … and {more} more lines like these"));
    }
    lines
}

/// What the signs mean; no line where nothing is drawn.
fn legend(strips: &[Strips], fold: Fold) -> Option<String> {
    let drawn: Vec<&Strips> = strips.iter().filter(|strips| strips.used > 0).collect();
    let lines = drawn.iter().flat_map(|strips| strips.lines(fold));
    let mut signs: Vec<char> = lines
        .flat_map(|(_, strip)| strip.chars().collect::<Vec<_>>())
        .collect();
    signs.sort_unstable();
    signs.dedup();
    let kind = drawn.first()?.kind.word();
    let letters: Vec<String> = signs
        .iter()
        .filter(|sign| sign.is_ascii_lowercase())
        .map(char::to_string)
        .collect();
    let mut parts = Vec::new();
    if !letters.is_empty() {
        let apps = if letters.len() > 1 { "apps" } else { "app" };
        parts.push(format!("{} {apps}", letters.join(",")));
    }
    for &sign in &signs {
        if let Some(meaning) = strip::meaning(sign) {
            parts.push(format!("{sign} {meaning}"));
        }
    }
    let signs = parts.join(" · ");
    Some(match fold {
        Fold::Unit => format!("   one sign per {kind}: {signs}     [ ] numa  | l3cache"),
        Fold::L3 => format!("   {kind}s used under each l3cache: {signs}     [ ] numa"),
        Fold::Numa => format!("   {kind}s used in each numa: {signs}"),
        Fold::Package => format!("   {kind}s used in each package: {signs}"),
    })
}

/// How ranks follow each other, app by app.
fn ranks(told: &Told<'_>) -> String {
    let plan = told.plan;
    let mut parts = Vec::new();
    let real = || {
        plan.apps()
            .iter()
            .enumerate()
            .filter(|(_, app)| app.procs().0 > 0)
    };
    for (number, app) in real().take(2) {
        let base = app.base().0;
        let last = base + (app.procs().0 - 1);
        let order = match app.order() {
            RankOrder::Slot => "node by node",
            RankOrder::Fill => "node by node, object by object",
            RankOrder::Node => "round by round over nodes",
            RankOrder::Span => "round by round over all objects",
            RankOrder::Listed(_) => "as listed",
        };
        let range = if base == last {
            grouped(u64::from(base))
        } else {
            format!("{}–{}", grouped(u64::from(base)), grouped(u64::from(last)))
        };
        parts.push(format!("app {number}: {range} {order}"));
    }
    let more = real().count().saturating_sub(2);
    if more > 0 {
        parts.push(format!("and {} more", counted(more as u64, "app")));
    }
    format!("ranks  {}", parts.join(" · "))
}

/// A strip in colours: apps by hue, what is shared bold. The signs stay.
fn painted(line: &str) -> String {
    const HUES: [u8; 6] = [32, 34, 35, 36, 33, 31];
    let mut text = String::with_capacity(line.len() * 2);
    let mut colour = None;
    let mut inside = false;
    for sign in line.chars() {
        inside = (inside || sign == '[') && sign != ']';
        let own = match sign {
            'a'..='z' if inside => {
                let app = u32::from(sign) - u32::from('a');
                HUES.get((app % 6) as usize).copied()
            }
            '*' if inside => Some(1),
            _ => None,
        };
        if own != colour {
            if colour.is_some() {
                text.push_str("\x1b[0m");
            }
            if let Some(own) = own {
                text.push_str(&format!("\x1b[{own}m"));
            }
            colour = own;
        }
        text.push(sign);
    }
    if colour.is_some() {
        text.push_str("\x1b[0m");
    }
    text
}
