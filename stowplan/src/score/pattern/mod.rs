//! Who talks to whom: patterns as words.

// Neighbours on a grid.
mod grid;

pub(crate) use grid::star;
pub use grid::{Edge, Grid, Halo};

use crate::score::error::{ScoreError, bad_pattern};
use stowplan_engine::count::counted;
use stowplan_engine::text::digits::number;

/// Which ranks each rank of an app talks to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// `halo:GRID`.
    Halo(Halo),
    /// `ring`.
    Ring,
    /// `pairs`.
    Pairs,
    /// `alltoall:G`; `None`: all ranks of the app.
    Alltoall(Option<u32>),
    /// `transpose:RxC`.
    Transpose {
        /// Rows of the grid.
        rows: u32,
        /// Columns of the grid.
        columns: u32,
    },
    /// `tree:K`.
    Tree(u32),
    /// `file:F`.
    File(String),
    /// `between:A,B:block|all`.
    Between {
        /// One app.
        a: u32,
        /// The other one.
        b: u32,
        /// Which of their ranks talk to each other.
        meeting: Meeting,
    },
}

/// Which ranks of two apps talk to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Meeting {
    /// Each rank of the larger app with one of the smaller.
    Block,
    /// All with all.
    All,
}

/// A pattern, and the app whose ranks it is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The app; for `between`, the first one.
    pub app: u32,
    /// Who talks to whom.
    pub pattern: Pattern,
    /// As given.
    pub word: String,
}

impl Part {
    /// Reads `[APP=]PATTERN`.
    ///
    /// # Errors
    /// `bad-pattern`.
    pub fn read(word: &str) -> Result<Self, ScoreError> {
        let numbered = word.split_once('=').filter(|(app, _)| is_number(app));
        let (app, text) = match numbered {
            Some((app, text)) => match app.parse() {
                Ok(app) => (app, text),
                Err(_) => return bad_pattern(word, format!("there is no app {app}")),
            },
            None => (0, word),
        };
        let pattern = Pattern::read(word, text)?;
        if let (Pattern::Between { .. }, Some((app, _))) = (&pattern, numbered) {
            return bad_pattern(
                word,
                format!("between names its apps itself: {app}= is too much"),
            );
        }
        Ok(Self {
            app: if let Pattern::Between { a, .. } = pattern {
                a
            } else {
                app
            },
            pattern,
            word: word.to_owned(),
        })
    }
}

impl Pattern {
    fn read(word: &str, text: &str) -> Result<Self, ScoreError> {
        let (name, rest) = match text.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (text, None),
        };
        match (name, rest) {
            ("halo", Some(rest)) => Ok(Self::Halo(Halo::read(word, rest)?)),
            ("ring", None) => Ok(Self::Ring),
            ("pairs", None) => Ok(Self::Pairs),
            ("alltoall", None) => Ok(Self::Alltoall(None)),
            ("alltoall", Some(group)) => match positive(group) {
                Some(group) => Ok(Self::Alltoall(Some(group))),
                None => bad_pattern(word, "alltoall takes the ranks of a block, at least 1"),
            },
            ("transpose", Some(grid)) => {
                match Grid::read(grid).as_ref().map(|grid| &grid.sizes[..]) {
                    Some(&[rows, columns]) => Ok(Self::Transpose { rows, columns }),
                    _ => bad_pattern(word, "transpose takes a grid of two sizes, such as 8x16"),
                }
            }
            ("tree", Some(children)) => match positive(children) {
                Some(children) => Ok(Self::Tree(children)),
                None => bad_pattern(word, "tree takes the children of a rank, at least 1"),
            },
            ("file", Some(path)) if !path.is_empty() => Ok(Self::File(path.to_owned())),
            ("file", _) => bad_pattern(word, "file takes the name of a matrix: file:F"),
            ("between", Some(rest)) => between(word, rest),
            _ => bad_pattern(
                word,
                "a pattern is one of: halo:GRID ring pairs alltoall[:G] transpose:RxC tree:K file:F between:A,B:block|all",
            ),
        }
    }

    /// Whether it is a matrix file. Only the weights of a matrix may be bytes.
    #[must_use]
    pub const fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    /// The ranks that a rank talks to, at most `limit` of them; `None` if they are in a file or between apps.
    ///
    /// Cost: these ranks; for halos, the offsets too.
    #[must_use]
    pub fn neighbours(&self, rank: u32, procs: u32, limit: usize) -> Option<Vec<u32>> {
        if let Some(halo) = self.halo(procs) {
            let mut found = halo.neighbours(rank);
            found.truncate(limit);
            return Some(found);
        }
        let others = |first: u32, end: u32, step: u32| {
            let all = (first..end).step_by(step.max(1) as usize);
            all.filter(move |&other| other != rank)
        };
        Some(match *self {
            Self::Pairs => [rank ^ 1]
                .into_iter()
                .filter(|&other| other < procs)
                .collect(),
            Self::Alltoall(group) => {
                let group = group.unwrap_or(procs).max(1);
                let first = rank / group * group;
                let end = first.saturating_add(group).min(procs);
                others(first, end, 1).take(limit).collect()
            }
            Self::Transpose { columns, .. } => {
                let row = rank / columns * columns;
                let own = others(row, row + columns, 1);
                own.chain(others(rank % columns, procs, columns))
                    .take(limit)
                    .collect()
            }
            Self::Tree(children) => {
                let first = u64::from(rank) * u64::from(children) + 1;
                let parent = (rank > 0).then(|| (rank.saturating_sub(1)) / children);
                let below = (first..first + u64::from(children)).take(limit);
                let below = below.filter_map(|child| u32::try_from(child).ok());
                let below = below.filter(|&child| child < procs);
                parent.into_iter().chain(below).take(limit).collect()
            }
            Self::Halo(_) | Self::Ring | Self::File(_) | Self::Between { .. } => return None,
        })
    }

    /// The pattern as a halo, if it is one, for an app of this many processes.
    #[must_use]
    pub fn halo(&self, procs: u32) -> Option<Halo> {
        match self {
            Self::Halo(halo) => Some(halo.clone()),
            Self::Ring => Some(Halo::ring(procs)),
            Self::Pairs
            | Self::Alltoall(_)
            | Self::Transpose { .. }
            | Self::Tree(_)
            | Self::File(_)
            | Self::Between { .. } => None,
        }
    }
}

fn between(word: &str, rest: &str) -> Result<Pattern, ScoreError> {
    let read = || {
        let (apps, meeting) = rest.split_once(':')?;
        let (a, b) = apps.split_once(',')?;
        let meeting = match meeting {
            "block" => Meeting::Block,
            "all" => Meeting::All,
            _ => return None,
        };
        let (a, b) = (number(a)?, number(b)?);
        Some(Pattern::Between { a, b, meeting })
    };
    match read() {
        Some(Pattern::Between { a, b, .. }) if a == b => {
            bad_pattern(word, "between takes two apps, and these are one")
        }
        Some(pattern) => Ok(pattern),
        None => bad_pattern(
            word,
            "between takes two apps and how they meet: between:0,1:block",
        ),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|sign| sign.is_ascii_digit())
}

fn positive(text: &str) -> Option<u32> {
    number(text).filter(|&number| number > 0)
}

/// Refuses a pattern that does not fit the size of its app.
pub(crate) fn fits(part: &Part, procs: u32) -> Result<(), ScoreError> {
    let app = part.app;
    let of_grid = |cells: Option<u64>, grid: &str| {
        if cells == Some(u64::from(procs)) {
            return Ok(());
        }
        let cells = cells.map_or("more than 2^64 places".to_owned(), |cells| {
            counted(cells, "place").to_string()
        });
        let why = format!(
            "a grid of {grid} has {cells}, app {app} has {}",
            counted(procs, "process")
        );
        bad_pattern(&part.word, why)
    };
    match &part.pattern {
        Pattern::Halo(halo) => of_grid(halo.grid.cells(), &halo.grid.word()),
        Pattern::Transpose { rows, columns } => of_grid(
            u64::from(*rows).checked_mul(u64::from(*columns)),
            &format!("{rows}x{columns}"),
        ),
        Pattern::Ring
        | Pattern::Pairs
        | Pattern::Alltoall(_)
        | Pattern::Tree(_)
        | Pattern::File(_)
        | Pattern::Between { .. } => Ok(()),
    }
}
