//! Versions of Intel MPI that are told apart. Source: `lines/intel/spec.md` 8.

use crate::launchers::cpus::number;
use crate::launchers::line::LineRefused;

/// The versions that were asked, as the part behind `2021.`.
const FIRST: u32 = 6;
const LAST: u32 = 19;

/// A version: its number behind `2021.`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Version(u32);

impl Version {
    /// The version of `--as intel@TEXT`; without a text 2021.18.
    ///
    /// # Errors
    /// `not-modelled` for a version that was not asked.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, LineRefused> {
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
    pub(crate) const fn pins_are_known(self) -> bool {
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

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn versions_are_read_by_their_first_two_numbers() {
        let read = |text| Version::read(Some(text));
        assert_eq!(Version::read(None), read("2021.18.1"));
        assert_eq!(read("2021"), read("2021.18"));
        assert!(!read("2021.14.2").is_ok_and(Version::pins_are_known));
        for unknown in ["2021.5", "2021.20", "2019.8", "2021.x", "18", ""] {
            let class = read(unknown).map_err(|refused| refused.class);
            assert_eq!(class, Err("not-modelled"), "{unknown}");
        }
    }
}
