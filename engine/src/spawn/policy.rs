//! The three policies as they are stored: a word and flags. They are a `u16` only in attributes and packed bytes.
//! Source: `per-app` 2.3.

use crate::policy::{BindTo, MapBy, ObjKind, RankBy};

/// The numbers of mapping policies, each as its word alone.
const MAP_NUMBERS: &[(u16, MapBy)] = &[
    (1, MapBy::Node),
    (2, MapBy::Object(ObjKind::Numa)),
    (3, MapBy::Object(ObjKind::Package)),
    (4, MapBy::Object(ObjKind::L3)),
    (5, MapBy::Object(ObjKind::L2)),
    (6, MapBy::Object(ObjKind::L1)),
    (7, MapBy::Object(ObjKind::Core)),
    (8, MapBy::Object(ObjKind::Hwthread)),
    (9, MapBy::Slot),
    (10, MapBy::Dist),
    (11, MapBy::PeList),
    (12, MapBy::Object(ObjKind::Gpu)),
    (13, MapBy::MPIBIND),
    (14, MapBy::DEVICE),
    (20, MapBy::Seq),
    (22, MapBy::Rankfile),
    (23, MapBy::PPR),
];

const RANK_NUMBERS: &[(u16, RankBy)] = &[
    (1, RankBy::Node),
    (2, RankBy::Slot),
    (3, RankBy::Fill),
    (4, RankBy::Span),
];

const BIND_NUMBERS: &[(u16, BindTo)] = &[
    (1, BindTo::Nothing),
    (2, BindTo::Object(ObjKind::Package)),
    (3, BindTo::Object(ObjKind::Numa)),
    (4, BindTo::Object(ObjKind::L3)),
    (5, BindTo::Object(ObjKind::L2)),
    (6, BindTo::Object(ObjKind::L1)),
    (7, BindTo::Object(ObjKind::Core)),
    (8, BindTo::Object(ObjKind::Hwthread)),
];

fn by_number<P: Copy>(table: &[(u16, P)], number: u16) -> Option<P> {
    table.iter().find(|row| row.0 == number).map(|row| row.1)
}

fn number_of<P: PartialEq>(table: &[(u16, P)], policy: P) -> u16 {
    table
        .iter()
        .find(|row| row.1 == policy)
        .map_or(0, |row| row.0)
}

/// Flags of a policy: single bits of the high byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Flags(u16);

impl Flags {
    /// Map: do not use the local node.
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
    /// Bind: an overload qualifier was given.
    pub const OVERLOAD_GIVEN: Self = Self(0x0100);
    /// Bind: leave a process unbound if it cannot be bound.
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
    /// These flags without the others.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
    /// Whether all of the other flags are set.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Whether oversubscription was allowed, and not forbidden.
    #[must_use]
    pub const fn oversubscribes(self) -> bool {
        self.0 & Self::NOOVERSUBSCRIBE.0 == Self::OVERSUBSCRIBE.0
    }
    /// Whether oversubscription was forbidden.
    #[must_use]
    pub const fn forbids_oversubscription(self) -> bool {
        self.has(Self::NOOVERSUBSCRIBE)
    }
    /// `there` if all of `flags` are set, else `not`.
    #[must_use]
    pub(crate) fn choose<T>(self, flags: Self, there: T, not: T) -> T {
        if self.has(flags) { there } else { not }
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
    /// The policy as its word alone, `None` if there are only qualifiers. The values behind the word are attributes of their own.
    pub map: Option<MapBy>,
    /// Its flags.
    pub flags: Flags,
}

/// A ranking policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RankPolicy {
    /// The policy.
    pub rank: RankBy,
}

/// A binding policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct BindPolicy {
    /// The target, `None` if there are only qualifiers.
    pub bind: Option<BindTo>,
    /// Its flags.
    pub flags: Flags,
}

const MAP_FLAGS: u16 = 0x0100 | 0x0600 | 0x0800 | 0x1000 | 0x4000;
const BIND_FLAGS: u16 = 0x0100 | 0x1000 | 0x2000 | 0x4000;

/// The policy and flags of a number. `known`: the flags that exist. `None` for an unknown policy or flag, or when only
/// one of GIVEN and a policy is there.
fn policy_and_flags<P: Copy>(
    table: &[(u16, P)],
    known: u16,
    bits: u16,
) -> Option<(Option<P>, Flags)> {
    let policy = by_number(table, bits & 0xff);
    let flags = Flags(bits & 0xff00);
    let sound = (policy.is_some() || bits & 0xff == 0)
        && flags.bits() & !known == 0
        && flags.has(Flags::GIVEN) == policy.is_some();
    sound.then_some((policy, flags))
}

impl MapPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.map.map_or(0, |map| number_of(MAP_NUMBERS, map)) | self.flags.bits()
    }
    /// The policy of a number; `None` for an unknown policy or flag, or when only one of GIVEN and a policy is there.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let (map, flags) = policy_and_flags(MAP_NUMBERS, MAP_FLAGS, bits)?;
        let sound = flags.bits() & 0x0200 == 0 || flags.forbids_oversubscription();
        sound.then_some(Self { map, flags })
    }
}

impl RankPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        number_of(RANK_NUMBERS, self.rank) | Flags::RANK_GIVEN.bits()
    }
    /// The policy of a number.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let rank = by_number(RANK_NUMBERS, bits & 0xff)?;
        (bits & 0xff00 == Flags::RANK_GIVEN.bits()).then_some(Self { rank })
    }
}

impl BindPolicy {
    /// Policy and flags as a number.
    #[must_use]
    pub fn bits(self) -> u16 {
        self.bind.map_or(0, |bind| number_of(BIND_NUMBERS, bind)) | self.flags.bits()
    }
    /// The policy of a number; `None` as for maps, and when overload is allowed without `OVERLOAD_GIVEN`.
    #[must_use]
    pub fn of_bits(bits: u16) -> Option<Self> {
        let (bind, flags) = policy_and_flags(BIND_NUMBERS, BIND_FLAGS, bits)?;
        let sound = !flags.has(Flags::ALLOW_OVERLOAD) || flags.has(Flags::OVERLOAD_GIVEN);
        sound.then_some(Self { bind, flags })
    }
}
