//! Lines of text in an image: how wide they are, and where they break. No viewer measures them for us, so widths are bounds from above.

use stowplan_engine::text::printable::shown;

/// Two thirds of the size of its type is at least as wide as a sign of a common font is on average.
#[must_use]
pub(super) fn width(text: &str, size: u32) -> u32 {
    let signs = text.chars().map(|sign| match sign {
        '\u{1100}'.. => 2,
        _ => 1,
    });
    let signs: u32 = signs.sum();
    (signs * size * 2).div_ceil(3)
}

/// The lines of a text in this width, at most `most` of them: what is left out is marked with `…`. Breaks at blanks, where there are any.
///
/// Cost: the text.
pub fn broken(text: &str, size: u32, room: u32, most: usize) -> Vec<String> {
    let signs = (room * 3 / (size * 2)).max(8) as usize;
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut long = 0;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let own = word.chars().count();
        if long > 0 && long + 1 + own > signs {
            lines.push(std::mem::take(&mut line));
            long = 0;
        }
        if long > 0 {
            line.push(' ');
            long += 1;
        }
        for sign in word.chars() {
            if long == signs {
                lines.push(std::mem::take(&mut line));
                long = 0;
            }
            line.push(shown(sign));
            long += 1;
        }
        if lines.len() > most {
            break;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            last.push('…');
        }
    }
    lines
}

/// Text in so many signs at most; `…` stands for the rest.
#[must_use]
pub(super) fn cut(text: &str, signs: usize) -> String {
    if text.chars().count() <= signs {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(signs.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
