//! `--cpu-bind`: the kind and the level of binding.

use super::numbers::number;
use super::refusals;
use super::rules::{Change, Rules};
use crate::launchers::cpus::read_mask;
use crate::launchers::line::LineRefused;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;

/// Longest list of cpus or masks, repetitions counted.
const LIST_MAX: u64 = 1 << 20;

/// To what tasks are bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    Threads,
    Cores,
    Sockets,
    Ldoms,
}

impl Level {
    /// Its word.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Cores => "cores",
            Self::Sockets => "sockets",
            Self::Ldoms => "ldoms",
        }
    }
}

/// A binding that is no level.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// Nobody is bound.
    None,
    /// A set of OS numbers for each local rank, over and over.
    Masks(Vec<RoaringBitmap>),
    /// The cpu with the local rank's number.
    Rank,
}

/// `--cpu-bind`, read.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CpuBind {
    pub(super) verbose: Loudness,
    pub kind: Option<Kind>,
    pub level: Option<Level>,
}

/// Whether `verbose` was said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Loudness {
    #[default]
    Silent,
    Verbose,
}

impl CpuBind {
    /// Whether it says more than `quiet` or `verbose`.
    pub(super) fn is_more_than_verbose(&self) -> bool {
        self.kind.is_some() || self.level.is_some()
    }

    /// Whether it says anything.
    pub(super) fn says_something(&self) -> bool {
        self.is_more_than_verbose() || self.verbose == Loudness::Verbose
    }

    /// Reads the value.
    pub fn read(text: &str, rules: Rules) -> Result<Self, LineRefused> {
        let mut own = Self::default();
        for token in tokens(text) {
            own.add(token, rules)?;
        }
        Ok(own)
    }

    fn add(&mut self, token: &str, rules: Rules) -> Result<(), LineRefused> {
        let small = token.to_ascii_lowercase();
        let (word, list) = small.split_once(':').unwrap_or((&small, ""));
        match word {
            "help" => {
                return Err(refusals::refuses(
                    "--cpu-bind=help prints words and places nothing",
                ));
            }
            "q" | "quiet" => self.verbose = Loudness::Silent,
            "v" | "verbose" => self.verbose = Loudness::Verbose,
            "no" | "none" => self.kind = Some(Kind::None),
            "rank" if !rules.has(Change::NoBindRank) => self.kind = Some(Kind::Rank),
            "rank" => {}
            "map_cpu" | "mapcpu" => self.kind = Some(Kind::Masks(cpus(list)?)),
            "mask_cpu" | "maskcpu" => self.kind = Some(Kind::Masks(masks(list)?)),
            "thread" | "threads" => self.level = Some(Level::Threads),
            "core" | "cores" => self.level = Some(Level::Cores),
            "socket" | "sockets" => self.level = Some(Level::Sockets),
            "ldom" | "ldoms" => self.level = Some(Level::Ldoms),
            "rank_ldom" | "map_ldom" | "mask_ldom" => {
                return Err(refusals::not_modelled(format!(
                    "--cpu-bind={word}: which cpus a list of locality domains means is not known"
                )));
            }
            _ => {
                return Err(refusals::refuses(format!(
                    "--cpu-bind: {token:?} is none of none, map_cpu:LIST, mask_cpu:LIST, threads, cores, sockets, ldoms, quiet, verbose"
                )));
            }
        }
        Ok(())
    }
}

/// Cuts at commas that are not followed by a number of a list.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    for (at, sign) in text.char_indices() {
        if sign == ',' && !is_value(&text[at + 1..]) {
            tokens.push(&text[start..at]);
            start = at + 1;
        }
    }
    tokens.push(&text[start..]);
    tokens
}

fn is_value(text: &str) -> bool {
    let end = text
        .find(|sign: char| !sign.is_ascii_hexdigit())
        .unwrap_or(text.len());
    let closes = matches!(text[end..].chars().next(), None | Some(',' | '*'));
    text.starts_with(|sign: char| sign.is_ascii_digit()) || end > 0 && closes
}

/// Entries of a list, each with its repetitions written out.
fn entries(
    list: &str,
    read: impl Fn(&str) -> Option<RoaringBitmap>,
) -> Result<Vec<RoaringBitmap>, LineRefused> {
    let mut sets = Vec::new();
    for entry in list.split(',') {
        let (value, times) = entry.split_once('*').unwrap_or((entry, "1"));
        let times = number(times).filter(|&times| times > 0);
        let (Some(set), Some(times)) = (read(value), times) else {
            return Err(refusals::refuses(format!(
                "--cpu-bind: {entry:?} is no cpu of a list: map_cpu takes decimal numbers, mask_cpu hexadecimal masks"
            )));
        };
        if sets.len() as u64 + times > LIST_MAX {
            return Err(refusals::refuses(format!(
                "--cpu-bind: a list of more than {LIST_MAX} entries"
            )));
        }
        sets.extend((0..times).map(|_| set.clone()));
    }
    Ok(sets)
}

fn cpus(list: &str) -> Result<Vec<RoaringBitmap>, LineRefused> {
    entries(list, |text| {
        let cpu = u32::try_from(number(text)?).ok()?;
        (cpu < PUS_MAX).then(|| std::iter::once(cpu).collect())
    })
}

fn masks(list: &str) -> Result<Vec<RoaringBitmap>, LineRefused> {
    entries(list, read_mask)
}
