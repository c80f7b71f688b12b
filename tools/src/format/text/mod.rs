//! A page for people, of a job of any size.
//!
//! Up to 32 ranks have a line each (`listing.rs`). Beyond that the page has at most 24 lines, and its rows are shapes of nodes (`shapes.rs`,
//! `table.rs`), never nodes.

// What each app asked for.
mod apps;
// Which GPUs processes are given.
mod gpus;
// A line per rank, for small jobs.
mod listing;
// Topologies and their sources.
mod machines;
// The ranks and cpus of the nodes of a shape.
mod placement;
// Rows of numbers as runs.
mod series;
// Nodes that look the same.
mod shapes;
// One character per core.
mod strip;
// A row per shape.
mod table;

use super::Told;
use super::screen::{Colours, Screen, counted, grouped, width};
pub use machines::machines;
use placement::Placement;
use roaring::RoaringBitmap;
use shapes::Shape;
use std::io::{self, Write};
use stowplan_engine::plan::RankOrder;
use strip::{Fold, Line, Piece, Strips};

/// The most lines of a page.
pub const LINES_MAX: usize = 24;
/// The most ranks for which each one has a line.
const RANKS_LISTED: u32 = 32;
/// The most shapes that have a row.
const SHAPES: usize = 6;
/// The most shapes whose placement is shown exactly.
const EXACT: usize = 3;
/// The most lines for strips; less room is left if there are more shapes and apps.
const STRIPS: usize = 5;

/// The content of a page: the shapes shown, each with its picture.
struct Shown {
    shapes: Vec<Shape>,
    placements: Vec<Placement>,
    strips: Vec<Strips>,
    /// Shapes that are not shown, and the number of their nodes.
    more: (usize, u64),
}

impl Shown {
    /// Keeps the biggest shapes, in node order.
    fn new(told: &Told<'_>, mut shapes: Vec<Shape>) -> Self {
        let nodes = shapes.iter().map(|shape| shape.count).sum::<u64>();
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
        let placements: Vec<Placement> = shapes
            .iter()
            .map(|shape| Placement::new(told.plan, shape))
            .collect();
        let pairs = shapes.iter().zip(&placements);
        let strips = pairs
            .map(|(shape, placement)| Strips::new(told.plan, shape, placement))
            .collect();
        Self {
            shapes,
            placements,
            strips,
            more,
        }
    }
}

/// A line of the page.
enum Row {
    /// Cut to the width of the screen.
    Cut(String),
    /// Complete at any width.
    Whole(String),
    /// A strip after the text before it; its apps have colours.
    Picture(String, Line),
}

/// Writes a plan.
///
/// # Errors
/// When `out` refuses a write.
///
/// Cost: the runs of the plan, then the patterns of the shapes shown.
pub fn write(told: &Told<'_>, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    let shapes = shapes::shapes(told.plan);
    let nodes = shapes.iter().map(|shape| shape.count).sum();
    let head = in_two(&head(told, nodes, shapes.len()), " · ", screen.columns);
    let mut page: Vec<Row> = head.into_iter().map(Row::Cut).collect();
    let machines = machines(told).into_iter();
    page.extend(
        machines
            .flat_map(|line| in_two(&line, "  ", screen.columns))
            .map(Row::Cut),
    );
    page.extend(apps::lines(told, screen).into_iter().map(Row::Whole));
    page.push(Row::Cut(String::new()));
    if told.plan.ranks() <= RANKS_LISTED {
        page.extend(
            listing::rows(told.plan, 0..told.plan.ranks())
                .into_iter()
                .map(Row::Whole),
        );
        page.push(Row::Cut(String::new()));
    } else {
        drawn(told, &Shown::new(told, shapes), screen, &mut page);
    }
    page.push(Row::Cut(
        "next   --format tsv|json|map · --save PLAN, then stowplan check PLAN · stowplan man"
            .to_owned(),
    ));
    for (at, row) in page.iter().enumerate() {
        match row {
            Row::Cut(line) if at == 0 && screen.colours == Colours::Ansi => {
                writeln!(out, "\x1b[1m{}\x1b[0m", screen.line(line))?;
            }
            Row::Cut(line) => writeln!(out, "{}", screen.line(line))?,
            Row::Whole(line) => writeln!(out, "{}", screen.whole(line))?,
            Row::Picture(head, line) => writeln!(out, "{}", picture(head, line, screen))?,
        }
    }
    out.flush()
}

/// Writes some ranks of a plan: the first line, then a line for each.
///
/// # Errors
/// When `out` refuses a write.
///
/// Cost: the runs of the plan, then the ranks.
pub fn write_some(
    told: &Told<'_>,
    some: &RoaringBitmap,
    screen: Screen,
    out: &mut dyn Write,
) -> io::Result<()> {
    let shapes = shapes::shapes(told.plan);
    let nodes = shapes.iter().map(|shape| shape.count).sum();
    writeln!(out, "{}", screen.line(&head(told, nodes, shapes.len())))?;
    writeln!(out, "shown  {}", counted(some.len(), "rank"))?;
    writeln!(out)?;
    for line in listing::rows(told.plan, some.iter()) {
        writeln!(out, "{}", screen.whole(&line))?;
    }
    out.flush()
}

/// The shapes: a row each, their exact content, and their pictures, as far as there is room.
fn drawn(told: &Told<'_>, shown: &Shown, screen: Screen, page: &mut Vec<Row>) {
    let (rows, cut) = table::rows(told, shown, screen);
    page.extend(rows.into_iter().map(Row::Cut));
    if shown.more.0 == 0 && shown.shapes.len() <= EXACT {
        let mut lines = Vec::new();
        for (at, placement) in shown.placements.iter().enumerate() {
            let letter = table::letter(at);
            lines.push(format!(
                "{letter}  cpus by local rank  {}",
                placement.cpus()
            ));
            if cut[at] || !placement.even() {
                lines.push(format!(
                    "{letter}  ranks by node  {}",
                    placement.stretches(told.plan)
                ));
            }
        }
        lines.extend(gpus::lines(told, shown, page.len() + lines.len()));
        // After them come a blank line, two lines of pictures, two of legend, ranks, next.
        let room = LINES_MAX.saturating_sub(page.len() + 7);
        page.extend(
            wrapped(lines, screen.columns, room)
                .into_iter()
                .map(Row::Whole),
        );
    }
    page.push(Row::Cut(String::new()));
    let fold = fold(&shown.strips, screen);
    let legend = legend(&shown.strips, fold);
    let owners = owners(shown);
    // After the pictures come the legend, the owners of local ranks, ranks, next.
    let behind = usize::from(legend.is_some()) + usize::from(owners.is_some()) + 2;
    let room = LINES_MAX.saturating_sub(page.len() + behind);
    pictures(&shown.strips, fold, room.min(STRIPS), page);
    page.extend(legend.map(Row::Cut));
    page.extend(owners);
    page.push(Row::Cut(ranks(told)));
}

/// A line that is too wide as two lines, broken at `between`. The start of each part is visible at any width.
fn in_two(line: &str, between: &str, columns: usize) -> Vec<String> {
    let fits = width(line) <= columns;
    let lead = line.find("  ").map_or(0, |at| at + 2);
    match line[lead..].split_once(between) {
        Some((first, rest)) if !fits => {
            let first = format!("{}{first}", &line[..lead]);
            vec![first, format!("{:lead$}{rest}", "")]
        }
        _ => vec![line.to_owned()],
    }
}

/// Breaks lines between words to fit the columns, if there is room for the result. Otherwise the terminal breaks them.
fn wrapped(lines: Vec<String>, columns: usize, room: usize) -> Vec<String> {
    let broken: Vec<String> = lines
        .iter()
        .flat_map(|line| broken(line, columns))
        .collect();
    if broken.len() <= room { broken } else { lines }
}

/// The parts of a line; all but the first are indented.
fn broken(line: &str, columns: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in line.split_inclusive(' ') {
        let last = parts.len() - 1;
        if width(&parts[last]) + width(word.trim_end()) > columns && !parts[last].trim().is_empty()
        {
            parts.push("     ".to_owned());
        }
        let last = parts.len() - 1;
        parts[last] += word;
    }
    parts
}

/// The numbers that people quote: ranks, nodes, apps, shapes, notes.
fn head(told: &Told<'_>, nodes: u64, shapes: usize) -> String {
    let plan = told.plan;
    let all = u64::from(plan.world().names.len());
    let on = if nodes == all {
        counted(nodes, "node")
    } else {
        format!("{} of {}", grouped(nodes), counted(all, "node"))
    };
    let idle = match all - nodes {
        0 => String::new(),
        idle => format!(" · {} idle", counted(idle, "node")),
    };
    let apps = plan.apps().iter().filter(|app| app.policy().is_some());
    let from = told.sources.hosts.as_ref();
    let from = from.map_or_else(String::new, |from| format!(" from {from}"));
    format!(
        "{} on {on}{from}{idle} · {} · {} · {}",
        counted(u64::from(plan.ranks()), "rank"),
        counted(apps.count() as u64, "app"),
        counted(shapes as u64, "node shape"),
        counted(told.notes.len() as u64, "note"),
    )
}

/// How far strips are folded; all strips of a page are folded alike.
fn fold(strips: &[Strips], screen: Screen) -> Fold {
    let columns = screen.columns.saturating_sub(3);
    let drawn = strips.iter().filter(|strips| strips.used > 0);
    drawn
        .map(|strips| strips.fold(columns))
        .max()
        .unwrap_or(Fold::Unit)
}

/// Draws the nodes: a line per package, equal neighbours on one line, at most `room` lines.
fn pictures(strips: &[Strips], fold: Fold, room: usize, page: &mut Vec<Row>) {
    let mut rows = Vec::new();
    for (at, strips) in strips.iter().enumerate() {
        let letter = table::letter(at);
        if strips.used == 0 {
            rows.push(Row::Cut(format!("{letter}  no process is bound")));
            continue;
        }
        for (row, line) in strips.lines(fold).into_iter().enumerate() {
            let head = if row == 0 { letter } else { ' ' };
            rows.push(Row::Picture(format!("{head}  {} ", line.label), line));
        }
    }
    if rows.len() > room {
        let more = rows.len() - room.saturating_sub(1);
        rows.truncate(room.saturating_sub(1));
        if room > 0 {
            rows.push(Row::Cut(format!(
                "   … and {}",
                counted(more as u64, "more line")
            )));
        }
    }
    page.extend(rows);
}

/// What the characters mean; `None` if nothing is drawn.
fn legend(strips: &[Strips], fold: Fold) -> Option<String> {
    let drawn: Vec<&Strips> = strips.iter().filter(|strips| strips.used > 0).collect();
    let kind = drawn.first()?.kind.word();
    let has = |level: fn(&Strips) -> bool| drawn.iter().any(|strips| level(strips));
    let mut levels = String::new();
    if has(|strips| strips.levels.numa) && fold <= Fold::Numa {
        levels += "     [ ] numa";
    }
    if has(|strips| strips.levels.l3) && fold <= Fold::L3 {
        levels += "  | l3cache";
    }
    let what = match fold {
        Fold::Unit => {
            let mut meanings: Vec<&str> =
                drawn.iter().flat_map(|strips| strips.meanings()).collect();
            meanings.sort_by_key(|meaning| std::cmp::Reverse(meaning.len()));
            // Of two texts that begin alike, the longer one is enough.
            let mut told: Vec<&str> = Vec::new();
            meanings.retain(|meaning| {
                let new = !told.iter().any(|known| known.starts_with(meaning));
                told.push(meaning);
                new
            });
            format!("one sign per {kind}: {}", meanings.join(" · "))
        }
        Fold::L3 => "local ranks under each l3cache; between blanks how many share".to_owned(),
        Fold::Numa => "local ranks in each numa; between blanks how many share".to_owned(),
        Fold::Package if has(|strips| strips.levels.package) => {
            "local ranks in each package; between blanks how many share".to_owned()
        }
        Fold::Package => "local ranks of the node; between blanks how many share".to_owned(),
    };
    Some(format!("   {what}{levels}"))
}

/// Which local ranks belong to which app, if several apps share a node.
fn owners(shown: &Shown) -> Option<Row> {
    let mut pieces = Vec::new();
    for (at, placement) in shown.placements.iter().enumerate() {
        let mut first = 0;
        let apps = placement.locals.chunk_by(|one, next| one.app == next.app);
        let mut own = Vec::new();
        for same in apps {
            let locals: Vec<u32> = (first..).take(same.len()).collect();
            first += u32::try_from(same.len()).unwrap_or(0);
            let number = stowplan_engine::id::Id::row(same[0].app);
            let text = format!("app {number} {}", series::numbers(&locals));
            own.push(Piece {
                text,
                app: Some(same[0].app),
            });
        }
        if own.len() < 2 {
            continue;
        }
        let plain = |text: String| Piece { text, app: None };
        pieces.push(plain(format!(
            "{}{}: ",
            if pieces.is_empty() { "" } else { " · " },
            table::letter(at)
        )));
        for (count, piece) in own.into_iter().enumerate() {
            if count > 0 {
                pieces.push(plain(", ".to_owned()));
            }
            pieces.push(piece);
        }
    }
    let head = "   local ranks of ".to_owned();
    (!pieces.is_empty()).then(|| {
        Row::Picture(
            head,
            Line {
                label: String::new(),
                pieces,
            },
        )
    })
}

/// The colour of an app, by its number.
const HUES: [u8; 6] = [32, 34, 35, 36, 33, 31];

/// A strip after the text before it, in the colours of its apps if the screen has colours. Its characters do not change.
fn picture(head: &str, line: &Line, screen: Screen) -> String {
    let plain = screen.line(&format!("{head}{}", line.text()));
    let cut = width(&plain) < width(head) + width(&line.text());
    if cut || screen.colours == Colours::No {
        return plain;
    }
    let mut text = screen.whole(head);
    for piece in &line.pieces {
        match piece
            .app
            .map(|app| HUES[stowplan_engine::id::Id::row(app) % HUES.len()])
        {
            Some(hue) => text += &format!("\x1b[{hue}m{}\x1b[0m", piece.text),
            None => text += &piece.text,
        }
    }
    text
}

/// The order of ranks, app by app.
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
