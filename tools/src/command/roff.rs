//! A manual page as plain text: for terminals, where the instructions of roff would be in the way.

/// Columns before a text that stands under a word.
const INDENT: &str = "       ";

/// The page without its instructions: headings as they are, words under them, what is said of a word under the word.
///
/// It knows the instructions that our pages have: `.TH`, `.SH`, `.SS`, `.TP`, `.PP`, `.br`, `.RS`, `.RE`, and fonts.
pub fn plain(page: &str) -> String {
    let mut text = String::new();
    // How many more lines stand at the word's own depth.
    let (mut deeper, mut word) = (false, false);
    for line in page.lines() {
        let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
        match instruction {
            ".SH" | ".SS" => {
                text += &format!("\n{}\n", unescaped(rest.trim_matches('"')));
                (deeper, word) = (false, false);
            }
            ".TP" => (deeper, word) = (true, true),
            ".PP" | ".br" | ".sp" => (deeper, word) = (false, false),
            other if other.starts_with('.') => {}
            _ => {
                let own = unescaped(line);
                let depth = match (deeper, word) {
                    (true, false) => INDENT.len() + 4,
                    _ => INDENT.len(),
                };
                text += &format!("{:depth$}{own}\n", "");
                word = false;
            }
        }
    }
    text.trim_start_matches('\n').to_owned()
}

/// A line without fonts and escapes.
fn unescaped(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        if sign != '\\' {
            text.push(sign);
            continue;
        }
        match signs.next() {
            Some('f') => drop(signs.next()),
            Some('e') => text.push('\\'),
            Some('&') | None => {}
            Some('(') => {
                let name: String = signs.by_ref().take(2).collect();
                text.push(if name == "aq" { '\'' } else { ' ' });
            }
            Some('*') => {
                // `\*(Aq`, the apostrophe.
                signs.by_ref().take(3).for_each(drop);
                text.push('\'');
            }
            Some(other) => text.push(other),
        }
    }
    text
}
