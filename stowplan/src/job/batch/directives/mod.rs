//! Directives of batch systems: what they say of the allocation, and the variables that the system makes of them.

mod lsf;
mod pbs;
pub(crate) mod slurm;
mod small;

use crate::job::batch::text::{Span, Text};
use crate::launchers::line::quoted_words;
use std::collections::BTreeMap;
use stowplan_engine::error::SpecError;
use stowplan_engine::text::digits;

/// A batch system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Batch {
    Slurm,
    Pbs,
    Lsf,
    Flux,
    Cobalt,
    Sge,
}

impl Batch {
    const ALL: [Self; 6] = [
        Self::Slurm,
        Self::Pbs,
        Self::Lsf,
        Self::Flux,
        Self::Cobalt,
        Self::Sge,
    ];

    /// Its name for people.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Slurm => "Slurm",
            Self::Pbs => "PBS",
            Self::Lsf => "LSF",
            Self::Flux => "Flux",
            Self::Cobalt => "Cobalt",
            Self::Sge => "Grid Engine",
        }
    }

    /// How its directives begin.
    pub(crate) const fn sign(self) -> &'static str {
        match self {
            Self::Slurm => "#SBATCH",
            Self::Pbs => "#PBS",
            Self::Lsf => "#BSUB",
            Self::Flux => "#flux:",
            Self::Cobalt => "#COBALT",
            Self::Sge => "#$",
        }
    }

    /// How the variables begin that it sets, and those of them that it sets only where a directive says so.
    pub(crate) const fn variables(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Slurm => (
                &["SLURM_", "SLURMD_"],
                &[
                    "SLURM_ARRAY",
                    "SLURM_CPUS_PER_",
                    "SLURM_CPU_BIND",
                    "SLURM_DIST",
                    "SLURM_EXPORT",
                    "SLURM_GPU",
                    "SLURM_HINT",
                    "SLURM_MEM_",
                    "SLURM_NPROCS",
                    "SLURM_NTASKS",
                    "SLURM_THREADS_PER_CORE",
                ],
            ),
            Self::Pbs => (&["PBS_", "NCPUS"], &["PBS_ARRAY", "PBS_NP", "PBS_NUM_"]),
            Self::Lsf => (&["LSB_", "LS_"], &[]),
            Self::Flux => (&["FLUX_"], &[]),
            Self::Cobalt => (&["COBALT_"], &[]),
            Self::Sge => (
                &["SGE_", "JOB_", "NHOSTS", "NQUEUES", "NSLOTS", "PE"],
                &["NSLOTS"],
            ),
        }
    }

    /// The system whose own launcher a word is.
    pub(crate) fn of_launcher(word: &str) -> Option<Self> {
        match word {
            "srun" => Some(Self::Slurm),
            "flux" => Some(Self::Flux),
            "jsrun" => Some(Self::Lsf),
            _ => None,
        }
    }

    /// The words of a directive; `None`: the line is none of this system.
    fn words_of(self, line: &str) -> Option<&str> {
        let rest = match self {
            Self::Slurm | Self::Pbs | Self::Lsf | Self::Cobalt => line.strip_prefix(self.sign())?,
            // `#$` alone begins a directive of Grid Engine, but `#$(…)` and `#$X` are comments.
            Self::Sge => line.strip_prefix("#$ ")?,
            Self::Flux => {
                let rest = line.strip_prefix('#')?.trim_start_matches([' ', '#']);
                return rest.strip_prefix("flux:").or(rest.strip_prefix("FLUX:"));
            }
        };
        let parted = rest.is_empty() || rest.starts_with([' ', '\t']) || self == Self::Sge;
        parted.then_some(rest)
    }
}

/// The directives of one system.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) batch: Batch,
    /// All words, in order, and the directive in which each stands.
    pub(crate) words: Vec<(String, Span)>,
    /// The first directive.
    pub(crate) first: Span,
}

/// What directives say of an allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Runs of nodes, and the slots of each; without: their number is not fixed.
    pub(crate) nodes: Vec<(u32, Option<u32>)>,
    /// The nodes by name, as a host list without slots, in place of invented names.
    pub(crate) named: Option<String>,
    /// What is not fixed, and why, if there are no nodes.
    pub(crate) unclear: Option<String>,
    /// The variables that the system makes of them.
    pub(crate) variables: BTreeMap<String, String>,
}

impl Asked {
    /// Neighbouring nodes with so many slots.
    fn push(&mut self, nodes: u32, slots: Option<u32>) {
        match self.nodes.last_mut() {
            Some((count, own)) if *own == slots => *count = count.saturating_add(nodes),
            Some(_) | None => self.nodes.push((nodes, slots)),
        }
    }

    /// How many nodes there are.
    pub(crate) fn count(&self) -> u64 {
        self.nodes.iter().map(|(count, _)| u64::from(*count)).sum()
    }

    fn set(&mut self, name: &str, value: impl ToString) {
        self.variables.insert(name.to_owned(), value.to_string());
    }
}

/// The directives of a script, by system in the order of first mention, and those that stand too late to be read.
pub(crate) struct Directives {
    pub(crate) said: Vec<Said>,
    pub(crate) late: Vec<(Batch, Span)>,
}

/// Reads the directives. `begins`: the byte at which the first command begins: only Slurm's, PBS's, Flux's and Cobalt's directives
/// before it count.
///
/// # Errors
/// `bad-script` for a quote that is not closed.
pub(crate) fn read(text: &Text<'_>, begins: usize) -> Result<Directives, SpecError> {
    let mut all = Directives {
        said: Vec::new(),
        late: Vec::new(),
    };
    for (start, line) in text.lines().filter(|(_, line)| line.starts_with('#')) {
        let found = Batch::ALL.into_iter();
        let mut found = found.filter_map(|batch| Some((batch, batch.words_of(line)?)));
        let Some((batch, words)) = found.next() else {
            continue;
        };
        let span = Span {
            start,
            end: start + line.len(),
        };
        if start > begins && !matches!(batch, Batch::Lsf | Batch::Sge) {
            all.late.push((batch, span));
            continue;
        }
        let words = quoted_words(words).map_err(|refused| text.bad(span, &refused.sentence))?;
        let words = words.into_iter().map(|word| (word, span));
        match all.said.iter_mut().find(|said| said.batch == batch) {
            Some(said) => said.words.extend(words),
            None => all.said.push(Said {
                batch,
                words: words.collect(),
                first: span,
            }),
        }
    }
    Ok(all)
}

impl Said {
    /// What they say of the allocation.
    ///
    /// # Errors
    /// `bad-option`, `bad-value` or `not-modelled` at the directive.
    pub(crate) fn asked(&self, text: &Text<'_>) -> Result<Asked, SpecError> {
        match self.batch {
            Batch::Slurm => slurm::asked(self, text),
            Batch::Pbs => pbs::asked(self, text),
            Batch::Lsf => lsf::asked(self, text),
            Batch::Flux => Ok(small::flux(self)),
            Batch::Cobalt => small::cobalt(self, text),
            Batch::Sge => small::grid_engine(self, text),
        }
    }

    /// The words alone.
    pub(crate) fn plain(&self) -> Vec<String> {
        self.words.iter().map(|(word, _)| word.clone()).collect()
    }

    /// The values of an option with one dash, behind it or attached, each with its place. `valued`: the letters that take a value.
    fn values<'s>(&'s self, option: &'s str) -> impl Iterator<Item = (&'s str, Span)> + 's {
        let words = self.words.iter().enumerate();
        words.filter_map(move |(at, (word, span))| {
            let rest = word.strip_prefix(option)?;
            match rest.strip_prefix('=').unwrap_or(rest) {
                "" => Some((self.words.get(at + 1)?.0.as_str(), *span)),
                _ if option.len() > 2 && !rest.starts_with('=') => None,
                value => Some((value, *span)),
            }
        })
    }
}

/// A number from 1 at its place.
fn number(text: &Text<'_>, span: Span, what: &str, value: &str) -> Result<u32, SpecError> {
    let found = digits::number(value).filter(|&number| number > 0);
    found.ok_or_else(|| {
        let what = format!("{what}{value}: a number from 1 is asked for");
        text.refused("bad-value", span, &what, Vec::new())
    })
}
