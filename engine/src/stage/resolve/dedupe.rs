//! The options of all apps. Apps that say the same share one row, so a decision about options is made once for each row.

use super::options::{JobPe, Lsf, Options, app_options};
use crate::define_id;
use crate::id::Column;
use crate::spawn::attributes::Value;
use crate::spawn::keys;
use crate::spawn::request::{AppRow, SpawnRequest, owner};
use crate::table::apps::AppId;
use std::collections::HashMap;

define_id! {
    /// Distinct options: a row of [`AppOptions`].
    #[expect(unreachable_pub, reason = "the macro makes table ids, which are public")]
    OptionsId
}

/// The attributes that name nodes.
const NODES: [u16; 2] = [keys::APP_DASH_HOST, keys::APP_HOSTFILE];

/// The options of all apps.
#[derive(Clone, Debug)]
pub(crate) struct AppOptions {
    /// `None` for a hole.
    of: Column<AppId, Option<OptionsId>>,
    /// Distinct options, each with the first app that has them.
    rows: Column<OptionsId, (AppId, Options)>,
}

impl AppOptions {
    /// Decides the options of every app. Cost: a look-up for each app, and the decisions for each distinct set of options.
    pub(crate) fn new(request: &SpawnRequest, job: &Options, lsf: Lsf) -> Self {
        let mut known: HashMap<Vec<(u16, &Value)>, OptionsId> = HashMap::new();
        let (mut of, mut rows) = (Column::new(), Column::new());
        for (app, row) in request.apps().iter() {
            of.push(match row {
                AppRow::Hole => None,
                AppRow::App { .. } => {
                    // What an app says, without the nodes that it names.
                    let own = request.attributes().of(owner(app)).iter();
                    let said = own.map(|row| (row.key, &row.value));
                    let said = said.filter(|(key, _)| !NODES.contains(key));
                    let id = known.entry(said.collect()).or_insert_with(|| {
                        let options = app_options(request, owner(app), job, lsf, JobPe::Offered);
                        rows.push((app, options))
                    });
                    Some(*id)
                }
            });
        }
        Self { of, rows }
    }

    /// Distinct options, each with the first app that has them, ascending by that app.
    pub(crate) fn distinct(&self) -> impl Iterator<Item = (AppId, &Options)> {
        self.rows.iter().map(|(_, (app, options))| (*app, options))
    }

    /// The result of `work` for each distinct set of options.
    pub(crate) fn each<T>(&self, work: impl FnMut((AppId, &Options)) -> T) -> Column<OptionsId, T> {
        self.distinct().map(work).collect()
    }

    /// Every app with the id of its options; `None` for a hole.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (AppId, Option<OptionsId>)> {
        self.of.iter().map(|(app, id)| (app, *id))
    }

    /// Every app that is not a hole, with its options.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (AppId, &Options)> {
        self.ids()
            .filter_map(|(app, id)| Some((app, self.get(id?))))
    }

    /// The options of an id.
    pub(crate) fn get(&self, id: OptionsId) -> &Options {
        &self.rows[id].1
    }
}
