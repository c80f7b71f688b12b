//! What stands in place of the picture of a plan from a broadcast.

/// An SVG image that says so, behind the plan's summary.
pub(crate) fn svg(summary: &str) -> String {
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="1120" height="40" viewBox="0 0 1120 40" fill="#16181d" font-family="sans-serif" font-size="11"><rect width="1120" height="40" fill="#fff"/><text x="16" y="24">{summary}: the plan was read from a broadcast, which has no hardware to draw</text></svg>
"##
    )
}

/// The same as a page.
pub(crate) fn html(summary: &str) -> String {
    let image = svg(summary);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>stowplan</title>\n{image}</html>\n"
    )
}
