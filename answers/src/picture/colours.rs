//! The colours of an image: plain ones, because few viewers outside of browsers know variables.

use super::STYLE;

/// The line of the style sheet that gives the colours for dark screens; the line before gives those for light ones.
const DARK: &str = "@media (prefers-color-scheme:dark){";

/// An image that stands alone. The colours for a light screen are rules without variables; a viewer that knows the question may
/// choose those for a dark one. The colours have their names too, for whoever wants to change them.
pub(super) fn image(width: u32, height: u32, inner: &str) -> String {
    let (rules, colours) = STYLE.split_once(":root,svg{").unwrap_or((STYLE, ""));
    let (light, dark) = colours.split_once(DARK).unwrap_or((colours, ""));
    let (light, dark) = (plain(rules, light), plain(rules, dark));
    let ink = plain("var(--ink)", colours);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" fill=\"{ink}\" font-family=\"system-ui,sans-serif\" font-size=\"11\" style=\"max-width:100%;height:auto\">\n<style>\n{light}{DARK}{dark}}}\n:root,svg{{{colours}</style>\n<rect class=\"paper\" width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{inner}</svg>\n"
    )
}

/// Rules with each variable replaced by its colour: the first `--NAME:` among the colours.
fn plain(rules: &str, colours: &str) -> String {
    let mut out = String::with_capacity(rules.len());
    let mut rest = rules;
    while let Some((before, behind)) = rest.split_once("var(") {
        let (name, behind) = behind.split_once(')').unwrap_or((behind, ""));
        let named = colours.split_once(&format!("{name}:"));
        let value = named.and_then(|(_, value)| value.split([';', '}']).next());
        out += before;
        out += value.unwrap_or("currentColor");
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_no_variable_and_both_sets_of_colours() {
        let image = image(10, 20, "<text x=\"1\" y=\"2\">n</text>");
        assert!(!image.contains("var("), "{image}");
        assert!(!image.contains("currentColor"), "{image}");
        assert!(image.contains(".a0 rect,.a0 circle{fill:#c4ddf6;stroke:#1b4f86}"));
        assert!(image.contains(".a0 rect,.a0 circle{fill:#1d4773;stroke:#9cc8f5}"));
    }
}
