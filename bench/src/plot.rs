//! Curves over ranks, both axes in powers of two, as SVG.

use std::fmt::Write as _;

/// One curve: its name, its colour, its points (ranks, nanoseconds).
#[derive(Clone, Debug)]
pub struct Curve {
    /// What it is of.
    pub name: String,
    /// An SVG colour.
    pub colour: &'static str,
    /// Ranks and nanoseconds, by ascending ranks.
    pub points: Vec<(u64, u64)>,
}

const WIDTH: u64 = 760;
const HEIGHT: u64 = 420;
const LEFT: u64 = 70;
const BELOW: u64 = 50;
const ABOVE: u64 = 20;
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
    LEFT + place(ranks, RANKS, WIDTH - LEFT - 20)
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
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n"
    );
    axes(&mut text);
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    for (row, curve) in (0_u64..).zip(curves) {
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
        let at = ABOVE + 14 + row * 16;
        line(format!(
            "<text x=\"{}\" y=\"{at}\" fill=\"{}\">{}</text>",
            LEFT + 10,
            curve.colour,
            curve.name
        ));
    }
    text.push_str("</svg>\n");
    text
}

/// Both axes, with their lines and labels.
fn axes(text: &mut String) {
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    let (right, floor) = (WIDTH - 20, HEIGHT - BELOW);
    for (ranks, label) in [
        (10, "1 Ki"),
        (15, "32 Ki"),
        (20, "1 Mi"),
        (25, "32 Mi"),
        (30, "1 Gi"),
    ] {
        let at = x(1 << ranks);
        line(format!(
            "<line x1=\"{at}\" y1=\"{ABOVE}\" x2=\"{at}\" y2=\"{floor}\" stroke=\"#ddd\"/>"
        ));
        line(format!(
            "<text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{label}</text>",
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
            "<line x1=\"{LEFT}\" y1=\"{at}\" x2=\"{right}\" y2=\"{at}\" stroke=\"#ddd\"/>"
        ));
        line(format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{label}</text>",
            LEFT - 6,
            at + 4
        ));
    }
    line(format!(
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">ranks</text>",
        WIDTH / 2,
        HEIGHT - 12
    ));
}
