//! The variables that count, in the order of the environment.

use super::refused::Refused;
use super::runtime::{Family, Runtime};

/// The variables whose rules are known.
const MODELLED: &[&str] = &[
    "OMP_NUM_THREADS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OMP_THREAD_LIMIT",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_NESTED",
    "GOMP_CPU_AFFINITY",
    "KMP_AFFINITY",
    "KMP_HW_SUBSET",
];

/// Variables of LLVM and Intel that change the answer in ways that were not measured.
const NOT_MEASURED: &[&str] = &[
    "KMP_PLACE_THREADS",
    "KMP_ALL_THREADS",
    "KMP_DEVICE_THREAD_LIMIT",
    "KMP_TOPOLOGY_METHOD",
];

/// Whether a variable has a say in where threads go, or in whether we know it.
///
/// ```
/// use stowplan_answers::openmp::variables::counts;
/// assert!(counts("OMP_PLACES") && counts("OMP_NUM_THREADS_ALL") && !counts("OMP_STACKSIZE"));
/// ```
#[must_use]
pub fn counts(name: &str) -> bool {
    let of_all = name.starts_with("OMP_") && name.ends_with("_ALL");
    MODELLED.contains(&name) || NOT_MEASURED.contains(&name) || name == "OMP_DYNAMIC" || of_all
}

/// The variables of a process that count, in the order in which they stand in its environment.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Variables(Vec<(String, String)>);

impl Variables {
    /// Sets a variable. One that is there keeps its place in the order; one that has no effect on threads is not kept.
    pub fn set(&mut self, name: &str, value: &str) {
        if !counts(name) {
            return;
        }
        match self.0.iter_mut().find(|(own, _)| own == name) {
            Some((_, own)) => value.clone_into(own),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Where a variable stands among those that count.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|(own, _)| own == name)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Name and value of each, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The same with one variable set, or taken away.
    #[must_use]
    pub fn with(&self, name: &str, value: Option<&str>) -> Self {
        let mut own = self.clone();
        match value {
            Some(value) => own.set(name, value),
            None => own.0.retain(|(known, _)| known != name),
        }
        own
    }

    /// Refuses what decides by rules that are not known.
    pub(super) fn refuse_unknown(&self, runtime: Runtime) -> Result<(), Refused> {
        let ours = runtime.family() != Family::Gnu;
        for (name, value) in self.iter() {
            let off = name == "OMP_DYNAMIC" && value.trim().eq_ignore_ascii_case("false");
            let known = MODELLED.contains(&name) || off || (!ours && NOT_MEASURED.contains(&name));
            if !known {
                let why = match name {
                    "OMP_DYNAMIC" => "the load of the machine decides how many threads there are",
                    _ => "its effect was not measured",
                };
                return Err(Refused::NotModelled {
                    what: format!("{name}={value}"),
                    why: why.to_owned(),
                });
            }
        }
        Ok(())
    }
}

impl<N: AsRef<str>, V: AsRef<str>> FromIterator<(N, V)> for Variables {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut variables = Self::default();
        for (name, value) in pairs {
            variables.set(name.as_ref(), value.as_ref());
        }
        variables
    }
}
