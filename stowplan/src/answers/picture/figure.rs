//! Figures beside a plan: ranks with the edges that leave their nodes, and candidates by their traffic.

use super::draw::escaped;
use super::setting::{Paper, Setting};
use super::{Drawing, colours, html};
use std::fmt::Write as _;
use stowplan_engine::plan::Plan;

/// A rank of a figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureRank {
    /// The rank in its app.
    pub rank: u32,
    /// The number of its node; ranks on the same node have the same number.
    pub node: u32,
    /// The node's name.
    pub name: String,
    /// Row and column in the figure.
    pub at: (u32, u32),
}

/// An edge between two ranks of a figure, by their rows in [`Edges::ranks`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FigureEdge {
    /// One end.
    pub from: usize,
    /// The other.
    pub to: usize,
}

/// The largest values of the axes of a plot of candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Largest {
    /// Of the traffic that leaves all nodes.
    pub leave: u64,
    /// Of the traffic that leaves the worst node.
    pub worst: u64,
}

/// Round values for ticks from 0 up to the largest: each 1, 2 or 5 times a power of ten from the next, at most ten of them.
fn ticks(largest: u64) -> Vec<u64> {
    let powers = (0..19).flat_map(|power| [1, 2, 5].map(|digit| digit * 10_u64.pow(power)));
    let step = { powers }
        .find(|step| largest / step <= 8)
        .unwrap_or(largest.max(1));
    (0..=largest / step).map(|number| number * step).collect()
}

/// A value's part of an axis this long.
fn along(value: u64, largest: u64, length: u32) -> u32 {
    let part = u128::from(value) * u128::from(length) / u128::from(largest.max(1));
    u32::try_from(part).unwrap_or(length)
}

/// The ticks of both axes, with their values.
fn axes(largest: Largest, left: u32, bottom: u32) -> String {
    let mut inner = String::new();
    for value in ticks(largest.leave) {
        let x = left + along(value, largest.leave, SIDE * 2);
        inner += &format!(
            "<path class=\"in\" d=\"M{x} {HEAD}V{}\"/><text class=\"o\" x=\"{}\" y=\"{}\">{value}</text>",
            bottom + 5,
            x.saturating_sub(3),
            bottom + 15
        );
    }
    for value in ticks(largest.worst) {
        let y = bottom - along(value, largest.worst, SIDE);
        inner += &format!(
            "<path class=\"in\" d=\"M{} {y}H{}\"/><text class=\"o\" x=\"{MARGIN}\" y=\"{}\">{value}</text>",
            left - 5,
            left + SIDE * 2,
            y + 3
        );
    }
    inner
}

/// Ranks and the edges between them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edges {
    /// What the figure shows, in words.
    pub title: String,
    /// The ranks.
    pub ranks: Vec<FigureRank>,
    /// The edges, each pair of ranks once.
    pub edges: Vec<FigureEdge>,
}

/// A way to place a job, and the traffic it causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Its words.
    pub words: String,
    /// The traffic that leaves all nodes, in words.
    pub leave: String,
    /// The traffic that leaves the worst node, in words.
    pub worst: String,
    /// Both as fractions of the largest value, in thousandths.
    pub at: (u32, u32),
    /// Whether this is the job as asked.
    pub asked: bool,
}

/// The distance from one rank to the next, and the size of a rank's box.
const STEP: (u32, u32) = (46, 36);
const CELL: (u32, u32) = (32, 20);
/// The margin around a figure, and the height of its head.
const MARGIN: u32 = 12;
const HEAD: u32 = 44;
/// The height of the plot of candidates; it is twice as wide.
const SIDE: u32 = 400;

/// The ranks and edges as one SVG image: an edge that leaves its node is a thick line.
#[must_use]
pub fn edges_svg(edges: &Edges) -> String {
    let most = |of: fn(&FigureRank) -> u32| edges.ranks.iter().map(of).max().unwrap_or(0) + 1;
    let (rows, columns) = (most(|rank| rank.at.0), most(|rank| rank.at.1));
    let (width, height) = (
        (columns * STEP.0 + 2 * MARGIN).max(560),
        rows * STEP.1 + HEAD + MARGIN,
    );
    let centre = |rank: &FigureRank| {
        (
            MARGIN + rank.at.1 * STEP.0 + CELL.0 / 2,
            HEAD + rank.at.0 * STEP.1 + CELL.1 / 2,
        )
    };
    let (mut inside, mut crossing) = (String::new(), String::new());
    for edge in &edges.edges {
        let (a, b) = (&edges.ranks[edge.from], &edges.ranks[edge.to]);
        let path = if a.node == b.node {
            &mut inside
        } else {
            &mut crossing
        };
        let ((x, y), (to_x, to_y)) = (centre(a), centre(b));
        // A String takes every number.
        let _ = write!(path, "M{x} {y}L{to_x} {to_y}");
    }
    let mut inner = format!(
        "<text x=\"{MARGIN}\" y=\"16\">{}</text><text x=\"{MARGIN}\" y=\"32\">a thick line leaves its node; a box is a rank, boxes of one look and no thick line between them share a node</text>",
        escaped(&edges.title)
    );
    inner +=
        &format!("<path class=\"in\" d=\"{inside}\"/><path class=\"out\" d=\"{crossing}\"/>\n");
    for rank in &edges.ranks {
        let (x, y) = centre(rank);
        inner += &format!(
            "<g class=\"p a{}\"><title>rank {} on {}</title><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/><text x=\"{x}\" y=\"{}\">{}</text></g>",
            rank.node % 6,
            rank.rank,
            escaped(&rank.name),
            x - CELL.0 / 2,
            y - CELL.1 / 2,
            CELL.0,
            CELL.1,
            y + 4,
            rank.rank
        );
    }
    colours::image((width, height), Paper::Light, &inner)
}

/// The plot of candidates. The horizontal axis is the traffic that leaves all nodes, the vertical axis that of the worst node.
/// Candidates have the numbers of the list.
#[must_use]
pub fn candidates_svg(title: &str, candidates: &[Candidate], largest: Largest) -> String {
    const LEFT: u32 = 60;
    let bottom = HEAD + SIDE;
    let list = u32::try_from(candidates.len()).unwrap_or(0) * 18;
    let width = 960;
    let mut inner = format!(
        "<text x=\"{MARGIN}\" y=\"16\">{}</text><path class=\"out\" d=\"M{LEFT} {HEAD}V{bottom}H{}\"/><text x=\"{LEFT}\" y=\"{}\">what leaves all nodes; a dot is at its values, its number beside it</text><text x=\"{MARGIN}\" y=\"36\">what leaves the worst node</text>\n",
        escaped(title),
        LEFT + SIDE * 2,
        bottom + 32
    );
    inner += &axes(largest, LEFT, bottom);
    let dot = |candidate: &Candidate| {
        let x = LEFT + candidate.at.0 * SIDE * 2 / 1000;
        (x, bottom - candidate.at.1 * SIDE / 1000)
    };
    let mut labels = Labels {
        taken: candidates.iter().map(dot).collect(),
    };
    for (number, candidate) in (1..).zip(candidates) {
        let (x, y) = dot(candidate);
        let (label_x, label_y) = labels.beside((x, y));
        let class = if candidate.asked {
            "p a3 moved"
        } else {
            "p a0"
        };
        inner += &format!(
            "<g class=\"{class}\"><title>{}: {} leave, {} the worst node</title><path class=\"in\" d=\"M{x} {y}L{label_x} {label_y}\"/><circle cx=\"{x}\" cy=\"{y}\" r=\"4\"/><rect x=\"{}\" y=\"{}\" width=\"26\" height=\"18\" rx=\"9\"/><text x=\"{label_x}\" y=\"{}\">{number}</text></g>",
            escaped(&candidate.words),
            escaped(&candidate.leave),
            escaped(&candidate.worst),
            label_x - 13,
            label_y - 9,
            label_y + 4
        );
    }
    for (number, candidate) in (1..).zip(candidates) {
        let asked = if candidate.asked {
            "what you asked for: "
        } else {
            ""
        };
        inner += &format!(
            "\n<text x=\"{LEFT}\" y=\"{}\">{number}: {} leave, {} the worst node: {asked}{}</text>",
            bottom + 40 + number * 18,
            escaped(&candidate.leave),
            escaped(&candidate.worst),
            escaped(&candidate.words)
        );
    }
    colours::image((width, bottom + 68 + list), Paper::Light, &inner)
}

/// The places of dots, and of labels that are drawn already: each number stands near its dot, and on no dot or other number.
struct Labels {
    taken: Vec<(u32, u32)>,
}

impl Labels {
    /// A free place for the label of a dot, in the nearest of the rings around it.
    ///
    /// Cost: the dots and the labels so far, for each place that is tried. There are more rings than can be full of these labels.
    fn beside(&mut self, dot: (u32, u32)) -> (u32, u32) {
        const STEP: (u32, u32) = (28, 20);
        let rings = u32::try_from(self.taken.len()).unwrap_or(0) + 1;
        let ring = |far: u32| {
            (0..=2 * far).flat_map(move |across| {
                (0..=2 * far).filter_map(move |down| {
                    let edge = [0, 2 * far].contains(&across) || [0, 2 * far].contains(&down);
                    let x = (dot.0 + across * STEP.0).checked_sub(far * STEP.0)?;
                    let y = (dot.1 + down * STEP.1).checked_sub(far * STEP.1)?;
                    let inside = x >= 16 && (HEAD + 10..HEAD + SIDE).contains(&y);
                    (edge && inside).then_some((x, y))
                })
            })
        };
        let near =
            |a: (u32, u32), b: (u32, u32)| a.0.abs_diff(b.0) < STEP.0 && a.1.abs_diff(b.1) < STEP.1;
        let is_free = |place: &(u32, u32)| self.taken.iter().all(|&other| !near(other, *place));
        let found = (0..rings).flat_map(ring).find(is_free).unwrap_or(dot);
        self.taken.push(found);
        found
    }
}

/// A page with a plan and a figure above it. `lines`: text above both.
///
/// Cost: that of [`super::html()`].
#[must_use]
pub fn html_with(title: &str, plan: &Plan, lines: &[String], figure: &str) -> String {
    let drawing = Drawing::new(plan, 2, &Setting::default(), &|_| false);
    let page = html::page(title, &[("", drawing)], lines);
    // The figure comes after the text.
    page.replacen("<div>", &format!("<figure>{figure}</figure>\n<div>"), 1)
}
