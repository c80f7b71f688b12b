//! The words of aprun. Source: `lines/aprun/spec.md` 2.

use crate::launchers::line::table::{Row, Values};

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Means {
    /// `-n`.
    Ranks,
    /// `-N`.
    PerNode,
    /// `-d`.
    Depth,
    /// `-j`.
    Threads,
    /// `-S`.
    PerNuma,
    /// `-sl`.
    NumaList,
    /// `-sn`.
    NumaCount,
    /// `-cc`.
    CpuBind,
    /// `-L`.
    Nodes,
    /// What it does is not known here.
    Unknown,
    /// It places nothing.
    Harmless,
}

/// The words.
pub(super) const WORDS: &[Row<Means>] = {
    use Means::{
        CpuBind, Depth, Harmless, Nodes, NumaCount, NumaList, PerNode, PerNuma, Ranks, Threads,
        Unknown,
    };
    use Values::{One, Zero};
    &[
        ("n", One, Ranks),
        ("N", One, PerNode),
        ("d", One, Depth),
        ("j", One, Threads),
        ("S", One, PerNuma),
        ("sl", One, NumaList),
        ("sn", One, NumaCount),
        ("cc", One, CpuBind),
        ("L", One, Nodes),
        ("r", One, Unknown),
        ("B", Zero, Unknown),
        ("cp", One, Unknown),
        ("e", One, Harmless),
        ("m", One, Harmless),
        ("D", One, Harmless),
        ("t", One, Harmless),
        ("a", One, Harmless),
        ("p", One, Harmless),
        ("R", One, Harmless),
        ("F", One, Harmless),
        ("p-state", One, Harmless),
        ("b", Zero, Harmless),
        ("q", Zero, Harmless),
        ("T", Zero, Harmless),
        ("C", Zero, Harmless),
        ("k", Zero, Harmless),
        ("ss", Zero, Harmless),
    ]
};
