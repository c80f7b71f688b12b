//! Levels of the machine.

use stowplan_engine::policy::ObjKind;

/// Levels below the node, from the largest objects down.
pub(crate) const BELOW: [ObjKind; 4] =
    [ObjKind::Package, ObjKind::Numa, ObjKind::L3, ObjKind::Core];

/// A level of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Level {
    /// Whole nodes.
    Node,
    /// Objects of a kind.
    Kind(ObjKind),
}

impl Level {
    /// The word of answers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Kind(kind) => kind.word(),
        }
    }
}
