//! The colours of an image: attributes of its shapes, because few viewers outside of browsers read style sheets well.

use super::setting::Paper;

/// Colours of one paper, by the names that the page's style sheet has for them.
struct Colours {
    paper: &'static str,
    ink: &'static str,
    line: &'static str,
    soft: &'static str,
    cell: &'static str,
    /// What fills processes, by app, and their frames.
    fills: [&'static str; 6],
    frames: [&'static str; 6],
}

const LIGHT: Colours = Colours {
    paper: "#fff",
    ink: "#16181d",
    line: "#7b8494",
    soft: "#4a5160",
    cell: "#f1f3f6",
    fills: [
        "#c4ddf6", "#fbd9ae", "#c8e8c2", "#ecd0ef", "#f3eeaa", "#d9dbe0",
    ],
    frames: [
        "#1b4f86", "#8a4b00", "#1e6b25", "#7a2a85", "#5f5a00", "#3d434f",
    ],
};

const DARK: Colours = Colours {
    paper: "#14171c",
    ink: "#f2f4f8",
    line: "#7f899a",
    soft: "#b7bfcc",
    cell: "#22262e",
    fills: [
        "#1d4773", "#6b410a", "#1f5629", "#5b2866", "#514c10", "#464b55",
    ],
    frames: [
        "#9cc8f5", "#f7c27d", "#9fdc9f", "#e3b3ea", "#e8e07c", "#cfd4dd",
    ],
};

/// Dashes and widths of frames by app, so that apps differ without colours.
const FRAMES: [&str; 6] = [
    "stroke-width=\"1.5\"",
    "stroke-width=\"1.5\" stroke-dasharray=\"5 2\"",
    "stroke-width=\"1.5\" stroke-dasharray=\"2 2\"",
    "stroke-width=\"3\"",
    "stroke-width=\"1.5\" stroke-dasharray=\"8 2 2 2\"",
    "stroke-width=\"3\" stroke-dasharray=\"3 3\"",
];

/// An image that stands alone: every viewer draws it alike.
pub fn image((width, height): (u32, u32), paper: Paper, inner: &str) -> String {
    let colours = match paper {
        Paper::Light => &LIGHT,
        Paper::Dark => &DARK,
    };
    let Colours { paper, ink, .. } = colours;
    let inner = attributed(inner, colours);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" fill=\"{ink}\" font-family=\"sans-serif\" font-size=\"11\">\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\" fill=\"{paper}\"/>\n{inner}</svg>\n"
    )
}

/// The markup with attributes beside each class. Names in it are escaped, so that they contain no class.
///
/// Cost: the markup.
fn attributed(inner: &str, colours: &Colours) -> String {
    const CLASS: &str = " class=\"";
    let mut out = String::with_capacity(inner.len() * 5 / 4);
    let mut rest = inner;
    // Attributes for the texts of the process that is open.
    let mut texts = String::new();
    while let Some((before, behind)) = rest.split_once(CLASS) {
        let (class, behind) = behind.split_once('"').unwrap_or((behind, ""));
        put(&mut out, before, &mut texts);
        out += CLASS;
        out += class;
        out.push('"');
        out += &attributes(class, colours);
        if class.starts_with("p ") {
            texts = format!(
                " fill=\"{}\" stroke=\"none\" text-anchor=\"middle\"",
                colours.ink
            );
            if class.ends_with(" moved") {
                texts += " font-weight=\"700\" text-decoration=\"underline\"";
            }
        }
        rest = behind;
    }
    put(&mut out, rest, &mut texts);
    out
}

/// Appends markup; the texts up to the end of the open process get its attributes.
fn put(out: &mut String, markup: &str, texts: &mut String) {
    const TEXT: &str = "<text";
    let end = if texts.is_empty() {
        0
    } else {
        markup.find("</g>").unwrap_or(markup.len())
    };
    let (open, others) = markup.split_at(end);
    *out += &open.replace(TEXT, &format!("{TEXT}{texts}"));
    *out += others;
    if !others.is_empty() {
        texts.clear();
    }
}

/// The attributes of a class.
fn attributes(class: &str, colours: &Colours) -> String {
    let Colours {
        paper,
        ink,
        line,
        soft,
        cell,
        fills,
        frames,
    } = colours;
    let drawn = |fill: &str, stroke: &str| format!(" fill=\"{fill}\" stroke=\"{stroke}\"");
    match class {
        "l" => " font-size=\"10\"".to_owned(),
        "o" => format!(" font-size=\"8\" fill=\"{soft}\""),
        "m" => format!(" font-size=\"7\" fill=\"{soft}\""),
        "box" => drawn("none", line),
        "in" => drawn("none", line) + " stroke-width=\"1\"",
        "out" => drawn("none", ink) + " stroke-width=\"3\"",
        "h" => " font-size=\"15\" font-weight=\"700\"".to_owned(),
        "t" => format!(" font-size=\"8\" fill=\"{ink}\""),
        "cell" => drawn(cell, line),
        "free" => drawn(paper, line) + " stroke-dasharray=\"3 2\"",
        "kept" => drawn(fills[5], soft),
        "d" => drawn(paper, ink),
        "w" => format!(" font-size=\"9\" fill=\"{ink}\" stroke=\"none\""),
        "p rest" => drawn(paper, line),
        "s n0" => drawn(fills[5], line),
        "s n1" => drawn(paper, line),
        "s idle" => drawn(cell, line) + " stroke-dasharray=\"2 3\"",
        process => {
            let app = process
                .strip_prefix("p a")
                .and_then(|rest| rest.get(..1)?.parse::<usize>().ok())
                .filter(|&app| app < fills.len());
            match app {
                None => String::new(),
                Some(app) if process.ends_with(" moved") => {
                    drawn(fills[app], ink) + " stroke-width=\"3\""
                }
                Some(app) => format!("{} {}", drawn(fills[app], frames[app]), FRAMES[app]),
            }
        }
    }
}
