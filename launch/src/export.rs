//! A plan in a launcher's words: a script that starts the job, or a file, or why there is none.

use crate::dialect::{flux, hostfile, hydra, intel, jsrun, pals, prterun, rank_order, srun};
use crate::job::{Job, Unsaid};
use crate::script::Script;
pub use crate::text::{Note, Text};
use std::fmt::{self, Write};
use stowplan_engine::plan::Plan;

/// A launcher's words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Dialect {
    /// Slurm.
    Srun,
    /// PRRTE, Open MPI 5.
    Prterun,
    /// MPICH.
    Hydra,
    /// Intel MPI.
    Intel,
    /// Flux.
    Flux,
    /// HPE Cray PALS.
    Pals,
    /// IBM Spectrum LSF.
    Jsrun,
    /// Cray MPICH's file of ranks.
    RankOrder,
    /// Hosts with slots.
    Hostfile,
}

impl Dialect {
    /// All, in the order of lists.
    pub const ALL: [Self; 9] = [
        Self::Srun,
        Self::Prterun,
        Self::Hydra,
        Self::Intel,
        Self::Flux,
        Self::Pals,
        Self::Jsrun,
        Self::RankOrder,
        Self::Hostfile,
    ];

    /// Its word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Srun => "srun",
            Self::Prterun => "prterun",
            Self::Hydra => "hydra",
            Self::Intel => "intel",
            Self::Flux => "flux",
            Self::Pals => "pals",
            Self::Jsrun => "jsrun",
            Self::RankOrder => "rank-order",
            Self::Hostfile => "hostfile",
        }
    }

    /// The dialect of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.word() == word)
    }

    /// Whether its words start a job.
    #[must_use]
    pub const fn starts(self) -> bool {
        !matches!(self, Self::RankOrder | Self::Hostfile)
    }
}

/// A plan that a launcher cannot say. Class `not-expressible`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} cannot say this plan: {why}; {}", .dialect.word(), others(.can))]
pub struct NotExpressible {
    /// The launcher.
    pub dialect: Dialect,
    /// What cannot be said, and the first node or rank where.
    pub why: String,
    /// Launchers that can.
    pub can: Vec<Dialect>,
}

impl NotExpressible {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "not-expressible"
    }
}

fn others(can: &[Dialect]) -> String {
    let words: Vec<&str> = can.iter().map(|dialect| dialect.word()).collect();
    if words.is_empty() {
        "no other launcher can; stowplan exec binds under any".to_owned()
    } else {
        format!(
            "{} can, and stowplan exec binds under any",
            words.join(", ")
        )
    }
}

/// A plan in a launcher's words, ready to be written.
pub struct Export<'p> {
    plan: &'p Plan,
    dialect: Dialect,
    notes: Vec<Note>,
}

impl Export<'_> {
    /// What is worth knowing.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Writes it. Cost: placed runs where the launcher has words for them, else a line for each node or rank.
    ///
    /// # Errors
    /// What `out` gives.
    pub fn write_to(&self, out: &mut dyn Write) -> fmt::Result {
        let job = Job::of(self.plan).map_err(|_| fmt::Error)?;
        match said(&job, self.dialect) {
            Err(_) => Err(fmt::Error),
            Ok(Said::Script(script, _)) => script.write_to(out),
            Ok(Said::Text(text)) => {
                for comment in &text.comments {
                    writeln!(out, "{comment}")?;
                }
                (text.body)(out)
            }
        }
    }
}

/// What a dialect made of a plan.
enum Said<'p> {
    Script(Script<'p>, Vec<Note>),
    Text(Text<'p>),
}

fn said<'p>(job: &'p Job<'p>, dialect: Dialect) -> Result<Said<'p>, Unsaid> {
    let alone = |script| Said::Script(script, Vec::new());
    match dialect {
        Dialect::Srun => srun::export(job).map(|(script, notes)| Said::Script(script, notes)),
        Dialect::Prterun => prterun::export(job).map(alone),
        Dialect::Hydra => hydra::export(job).map(alone),
        Dialect::Intel => intel::export(job).map(alone),
        Dialect::Flux => flux::export(job).map(alone),
        Dialect::Pals => pals::export(job).map(alone),
        Dialect::Jsrun => jsrun::export(job).map(alone),
        Dialect::RankOrder => rank_order::export(job).map(Said::Text),
        Dialect::Hostfile => hostfile::export(job).map(Said::Text),
    }
}

/// A plan in a launcher's words.
///
/// # Errors
/// `not-expressible`: what the launcher cannot say, where, and which can.
///
/// Cost: as [`Job::of`], and a pass over the runs of ranks where the launcher has no words for the layout.
pub fn export(plan: &Plan, dialect: Dialect) -> Result<Export<'_>, NotExpressible> {
    let job = Job::of(plan).map_err(|Unsaid(why)| NotExpressible {
        dialect,
        why,
        can: Vec::new(),
    })?;
    match said(&job, dialect) {
        Ok(said) => Ok(Export {
            plan,
            dialect,
            notes: match said {
                Said::Script(_, notes) => notes,
                Said::Text(_) => Vec::new(),
            },
        }),
        Err(Unsaid(why)) => {
            let others = Dialect::ALL.into_iter().filter(|other| other.starts());
            let can = others.filter(|&other| other != dialect && self::said(&job, other).is_ok());
            let can = can.collect();
            Err(NotExpressible { dialect, why, can })
        }
    }
}

/// Whether each dialect can say a plan, in the order of lists; why not, where it cannot.
#[must_use]
pub fn survey(plan: &Plan) -> Vec<(Dialect, Result<(), String>)> {
    let job = Job::of(plan);
    let each = Dialect::ALL.into_iter().map(|dialect| {
        let said = match &job {
            Ok(job) => said(job, dialect).map(drop),
            Err(why) => Err(why.clone()),
        };
        (dialect, said.map_err(|Unsaid(why)| why))
    });
    each.collect()
}
