//! Boxes in boxes as SVG: one panel for each package, so that a narrow screen can stack them.

use super::letters::{cut, width};
use super::seats::{NODE, Proc, Seats, Shown};
use super::tree::{Near, Part, Tree};
use std::collections::HashMap;
use std::fmt::Write as _;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::text::printable::shown;

/// The size of a cell, and the distance to the next.
const CELL: (u32, u32) = (34, 22);
/// The height of the OS numbers in a core, below its processes.
const NUMBERS: u32 = 10;
const STEP: (u32, u32) = (38, 26);
/// The space inside the edges of a box, and the height of its label.
const PAD: u32 = 4;
const LABEL: u32 = 15;
/// The most signs of numbers in a core.
pub const SIGNS: usize = 7;
/// The most processes drawn in one core, and in one larger box; the rest are counted.
const IN_LEAF: usize = 16;
const IN_PART: usize = 256;

/// A part of a drawing, with its size.
pub(super) struct Panel {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) svg: String,
}

/// A panel while it is drawn.
struct Pen<'a> {
    tree: &'a Tree,
    seats: &'a Seats,
    moved: &'a dyn Fn(u32) -> bool,
    /// The position of each leaf on the current panel.
    at: HashMap<usize, (u32, u32)>,
    /// Cells in a row at most.
    across: u32,
    cells: String,
    /// Cores without a process, and cores that no job gets.
    free: String,
    kept: String,
    devices: String,
    boxes: String,
    procs: String,
    labels: String,
}

/// The panels of a node.
pub(super) fn panels(
    tree: &Tree,
    seats: &Seats,
    moved: &dyn Fn(u32) -> bool,
    across: u32,
) -> Vec<Panel> {
    let mut pen = Pen {
        across,
        tree,
        seats,
        moved,
        at: HashMap::new(),
        cells: String::new(),
        free: String::new(),
        kept: String::new(),
        devices: String::new(),
        boxes: String::new(),
        procs: String::new(),
        labels: String::new(),
    };
    let root = &tree.root;
    let mut panels = Vec::new();
    // Everything outside packages: processes that are not bound, and cores in no package.
    let loose = Part {
        label: match (seats.in_part.contains_key(&NODE), root.own.is_empty()) {
            (true, true) => "not bound to a part of the node".to_owned(),
            _ => "node".to_owned(),
        },
        leaves: NODE,
        own: root.own.clone(),
        devices: root.devices.clone(),
        kept: root.kept.clone(),
        ..Part::default()
    };
    let holds = !(loose.own.is_empty() && loose.devices.is_empty() && loose.kept.is_empty());
    if holds || seats.in_part.contains_key(&NODE) {
        panels.push(pen.panel(&loose));
    }
    panels.extend(root.parts.iter().map(|part| pen.panel(part)));
    panels
}

impl Pen<'_> {
    fn panel(&mut self, part: &Part) -> Panel {
        self.at.clear();
        self.take_back([0; 7]);
        let (width, height) = self.part(part, 1, 1, 3);
        self.over();
        let mut svg = String::new();
        svg += &self.boxes;
        for (class, drawn) in [
            ("cell", &self.cells),
            ("free", &self.free),
            ("kept", &self.kept),
        ] {
            if !drawn.is_empty() {
                svg += &format!("<path class=\"{class}\" d=\"{drawn}\"/>");
            }
        }
        svg += &self.devices;
        svg += &self.labels;
        svg += &self.procs;
        Panel {
            width: width + 2,
            height: height + 2,
            svg,
        }
    }

    /// Draws a box. Returns its size.
    fn part(&mut self, part: &Part, x: u32, y: u32, room: u32) -> (u32, u32) {
        let across = self.across;
        let within = across * STEP.0 + room * 2 * PAD;
        let (left, mut down) = (x + PAD, y + LABEL);
        let mut right = left + 8 * u32::try_from(part.label.chars().count()).unwrap_or(0) * 3 / 4;
        // The frame is inserted here, before the content of the box.
        let hole = self.boxes.len();
        let (wide, high) = self.devices_of(part, left, down, within);
        right = right.max(left + wide);
        down += high;
        let (wide, high) = self.sharing(part, left, down);
        right = right.max(left + wide);
        down += high;
        let (mut cx, mut tall) = (left, 0);
        for inner in &part.parts {
            let mark = self.mark();
            let (mut w, mut h) = self.part(inner, cx, down, room.saturating_sub(1));
            if cx > left && cx + w > x + within {
                // The box does not fit in this row: redraw it in the next one.
                self.take_back(mark);
                down += tall + PAD;
                (cx, tall) = (left, 0);
                (w, h) = self.part(inner, cx, down, room.saturating_sub(1));
            }
            right = right.max(cx + w);
            tall = tall.max(h);
            cx += w + PAD;
        }
        if !part.parts.is_empty() {
            down += tall + PAD;
        }
        for row in part.own.chunks(across as usize) {
            let mut tall = CELL.1 + NUMBERS;
            for (column, &leaf) in (0..).zip(row) {
                let cx = left + column * STEP.0;
                tall = tall.max(self.leaf(leaf, cx, down));
                right = right.max(cx + CELL.0);
            }
            down += tall + PAD;
        }
        let (wide, high) = self.kept_of(part, left, down);
        right = right.max(left + wide);
        down += high;
        let (width, height) = (right + PAD - x, down - y);
        let frame = format!(
            "<rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"3\"/>"
        );
        self.boxes.insert_str(hole, &frame);
        self.label(x + PAD, y + 11, &part.label);
        (width, height)
    }

    /// Draws the processes that share the cores of a box. Returns their width and height.
    fn sharing(&mut self, part: &Part, left: u32, y: u32) -> (u32, u32) {
        let (across, mut down, mut right) = (self.across, y, left);
        // If nested boxes have the same cores, the processes go into the innermost one.
        let innermost = part.parts.iter().all(|inner| inner.leaves != part.leaves);
        let chips = self.seats.in_part.get(&part.leaves).filter(|_| innermost);
        let chips = chips.map_or(&[][..], Vec::as_slice);
        for (number, &proc) in (0..).zip(chips.iter().take(IN_PART)) {
            let (column, row) = (number % across, number / across);
            let (cx, cy) = (left + column * STEP.0, down + row * STEP.1);
            self.proc(proc, &[(cx, cy, CELL.0, CELL.1)]);
            right = right.max(cx + CELL.0);
        }
        let shown = u32::try_from(chips.len().min(IN_PART)).unwrap_or(0);
        down += shown.div_ceil(across) * STEP.1;
        if chips.len() > IN_PART {
            self.label(
                left,
                down + 10,
                &format!("and {} more", chips.len() - IN_PART),
            );
            down += LABEL;
        }
        (right - left, down - y)
    }

    /// What is drawn so far.
    fn mark(&mut self) -> [usize; 7] {
        self.drawn().map(|text| text.len())
    }

    /// Takes back what was drawn since a mark.
    fn take_back(&mut self, mark: [usize; 7]) {
        for (text, length) in self.drawn().into_iter().zip(mark) {
            text.truncate(length);
        }
    }

    /// The texts of a panel.
    fn drawn(&mut self) -> [&mut String; 7] {
        [
            &mut self.boxes,
            &mut self.cells,
            &mut self.free,
            &mut self.kept,
            &mut self.devices,
            &mut self.procs,
            &mut self.labels,
        ]
    }

    fn label(&mut self, x: u32, y: u32, text: &str) {
        self.labels += &format!("<text class=\"l\" x=\"{x}\" y=\"{y}\">{text}</text>");
    }

    /// Draws a core with its processes. Returns its height.
    fn leaf(&mut self, leaf: usize, x: u32, y: u32) -> u32 {
        self.at.insert(leaf, (x, y));
        let procs = self.seats.in_leaf.get(&leaf).map_or(&[][..], Vec::as_slice);
        let shown = u32::try_from(procs.len().min(IN_LEAF)).unwrap_or(0);
        let rows = shown.max(1);
        let more = procs.len() > IN_LEAF;
        let told = self.threads_of(leaf);
        let lines = u32::from(!told.is_empty());
        let height = rows * CELL.1 + if more { LABEL } else { 0 } + NUMBERS * (1 + lines);
        let cells = if self.seats.forbidden.contains(&leaf) {
            &mut self.kept
        } else if self.seats.used.contains(&leaf) {
            &mut self.cells
        } else {
            &mut self.free
        };
        // Writing to a String cannot fail.
        let _ = write!(cells, "M{x} {y}h{}v{height}h-{}z", CELL.0, CELL.0);
        for (row, &proc) in (0..).zip(procs.iter().take(IN_LEAF)) {
            self.proc(proc, &[(x, y + row * CELL.1, CELL.0, CELL.1)]);
        }
        if more {
            let text = format!("+{}", procs.len() - IN_LEAF);
            self.label(x + 3, y + height - NUMBERS - 4, &text);
        }
        if lines > 0 {
            let _ = write!(
                self.labels,
                "<text class=\"t\" x=\"{}\" y=\"{}\">{told}</text>",
                x + 2,
                y + height - NUMBERS - 2
            );
        }
        let numbers = list_form(&self.tree.leaves[leaf]);
        self.numbers(&numbers, x + 2, y + height - 2);
        height
    }

    /// The threads in a core: their numbers, with their ranks where several ranks have some.
    fn threads_of(&self, leaf: usize) -> String {
        let Some(threads) = self.seats.threads.get(&leaf) else {
            return String::new();
        };
        let one = threads.iter().all(|own| own.0 == threads[0].0);
        let names = threads.iter().map(|(rank, thread)| match one {
            true => thread.clone(),
            false => format!("{rank}.{thread}"),
        });
        folded(&names.collect::<Vec<String>>())
    }

    /// Draws the devices of a box. Returns their width and height.
    fn devices_of(&mut self, part: &Part, x: u32, y: u32, within: u32) -> (u32, u32) {
        const HIGH: u32 = 14;
        const RANKS: usize = 24;
        let (mut across, mut down, mut wide) = (0, 0, 0);
        for device in &part.devices {
            let (text, key) = match device {
                Near::Gpu(gpu) => {
                    let ranks = self.seats.gpus.get(gpu).map_or(&[][..], Vec::as_slice);
                    let list = list_form(&ranks.iter().copied().collect());
                    let ranks = match ranks {
                        [] => String::new(),
                        [_] => format!(": rank {list}"),
                        _ => format!(": ranks {}", cut(&list, RANKS)),
                    };
                    (format!("gpu {gpu}{ranks}"), "gpu")
                }
                Near::Nic(name) => (format!("nic {}", cut(name, RANKS)), "nic"),
            };
            let own = width(&text, 9) + 6;
            if across > 0 && across + own > within {
                across = 0;
                down += HIGH + 3;
            }
            let (left, top) = (x + across, y + down);
            let text = escaped(&text);
            self.devices += &format!(
                "<g class=\"d\" data-{key}=\"{text}\"><rect x=\"{left}\" y=\"{top}\" width=\"{own}\" height=\"{HIGH}\" rx=\"6\"/><text class=\"w\" x=\"{}\" y=\"{}\">{text}</text></g>",
                left + 4,
                top + 10
            );
            across += own + 4;
            wide = wide.max(across);
        }
        let high = if part.devices.is_empty() {
            0
        } else {
            down + HIGH + 4
        };
        (wide, high)
    }

    /// Draws the cores of a box that no job gets. Returns their width and height.
    fn kept_of(&mut self, part: &Part, x: u32, y: u32) -> (u32, u32) {
        const HIGH: u32 = 12 + NUMBERS;
        let (mut wide, mut down) = (0, 0);
        for row in part.kept.chunks(self.across as usize) {
            for (column, core) in (0..).zip(row) {
                let (left, top) = (x + column * STEP.0, y + down);
                // Writing to a String cannot fail.
                let _ = write!(self.kept, "M{left} {top}h{}v{HIGH}h-{}z", CELL.0, CELL.0);
                self.label(left + 4, top + 10, "kept");
                self.numbers(&list_form(core), left + 2, top + HIGH - 2);
                wide = wide.max(left + CELL.0 - x);
            }
            down += HIGH + PAD;
        }
        (wide, down)
    }

    /// The OS numbers of a core, as far as it has room for them.
    fn numbers(&mut self, cpus: &str, x: u32, y: u32) {
        let class = match cpus.len() {
            ..SIGNS => "o",
            _ => "m",
        };
        // Writing to a String cannot fail.
        let _ = write!(
            self.labels,
            "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>",
            cut(cpus, SIGNS)
        );
    }

    /// Draws the processes that have several cores of their own on this panel.
    fn over(&mut self) {
        let seats = self.seats;
        // A process over several packages is drawn in the first one.
        let here = |leaves: &Vec<usize>, at: &HashMap<usize, (u32, u32)>| {
            leaves.first().is_some_and(|leaf| at.contains_key(leaf))
        };
        for (proc, leaves) in &seats.over {
            if !here(leaves, &self.at) {
                continue;
            }
            let mut spans: Vec<(u32, u32, u32, u32)> = Vec::new();
            for leaf in leaves {
                let Some(&(x, y)) = self.at.get(leaf) else {
                    continue;
                };
                match spans.last_mut() {
                    Some(last) if last.1 == y && last.0 + last.2 + (STEP.0 - CELL.0) == x => {
                        last.2 += STEP.0;
                    }
                    _ => spans.push((x, y, CELL.0, CELL.1)),
                }
            }
            if !spans.is_empty() {
                self.proc(*proc, &spans);
            }
        }
    }

    /// Draws a process as these rectangles.
    fn proc(&mut self, proc: usize, spans: &[(u32, u32, u32, u32)]) {
        let Proc {
            rank,
            app,
            local,
            title,
            part,
            shown,
        } = &self.seats.procs[proc];
        let moved = if (self.moved)(*rank) { " moved" } else { "" };
        let look = match shown {
            Shown::Chosen => format!("a{}", app % 6),
            Shown::Beside => "rest".to_owned(),
        };
        self.procs += &format!(
            "<g class=\"p {look}{moved}\" data-rank=\"{rank}\" data-local=\"{local}\" data-app=\"{app}\"><title>{}</title>",
            escaped(title)
        );
        for (x, y, w, h) in spans {
            self.procs += &format!("<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>");
        }
        // Each of its rectangles has its number: they are not always next to each other.
        for (x, y, w, _) in spans {
            let size = fitting(*rank, *w);
            let lift = if part.is_some() { 11 } else { 15 };
            self.procs += &format!(
                "<text x=\"{}\" y=\"{}\"{size}>{rank}</text>",
                x + w / 2,
                y + lift
            );
            if let Some(cpus) = part {
                self.procs += &format!(
                    "<text x=\"{}\" y=\"{}\" font-size=\"7\">{}</text>",
                    x + w / 2,
                    y + 19,
                    cut(cpus, SIGNS)
                );
            }
        }
        self.procs += "</g>";
    }
}

/// A smaller type where a rank would be wider than its box: a digit is at most two thirds as wide as its type is high.
fn fitting(rank: u32, width: u32) -> String {
    const SIZE: u32 = 11;
    let digits = rank.checked_ilog10().unwrap_or(0) + 1;
    match (width.saturating_sub(2) * 3) / (digits * 2) {
        SIZE.. => String::new(),
        size => format!(" font-size=\"{}\"", size.max(1)),
    }
}

/// Text escaped for markup.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            sign => safe.push(shown(sign)),
        }
    }
    safe
}

/// The threads of a core in the signs that it has room for: as many names as fit, and how many others there are.
pub fn folded(names: &[String]) -> String {
    let first = |count: usize| {
        let more = names.len() - count;
        let more = if more > 0 {
            format!(" +{more}")
        } else {
            String::new()
        };
        format!("t{}{more}", names[..count].join(","))
    };
    let fits = |text: &String| text.len() <= SIGNS;
    let some = (1..=names.len().min(SIGNS)).rev().map(first).find(fits);
    some.unwrap_or_else(|| format!("{} thr.", names.len()))
}
