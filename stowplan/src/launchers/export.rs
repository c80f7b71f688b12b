//! A plan in a launcher's words: a script that starts the job, or a file, or the reason why neither is possible.

pub use crate::launchers::reader::Reader;

use crate::launchers::dialect::variables::{self, Form};
use crate::launchers::dialect::{
    flux, hostfile, hydra, intel, jsrun, pals, prterun, rank_order, rankfile, srun,
};
use crate::launchers::job::{Job, Unsaid};
use crate::launchers::script::{Beside, PLAN, Script};
pub use crate::launchers::text::{Note, Text};
use std::fmt::{self, Write};
use stowplan_engine::plan::Plan;

/// The launchers, and the files, that a plan can be written for.
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
    /// A list of hosts with slots.
    Hostfile,
    /// A file of ranks, as PRRTE and Open MPI read it.
    Rankfile,
}

impl Dialect {
    /// The dialects that are listed, in their order. A rank file says what prterun's script says.
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

    /// Who reads the files of a dialect, by the words of `--for`; nobody reads those of scripts.
    #[must_use]
    pub const fn readers(self) -> &'static [(&'static str, Reader)] {
        match self {
            Self::Rankfile => Reader::OF_RANKS,
            Self::Hostfile => Reader::OF_HOSTS,
            Self::Srun
            | Self::Prterun
            | Self::Hydra
            | Self::Intel
            | Self::Flux
            | Self::Pals
            | Self::Jsrun
            | Self::RankOrder => &[],
        }
    }

    /// Its word on the command line.
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
            Self::Rankfile => "rankfile",
        }
    }

    /// All dialects: those that are listed, then the rank file.
    pub fn words() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain([Self::Rankfile])
    }

    /// The dialect that a word names.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::words().find(|dialect| dialect.word() == word)
    }

    /// Whether its output starts a job.
    #[must_use]
    pub const fn starts(self) -> bool {
        !matches!(self, Self::RankOrder | Self::Hostfile | Self::Rankfile)
    }
}

/// A plan that a launcher cannot express. Class `not-expressible`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{} cannot say this plan: {why}; {}", .dialect.word(), others(.can))]
pub struct NotExpressible {
    /// The launcher.
    pub dialect: Dialect,
    /// What cannot be expressed, with the first node or rank concerned.
    pub why: String,
    /// Launchers that can express the plan.
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
    reader: Reader,
    notes: Vec<Note>,
}

impl Export<'_> {
    /// Notes on what is written.
    #[must_use]
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Writes the plan. Cost: placed runs if the launcher has words for them, else a line for each node or rank.
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_to(&self, out: &mut dyn Write) -> fmt::Result {
        self.write_beside(Beside::Inside, out)
    }

    /// Writes the plan, a script with its files in it or beside it. Cost: as [`Export::write_to`].
    ///
    /// # Errors
    /// The error of `out`.
    pub fn write_beside(&self, beside: Beside<'_>, out: &mut dyn Write) -> fmt::Result {
        let job = Job::of(self.plan).map_err(|_| fmt::Error)?;
        match said(&job, self.dialect, self.reader) {
            Err(_) => Err(fmt::Error),
            Ok(Said::Script(script, _)) => script.write_beside(beside, out),
            Ok(Said::Text(text)) => {
                for comment in &text.comments {
                    writeln!(out, "{comment}")?;
                }
                (text.body)(out)
            }
        }
    }

    /// The files that the script reads, each with its name and its bytes.
    ///
    /// # Errors
    /// There is no memory for them.
    ///
    /// Cost: what they hold.
    pub fn files(&self) -> Result<Vec<(&'static str, Vec<u8>)>, fmt::Error> {
        let job = Job::of(self.plan).map_err(|_| fmt::Error)?;
        let Ok(Said::Script(script, _)) = said(&job, self.dialect, self.reader) else {
            return Ok(Vec::new());
        };
        let mut files = Vec::new();
        for file in &script.files {
            let mut text = String::new();
            (file.body)(&mut text)?;
            files.push((file.name, text.into_bytes()));
        }
        files.extend(script.plan.map(|plan| (PLAN, plan)));
        Ok(files)
    }
}

/// The output of a dialect for a plan.
enum Said<'p> {
    Script(Script<'p>, Vec<Note>),
    Text(Text<'p>),
}

fn said<'p>(job: &'p Job<'p>, dialect: Dialect, reader: Reader) -> Result<Said<'p>, Unsaid> {
    if dialect != Dialect::Hydra
        && let Some(name) = job.nodes.name_twice()
    {
        return Err(Unsaid(format!(
            "{name} is listed twice, as two nodes with local ranks of their own, and only hydra starts two nodes of one name"
        )));
    }
    let mut said = without_variables(job, dialect, reader)?;
    if let Said::Script(script, _) = &mut said
        && let Some(form) = form(dialect)
    {
        variables::add(job, form, script);
        let set = job
            .programs
            .iter()
            .flat_map(|program| program.variables.iter());
        let places = set.map(|(name, _)| name).any(|name| name == "OMP_PLACES");
        if dialect == Dialect::Jsrun && places {
            script
                .comment
                .push_str("; jsrun sets OMP_PLACES itself, and whether -E wins is not known");
        }
    }
    Ok(said)
}

/// How a launcher takes variables that hold for all ranks; `None`: app by app.
const fn form(dialect: Dialect) -> Option<Form> {
    match dialect {
        Dialect::Srun => Some(Form::Export),
        Dialect::Hydra | Dialect::Intel => Some(Form::Three("-genv")),
        Dialect::Flux => Some(Form::One("--env")),
        Dialect::Pals => Some(Form::Pair("--env")),
        Dialect::Jsrun => Some(Form::Pair("-E")),
        Dialect::Prterun | Dialect::RankOrder | Dialect::Hostfile | Dialect::Rankfile => None,
    }
}

fn without_variables<'p>(
    job: &'p Job<'p>,
    dialect: Dialect,
    reader: Reader,
) -> Result<Said<'p>, Unsaid> {
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
        Dialect::Hostfile => hostfile::export(job, reader).map(Said::Text),
        Dialect::Rankfile => rankfile::export(job, reader).map(Said::Text),
    }
}

/// Expresses a plan in a launcher's words.
///
/// # Errors
/// `not-expressible`: what the launcher cannot express, where, and which launchers can.
///
/// Cost: that of [`Job::of`], and a pass over the runs of ranks if the launcher has no words for the layout.
pub fn export(plan: &Plan, dialect: Dialect) -> Result<Export<'_>, NotExpressible> {
    export_for(plan, dialect, Reader::Own)
}

/// Expresses a plan in a launcher's words, or as a file for one reader.
///
/// # Errors
/// As [`export`].
///
/// Cost: as [`export`].
pub fn export_for(
    plan: &Plan,
    dialect: Dialect,
    reader: Reader,
) -> Result<Export<'_>, NotExpressible> {
    let job = Job::of(plan).map_err(|Unsaid(why)| NotExpressible {
        dialect,
        why,
        can: Vec::new(),
    })?;
    match said(&job, dialect, reader) {
        Ok(said) => Ok(Export {
            plan,
            dialect,
            reader,
            notes: match said {
                Said::Script(_, mut notes) => {
                    notes.extend(login_left_out(&job, dialect));
                    notes
                }
                Said::Text(_) => Vec::new(),
            },
        }),
        Err(Unsaid(why)) => {
            let others = Dialect::ALL.into_iter().filter(|other| other.starts());
            let can = others
                .filter(|&other| other != dialect && self::said(&job, other, Reader::Own).is_ok());
            let can = can.collect();
            Err(NotExpressible { dialect, why, can })
        }
    }
}

/// Users and ports of nodes for which the launcher has no words.
fn login_left_out(job: &Job<'_>, dialect: Dialect) -> Option<Note> {
    let node = job
        .nodes
        .first_login()
        .filter(|_| dialect != Dialect::Prterun)?;
    let said = job.nodes.written(node);
    let user = match said.user {
        "" => String::new(),
        user => format!(" user {user}"),
    };
    let port = match said.port {
        "" => String::new(),
        port => format!(" port {port}"),
    };
    Some(Note {
        class: "login-left-out",
        sentence: format!(
            "{}:{user}{port}: {} has no words for users and ports of hosts; export prterun and export hostfile write them",
            job.nodes.name(node),
            dialect.word()
        ),
    })
}

/// Whether each dialect can express a plan, in the order in which dialects are listed; if not, why.
#[must_use]
pub fn survey(plan: &Plan) -> Vec<(Dialect, Result<(), String>)> {
    let job = Job::of(plan);
    let each = Dialect::ALL.into_iter().map(|dialect| {
        let said = match &job {
            Ok(job) => said(job, dialect, Reader::Own).map(drop),
            Err(why) => Err(why.clone()),
        };
        (dialect, said.map_err(|Unsaid(why)| why))
    });
    each.collect()
}
