//! The pictures of a page: a strip for each package, what its characters mean, whose local ranks they are.

use super::shown::Shown;
use super::strip::{Fold, Line, Piece, Strips};
use super::{series, table};
use crate::format::screen::{Colours, Screen, counted, width};

/// A line of the page.
pub(super) enum Row {
    /// Cut to the width of the screen.
    Cut(String),
    /// Complete at any width.
    Whole(String),
    /// A strip after the text before it; its apps have colours.
    Picture(String, Line),
}

/// How far strips are folded; all strips of a page are folded alike.
pub(super) fn fold(strips: &[Strips], screen: Screen) -> Fold {
    let columns = screen.columns.saturating_sub(3);
    let drawn = strips.iter().filter(|strips| strips.used > 0);
    drawn
        .map(|strips| strips.fold(columns))
        .max()
        .unwrap_or(Fold::Unit)
}

/// Draws the nodes: a line per package, equal neighbours on one line, at most `room` lines.
pub(super) fn pictures(strips: &[Strips], fold: Fold, room: usize, page: &mut Vec<Row>) {
    let mut rows = Vec::new();
    for (at, strips) in strips.iter().enumerate() {
        let letter = table::letter(at);
        if strips.used == 0 {
            rows.push(Row::Cut(format!("{letter}  no process is bound")));
            continue;
        }
        for (row, line) in strips.lines(fold).into_iter().enumerate() {
            let head = if row == 0 { letter } else { ' ' };
            let (label, threads) = (line.label.len(), line.threads.clone());
            rows.push(Row::Picture(format!("{head}  {} ", line.label), line));
            let threads = threads.map(|text| format!("   {:label$} {text}", "omp"));
            rows.extend(threads.map(Row::Cut));
        }
    }
    if rows.len() > room {
        let more = rows.len() - room.saturating_sub(1);
        rows.truncate(room.saturating_sub(1));
        if room > 0 {
            rows.push(Row::Cut(format!(
                "   … and {}",
                counted(more as u64, "more line")
            )));
        }
    }
    page.extend(rows);
}

/// What the characters mean; `None` if nothing is drawn.
pub(super) fn legend(strips: &[Strips], fold: Fold) -> Option<String> {
    let drawn: Vec<&Strips> = strips.iter().filter(|strips| strips.used > 0).collect();
    let kind = drawn.first()?.kind.word();
    let has = |level: fn(&Strips) -> bool| drawn.iter().any(|strips| level(strips));
    let mut levels = String::new();
    if has(|strips| strips.levels.numa) && fold <= Fold::Numa {
        levels += "     [ ] numa";
    }
    if has(|strips| strips.levels.l3) && fold <= Fold::L3 {
        levels += "  | l3cache";
    }
    let what = match fold {
        Fold::Unit => {
            let mut meanings: Vec<&str> =
                drawn.iter().flat_map(|strips| strips.meanings()).collect();
            meanings.sort_by_key(|meaning| std::cmp::Reverse(meaning.len()));
            // Of two texts that begin alike, the longer one is enough.
            let mut told: Vec<&str> = Vec::new();
            meanings.retain(|meaning| {
                let new = !told.iter().any(|known| known.starts_with(meaning));
                told.push(meaning);
                new
            });
            let threads = if has(|strips| strips.threads) {
                " · omp: its thread, + several"
            } else {
                ""
            };
            format!("one sign per {kind}: {}{threads}", meanings.join(" · "))
        }
        Fold::L3 => "local ranks under each l3cache; between blanks how many share".to_owned(),
        Fold::Numa => "local ranks in each numa; between blanks how many share".to_owned(),
        Fold::Package if has(|strips| strips.levels.package) => {
            "local ranks in each package; between blanks how many share".to_owned()
        }
        Fold::Package => "local ranks of the node; between blanks how many share".to_owned(),
    };
    Some(format!("   {what}{levels}"))
}

/// Which local ranks belong to which app, if several apps share a node.
pub(super) fn owners(shown: &Shown) -> Option<Row> {
    let mut pieces = Vec::new();
    for (at, placement) in shown.placements.iter().enumerate() {
        let mut first = 0;
        let apps = placement.locals.chunk_by(|one, next| one.app == next.app);
        let mut own = Vec::new();
        for same in apps {
            let locals: Vec<u32> = (first..).take(same.len()).collect();
            first += u32::try_from(same.len()).unwrap_or(0);
            let text = format!("app {} {}", same[0].app, series::numbers(&locals));
            own.push(Piece {
                text,
                app: Some(same[0].app),
            });
        }
        if own.len() < 2 {
            continue;
        }
        let plain = |text: String| Piece { text, app: None };
        pieces.push(plain(format!(
            "{}{}: ",
            if pieces.is_empty() { "" } else { " · " },
            table::letter(at)
        )));
        for (count, piece) in own.into_iter().enumerate() {
            if count > 0 {
                pieces.push(plain(", ".to_owned()));
            }
            pieces.push(piece);
        }
    }
    let head = "   local ranks of ".to_owned();
    (!pieces.is_empty()).then(|| {
        Row::Picture(
            head,
            Line {
                label: String::new(),
                pieces,
                threads: None,
            },
        )
    })
}

/// The colour of an app, by its number.
const HUES: [u8; 6] = [32, 34, 35, 36, 33, 31];

/// A strip after the text before it, in the colours of its apps if the screen has colours. Its characters do not change.
pub(super) fn picture(head: &str, line: &Line, screen: Screen) -> String {
    let plain = screen.line(&format!("{head}{}", line.text()));
    let cut = width(&plain) < width(head) + width(&line.text());
    if cut || screen.colours == Colours::No {
        return plain;
    }
    let mut text = screen.whole(head);
    for piece in &line.pieces {
        match piece.app.map(|app| HUES[app as usize % HUES.len()]) {
            Some(hue) => text += &format!("\x1b[{hue}m{}\x1b[0m", piece.text),
            None => text += &piece.text,
        }
    }
    text
}
