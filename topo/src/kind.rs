//! The kinds of objects that hwloc distinguishes, and the words that it takes for them.

use stowplan_engine::policy::ObjKind;

/// What a cache holds. Only instruction caches matter: they are not among our objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holds {
    /// Data, or data and instructions.
    Data,
    /// Only instructions.
    Instructions,
}

/// A kind of object in hwloc's tree. There are more kinds than in [`ObjKind`]: some only give the tree its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Machine,
    Package,
    Die,
    Numa,
    /// A cache in front of memory.
    MemCache,
    /// Level, from 1.
    Cache(u8, Holds),
    Core,
    Pu,
    /// Objects that belong together for some reason.
    Group,
    Misc,
    Bridge,
    PciDevice,
    OsDevice,
}

impl Kind {
    /// The kind for listings and mappings, if there is one.
    pub(crate) fn listed(self) -> Option<ObjKind> {
        match self {
            Self::Machine => Some(ObjKind::Machine),
            Self::Package => Some(ObjKind::Package),
            Self::Die => Some(ObjKind::Die),
            Self::Numa => Some(ObjKind::Numa),
            Self::Cache(level, Holds::Data) => cache_kind(level),
            Self::Core => Some(ObjKind::Core),
            Self::Pu => Some(ObjKind::Hwthread),
            Self::Cache(_, Holds::Instructions)
            | Self::MemCache
            | Self::Group
            | Self::Misc
            | Self::Bridge
            | Self::PciDevice
            | Self::OsDevice => None,
        }
    }

    /// The word for it in XML files.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Machine => "Machine",
            Self::Package => "Package",
            Self::Die => "Die",
            Self::Numa => "NUMANode",
            Self::MemCache => "MemCache",
            Self::Cache(1, Holds::Data) => "L1Cache",
            Self::Cache(2, Holds::Data) => "L2Cache",
            Self::Cache(3, Holds::Data) => "L3Cache",
            Self::Cache(4, Holds::Data) => "L4Cache",
            Self::Cache(_, Holds::Data) => "L5Cache",
            Self::Cache(1, Holds::Instructions) => "L1iCache",
            Self::Cache(2, Holds::Instructions) => "L2iCache",
            Self::Cache(_, Holds::Instructions) => "L3iCache",
            Self::Core => "Core",
            Self::Pu => "PU",
            Self::Group => "Group",
            Self::Misc => "Misc",
            Self::Bridge => "Bridge",
            Self::PciDevice => "PCIDev",
            Self::OsDevice => "OSDev",
        }
    }

    /// Whether it is part of the I/O tree, and so has no cpus of its own.
    pub(crate) fn is_io(self) -> bool {
        matches!(self, Self::Bridge | Self::PciDevice | Self::OsDevice)
    }
}

fn cache_kind(level: u8) -> Option<ObjKind> {
    match level {
        1 => Some(ObjKind::L1),
        2 => Some(ObjKind::L2),
        3 => Some(ObjKind::L3),
        4 => Some(ObjKind::L4),
        5 => Some(ObjKind::L5),
        _ => None,
    }
}

/// Words in the order in which they are tried, in lower case. Each has the number of letters that must be given at least.
const WORDS: &[(&str, usize, Kind)] = &[
    ("osdev", 2, Kind::OsDevice),
    ("block", 4, Kind::OsDevice),
    ("network", 3, Kind::OsDevice),
    ("openfabrics", 7, Kind::OsDevice),
    ("dma", 3, Kind::OsDevice),
    ("gpu", 3, Kind::OsDevice),
    ("coproc", 5, Kind::OsDevice),
    ("co-processor", 6, Kind::OsDevice),
    ("machine", 2, Kind::Machine),
    ("numanode", 2, Kind::Numa),
    ("node", 2, Kind::Numa),
    ("memcache", 5, Kind::MemCache),
    ("package", 2, Kind::Package),
    ("socket", 2, Kind::Package),
    ("die", 2, Kind::Die),
    ("core", 2, Kind::Core),
    ("pu", 2, Kind::Pu),
    ("misc", 4, Kind::Misc),
    ("bridge", 4, Kind::Bridge),
    ("hostbridge", 6, Kind::Bridge),
    ("pcibridge", 5, Kind::Bridge),
    ("pcidev", 3, Kind::PciDevice),
    ("group", 2, Kind::Group),
];

/// The kind whose word begins `text`. Anything but a letter may follow the word (`core:2`, `Group0`).
///
/// ```text
/// "L3Cache:2" is a level 3 cache, "l1i" one of instructions, "pack" a package, "p" nothing.
/// ```
pub fn scan(text: &[u8]) -> Option<Kind> {
    let first = text.first()?.to_ascii_lowercase();
    for (word, letters, kind) in WORDS {
        if word.as_bytes()[0] == first && begins(text, word, *letters) {
            return Some(*kind);
        }
    }
    scan_cache(text)
}

/// Reads `L` and a level, then `d`, `i`, `u` or nothing, then any number of first letters of `cache`.
fn scan_cache(text: &[u8]) -> Option<Kind> {
    let (first, rest) = text.split_first()?;
    if !first.eq_ignore_ascii_case(&b'l') {
        return None;
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let level: u8 = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let rest = &rest[digits..];
    let (holds, most, suffix) = match rest.first().map(u8::to_ascii_lowercase) {
        Some(b'i') => (Holds::Instructions, 3, &rest[1..]),
        Some(b'd' | b'u') => (Holds::Data, 5, &rest[1..]),
        _ => (Holds::Data, 5, rest),
    };
    ((1..=most).contains(&level) && begins(suffix, "cache", 0)).then_some(Kind::Cache(level, holds))
}

/// Whether `text` begins with at least `letters` letters, and these letters are the beginning of `word`.
fn begins(text: &[u8], word: &str, letters: usize) -> bool {
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic() || **byte == b'-';
    let given = text.iter().take_while(is_letter).count();
    given >= letters
        && given <= word.len()
        && text[..given].eq_ignore_ascii_case(&word.as_bytes()[..given])
}
