//! The words of a job about its threads: variables of each app, whose rules, how many levels. The mapper does not look at them.

use super::app_id::AppId;
use std::collections::BTreeMap;

/// What a job says about the threads of its processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadWords {
    /// Name and value of the variables of each app that has any, in the order of its environment.
    pub apps: BTreeMap<AppId, Vec<(String, String)>>,
    /// Whose rules, as it was written.
    pub runtime: Option<String>,
    /// Levels of parallel regions.
    pub levels: Option<u32>,
}

impl ThreadWords {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.apps.is_empty() && self.runtime.is_none() && self.levels.is_none()
    }

    /// The variables of an app, in order.
    #[must_use]
    pub fn of(&self, app: AppId) -> &[(String, String)] {
        self.apps.get(&app).map_or(&[], |words| words)
    }
}
