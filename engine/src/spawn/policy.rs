//! The three policies as they are stored: a word and flags, a `u16` only at the edges. Source: `per-app` 2.3.

use crate::policy::{MapKind, ObjKind};
use crate::text::words::{BindWord, RankWord};

const MAP_NUMBERS: &[(u16, MapKind, &str)] = &[
    (1, MapKind::Node, "node"),
    (2, MapKind::Object(ObjKind::Numa), "numa"),
    (3, MapKind::Object(ObjKind::Package), "package"),
    (4, MapKind::Object(ObjKind::L3), "l3cache"),
    (5, MapKind::Object(ObjKind::L2), "l2cache"),
    (6, MapKind::Object(ObjKind::L1), "l1cache"),
    (7, MapKind::Object(ObjKind::Core), "core"),
    (8, MapKind::Object(ObjKind::Hwthread), "hwthread"),
    (9, MapKind::Slot, "slot"),
    (10, MapKind::Dist, "dist"),
    (11, MapKind::PeList, "pe-list"),
    (12, MapKind::Object(ObjKind::Gpu), "gpu"),
    (13, MapKind::Mpibind, "mpibind"),
    (20, MapKind::Seq, "seq"),
    (22, MapKind::Rankfile, "rankfile"),
    (23, MapKind::Ppr, "ppr"),
];

const RANK_NUMBERS: &[(u16, RankWord, &str)] = &[
    (1, RankWord::Node, "node"),
    (2, RankWord::Slot, "slot"),
    (3, RankWord::Fill, "fill"),
    (4, RankWord::Span, "span"),
];

const BIND_NUMBERS: &[(u16, BindWord, &str)] = &[
    (1, BindWord::Nothing, "none"),
    (2, BindWord::Object(ObjKind::Package), "package"),
    (3, BindWord::Object(ObjKind::Numa), "numa"),
    (4, BindWord::Object(ObjKind::L3), "l3cache"),
    (5, BindWord::Object(ObjKind::L2), "l2cache"),
    (6, BindWord::Object(ObjKind::L1), "l1cache"),
    (7, BindWord::Object(ObjKind::Core), "core"),
    (8, BindWord::Object(ObjKind::Hwthread), "hwthread"),
];

fn by_number<T: Copy>(table: &[(u16, T, &'static str)], number: u16) -> Option<T> {
    table.iter().find(|row| row.0 == number).map(|row| row.1)
}

fn row_of<T: Copy + PartialEq>(table: &[(u16, T, &'static str)], word: T) -> (u16, &'static str) {
    table
        .iter()
        .find(|row| row.1 == word)
        .map_or((0, ""), |row| (row.0, row.2))
}

impl MapKind {
    /// The word as people write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        row_of(MAP_NUMBERS, self).1
    }
}

impl RankWord {
    /// The word as people write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        row_of(RANK_NUMBERS, self).1
    }
}

impl BindWord {
    /// The word as people write it.
    #[must_use]
    pub fn word(self) -> &'static str {
        row_of(BIND_NUMBERS, self).1
    }
}

/// Flags of a policy: single bits of the high byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(u16);

impl Flags {
    /// Map: keep off the local node.
    pub const NOLOCAL: Self = Self(0x0100);
    /// Map: more processes than slots are allowed (the job's).
    pub const OVERSUBSCRIBE: Self = Self(0x0400);
    /// Map: more processes than slots are forbidden (the job's).
    pub const NOOVERSUBSCRIBE: Self = Self(0x0600);
    /// Map: round-robin over nodes.
    pub const SPAN: Self = Self(0x0800);
    /// Map: a listed cpu for each process.
    pub const ORDERED: Self = Self(0x1000);
    /// Map and bind: a policy word was given.
    pub const GIVEN: Self = Self(0x4000);
    /// Rank: a policy word was given.
    pub const RANK_GIVEN: Self = Self(0x1000);
    /// Bind: something was said of overload.
    pub const OVERLOAD_GIVEN: Self = Self(0x0100);
    /// Bind: leave unbound what cannot be bound.
    pub const IF_SUPPORTED: Self = Self(0x1000);
    /// Bind: cpus may be shared.
    pub const ALLOW_OVERLOAD: Self = Self(0x2000);

    /// No flags.
    #[must_use]
    pub const fn none() -> Self {
        Self(0)
    }
    /// Both sets.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// The others without these.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// Whether all of these are there.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Oversubscription was allowed: said, and not forbidden.
    #[must_use]
    pub const fn oversubscribes(self) -> bool {
        self.0 & Self::NOOVERSUBSCRIBE.0 == Self::OVERSUBSCRIBE.0
    }
    /// Oversubscription was forbidden.
    #[must_use]
    pub const fn forbids_oversubscription(self) -> bool {
        self.has(Self::NOOVERSUBSCRIBE)
    }
    /// The bits.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

/// A mapping policy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct MapPolicy {
    /// The policy, `None` for qualifiers alone.
    pub kind: Option<MapKind>,
    /// Its flags.
    pub flags: Flags,
}

/// A ranking policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankPolicy {
    /// The policy.
    pub word: RankWord,
}

/// A binding policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BindPolicy {
    /// The target, `None` for qualifiers alone.
    pub word: Option<BindWord>,
    /// Its flags.
    pub flags: Flags,
}

const MAP_FLAGS: u16 = 0x0100 | 0x0600 | 0x0800 | 0x1000 | 0x4000;
const BIND_FLAGS: u16 = 0x0100 | 0x1000 | 0x2000 | 0x4000;

impl MapPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.kind.map_or(0, |kind| row_of(MAP_NUMBERS, kind).0) | self.flags.bits()
    }
    /// The policy of a number; `None` for a number or flag there is not, or GIVEN without a policy.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let kind = by_number(MAP_NUMBERS, bits & 0xff);
        let flags = Flags(bits & 0xff00);
        let sound = (kind.is_some() || bits & 0xff == 0)
            && flags.bits() & !MAP_FLAGS == 0
            && flags.has(Flags::GIVEN) == kind.is_some()
            && (flags.bits() & 0x0200 == 0 || flags.forbids_oversubscription());
        sound.then_some(Self { kind, flags })
    }
}

impl RankPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        row_of(RANK_NUMBERS, self.word).0 | Flags::RANK_GIVEN.bits()
    }
    /// The policy of a number.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let word = by_number(RANK_NUMBERS, bits & 0xff)?;
        (bits & 0xff00 == Flags::RANK_GIVEN.bits()).then_some(Self { word })
    }
}

impl BindPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.word.map_or(0, |word| row_of(BIND_NUMBERS, word).0) | self.flags.bits()
    }
    /// The policy of a number; `None` as for maps, and for overload allowed without being said.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let word = by_number(BIND_NUMBERS, bits & 0xff);
        let flags = Flags(bits & 0xff00);
        let sound = (word.is_some() || bits & 0xff == 0)
            && flags.bits() & !BIND_FLAGS == 0
            && flags.has(Flags::GIVEN) == word.is_some()
            && (!flags.has(Flags::ALLOW_OVERLOAD) || flags.has(Flags::OVERLOAD_GIVEN));
        sound.then_some(Self { word, flags })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_and_strange_ones_refused() {
        for bits in 0..=u16::MAX {
            if let Some(policy) = MapPolicy::of_bits(bits) {
                assert_eq!(policy.bits(), bits);
            }
            if let Some(policy) = BindPolicy::of_bits(bits) {
                assert_eq!(policy.bits(), bits);
            }
            if let Some(policy) = RankPolicy::of_bits(bits) {
                assert_eq!(policy.bits(), bits);
            }
        }
        for strange in [14, 0x4000, 9, 0x8009, 0x4200 | 9] {
            assert_eq!(MapPolicy::of_bits(strange), None, "{strange:#x}");
        }
    }
}
