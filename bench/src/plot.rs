//! Draws curves over ranks as SVG; both axes are powers of two.

use std::fmt::Write as _;

/// One curve: its name, its colour, its points (ranks, nanoseconds).
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it shows.
    pub name: String,
    /// An SVG colour.
    pub colour: &'static str,
    /// Ranks and nanoseconds, ranks ascending.
    pub points: Vec<(u64, u64)>,
}

const WIDTH: u64 = 880;
const HEIGHT: u64 = 420;
const LEFT: u64 = 90;
/// Where the axis of ranks ends. The names of the curves are to the right of it.
const RIGHT: u64 = 740;
const BELOW: u64 = 50;
const ABOVE: u64 = 20;
/// The least distance from one name to the next below it.
const LINE: u64 = 16;
/// Colours of paper, ink and grid, for light and dark pages.
const STYLE: &str = "<style>.paper{fill:#fff}.ink{fill:#222}.grid{stroke:#ddd}.axis{stroke:#888}\
@media (prefers-color-scheme:dark){.paper{fill:#161b22}.ink{fill:#e6e6e6}.grid{stroke:#30363d}.axis{stroke:#8b949e}}</style>";
/// Powers of two at the ends of the axes.
const RANKS: (u64, u64) = (10, 31);
const NANOS: (u64, u64) = (12, 36);

/// Sixteenths of a power of two.
fn sixteenths(value: u64) -> u64 {
    let value = value.max(1);
    let power = u64::from(value.ilog2());
    let rest = u128::from(value) * 16 / (1_u128 << power) - 16;
    power * 16 + u64::try_from(rest).unwrap_or(0)
}

fn place(value: u64, (low, high): (u64, u64), length: u64) -> u64 {
    let at = sixteenths(value).clamp(low * 16, high * 16) - low * 16;
    at * length / ((high - low) * 16)
}

fn x(ranks: u64) -> u64 {
    LEFT + place(ranks, RANKS, RIGHT - LEFT)
}

fn y(nanos: u64) -> u64 {
    HEIGHT - BELOW - place(nanos, NANOS, HEIGHT - BELOW - ABOVE)
}

/// The picture.
///
/// ```
/// use stowplan_bench::plot::{Curve, svg};
/// let curve = Curve { name: "ours".into(), colour: "black", points: vec![(1024, 9_000), (2048, 9_100)] };
/// assert!(svg(&[curve]).starts_with("<svg"));
/// ```
#[must_use]
pub fn svg(curves: &[Curve]) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         {STYLE}\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n"
    );
    axes(&mut text);
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    for curve in curves {
        let mut points = String::new();
        for &(ranks, nanos) in &curve.points {
            write!(points, "{},{} ", x(ranks), y(nanos)).expect("a String takes every character");
            line(format!(
                "<circle cx=\"{}\" cy=\"{}\" r=\"3\" fill=\"{}\"/>",
                x(ranks),
                y(nanos),
                curve.colour
            ));
        }
        line(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
            points.trim_end(),
            curve.colour
        ));
    }
    for (curve, (across, down)) in curves.iter().zip(names(curves)) {
        line(format!(
            "<text x=\"{across}\" y=\"{down}\" fill=\"{}\">{}</text>",
            curve.colour, curve.name
        ));
    }
    text.push_str("</svg>\n");
    text
}

/// Where the name of each curve is: at its end, and no two on one line.
fn names(curves: &[Curve]) -> Vec<(u64, u64)> {
    let end = |curve: &Curve| {
        let (ranks, nanos) = curve.points.last().copied().unwrap_or((1, 1));
        (x(ranks) + 8, y(nanos) + 4)
    };
    let mut places: Vec<(u64, u64)> = curves.iter().map(end).collect();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by_key(|&row| places[row].1);
    for pair in 1..order.len() {
        let above = places[order[pair - 1]].1;
        let own = &mut places[order[pair]].1;
        *own = (*own).max(above + LINE);
    }
    places
}

/// Both axes, with their lines and labels.
fn axes(text: &mut String) {
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    let (right, floor) = (RIGHT, HEIGHT - BELOW);
    for (ranks, label) in [
        (10, "1 Ki"),
        (15, "32 Ki"),
        (20, "1 Mi"),
        (25, "32 Mi"),
        (30, "1 Gi"),
    ] {
        let at = x(1 << ranks);
        line(format!(
            "<line x1=\"{at}\" y1=\"{ABOVE}\" x2=\"{at}\" y2=\"{floor}\" class=\"grid\"/>"
        ));
        line(format!(
            "<text x=\"{at}\" y=\"{}\" class=\"ink\" text-anchor=\"middle\">{label}</text>",
            floor + 16
        ));
    }
    for (nanos, label) in [
        (10_000, "10 µs"),
        (100_000, "100 µs"),
        (1_000_000, "1 ms"),
        (10_000_000, "10 ms"),
        (100_000_000, "100 ms"),
        (1_000_000_000, "1 s"),
        (10_000_000_000, "10 s"),
    ] {
        let at = y(nanos);
        line(format!(
            "<line x1=\"{LEFT}\" y1=\"{at}\" x2=\"{right}\" y2=\"{at}\" class=\"grid\"/>"
        ));
        line(format!(
            "<text x=\"{}\" y=\"{}\" class=\"ink\" text-anchor=\"end\">{label}</text>",
            LEFT - 6,
            at + 4
        ));
    }
    line(format!(
        "<path class=\"axis\" fill=\"none\" d=\"M{LEFT} {ABOVE}V{floor}H{right}\"/>"
    ));
    line(format!(
        "<text class=\"ink\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">ranks of the job</text>",
        u64::midpoint(LEFT, right),
        HEIGHT - 12
    ));
    let middle = u64::midpoint(ABOVE, floor);
    line(format!(
        "<text class=\"ink\" transform=\"translate(18 {middle}) rotate(-90)\" text-anchor=\"middle\">time, median</text>"
    ));
}
