//! Resolved apps: one row per app, every default decided. Placement sees nothing else of a request.

pub use super::app_id::AppId;
use super::listings::Listing;
use super::origins::Origins;
use super::thread_words::ThreadWords;
use crate::count::ProcCount;
use crate::define_id;
use crate::id::{Column, Id as _, Lists};
use crate::policy::{
    BindStrength, BindTo, CpuMode, GpuShare, IfSupported, MapBy, NoLocal, Ordered, Overload,
    Oversubscribe, RankBy, Span,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

define_id! {
    /// A distinct policy: apps with equal options share one.
    PolicyId
}

define_id! {
    /// A pe-list: a row of [`AppTable::lists`].
    ListId
}

define_id! {
    /// A parsed sequence, rank or affinity file: a row of [`AppTable::listings`].
    ListingId
}

/// The resolved options of an app (`per-app` 6, rules R1 to R13). Equal policies have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Policy {
    /// Where processes go.
    pub map: MapBy,
    /// SPAN, for object maps.
    pub span: Span,
    /// ORDERED, for pe-lists.
    pub ordered: Ordered,
    /// NOLOCAL.
    pub nolocal: NoLocal,
    /// Cpus per process, at least 1.
    pub pe: u16,
    /// The cpus of a pe-list: logical cpus of the mode.
    pub list: Option<ListId>,
    /// What a cpu is.
    pub mode: CpuMode,
    /// The order of ranks.
    pub rank: RankBy,
    /// What processes are bound to.
    pub bind: BindTo,
    /// Whether the binding was asked for, or is a default that may be given up. PE above 1 makes it explicit.
    pub strength: BindStrength,
    /// `if-supported`.
    pub if_supported: IfSupported,
    /// `overload-allowed`.
    pub overload: Overload,
    /// LIMIT: processes per target object, per node and app.
    pub limit: Option<u16>,
    /// The job's OVERSUBSCRIBE.
    pub oversubscribe: Oversubscribe,
    /// How its processes get GPUs, if that was said. A saved plan keeps it beside the table.
    #[serde(skip)]
    pub gpus: Option<GpuShare>,
}

impl Policy {
    /// Whether processes may come to a node in several passes, each of which begins again with its objects or its list.
    #[must_use]
    pub(crate) fn begins_again(&self) -> bool {
        let dealt_again = matches!(
            self.map,
            MapBy::Object(_) | MapBy::Dist | MapBy::Device(_) | MapBy::PeList
        );
        dealt_again && self.oversubscribe == Oversubscribe::Allowed && self.span == Span::No
    }
}

/// Which ranks the numbers of a rankfile, or the lines of a sequence, stand for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Numbering {
    /// The app's own: entry 0 is its first process.
    App,
    /// The job's: the app starts where the earlier apps ended (`semantics` 4.6; lsf: only the apps that it took).
    Job,
}

/// The apps of a job. Shape of each column: `[apps]`.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct AppTable {
    /// The number of processes asked for; `None`: as many as policy and slots give (3.4).
    pub np: Column<AppId, Option<ProcCount>>,
    /// The resolved policy; `None` is a hole of the request.
    pub policy: Column<AppId, Option<PolicyId>>,
    /// The policy to use instead if PE comes from the job, and the objects of the app's nodes have fewer cpus than that
    /// (`semantics` 5.1: no error, but a note). `None`: PE is the app's own, or 1.
    pub without_pe: Column<AppId, Option<PolicyId>>,
    /// The cpu mode that the words alone give, used to count an absent `np` (3.4).
    pub count_mode: Column<AppId, CpuMode>,
    /// The file of a seq, rankfile or lsf app.
    pub listing: Column<AppId, Option<(ListingId, Numbering)>>,
    /// The device of `dist:DEVICE`.
    pub device: Column<AppId, Option<String>>,
    /// The program, a label.
    pub label: Column<AppId, String>,
    /// The arguments of the program, for the apps that have any.
    #[serde(skip)]
    arguments: BTreeMap<AppId, Vec<String>>,
    /// What the job says about the threads of its processes.
    #[serde(skip)]
    pub thread_words: ThreadWords,
    /// The app of the line that each row is a part of. Empty: each row is an app of its own, as it is unless a launcher mixes the
    /// ranks of several apps. Then each stretch of ranks of one app has a row.
    #[serde(skip)]
    part_of: Vec<u32>,
    /// Where the words came from.
    pub origins: Column<AppId, Option<Origins>>,
    /// Distinct policies.
    pub policies: Column<PolicyId, Policy>,
    /// Pe-lists: inclusive ranges in the order given.
    pub lists: Lists<ListId, (u32, u32)>,
    /// Parsed files.
    pub listings: Column<ListingId, Listing>,
    #[serde(skip)]
    known: HashMap<Policy, PolicyId>,
}

impl AppTable {
    /// The id of this policy, new or known.
    pub fn intern(&mut self, policy: Policy) -> PolicyId {
        if let Some(&id) = self.known.get(&policy) {
            return id;
        }
        let id = self.policies.push(policy);
        self.known.insert(policy, id);
        id
    }
    /// Keeps only the first `first` policies.
    pub(crate) fn keep_policies(&mut self, first: usize) {
        while self.policies.len() > first
            && let Some(policy) = self.policies.pop()
        {
            self.known.remove(&policy);
        }
    }
    /// The policy of an app, `None` for a hole.
    #[must_use]
    pub fn policy(&self, app: AppId) -> Option<&Policy> {
        self.policy[app].map(|id| &self.policies[id])
    }
    /// The file that lists the places of an app.
    pub(crate) fn own_listing(&self, app: AppId) -> Option<&Listing> {
        self.listing[app].map(|(id, _)| &self.listings[id])
    }
    /// The arguments of the program of an app. Cost: a search over the apps that have any.
    #[must_use]
    pub fn arguments(&self, app: AppId) -> &[String] {
        self.arguments.get(&app).map_or(&[], |words| words)
    }
    /// Sets the arguments of the program of an app.
    #[doc(hidden)]
    pub fn set_arguments(&mut self, app: AppId, words: Vec<String>) {
        if words.is_empty() {
            self.arguments.remove(&app);
        } else {
            self.arguments.insert(app, words);
        }
    }
    /// The apps whose programs have arguments, ascending, with these arguments.
    pub(crate) fn with_arguments(&self) -> impl ExactSizeIterator<Item = (AppId, &[String])> {
        self.arguments.iter().map(|(app, words)| (*app, &**words))
    }
    /// The number of an app as the line counts apps: its row, unless the row is one of several parts of an app.
    #[must_use]
    pub fn number(&self, app: AppId) -> u32 {
        let part = self.part_of.get(app.row()).copied();
        part.unwrap_or_else(|| app.number())
    }
    /// How many apps there are as the line counts apps, holes included.
    #[must_use]
    pub fn count(&self) -> u32 {
        let parts = self.part_of.iter().max();
        let rows = || u32::try_from(self.len()).unwrap_or(u32::MAX);
        parts.map_or_else(rows, |last| last + 1)
    }
    /// Whether rows are parts of apps.
    #[must_use]
    pub fn has_parts(&self) -> bool {
        !self.part_of.is_empty()
    }
    /// The app of the line that each row is a part of; empty: each row is an app.
    pub(crate) fn part_of(&self) -> &[u32] {
        &self.part_of
    }
    /// Says of which app of the line each row is a part. If each is an app of its own, nothing is kept.
    pub(crate) fn set_part_of(&mut self, part_of: Vec<u32>) {
        let own = (0..).zip(&part_of).all(|(row, &app)| row == app);
        self.part_of = if own { Vec::new() } else { part_of };
    }
    /// Adds a hole of the request: a row that has a number and nothing else.
    pub fn push_hole(&mut self) {
        self.np.push(None);
        self.policy.push(None);
        self.without_pe.push(None);
        self.count_mode.push(CpuMode::Core);
        self.listing.push(None);
        self.device.push(None);
        self.label.push(String::new());
        self.origins.push(None);
    }
    /// The number of rows of each column of apps. All are equal in a table that was built, but not always in one that was read.
    #[must_use]
    pub fn lengths(&self) -> [usize; 8] {
        // Every field is named, so that a new column is not forgotten here.
        let Self {
            np,
            policy,
            without_pe,
            count_mode,
            listing,
            device,
            label,
            arguments: _,
            part_of: _,
            thread_words: _,
            origins,
            policies: _,
            lists: _,
            listings: _,
            known: _,
        } = self;
        [
            np.len(),
            policy.len(),
            without_pe.len(),
            count_mode.len(),
            listing.len(),
            device.len(),
            label.len(),
            origins.len(),
        ]
    }
    /// Number of apps, including holes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.np.len()
    }
    /// Whether there are no apps.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.np.is_empty()
    }
    /// All apps, including holes, ascending.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = AppId> + ExactSizeIterator + use<> {
        (0..self.np.len()).map(AppId::from_row)
    }
}
