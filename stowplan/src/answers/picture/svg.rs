//! The drawing alone: all of the page, without its script.

use super::draw::escaped;
use super::letters::{broken, width};
use super::setting::{Setting, Size};
use super::{Drawing, Drawn, LEGEND, colours};
use std::fmt::Write as _;
use stowplan_engine::count::counted;

/// The width of a drawing that may be as large as its content.
const WIDTH: u32 = 1120;
/// The least width of a slide.
const WIDTH_MIN: u32 = 400;
const MARGIN: u32 = 16;
const GAP: u32 = 10;
/// The size of common type, and the height of a line.
const TYPE: u32 = 11;
const LINE: u32 = 16;
/// The most lines of one text.
const LINES_MAX: usize = 12;
/// Cells in a row of a core's box that are tried for a slide.
const ACROSS: [u32; 5] = [4, 8, 16, 32, 64];
/// The same, for a drawing as large as its content.
const FREE: [u32; 3] = [8, 16, 32];
/// How often a slide is made wider, by a ninth each time.
const WIDENED_MAX: u32 = 48;

/// One plan, or two beside each other. `sides` draws them with so many cells in a row.
///
/// Cost: that of `sides`; for a slide also each layout that is tried.
pub(super) fn image(
    sides: &dyn Fn(u32) -> Vec<(&'static str, Drawing)>,
    setting: &Setting<'_>,
) -> String {
    let Size::Ratio(wide, high) = setting.size else {
        // The one that is least high of those that are not too wide.
        let fitting = FREE.map(sides).into_iter();
        let fitting = fitting.filter(|sides| least_width(sides) <= WIDTH);
        let height =
            |sides: &Vec<(&'static str, Drawing)>| Sheet::of(sides, setting, WIDTH, 0).height;
        let sides = fitting.min_by_key(height).unwrap_or_else(|| sides(8));
        let least = least_width(&sides).max(WIDTH);
        let sheet = Sheet::of(&sides, setting, least, 0);
        return colours::image((sheet.width, sheet.height), setting.paper, &sheet.text);
    };
    let height_of = |width: u32| {
        let height = u64::from(width) * u64::from(high) / u64::from(wide);
        u32::try_from(height).unwrap_or(u32::MAX)
    };
    // The least width is the largest type.
    let mut best: Option<(u32, Vec<(&'static str, Drawing)>)> = None;
    for across in ACROSS {
        let sides = sides(across);
        let mut width = least_width(&sides).max(WIDTH_MIN);
        for _ in 0..WIDENED_MAX {
            if best.as_ref().is_some_and(|known| known.0 <= width) {
                break;
            }
            if Sheet::of(&sides, setting, width, 0).height <= height_of(width) {
                best = Some((width, sides));
                break;
            }
            width += width / 9;
        }
    }
    let (width, sides) = best.unwrap_or_else(|| (WIDTH, sides(8)));
    let sheet = Sheet::of(&sides, setting, width, height_of(width));
    let size = (width, height_of(width).max(sheet.height));
    colours::image(size, setting.paper, &sheet.text)
}

/// The width of the widest box, with margins, for all sides.
fn least_width(sides: &[(&'static str, Drawing)]) -> u32 {
    let widest = |drawing: &Drawing| {
        let panels = drawing.drawn.iter().flat_map(|drawn| &drawn.panels);
        panels.map(|panel| panel.width).max().unwrap_or(0)
    };
    let each = sides
        .iter()
        .map(|(_, drawing)| widest(drawing) + 2 * MARGIN);
    let count = u32::try_from(sides.len()).unwrap_or(1);
    each.max().unwrap_or(0) * count
}

/// A laid-out drawing.
struct Sheet {
    text: String,
    width: u32,
    height: u32,
}

impl Sheet {
    /// The sides in this width. What stands below the nodes ends at `height`, where the nodes leave room.
    fn of(
        sides: &[(&'static str, Drawing)],
        setting: &Setting<'_>,
        width: u32,
        height: u32,
    ) -> Self {
        let count = u32::try_from(sides.len()).unwrap_or(1).max(1);
        let room = width / count - 2 * MARGIN;
        let mut sheet = Self {
            text: String::new(),
            width,
            height: 0,
        };
        for (at, (name, drawing)) in (0..).zip(sides) {
            let mut side = Side {
                text: String::new(),
                x: MARGIN + at * (width / count),
                y: MARGIN,
                room,
            };
            side.head(name, drawing, setting);
            side.shapes(drawing);
            let mut foot = Side {
                text: String::new(),
                y: 0,
                ..side
            };
            foot.foot(drawing);
            let down = side.y.max(height.saturating_sub(foot.y + MARGIN));
            sheet.text += &side.text;
            sheet.text += &format!("<g transform=\"translate(0,{down})\">{}</g>\n", foot.text);
            sheet.height = sheet.height.max(down + foot.y + MARGIN);
        }
        sheet
    }
}

struct Side {
    text: String,
    x: u32,
    y: u32,
    /// The width that is left.
    room: u32,
}

impl Side {
    /// Writes a text in as many lines as it needs.
    fn lines(&mut self, words: &str) {
        for line in broken(words, TYPE, self.room, LINES_MAX) {
            // A String takes everything.
            let _ = writeln!(
                self.text,
                "<text x=\"{}\" y=\"{}\">{}</text>",
                self.x,
                self.y + 12,
                escaped(&line)
            );
            self.y += LINE;
        }
    }

    /// The line that was asked, what the picture shows, and what stands above the nodes.
    fn head(&mut self, name: &str, drawing: &Drawing, setting: &Setting<'_>) {
        const TITLE: u32 = 15;
        let title = match (setting.title, name) {
            ("", name) => name.to_owned(),
            (title, "") => title.to_owned(),
            (title, name) => format!("{name}: {title}"),
        };
        for line in broken(&title, TITLE, self.room, 4) {
            let _ = writeln!(
                self.text,
                "<text class=\"h\" x=\"{}\" y=\"{}\">{}</text>",
                self.x,
                self.y + 14,
                escaped(&line)
            );
            self.y += 20;
        }
        self.lines(&drawing.sentence);
        setting.lines.iter().for_each(|line| self.lines(line));
        self.y += GAP;
    }

    /// Draws each shape, beside the one before where there is room.
    fn shapes(&mut self, drawing: &Drawing) {
        let (left, room) = (self.x, self.room);
        let (mut x, mut tall) = (0, 0);
        for drawn in &drawing.drawn {
            let (text, width, height) = shape(drawn, room);
            if x > 0 && x + width > room {
                self.y += tall + GAP;
                (x, tall) = (0, 0);
            }
            let _ = write!(
                self.text,
                "<g data-shape=\"{}\" data-hosts=\"{}\"",
                drawn.letter,
                escaped(&drawn.hosts)
            );
            if drawn.more_hosts > 0 {
                let _ = write!(self.text, " data-hosts-more=\"{}\"", drawn.more_hosts);
            }
            let _ = writeln!(
                self.text,
                " transform=\"translate({},{})\">{text}</g>",
                left + x,
                self.y
            );
            tall = tall.max(height);
            x += width + 2 * GAP;
        }
        self.y += self.network(drawing, (x, tall)) + GAP;
        if drawing.more.0 > 0 {
            let (shapes, nodes) = drawing.more;
            self.lines(&format!(
                "and {} on {}",
                counted(shapes as u64, "more shape"),
                counted(nodes, "node")
            ));
        }
    }

    /// Draws groups and switches around the nodes: beside the last row of shapes, of which `taken` is taken, or below it, whichever is
    /// less high. Returns the height of both.
    fn network(&mut self, drawing: &Drawing, (taken, tall): (u32, u32)) -> u32 {
        let Some(switches) = &drawing.switches else {
            return tall;
        };
        let room = self.room.saturating_sub(taken);
        let (beside, below) = (switches.panel(room), switches.panel(self.room));
        let lower = tall + GAP + below.height;
        let (panel, x, y) = match beside.width <= room && beside.height.max(tall) <= lower {
            true => (beside, taken, 0),
            false => (below, 0, tall + GAP),
        };
        let (left, top) = (self.x + x, self.y + y);
        let _ = writeln!(
            self.text,
            "<g transform=\"translate({left},{top})\">{}</g>",
            panel.svg
        );
        tall.max(y + panel.height)
    }

    /// The legend, and all nodes in their order.
    fn foot(&mut self, drawing: &Drawing) {
        for (app, words) in drawing.apps.iter().enumerate() {
            let _ = write!(
                self.text,
                "<g class=\"p a{}\"><rect x=\"{}\" y=\"{}\" width=\"26\" height=\"13\"/></g>",
                app % 6,
                self.x,
                self.y + 1
            );
            (self.x, self.room) = (self.x + 34, self.room - 34);
            self.lines(words);
            (self.x, self.room) = (self.x - 34, self.room + 34);
        }
        if drawing.more_apps > 0 {
            self.lines(&format!(
                "and {}",
                counted(drawing.more_apps as u64, "more app")
            ));
        }
        self.lines(LEGEND);
        self.lines(&drawing.strip_words);
        self.strip(drawing);
        self.y += 20;
    }

    /// Draws all nodes in order.
    fn strip(&mut self, drawing: &Drawing) {
        for part in &drawing.strip {
            let (from, end) = (
                part.x * self.room / 1000,
                (part.x + part.width) * self.room / 1000,
            );
            let _ = write!(
                self.text,
                "<g><title>{}</title><rect class=\"s {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\"/>",
                escaped(&part.title),
                part.class,
                self.x + from,
                self.y,
                end - from
            );
            if end - from > 8 + width(&part.name, TYPE) {
                let (x, y) = (self.x + from + 4, self.y + 14);
                let _ = write!(self.text, "<text x=\"{x}\" y=\"{y}\">{}</text>", part.name);
            }
            self.text += "</g>\n";
        }
    }
}

/// A shape at the origin, with its size.
fn shape(drawn: &Drawn, room: u32) -> (String, u32, u32) {
    const HEAD: u32 = 220;
    let mut rows: Vec<(u32, u32)> = Vec::new();
    let (mut x, mut y, mut tall, mut wide) = (0, 0, 0, 0);
    for panel in &drawn.panels {
        if x > 0 && x + panel.width > room {
            y += tall + GAP;
            (x, tall) = (0, 0);
        }
        rows.push((x, y));
        tall = tall.max(panel.height);
        x += panel.width + GAP;
        wide = wide.max(x - GAP);
    }
    let mut side = Side {
        text: String::new(),
        x: 0,
        y: 0,
        room: wide.max(HEAD).min(room),
    };
    side.lines(&format!("{}: {}", drawn.letter, drawn.head(160)));
    let top = side.y + 4;
    for (panel, (x, y)) in drawn.panels.iter().zip(rows) {
        let _ = writeln!(
            side.text,
            "<g transform=\"translate({x},{})\">{}</g>",
            top + y,
            panel.svg
        );
    }
    side.y = top + y + tall;
    if let Some(note) = &drawn.note {
        side.lines(note);
    }
    (side.text, side.room.max(wide), side.y)
}
