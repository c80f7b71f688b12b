//! Notes that hold for many apps, reported once.

use super::note::{Facts, Note};
use super::spec::Owner;
use std::collections::HashMap;
use std::fmt;

/// Up to this many apps, each note is reported by itself.
pub const FOLD_BEYOND: usize = 8;

/// A note, and all apps that it holds for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Folded<'n> {
    /// The note of the first app.
    pub note: &'n Note,
    /// The apps that it holds for, as inclusive ranges, ascending. Empty if it was not folded with others.
    pub apps: Vec<(u32, u32)>,
}

/// Folds notes that differ only in their app, and in their node if they name one, when there are more than
/// [`FOLD_BEYOND`] of them. Each folded note stays where the first of its notes was.
///
/// Cost: a look-up per note.
/// ```
/// use stowplan_engine::error::{Note, fold::fold};
/// let notes: Vec<Note> = (0..100).map(|app| Note::NothingLocal { app }).collect();
/// let folded = fold(&notes);
/// assert_eq!(folded.len(), 1);
/// let sentence = "apps 0-99: app 0 asks for NOLOCAL, and its nodes hold no local node";
/// assert_eq!(folded[0].to_string(), sentence);
/// assert_eq!(fold(&notes[..8]).len(), 8);
/// ```
#[must_use]
pub fn fold(notes: &[Note]) -> Vec<Folded<'_>> {
    let mut groups: HashMap<Note, Vec<u32>> = HashMap::new();
    if notes.len() > FOLD_BEYOND {
        for note in notes {
            if let Some((app, alike)) = note.of_app() {
                groups.entry(alike).or_default().push(app);
            }
        }
    }
    let mut folded = Vec::new();
    for note in notes {
        let group = note
            .of_app()
            .and_then(|(app, alike)| Some((app, groups.get_mut(&alike)?)));
        let group = group.filter(|(_, apps)| apps.len() > FOLD_BEYOND || apps.is_empty());
        match group {
            None => folded.push(Folded {
                note,
                apps: Vec::new(),
            }),
            // Reported with the first one.
            Some((_, apps)) if apps.is_empty() => {}
            Some((_, apps)) => folded.push(Folded {
                note,
                apps: ranges(std::mem::take(apps)),
            }),
        }
    }
    folded
}

/// Numbers as inclusive ranges.
fn ranges(mut apps: Vec<u32>) -> Vec<(u32, u32)> {
    apps.sort_unstable();
    apps.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for app in apps {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == app => *last = app,
            _ => ranges.push((app, app)),
        }
    }
    ranges
}

/// How many ranges of apps are written out. The apps beyond them are only counted.
const SHOWN: usize = 8;

impl Folded<'_> {
    /// Of what it holds; a note on many apps is one of the job.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let own = self.note.facts();
        Facts {
            app: own.app.filter(|_| self.apps.is_empty()),
            ..own
        }
    }
}

impl fmt::Display for Folded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.apps.is_empty() {
            f.write_str("apps ")?;
            for (at, (first, last)) in self.apps.iter().take(SHOWN).enumerate() {
                let comma = if at == 0 { "" } else { "," };
                if first == last {
                    write!(f, "{comma}{first}")?;
                } else {
                    write!(f, "{comma}{first}-{last}")?;
                }
            }
            let more = self.apps.iter().skip(SHOWN);
            let more: u32 = more.map(|(first, last)| last - first + 1).sum();
            if more > 0 {
                write!(f, " and {more} more")?;
            }
            f.write_str(": ")?;
        }
        self.note.fmt(f)
    }
}

impl Note {
    /// The app of a note, and the note without its app and node. The second part is equal for all notes that can be
    /// folded. `None` for a note of the job.
    fn of_app(&self) -> Option<(u32, Self)> {
        let mut alike = self.clone();
        let app = match &mut alike {
            Self::NothingLocal { app }
            | Self::JobWordUnused { app, .. }
            | Self::UnusedEntries { app, .. }
            | Self::BindingNarrow { app, .. } => std::mem::take(app),
            Self::BindingDropped { app, node, .. }
            | Self::Overloaded { app, node, .. }
            | Self::Unbound { app, node, .. }
            | Self::OneDomain { app, node, .. } => {
                node.clear();
                std::mem::take(app)
            }
            Self::Advice { facts, text, .. } => {
                let app = facts.app.take()?;
                (*facts, *text) = (Facts::default(), String::new());
                app
            }
            Self::UnknownKey { owner, .. }
            | Self::LocalAttribute { owner, .. }
            | Self::NoEffect { owner, .. } => std::mem::replace(owner, Owner::App(0)).app()?,
            Self::OldSpelling { .. }
            | Self::NoNodeNamed { .. }
            | Self::Oversubscribed { .. }
            | Self::NoNearGpu { .. }
            | Self::OfLine { .. } => {
                return None;
            }
        };
        Some((app, alike))
    }
}
