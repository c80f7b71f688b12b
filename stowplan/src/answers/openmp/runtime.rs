//! Which OpenMP runtime, and which version of it: `gnu`, `llvm@17`.

use std::fmt;
use std::str::FromStr;
use stowplan_engine::text::digits::number;

/// A family of runtimes: each has rules of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Family {
    /// GNU's libgomp.
    Gnu,
    /// LLVM's libomp.
    Llvm,
    /// Intel's libiomp5.
    Intel,
}

/// The families, by the word of `--omp`, with the versions that were measured.
const FAMILIES: &[(&str, Family, &[u32])] = &[
    ("gnu", Family::Gnu, &[12, 13, 14, 15, 16]),
    ("llvm", Family::Llvm, &[14, 15, 16, 17, 18, 19, 23]),
    ("intel", Family::Intel, &[2026]),
];

/// A runtime, with or without a version.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Runtime {
    family: Family,
    version: Option<u32>,
}

/// Why a text is no runtime.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadRuntime {
    /// A word that is none.
    #[error("omp {given:?}: the runtimes are gnu, llvm and intel, each with @VERSION or without")]
    Unknown {
        /// What was given.
        given: String,
    },
    /// A version whose rules are not known.
    #[error("omp {given}: that version was not measured; the nearest is {nearest}")]
    Version {
        /// What was given.
        given: String,
        /// The nearest version that was measured.
        nearest: String,
    },
}

impl BadRuntime {
    /// Its class.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "bad-value",
            Self::Version { .. } => "not-modelled",
        }
    }
}

impl Runtime {
    /// GNU, any version that was measured.
    pub const GNU: Self = Self::any(Family::Gnu);
    /// LLVM 19.
    pub const LLVM: Self = Self::any(Family::Llvm);
    /// Intel 2026.
    pub const INTEL: Self = Self::any(Family::Intel);

    const fn any(family: Family) -> Self {
        let version = None;
        Self { family, version }
    }

    /// The family.
    #[must_use]
    pub const fn family(self) -> Family {
        self.family
    }

    /// The word of its family.
    #[must_use]
    pub fn word(self) -> &'static str {
        let row = FAMILIES
            .iter()
            .find(|(_, family, _)| *family == self.family);
        row.map_or("gnu", |(word, _, _)| word)
    }

    /// Whether LLVM's rules of this major version or a newer one hold. Intel counts as newer than LLVM 23.
    #[must_use]
    pub(super) fn since_llvm(self, major: u32) -> bool {
        match self.family {
            Family::Gnu => false,
            Family::Llvm => self.version.unwrap_or(19) >= major,
            Family::Intel => true,
        }
    }

    /// Its name with the version whose rules were used: `llvm@19`; `gnu`, whose versions agree.
    #[must_use]
    pub fn exact(self) -> String {
        match (self.family, self.version) {
            (Family::Llvm, None) => "llvm@19".to_owned(),
            (Family::Intel, None) => "intel@2026".to_owned(),
            (Family::Gnu | Family::Llvm | Family::Intel, _) => self.to_string(),
        }
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            None => f.write_str(self.word()),
            Some(version) => write!(f, "{}@{version}", self.word()),
        }
    }
}

impl FromStr for Runtime {
    type Err = BadRuntime;

    /// ```
    /// use stowplan::answers::openmp::runtime::Runtime;
    /// assert_eq!("llvm@17".parse::<Runtime>().unwrap().to_string(), "llvm@17");
    /// assert_eq!("gnu@11".parse::<Runtime>().unwrap_err().class(), "not-modelled");
    /// assert_eq!("cray".parse::<Runtime>().unwrap_err().class(), "bad-value");
    /// ```
    fn from_str(text: &str) -> Result<Self, BadRuntime> {
        let unknown = || BadRuntime::Unknown {
            given: text.chars().take(60).collect(),
        };
        let (word, version) = match text.split_once('@') {
            None => (text, None),
            Some((word, version)) => (word, Some(version)),
        };
        let row = FAMILIES.iter().find(|(own, _, _)| *own == word);
        let &(word, family, known) = row.ok_or_else(unknown)?;
        let Some(version) = version else {
            return Ok(Self::any(family));
        };
        let short = Some(version).filter(|version| version.len() <= 6);
        let version = short.and_then(number::<u32>).ok_or_else(unknown)?;
        if known.contains(&version) {
            let version = Some(version);
            return Ok(Self { family, version });
        }
        let near = known.iter().min_by_key(|own| own.abs_diff(version));
        Err(BadRuntime::Version {
            given: text.to_owned(),
            nearest: format!("{word}@{}", near.copied().unwrap_or(version)),
        })
    }
}
