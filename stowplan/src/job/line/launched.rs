//! By whose rules a job was placed, for pages and saved plans.

use super::{By, LineArgs};
use crate::launchers::line::{Derived, Launcher};
use stowplan_engine::plan::bytes::ReadingRemark;

/// The version whose rules prterun's words have here.
pub const PRTE_VERSION: &str = "5.0";

/// What launchers say whose versions are not told apart.
const ANY: &str = "any";

/// How a job in our own words is read: they are prterun's.
#[must_use]
pub fn our_own() -> ReadingRemark {
    ReadingRemark {
        rules: Launcher::Prte.word().to_owned(),
        version: PRTE_VERSION.to_owned(),
        by: (By::Word.word().to_owned(), String::new()),
        command: String::new(),
        derived: Vec::new(),
    }
}

/// Whose rules placed a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launched {
    /// The line.
    pub line: LineArgs,
    /// The version whose rules were used.
    pub version: String,
    /// What the launcher derived.
    pub derived: Vec<Derived>,
}

impl Launched {
    /// The same as a remark of a saved plan.
    #[must_use]
    pub fn remark(&self) -> ReadingRemark {
        let derived = self.derived.iter();
        let sign = match &self.line.by {
            By::Asked | By::Word => String::new(),
            By::Sign(sign) => sign.clone(),
        };
        ReadingRemark {
            rules: self.line.launcher.word().to_owned(),
            version: self.version.clone(),
            by: (self.line.by.word().to_owned(), sign),
            command: self.line.command.clone(),
            derived: derived
                .map(|derived| (derived.what.clone(), derived.origin.clone()))
                .collect(),
        }
    }

    /// What a saved plan says; `None`: it names rules that are not known here. The words of the line are not saved.
    #[must_use]
    pub fn of_remark(remark: ReadingRemark) -> Option<Self> {
        let mut launchers = Launcher::ALL.into_iter();
        let launcher = launchers.find(|own| own.word() == remark.rules)?;
        let by = match (remark.by.0.as_str(), remark.by.1) {
            ("asked", _) => By::Asked,
            ("sign", sign) => By::Sign(sign),
            (_, _) => By::Word,
        };
        let derived = remark.derived.into_iter();
        Some(Self {
            line: LineArgs {
                launcher,
                version: None,
                by,
                command: remark.command,
                words: Vec::new(),
            },
            version: remark.version,
            derived: derived
                .map(|(what, origin)| Derived { what, origin })
                .collect(),
        })
    }

    /// How the line was read, as a page says it: `srun (Slurm 24.11)`.
    #[must_use]
    pub fn phrase(&self) -> String {
        let line = &self.line;
        let by = match &line.by {
            By::Asked => ", by --as".to_owned(),
            By::Word => String::new(),
            By::Sign(sign) => format!(", by {sign}"),
        };
        let (name, word) = (line.launcher.name(), line.launcher.word());
        if line.launcher == Launcher::Prte || self.version == ANY {
            return format!("{} ({name}{by})", line.command);
        }
        let mut versions = line.launcher.versions().iter();
        let other = versions.find(|version| **version != self.version);
        let others = other.map_or_else(String::new, |other| {
            format!("; --as {word}@{other} for others")
        });
        format!("{} ({name} {}{by}{others})", line.command, self.version)
    }

    /// A line of prterun's family, which is placed by our own rules.
    #[must_use]
    pub fn by_our_rules(line: LineArgs) -> Self {
        Self {
            line,
            version: PRTE_VERSION.to_owned(),
            derived: Vec::new(),
        }
    }
}
