//! The drawing alone: all of the page, without its script.

use super::draw::escaped;
use super::{Drawing, colours};
use std::fmt::Write as _;
use stowplan_engine::count::counted;

/// The width of a drawing, and the distance to the next one.
const WIDTH: u32 = 1120;
const STEP: u32 = 1160;
const MARGIN: u32 = 16;
const GAP: u32 = 10;
/// Characters of a line at most.
const LINE: usize = 210;

/// One plan, or two beside each other.
pub(super) fn image(sides: &[(&str, Drawing)], lines: &[String]) -> String {
    let mut inner = String::new();
    let mut height = 0;
    for (at, (name, drawing)) in (0..).zip(sides) {
        let mut side = Side {
            text: String::new(),
            x: MARGIN + at * STEP,
            y: MARGIN,
        };
        if !name.is_empty() {
            side.line(name);
        }
        lines.iter().for_each(|line| side.line(line));
        side.draw(drawing);
        inner += &side.text;
        height = height.max(side.y + MARGIN);
    }
    let count = u32::try_from(sides.len()).unwrap_or(1);
    let width = 2 * MARGIN + WIDTH + count.saturating_sub(1) * STEP;
    colours::image(width, height, &inner)
}

struct Side {
    text: String,
    x: u32,
    y: u32,
}

impl Side {
    fn line(&mut self, words: &str) {
        let mut shown: String = words.chars().take(LINE).collect();
        if shown.len() < words.len() {
            shown.push('…');
        }
        self.put(&format!(
            "<text x=\"{}\" y=\"{}\">{}</text>\n",
            self.x,
            self.y + 12,
            escaped(&shown)
        ));
        self.y += 18;
    }

    fn put(&mut self, text: &str) {
        self.text += text;
    }

    /// Draws all nodes in order.
    fn strip(&mut self, drawing: &Drawing) {
        for part in &drawing.strip {
            self.put(&format!(
                "<g><title>{}</title><rect class=\"s {}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\"/>",
                escaped(&part.title),
                part.class,
                self.x + part.x,
                self.y,
                part.width
            ));
            let columns = u32::try_from(part.name.len()).unwrap_or(0);
            if part.width > 8 + 7 * columns {
                let (x, y) = (self.x + part.x + 4, self.y + 14);
                self.put(&format!("<text x=\"{x}\" y=\"{y}\">{}</text>", part.name));
            }
            self.put("</g>\n");
        }
    }

    fn draw(&mut self, drawing: &Drawing) {
        self.line(&drawing.summary);
        for (app, words) in drawing.apps.iter().enumerate() {
            self.put(&format!(
                "<g class=\"p a{}\"><rect x=\"{}\" y=\"{}\" width=\"26\" height=\"13\"/></g>",
                app % 6,
                self.x,
                self.y + 1
            ));
            self.x += 34;
            self.line(words);
            self.x -= 34;
        }
        if drawing.more_apps > 0 {
            self.line(&format!(
                "and {}",
                counted(drawing.more_apps as u64, "more app")
            ));
        }
        self.line("a filled box is a process, with its rank on the first node of the shape: in its core, over its cores, or above all cores that it shares; an empty box is a core without a process of its own");
        self.line(&drawing.strip_words);
        self.strip(drawing);
        self.y += 20 + GAP;
        for drawn in &drawing.drawn {
            let mut open = format!(
                "<g data-shape=\"{}\" data-hosts=\"{}\"",
                drawn.letter,
                escaped(&drawn.hosts)
            );
            if drawn.more_hosts > 0 {
                // Writing to a String cannot fail.
                let _ = write!(open, " data-hosts-more=\"{}\"", drawn.more_hosts);
            }
            self.put(&(open + ">\n"));
            self.line(&format!("{}: {}", drawn.letter, drawn.head(LINE - 40)));
            let (left, mut tall) = (self.x, 0);
            let mut x = left;
            for panel in &drawn.panels {
                if x > left && x + panel.width > left + WIDTH {
                    self.y += tall + GAP;
                    (x, tall) = (left, 0);
                }
                self.put(&format!(
                    "<g transform=\"translate({x},{})\">{}</g>\n",
                    self.y, panel.svg
                ));
                tall = tall.max(panel.height);
                x += panel.width + GAP;
            }
            self.y += tall + GAP;
            if let Some(note) = &drawn.note {
                self.line(note);
            }
            self.put("</g>\n");
        }
        if drawing.more.0 > 0 {
            let (shapes, nodes) = drawing.more;
            self.line(&format!(
                "and {} on {}",
                counted(shapes as u64, "more shape"),
                counted(nodes, "node")
            ));
        }
    }
}
