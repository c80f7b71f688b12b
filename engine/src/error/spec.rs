//! Requests that are wrong in themselves. Source: errors "Words", "What is given", "Plans, sessions, task maps, output".

use super::at::At;
pub use super::at::Owner;

/// What is wrong with a word.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WordFault {
    /// Neither a word of the list nor a prefix of one.
    #[error("is none of: {}", valid.join(" "))]
    Unknown {
        /// The valid words.
        valid: Vec<&'static str>,
        /// The valid word with the most similar spelling.
        nearest: Option<&'static str>,
    },
    /// A prefix of several words.
    #[error("begins several words: {}", candidates.join(" "))]
    Ambiguous {
        /// All words that it is a prefix of.
        candidates: Vec<&'static str>,
    },
    /// Nothing where a word is needed.
    #[error("is empty, a word is needed")]
    Empty,
    /// The word takes no value.
    #[error("takes no value")]
    UnwantedValue,
    /// The word needs a value.
    #[error("lacks its value, it is written {form}")]
    MissingValue {
        /// How it is written, as `pe=N`.
        form: &'static str,
    },
    /// `rank-by` has no qualifiers.
    #[error("is not allowed there: rank-by has no qualifiers")]
    NoQualifiers,
}

/// A word of a contradiction, as it was said, and its place if its text is still known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// The word as people write it.
    pub word: String,
    /// Its place.
    pub at: Option<At>,
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.at {
            Some(at) => write!(f, "{} ({})", self.word, at.text),
            None => f.write_str(&self.word),
        }
    }
}

/// What is wrong with an option.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OptionFault {
    /// There is no such option.
    #[error("is no option")]
    Unknown {
        /// The known option with the most similar spelling.
        nearest: Option<String>,
    },
    /// Its value is missing.
    #[error("lacks its value")]
    NoValue,
    /// It takes no value.
    #[error("takes no value")]
    UnwantedValue,
    /// It is given twice on one app, perhaps in another spelling.
    #[error("is given twice on one app, first as {first}")]
    Twice {
        /// The first.
        first: String,
    },
    /// It is not an option of this subcommand, or no option may be here.
    #[error("does not belong here")]
    Misplaced,
    /// It needs another option, which is not given.
    #[error("means nothing without {0}")]
    Without(&'static str),
}

/// A request that is wrong in itself.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SpecError {
    /// An option that is unknown, incomplete, or given twice.
    #[error("{option} on app {app} {fault}")]
    BadOption {
        /// The option as given.
        option: String,
        /// The app that it is given on, from 0.
        app: u32,
        /// What is wrong.
        fault: OptionFault,
    },
    /// A value that is not a number, a number out of range, a list that does not parse, or an unknown word of a plain
    /// option.
    #[error("{asked:?} in {at} is no {range}")]
    BadValue {
        /// Where.
        at: At,
        /// What was given.
        asked: String,
        /// The values that are allowed.
        range: &'static str,
    },
    /// An invalid map, rank or bind word.
    #[error("{word:?} in {at} {fault}")]
    BadDirective {
        /// Where.
        at: At,
        /// The word as given.
        word: String,
        /// What is wrong.
        fault: WordFault,
    },
    /// An invalid qualifier.
    #[error("the qualifier {word:?} in {at} {fault}")]
    BadQualifier {
        /// Where.
        at: At,
        /// The qualifier as given.
        word: String,
        /// What is wrong.
        fault: WordFault,
    },
    /// Valid words that contradict each other.
    #[error("{first} and {second} cannot be used together on {owner}: {why}")]
    ContradictingQualifiers {
        /// The app or the job.
        owner: Owner,
        /// One word.
        first: Said,
        /// The other.
        second: Said,
        /// The rule.
        why: &'static str,
    },
    /// A word that only the job may use, in an app's own directive.
    #[error(
        "{word} on app {app} is only the job's: say it on the first app of a command line, or in the job's info"
    )]
    AppForbiddenQualifier {
        /// The app, from 0.
        app: u32,
        /// The word.
        word: Said,
    },
    /// One says INHERIT, another NOINHERIT.
    #[error(
        "{inherit} says INHERIT, {noinherit} says NOINHERIT: a job either inherits or does not"
    )]
    ConflictingInheritance {
        /// Who inherits.
        inherit: Owner,
        /// Who does not.
        noinherit: Owner,
    },
    /// A bind target above the mapped kind.
    #[error(
        "bind to {bind} is above map by {map} (app {app}): bind to {map} or something inside it"
    )]
    BindAboveMap {
        /// The app, from 0.
        app: u32,
        /// The mapped kind.
        map: &'static str,
        /// The target.
        bind: &'static str,
        /// The target's word.
        at: Option<At>,
    },
    /// Rank by fill or span without objects.
    #[error("rank by {rank} needs a map by objects, app {app} is mapped by {map}")]
    RankNeedsObject {
        /// The app, from 0.
        app: u32,
        /// The rank policy.
        rank: &'static str,
        /// The map policy.
        map: String,
        /// The rank's word.
        at: Option<At>,
    },
    /// More cpus per process than an object of the mapped kind has.
    #[error("pe={pe} on app {app} is more than one {kind} has: {}", crate::count::counted(*.cpus, "cpu"))]
    PeExceedsObject {
        /// The app, from 0.
        app: u32,
        /// Cpus per process asked for.
        pe: u16,
        /// The mapped kind.
        kind: &'static str,
        /// Cpus of the largest object.
        cpus: u32,
        /// The word.
        at: Option<At>,
    },
    /// A host list that does not parse.
    #[error("{entry:?} in {at} is no host entry: {fault}")]
    BadHostlist {
        /// Where.
        at: At,
        /// The entry.
        entry: String,
        /// What is wrong.
        fault: &'static str,
    },
    /// A file that cannot be read, is empty or does not parse.
    #[error("{} {at}: {fault}", kind.name())]
    BadFile {
        /// The kind of file that it is read as.
        kind: FileKind,
        /// Where.
        at: At,
        /// What is wrong.
        fault: FileFault,
    },
    /// A rank twice in a rankfile.
    #[error("rankfile {at}: rank {rank} is given twice, first in line {first}")]
    DuplicateRank {
        /// The second line.
        at: At,
        /// The rank.
        rank: u32,
        /// The first line.
        first: u32,
    },
    /// `-n`, a sum, or a range beyond what ids count.
    #[error("{}{asked} {what} are asked for, at most {limit} are possible", if *asked == u64::MAX { "at least " } else { "" })]
    JobTooLarge {
        /// `processes`, `nodes` or `cpus`.
        what: &'static str,
        /// The number.
        asked: u64,
        /// The bound.
        limit: u64,
    },
    /// A spawn request that is not valid JSON, or does not follow the schema.
    #[error("{file}:{line}:{column}: {fault} at {path}")]
    BadRequest {
        /// The file as given.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column, from 1, in characters.
        column: u32,
        /// JSON path; `$` is the whole request.
        path: String,
        /// What is wrong.
        fault: String,
    },
    /// A packed request that is truncated, damaged or of another version.
    #[error("packed request: {fault} at byte {offset}")]
    BadPackedRequest {
        /// The byte.
        offset: u64,
        /// What is wrong.
        fault: &'static str,
    },
    /// An attribute that has the wrong type or an unknown scope, is given twice, or is where its key does not belong.
    #[error("{place}{key} of {owner} {fault}")]
    BadAttribute {
        /// `FILE:LINE:COLUMN: ` if the attribute came from a file, else empty.
        place: String,
        /// The key.
        key: String,
        /// The app or the job.
        owner: Owner,
        /// What is wrong.
        fault: String,
    },
    /// A refusal of a line in another grammar than ours.
    #[error("{sentence}")]
    OfLine {
        /// The stable class.
        class: &'static str,
        /// What was asked, what there was, and why it is refused.
        sentence: String,
        /// The words at fault.
        at: Option<At>,
        /// What would work, a line each.
        help: Vec<String>,
    },
    /// A mapping component states another interface version.
    #[error("component {name} states interface version {}.{}.{}, this is {}.{}.{}", stated.0, stated.1, stated.2, ours.0, ours.1, ours.2)]
    ComponentVersion {
        /// The component.
        name: String,
        /// The version that it states.
        stated: (u16, u16, u16),
        /// Our version.
        ours: (u16, u16, u16),
    },
}

/// What a file is read as.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FileKind {
    /// Nodes with their slots.
    Hostfile,
    /// A node for each process.
    Sequence,
    /// A place for each rank.
    Rankfile,
    /// LSF's affinity file: a node and PUs for each process.
    Affinity,
}

impl FileKind {
    /// The name of this kind of file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hostfile => "hostfile",
            Self::Sequence => "sequence file",
            Self::Rankfile => "rankfile",
            Self::Affinity => "affinity file",
        }
    }
    /// The stable class of errors in this kind of file.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::Hostfile => "bad-hostfile",
            Self::Sequence => "bad-seqfile",
            Self::Rankfile => "bad-rankfile",
            Self::Affinity => "bad-affinityfile",
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FileFault {
    /// It cannot be read; the string says why.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It has no entry.
    #[error("holds no entry")]
    Empty,
    /// A part of it does not parse; the string says what is wrong.
    #[error("{0}")]
    Syntax(&'static str),
}

impl SpecError {
    /// The app whose words are wrong; `None`: those of the job, or a file.
    #[must_use]
    pub fn app(&self) -> Option<u32> {
        match self {
            Self::BadOption { app, .. }
            | Self::AppForbiddenQualifier { app, .. }
            | Self::BindAboveMap { app, .. }
            | Self::RankNeedsObject { app, .. }
            | Self::PeExceedsObject { app, .. } => Some(*app),
            Self::ContradictingQualifiers { owner, .. } | Self::BadAttribute { owner, .. } => {
                owner.app()
            }
            Self::BadValue { at, .. }
            | Self::BadDirective { at, .. }
            | Self::BadQualifier { at, .. }
            | Self::BadHostlist { at, .. }
            | Self::BadFile { at, .. }
            | Self::DuplicateRank { at, .. } => at.text.app(),
            Self::OfLine { at, .. } => at.as_ref()?.text.app(),
            Self::ConflictingInheritance { .. }
            | Self::JobTooLarge { .. }
            | Self::BadRequest { .. }
            | Self::BadPackedRequest { .. }
            | Self::ComponentVersion { .. } => None,
        }
    }

    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::BadOption { .. } => "bad-option",
            Self::BadValue { .. } => "bad-value",
            Self::BadDirective { .. } => "bad-directive",
            Self::BadQualifier { .. } => "bad-qualifier",
            Self::ContradictingQualifiers { .. } => "contradicting-qualifiers",
            Self::AppForbiddenQualifier { .. } => "app-forbidden-qualifier",
            Self::ConflictingInheritance { .. } => "conflicting-inheritance",
            Self::BindAboveMap { .. } => "bind-above-map",
            Self::RankNeedsObject { .. } => "rank-needs-object",
            Self::PeExceedsObject { .. } => "pe-exceeds-object",
            Self::BadHostlist { .. } => "bad-hostlist",
            Self::BadFile { kind, .. } => kind.class(),
            Self::DuplicateRank { .. } => "duplicate-rank",
            Self::JobTooLarge { .. } => "job-too-large",
            Self::BadRequest { .. } | Self::BadPackedRequest { .. } => "bad-request",
            Self::BadAttribute { .. } => "bad-attribute",
            Self::OfLine { class, .. } => class,
            Self::ComponentVersion { .. } => "component-version",
        }
    }

    /// The places of the wrong words, for carets.
    #[must_use]
    pub fn places(&self) -> Vec<&At> {
        match self {
            Self::BadValue { at, .. }
            | Self::BadDirective { at, .. }
            | Self::BadQualifier { at, .. }
            | Self::BadHostlist { at, .. }
            | Self::BadFile { at, .. }
            | Self::DuplicateRank { at, .. } => vec![at],
            Self::ContradictingQualifiers { first, second, .. } => {
                first.at.iter().chain(second.at.iter()).collect()
            }
            Self::AppForbiddenQualifier { word, .. } => word.at.iter().collect(),
            Self::BindAboveMap { at, .. }
            | Self::RankNeedsObject { at, .. }
            | Self::PeExceedsObject { at, .. }
            | Self::OfLine { at, .. } => at.iter().collect(),
            Self::BadOption { .. }
            | Self::ConflictingInheritance { .. }
            | Self::JobTooLarge { .. }
            | Self::BadRequest { .. }
            | Self::BadPackedRequest { .. }
            | Self::BadAttribute { .. }
            | Self::ComponentVersion { .. } => Vec::new(),
        }
    }

    /// The valid spelling most similar to the given one.
    #[must_use]
    pub fn nearest(&self) -> Option<&str> {
        if let Self::BadOption {
            fault: OptionFault::Unknown { nearest },
            ..
        } = self
        {
            return nearest.as_deref();
        }
        if let Self::BadDirective { fault, .. } | Self::BadQualifier { fault, .. } = self
            && let WordFault::Unknown { nearest, .. } = fault
        {
            return *nearest;
        }
        None
    }
}
