//! The words of components in `--map-by`: which app names which.

use crate::error::spec::Owner;
use crate::spawn::attributes::Scope;
use crate::spawn::request::{SpawnRequest, Unknown, owner};
use crate::table::apps::AppId;

/// The key under which an app, or the job, names the word of a component. It is none of the launcher's: it travels with the unknown
/// keys.
const WORD_KEY: &str = "STOWPLAN_MAP_WORD";

/// The row of a request that names the word of a component.
#[must_use]
pub fn word_row(owner: Owner, word: &str) -> Unknown {
    Unknown {
        owner,
        name: WORD_KEY.to_owned(),
        ty: "string".to_owned(),
        value: format!("{word:?}"),
        scope: Scope::Global,
    }
}

/// The word that an app names, or the job for apps without a map of their own. Cost: a binary search, and the unknown keys of the app
/// and the job.
pub(crate) fn word_of(request: &SpawnRequest, app: AppId) -> Option<&str> {
    let said = |by: Owner| {
        let rows = request.unknown();
        let own = &rows[rows.partition_point(|row| row.owner < by)..];
        let mut own = own.iter().take_while(|row| row.owner == by);
        let row = own.find(|row| row.name == WORD_KEY);
        row.map(|row| row.value.trim_matches('"'))
    };
    let own_map = request.mapping(owner(app)).is_some();
    said(owner(app)).or_else(|| said(Owner::Job).filter(|_| !own_map))
}
