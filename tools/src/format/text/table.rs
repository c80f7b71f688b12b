//! A row per shape: the number of nodes, what each node holds, and the names of the nodes.

use super::shapes::Shape;
use super::shown::Shown;
use super::strip::Strips;
use crate::format::Told;
use crate::format::hosts;
use crate::format::screen::{Screen, counted, grouped, width};

/// The side to which the text of a column is aligned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    Left,
    Right,
}

/// The number of columns before the hosts.
const COLUMNS: usize = 7;
/// The most apps that a cell names.
const APPS_NAMED: usize = 3;

/// The letter of a shape.
pub(super) fn letter(at: usize) -> char {
    const LETTERS: &[u8; 26] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char::from(LETTERS[at.min(25)])
}

/// Lines of aligned columns, each as wide as its longest cell, two spaces apart.
pub(super) fn aligned<const N: usize>(rows: &[[String; N]], sides: &[Side; N]) -> Vec<String> {
    let mut widths = [0; N];
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = (*most).max(width(cell));
        }
    }
    let line = |row: &[String; N]| {
        let mut text = String::new();
        for ((cell, &most), side) in row.iter().zip(&widths).zip(sides) {
            if most == 0 {
                continue;
            }
            if !text.is_empty() {
                text += "  ";
            }
            let gap = " ".repeat(most - width(cell));
            match side {
                Side::Left => text += &format!("{cell}{gap}"),
                Side::Right => text += &format!("{gap}{cell}"),
            }
        }
        text
    };
    rows.iter().map(line).collect()
}

/// The most columns for the ranks of a node; longer texts are written below the table.
const RANKS_COLUMNS: usize = 32;

/// The head of the table, a row per shape, and the number of shapes left out; and for each shape whether its row was cut.
pub(super) fn rows(told: &Told<'_>, shown: &Shown, screen: Screen) -> (Vec<String>, Vec<bool>) {
    let head = [
        "shape",
        "nodes",
        "ranks/node",
        "app:ranks",
        "each bound to",
        "used",
        "ranks of the first",
    ]
    .map(str::to_owned);
    let mut rows = vec![head];
    let mut cut = Vec::new();
    for (at, shape) in shown.shapes.iter().enumerate() {
        let mut row = row(told, at, shape, &shown.strips[at]);
        let ranks = &mut row[COLUMNS - 1];
        *ranks = shown.placements[at].ranks();
        cut.push(width(ranks) > RANKS_COLUMNS);
        if width(ranks) > RANKS_COLUMNS {
            *ranks = ranks.chars().take(RANKS_COLUMNS - 1).collect();
            ranks.push('…');
        }
        rows.push(row);
    }
    let sides = [
        Side::Left,
        Side::Right,
        Side::Right,
        Side::Left,
        Side::Left,
        Side::Left,
        Side::Left,
    ];
    let mut lines = aligned(&rows, &sides);
    for (at, line) in lines.iter_mut().enumerate() {
        let left = screen.columns.saturating_sub(width(line) + 2);
        let hosts = match at.checked_sub(1) {
            Some(at) => {
                let hosts = folded(told, &shown.shapes[at], left);
                cut[at] |= hosts.contains('…') || width(&hosts) > left;
                hosts
            }
            None => "hosts".to_owned(),
        };
        *line += "  ";
        *line += &hosts;
    }
    let (more, nodes) = shown.more;
    if more > 0 {
        lines.push(format!(
            "and {}, {}",
            counted(more as u64, "more shape"),
            counted(nodes, "node")
        ));
    }
    (lines, cut)
}

fn row(told: &Told<'_>, at: usize, shape: &Shape, strips: &Strips) -> [String; COLUMNS] {
    let mut apps: Vec<String> = shape
        .runs
        .iter()
        .take(APPS_NAMED)
        .map(|run| {
            let number = told.plan.resolved_apps().number(run.app);
            format!("{number}:{}", run.of(told.plan).procs)
        })
        .collect();
    if shape.runs.len() > APPS_NAMED {
        apps.push(format!("+{}", shape.runs.len() - APPS_NAMED));
    }
    [
        letter(at).to_string(),
        grouped(shape.count),
        grouped(shape.procs),
        apps.join(" "),
        strips.bound.clone(),
        format!(
            "{}/{}",
            grouped(u64::from(strips.used)),
            counted(u64::from(strips.allowed), strips.kind.word())
        ),
        String::new(),
    ]
}

/// The names of a shape's nodes, as many as fit.
fn folded(told: &Told<'_>, shape: &Shape, columns: usize) -> String {
    let names = &told.plan.world().names;
    let mut text = String::new();
    let mut named = 0;
    let folds = shape
        .nodes
        .iter()
        .flat_map(|&nodes| hosts::folds(names, nodes));
    for fold in folds {
        let comma = if text.is_empty() { "" } else { "," };
        let next = format!("{comma}{fold}");
        let rest = shape.count - named - u64::from(fold.count);
        let mark = if rest == 0 {
            0
        } else {
            format!("…(+{rest})").chars().count()
        };
        if !text.is_empty() && width(&text) + width(&next) + mark > columns {
            return format!("{text}…(+{})", grouped(shape.count - named));
        }
        text += &next;
        named += u64::from(fold.count);
    }
    text
}
