//! Versions of Intel MPI that are told apart. Source: `lines/intel/spec.md` 8.

use crate::launchers::line::LineRefused;
use stowplan_engine::text::digits::number;

/// The versions that were asked, as the part behind `2021.`.
const FIRST: u32 = 6;
const LAST: u32 = 19;

/// A version: its number behind `2021.`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version(u32);

impl Version {
    /// The version of `--as intel@TEXT`; without a text 2021.18.
    ///
    /// # Errors
    /// `not-modelled` for a version that was not asked.
    pub fn read(text: Option<&str>) -> Result<Self, LineRefused> {
        let Some(text) = text.filter(|text| *text != "2021") else {
            return Ok(Self(18));
        };
        let mut parts = text.split('.');
        let (year, minor) = (parts.next(), parts.next());
        { minor.and_then(number::<u32>) }
            .filter(|minor| year == Some("2021") && (FIRST..=LAST).contains(minor))
            .map(Self)
            .ok_or_else(|| {
                let known = format!("2021.{FIRST} to 2021.{LAST}");
                LineRefused::new(
                    "not-modelled",
                    format!("intel@{text}: the versions that are known are {known}"),
                )
            })
    }

    /// Whether its pins are known: they go by other code before 2021.15.
    pub const fn pins_are_known(self) -> bool {
        self.0 >= 15
    }
    /// Whether a package deals its ranks among its NUMA nodes.
    pub(crate) const fn deals_inside_packages(self) -> bool {
        self.0 >= 16
    }
    /// Whether a list of processors is dealt as written; otherwise it is sorted first.
    pub(crate) const fn keeps_the_order_of_lists(self) -> bool {
        self.0 >= 18
    }
    /// Whether `-bind-to` and `-map-by` are words.
    pub(crate) const fn takes_bind_to(self) -> bool {
        self.0 != 14
    }
}
