//! Versions of MPICH whose Hydra is told apart. Source: `lines/hydra/spec.md` 10.

use crate::launchers::line::LineRefused;

/// A version, by what differs between versions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Version {
    /// 3.4.
    V3_4,
    /// 4.0.
    V4_0,
    /// 4.1.
    V4_1,
    /// 4.2.
    V4_2,
    /// 4.3.
    V4_3,
    /// 5.0.0 and 5.0.1.
    V5_0_0,
    /// 5.0.2.
    V5_0_2,
}

use Version::{V3_4, V4_0, V4_1, V4_2, V4_3, V5_0_0, V5_0_2};

/// How versions begin, the longest first.
const NAMES: &[(&str, Version)] = &[
    ("5.0.0", V5_0_0),
    ("5.0.1", V5_0_0),
    ("5.0.2", V5_0_2),
    ("5.0", V5_0_2),
    ("4.0", V4_0),
    ("4.1", V4_1),
    ("4.2", V4_2),
    ("4.3", V4_3),
    ("3.4", V3_4),
    ("5", V5_0_2),
    ("4", V4_3),
];

impl Version {
    /// The version of `--as hydra@TEXT`; without a text 5.0.2.
    ///
    /// # Errors
    /// `not-modelled` for a version that was not asked.
    pub(super) fn read(text: Option<&str>) -> Result<Self, LineRefused> {
        let Some(text) = text else {
            return Ok(V5_0_2);
        };
        let fits = |name: &str| {
            let rest = text.strip_prefix(name);
            rest.is_some_and(|rest| {
                rest.is_empty() || (name.contains('.') && rest.starts_with('.'))
            })
        };
        let row = NAMES.iter().find(|(name, _)| fits(name));
        row.map(|row| row.1).ok_or_else(|| {
            LineRefused::new(
                "not-modelled",
                format!("hydra@{text}: the versions that are known are 3.4, 4.0 to 4.3 and 5.0.0 to 5.0.2"),
            )
        })
    }

    /// What `-rankmap` does.
    #[must_use]
    pub(super) const fn rank_map(self) -> RankMaps {
        match self {
            V3_4 | V4_0 => RankMaps::Unknown,
            V4_1 | V4_2 | V4_3 | V5_0_0 => RankMaps::CountsOnly,
            V5_0_2 => RankMaps::Exact,
        }
    }
    /// Whether `-report-bindings` is a word.
    #[must_use]
    pub(super) const fn reports_bindings(self) -> bool {
        matches!(self, V5_0_0 | V5_0_2)
    }
    /// Whether a comment may stand behind a host.
    #[must_use]
    pub(super) const fn passes_comments(self) -> bool {
        matches!(self, V3_4 | V4_0 | V4_1 | V4_2)
    }
    /// Whether cpus that are not there end the run; otherwise the rank is unbound.
    #[must_use]
    pub(super) const fn fails_without_cpus(self) -> bool {
        !matches!(self, V3_4 | V4_0 | V4_1)
    }
    /// Whether only the first line of a configuration file counts.
    #[must_use]
    pub(super) const fn reads_one_line(self) -> bool {
        matches!(self, V4_2)
    }
    /// Whether `user:` knows ranges and repetitions.
    #[must_use]
    pub(super) const fn has_ranges(self) -> bool {
        !matches!(self, V3_4)
    }
    /// Whether `numanode` is an object.
    #[must_use]
    pub(super) const fn knows_numanode(self) -> bool {
        !matches!(self, V3_4)
    }
}

/// What `-rankmap` does in a version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RankMaps {
    /// It is no word.
    Unknown,
    /// It says how many ranks each node has, and no more.
    CountsOnly,
    /// It says which node each rank is on.
    Exact,
}
