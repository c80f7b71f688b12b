//! Why a text is not a topology: what was found, and where.

use stowplan_engine::table::topologies::DraftError;

/// Why a topology cannot be read. The class is `bad-topology`, or `bad-devices` for stated devices.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TopoError {
    /// A file that cannot be read.
    #[error("topology file {file}: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// A text that is neither a file nor a synthetic description.
    #[error(
        "topology {}: no such file ({reason}), and no synthetic description (`package:2 core:8 pu:2`) either{}", excerpt(.text, 0), machine(*.near)
    )]
    Neither {
        /// The text.
        text: String,
        /// What the system said when it was tried as a file.
        reason: String,
        /// The machine of ours whose name it is, or nearly.
        near: Option<&'static str>,
    },
    /// A name after `builtin:` that is not a machine of ours.
    #[error("topology builtin:{}: no such machine{}; `stowplan topo list` names them", excerpt(.name, 0), hint(.nearest.as_deref()))]
    UnknownMachine {
        /// The name.
        name: String,
        /// The nearest name, if one is near.
        nearest: Option<&'static str>,
    },
    /// A synthetic description that is wrong.
    #[error("topology {}, column {}: {fault}", excerpt(.text, *.at), .at + 1)]
    Synthetic {
        /// The description.
        text: String,
        /// The position in it, in bytes from 0.
        at: usize,
        /// What is wrong there.
        fault: SyntheticFault,
    },
    /// An XML file that is not a topology.
    #[error("topology{}, line {line}, column {column}: {fault}", named(.file))]
    Xml {
        /// The file; empty if only bytes were given.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column in bytes, from 1.
        column: u32,
        /// What is wrong there.
        fault: XmlFault,
    },
    /// A text that was read, but does not make a sound table.
    #[error("topology{}: {source}", named(.file))]
    Unsound {
        /// The file, or empty.
        file: String,
        /// What the engine found.
        source: DraftError,
    },
    /// Devices that a topology cannot have as they are stated.
    #[error("--devices {text}: {fault}")]
    Devices {
        /// The statement.
        text: String,
        /// What is wrong with it.
        fault: String,
    },
    /// This machine could not be read.
    #[error("the topology of this machine: {reason}")]
    Live {
        /// Why it could not be read.
        reason: String,
    },
}

fn machine(near: Option<&str>) -> String {
    near.map_or_else(String::new, |name| {
        format!("; did you mean builtin:{name}?")
    })
}

impl TopoError {
    /// The name that scripts match on (`errors.md`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        if matches!(self, Self::Devices { .. }) {
            return "bad-devices";
        }
        "bad-topology"
    }

    /// The same error, of this file.
    #[must_use]
    pub(crate) fn of_file(self, name: &str) -> Self {
        match self {
            Self::Xml {
                line,
                column,
                fault,
                file: _,
            } => Self::Xml {
                file: name.to_owned(),
                line,
                column,
                fault,
            },
            Self::Unsound { source, file: _ } => Self::Unsound {
                file: name.to_owned(),
                source,
            },
            other @ (Self::Unreadable { .. }
            | Self::Neither { .. }
            | Self::UnknownMachine { .. }
            | Self::Synthetic { .. }
            | Self::Devices { .. }
            | Self::Live { .. }) => other,
        }
    }
}

/// A text in quotes. Of a long text, only the part around byte `at`.
fn excerpt(text: &str, at: usize) -> String {
    const MOST: usize = 100;
    if text.len() <= MOST {
        return format!("{text:?}");
    }
    let start = whole(text, at.saturating_sub(MOST / 2));
    let end = whole(text, start + MOST);
    let (before, behind) = (
        if start > 0 { "…" } else { "" },
        if end < text.len() { "…" } else { "" },
    );
    format!("{before}{:?}{behind}", &text[start..end])
}

fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!(" (did you mean {name}?)"))
}

fn named(file: &str) -> String {
    if file.is_empty() {
        String::new()
    } else {
        format!(" file {file}")
    }
}

/// What is wrong with a synthetic description.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SyntheticFault {
    /// A word that is not a kind of object.
    #[error(
        "{word:?} is no kind of object; there are package die group numa l5 l4 l3 l2 l1 l1i core pu"
    )]
    UnknownKind {
        /// The word.
        word: String,
    },
    /// A kind that is not allowed here.
    #[error("{word:?} cannot be {place} of a synthetic description")]
    KindNotHere {
        /// The word.
        word: String,
        /// `a level`, `attached memory` or `the last level`.
        place: &'static str,
    },
    /// No `:` after a kind.
    #[error("the kind {word:?} needs a colon and a number after it, as `core:8`")]
    NoColon {
        /// The word.
        word: String,
    },
    /// No number of objects.
    #[error("a number of objects is needed here, at least 1")]
    NoNumber,
    /// `[` or `(` that is not closed.
    #[error("a closing {close:?} is missing")]
    Unclosed {
        /// What is missing.
        close: char,
    },
    /// An unknown attribute.
    #[error("unknown attribute {word:?}; there are memory= size= indexes=")]
    UnknownAttribute {
        /// The words up to the next space or bracket.
        word: String,
    },
    /// Something after an attribute that is neither a space nor `)`.
    #[error("a space or ')' is needed after an attribute")]
    NoSeparator,
    /// Two levels of a kind that can have only one level.
    #[error("there are two levels of {word}")]
    TwoLevels {
        /// The kind.
        word: &'static str,
    },
    /// NUMA nodes both as a level and attached to other levels.
    #[error("NUMA nodes are a level and attached with [numa] too; one of both is possible")]
    NumaTwice,
    /// Some levels name their kind and others do not.
    #[error("some levels name their kind, and others do not")]
    MixedLevels,
    /// The description names no level.
    #[error("it has no level; the least is `pu:1`")]
    NoLevel,
    /// The same OS number for two objects.
    #[error("indexes= gives OS number {os} to two objects of a kind")]
    TwiceOs {
        /// The number.
        os: u32,
    },
    /// More than the tables take.
    #[error("it has at least {found} {what}, at most {limit} are possible")]
    TooLarge {
        /// `PUs`, `objects` or `levels`.
        what: &'static str,
        /// How many.
        found: u64,
        /// The bound.
        limit: u32,
    },
}

/// What is wrong with an XML file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum XmlFault {
    /// Not well-formed.
    #[error("not well-formed XML: {reason}")]
    NotXml {
        /// What the parser said.
        reason: String,
    },
    /// Well-formed, but not a topology.
    #[error("no hwloc topology: {reason}")]
    NotTopology {
        /// What was found instead.
        reason: String,
    },
    /// An attribute with a value that it cannot have.
    #[error("{attribute}={value:?} is not {expected}")]
    BadValue {
        /// The attribute.
        attribute: &'static str,
        /// Its value, cut to 60 bytes.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// An object of a kind that is not allowed there, or without something that it needs.
    #[error("{what}")]
    BadObject {
        /// What is wrong, as a sentence.
        what: String,
    },
    /// More than the tables take.
    #[error("{found} {what}, at most {limit} are possible")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        found: u64,
        /// The bound.
        limit: u64,
    },
}

/// The last byte, up to `most`, at which a character of the text begins.
pub(crate) fn whole(text: &str, most: usize) -> usize {
    let end = most.min(text.len());
    let mut places = (0..=end).rev();
    places.find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
