//! The variables that count, in the order of the environment.

use super::refused::Refused;
use super::runtime::{Family, Runtime};
pub use crate::job::thread_words::counts;
use crate::job::thread_words::{MODELLED, NOT_MEASURED};

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
