//! The spawn request itself: policies, attributes and apps as tables.

use super::attributes::{Attribute, Attributes, Scope};
use super::keys;
use super::policy::{BindPolicy, MapPolicy, RankPolicy};
use crate::count::ProcCount;
use crate::error::SpecError;
use crate::error::at::{At, AtText};
use crate::error::spec::Owner;
use crate::id::{Column, Id as _};
use crate::table::apps::AppId;
use serde::Serialize;
use std::collections::BTreeMap;

/// Processes that an app may ask for, in words.
pub(crate) const NP_RANGE: &str = "number of processes, at least 1";

/// An app, or a hole in the array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AppRow {
    /// A null entry: an index and nothing else.
    Hole,
    /// An app.
    App {
        /// Processes asked for; `None`: counted by the policy.
        np: Option<ProcCount>,
    },
}

impl AppRow {
    /// Processes asked for; `None` for a hole, or if the policy counts them.
    #[must_use]
    pub const fn np(self) -> Option<ProcCount> {
        match self {
            Self::App { np } => np,
            Self::Hole => None,
        }
    }
}

/// How an app is named and started. These are labels: they have no effect here.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Label {
    /// The program.
    pub cmd: String,
    /// Its arguments.
    pub argv: Vec<String>,
    /// Its environment.
    pub env: Vec<String>,
    /// Its directory.
    pub cwd: String,
}

/// A key that we do not know: kept, relayed and reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The app or the job.
    pub owner: Owner,
    /// The key as given.
    pub name: String,
    /// Its type: `string`, `bool`, `number`, `json`, or as declared.
    pub ty: String,
    /// The value as compact JSON.
    pub value: String,
    /// Whether it travels.
    pub scope: Scope,
}

/// A job and its apps, as one process sends them to another.
///
/// ```
/// use stowplan_engine::count::ProcCount;
/// use stowplan_engine::spawn::SpawnRequest;
/// use stowplan_engine::spawn::request::owner;
/// let mut request = SpawnRequest::new();
/// let app = request.push_app(Some(ProcCount(4)), "ocean");
/// request.set_mapping(owner(app), "slot:nolocal").unwrap();
/// assert!(request.set_mapping(owner(app), "slot:oversubscribe").is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct SpawnRequest {
    /// They include the job's three policies, under the same keys as an app's.
    pub(crate) attributes: Attributes,
    pub(crate) apps: Column<AppId, AppRow>,
    /// Labels of the apps that have one.
    pub(crate) labels: BTreeMap<AppId, Label>,
    /// Ascending by owner, in the order given.
    pub(crate) unknown: Vec<Unknown>,
}

impl SpawnRequest {
    /// A job without apps and without attributes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
    /// Adds an app. `label` may be empty. Zero processes, `Some(ProcCount(0))`, are refused when the request is packed or resolved. Use a
    /// hole to leave an app out.
    pub fn push_app(&mut self, np: Option<ProcCount>, label: &str) -> AppId {
        let app = self.apps.push(AppRow::App { np });
        if !label.is_empty() {
            let cmd = label.to_owned();
            let label = Label {
                cmd,
                ..Label::default()
            };
            self.labels.insert(app, label);
        }
        app
    }
    /// Adds a hole.
    pub fn push_hole(&mut self) -> AppId {
        self.apps.push(AppRow::Hole)
    }
    /// The apps, holes counted.
    #[must_use]
    pub const fn apps(&self) -> &Column<AppId, AppRow> {
        &self.apps
    }
    /// The attributes.
    #[must_use]
    pub const fn attributes(&self) -> &Attributes {
        &self.attributes
    }
    /// Unknown keys, by owner, in the order given.
    #[must_use]
    pub fn unknown(&self) -> &[Unknown] {
        &self.unknown
    }
    /// Keeps an unknown key. Cost: nothing when owners ascend.
    pub fn push_unknown(&mut self, unknown: Unknown) {
        let at = self
            .unknown
            .partition_point(|other| other.owner <= unknown.owner);
        self.unknown.insert(at, unknown);
    }
    /// The mapping of the job, or an app's own.
    #[must_use]
    pub fn mapping(&self, owner: Owner) -> Option<MapPolicy> {
        MapPolicy::of_bits(self.attributes.number(owner, keys::APP_MAPBY)?)
    }
    /// The ranking of the job, or an app's own.
    #[must_use]
    pub fn ranking(&self, owner: Owner) -> Option<RankPolicy> {
        RankPolicy::of_bits(self.attributes.number(owner, keys::APP_RANKBY)?)
    }
    /// The binding of the job, or an app's own.
    #[must_use]
    pub fn binding(&self, owner: Owner) -> Option<BindPolicy> {
        BindPolicy::of_bits(self.attributes.number(owner, keys::APP_BINDTO)?)
    }
    /// The label of an app, if it has one.
    #[must_use]
    pub fn label(&self, app: AppId) -> Option<&Label> {
        self.labels.get(&app)
    }
    /// # Errors
    /// `bad-value` for an app with zero processes. Front ends refuse it earlier, where it is given.
    pub(crate) fn check_counts(&self) -> Result<(), SpecError> {
        let mut apps = self.apps.iter();
        let Some((app, _)) = apps.find(|(_, row)| row.np() == Some(ProcCount(0))) else {
            return Ok(());
        };
        let text = AtText::Value {
            app: owner(app).app(),
            option: "the number of processes".to_owned(),
            value: "0".to_owned(),
        };
        Err(SpecError::BadValue {
            at: At {
                text,
                start: 0,
                end: 1,
            },
            asked: "0".to_owned(),
            range: NP_RANGE,
        })
    }
    /// Whether any app has a mapping, ranking or binding of its own. If so, the request is dispatched app by app.
    #[must_use]
    pub(crate) fn has_own_directives(&self) -> bool {
        let own = |row: &Attribute| row.owner != Owner::Job && keys::is_policy(row.key);
        self.attributes.iter().any(own)
    }
}

/// The app as an owner.
#[must_use]
pub fn owner(app: AppId) -> Owner {
    Owner::App(app.number())
}

/// The app with this number.
#[must_use]
pub fn app_id(app: u32) -> AppId {
    AppId::from_row(app as usize)
}
