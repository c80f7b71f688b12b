//! The options of all apps: apps that say the same share one row, so that what is decided of options is decided once.

use super::options::{JobPe, Lsf, Options, app_options};
use crate::define_id;
use crate::id::Column;
use crate::spawn::attributes::Owned;
use crate::spawn::keys;
use crate::spawn::request::{AppRow, SpawnRequest, owner};
use crate::table::apps::AppId;
use smallvec::SmallVec;
use std::collections::HashMap;

define_id! {
    /// Distinct options: a row of [`AppOptions`].
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    OptionsId
}

/// The options of all apps.
#[derive(Debug)]
pub(crate) struct AppOptions {
    /// `None` is a hole.
    of: Column<AppId, Option<OptionsId>>,
    /// Distinct options by the first app that has them.
    rows: Column<OptionsId, (AppId, Options)>,
}

/// What an app says, as far as its options hang on it: keys and values; not which nodes it names.
type SaidRow = SmallVec<[(u16, u64); 4]>;

fn said(own: &Owned<'_>) -> SaidRow {
    own.signature()
        .filter(|&(key, _)| key != keys::APP_DASH_HOST && key != keys::APP_HOSTFILE)
        .collect()
}

impl AppOptions {
    /// Decides the options of every app. Cost: a look-up per app, and each distinct one once.
    pub(crate) fn new(request: &SpawnRequest, job: &Options, lsf: Lsf) -> Self {
        let mut known: HashMap<SaidRow, OptionsId> = HashMap::new();
        let (mut of, mut rows) = (Column::new(), Column::new());
        let mut owned = request.attributes().apps().peekable();
        for (app, row) in request.apps().iter() {
            let own = owned.next_if(|(number, _)| owner(app).app() == Some(*number));
            of.push(match row {
                AppRow::Hole => None,
                AppRow::App { .. } => {
                    let said = own.map(|(_, own)| said(&own)).unwrap_or_default();
                    let id = known.entry(said).or_insert_with(|| {
                        let options = app_options(request, owner(app), job, lsf, JobPe::Offered);
                        rows.push((app, options))
                    });
                    Some(*id)
                }
            });
        }
        Self { of, rows }
    }

    /// Distinct options with the first app that has them, ascending by that app.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = (AppId, &Options)> {
        self.rows.iter().map(|(_, (app, options))| (*app, options))
    }

    /// What each distinct options come to.
    pub(crate) fn each<T>(&self, work: impl FnMut((AppId, &Options)) -> T) -> Column<OptionsId, T> {
        self.distinct().map(work).collect()
    }

    /// Every app, with its options by id; `None` for a hole.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (AppId, Option<OptionsId>)> {
        self.of.iter().map(|(app, id)| (app, *id))
    }

    /// Every app that is no hole, with its options.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (AppId, &Options)> {
        self.ids()
            .filter_map(|(app, id)| Some((app, &self.rows[id?].1)))
    }
}
