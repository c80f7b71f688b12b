//! Lays out the page: its first lines, the apps, then a line for each of few ranks, or rows and pictures of shapes.

use super::machines::machines;
use super::pictures::{Row, fold, legend, owners, picture, pictures};
use super::shown::{LINES_MAX, Shown};
use super::{apps, gpus, listing, shapes, table, threads};
use crate::format::Told;
use crate::format::screen::{Colours, Screen, counted, grouped, width};
use roaring::RoaringBitmap;
use std::io::{self, Write};
use stowplan_engine::plan::RankOrder;

/// The most ranks for which each one has a line.
const RANKS_LISTED: u32 = 32;
/// The most shapes whose placement is shown exactly.
const EXACT: usize = 3;
/// The most lines for strips; less room is left if there are more shapes and apps.
const STRIPS: usize = 5;

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
    page.extend(read_as(told, screen.columns).into_iter().map(Row::Cut));
    let machines = machines(told).into_iter();
    page.extend(
        machines
            .flat_map(|line| in_two(&line, "  ", screen.columns))
            .map(Row::Cut),
    );
    page.extend(apps::lines(told, screen).into_iter().map(Row::Whole));
    page.extend(threads::lines(told).into_iter().map(Row::Whole));
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

/// The most lines of what a launcher derived; the last one is cut.
const DERIVED: usize = 4;
/// What a launcher derived stands below how its line was read.
const READ_INDENT: &str = "         ";

/// How a launcher's line was read, and what the launcher derived.
fn read_as(told: &Told<'_>, columns: usize) -> Vec<String> {
    let Some(launched) = &told.sources.launched else {
        return Vec::new();
    };
    let mut lines = vec![format!("read as  {}", launched.phrase())];
    let derived = launched.derived.iter();
    let derived = derived.map(|derived| format!("{} ({})", derived.what, derived.origin));
    let mut room = DERIVED;
    for part in derived {
        match lines.last_mut() {
            Some(last)
                if last.starts_with(READ_INDENT) && width(last) + 3 + width(&part) <= columns =>
            {
                *last += &format!(" · {part}");
            }
            Some(_) | None if room > 0 => {
                room -= 1;
                lines.push(format!("{READ_INDENT}{part}"));
            }
            Some(last) => *last += &format!(" · {part}"),
            None => {}
        }
    }
    lines
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
    let holes = plan.apps().iter().filter(|app| app.policy().is_none());
    let apps = plan.resolved_apps().count() as usize - holes.count();
    let from = told.sources.hosts.as_ref();
    let from = from.map_or_else(String::new, |from| format!(" from {from}"));
    format!(
        "{} on {on}{from}{idle} · {} · {} · {}",
        counted(u64::from(plan.ranks()), "rank"),
        counted(apps as u64, "app"),
        counted(shapes as u64, "node shape"),
        counted(told.notes.len() as u64, "note"),
    )
}

/// The order of ranks, app by app.
fn ranks(told: &Told<'_>) -> String {
    let plan = told.plan;
    let mut parts = Vec::new();
    let table = plan.resolved_apps();
    let real = || {
        let all = table.ids().zip(plan.apps());
        all.filter(|(_, app)| app.procs().0 > 0)
    };
    for (id, app) in real().take(2) {
        let number = table.number(id);
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
        let what = if table.has_parts() { "part" } else { "app" };
        parts.push(format!("and {} more", counted(more as u64, what)));
    }
    format!("ranks  {}", parts.join(" · "))
}
