//! The state of a DVM: all tables and a few numbers beside them.

use super::config::{Config, Feature};
use super::name::Name;
use super::tables::{
    AllocId, AllocTable, Extent, NodeId, NodeOrigin, NodeSet, NodeTable, NsId, PendingTable,
    Request, SpaceKind, SpaceTable, Ties, Users,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Whether the DVM still runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dvm {
    /// It runs.
    Up,
    /// It has ended, for good.
    Down,
}

/// What is there when the DVM begins.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Initial {
    /// Nodes of startup origin, up, in the order of joining.
    pub nodes: Vec<Name>,
    /// Tools that are attached.
    pub tools: Vec<Name>,
    /// The scheduler, if one is attached.
    pub scheduler: Option<Name>,
}

/// Why a DVM cannot begin with an [`Initial`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum InitialError {
    /// A name is empty or too long, or has a colon where none is allowed.
    #[error("initial name {name:?}: a name has 1 to {max} bytes, that of a namespace no colon")]
    IllFormed {
        /// The name.
        name: Name,
        /// Bytes a name may have.
        max: u64,
    },
    /// A name appears twice.
    #[error("initial name {name:?} is given twice")]
    Repeated {
        /// The name.
        name: Name,
    },
    /// Session numbers begin with 1.
    #[error("next_session_id is 0: session numbers begin with 1")]
    NoSessionNumber,
}

/// All tables of one DVM. Changed by [`apply`](super::apply()) only.
#[derive(Clone)]
pub struct State {
    pub(crate) config: Config,
    pub(crate) dvm: Dvm,
    pub(crate) next_request: u64,
    pub(crate) next_session: u32,
    pub(crate) scheduler: Option<NsId>,
    pub(crate) nodes: NodeTable,
    pub(crate) allocs: AllocTable,
    pub(crate) spaces: SpaceTable,
    pub(crate) pending: PendingTable,
    pub(crate) ties: Ties,
    pub(crate) users: Users,
    /// (who asked, its request id) -> live record (A-07).
    pub(crate) holders: BTreeMap<(NsId, Name), AllocId>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.image().fmt(f)
    }
}

impl State {
    /// An empty DVM.
    pub(crate) fn bare(config: Config) -> Self {
        Self {
            config,
            dvm: Dvm::Up,
            next_request: 1,
            next_session: config.next_session_id,
            scheduler: None,
            nodes: NodeTable::default(),
            allocs: AllocTable::default(),
            spaces: SpaceTable::default(),
            pending: PendingTable::default(),
            ties: Ties::default(),
            users: Users::default(),
            holders: BTreeMap::new(),
        }
    }

    /// The state in which a DVM begins. Limits on the tables do not apply here.
    ///
    /// # Errors
    /// [`InitialError`] for a name that is ill-formed or appears twice, and for a session number 0.
    ///
    /// Cost: linear in the names.
    /// ```
    /// use stowplan_session::{Config, Initial, State};
    /// let two = Initial { nodes: vec!["n0".into(), "n0".into()], ..Initial::default() };
    /// assert!(State::new(Config::default(), &two).is_err());
    /// assert!(State::new(Config::default(), &Initial::default()).is_ok());
    /// ```
    pub fn new(config: Config, initial: &Initial) -> Result<Self, InitialError> {
        if config.next_session_id == 0 {
            return Err(InitialError::NoSessionNumber);
        }
        let mut state = Self::bare(config);
        let ill_formed = |name: &Name| InitialError::IllFormed {
            name: name.clone(),
            max: config.limits.max_name,
        };
        let mut seen = BTreeSet::new();
        for name in &initial.nodes {
            if !state.is_well_formed(name.as_str()) {
                return Err(ill_formed(name));
            }
            if !seen.insert(name) {
                return Err(InitialError::Repeated { name: name.clone() });
            }
        }
        let names = initial.nodes.iter().map(Name::as_str);
        let pool = state.nodes.add(names, NodeOrigin::Startup, None);
        state.nodes.enter_pool(&pool);
        let tools = initial.tools.iter().map(|name| (name, SpaceKind::Tool));
        for (name, kind) in tools.chain(
            initial
                .scheduler
                .iter()
                .map(|name| (name, SpaceKind::Scheduler)),
        ) {
            if !state.is_namespace_name(name.as_str()) {
                return Err(ill_formed(name));
            }
            if state.spaces.find(name.as_str()).is_some() {
                return Err(InitialError::Repeated { name: name.clone() });
            }
            let ns = state.spaces.add(name.as_str(), kind, None);
            if kind == SpaceKind::Scheduler {
                state.scheduler = Some(ns);
            }
        }
        Ok(state)
    }

    /// What the DVM was started with.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }
    /// Whether the DVM runs.
    #[must_use]
    pub fn dvm(&self) -> Dvm {
        self.dvm
    }
    /// The nodes of the DVM.
    #[must_use]
    pub fn nodes(&self) -> &NodeSet {
        self.nodes.all()
    }
    /// The name of a node, or `None` when it is not in the DVM.
    #[must_use]
    pub(crate) fn node_name(&self, node: NodeId) -> Option<&str> {
        self.nodes
            .all()
            .contains(node)
            .then(|| self.nodes.name(node).as_str())
    }
    /// The node of a name.
    #[must_use]
    pub fn node(&self, name: &str) -> Option<NodeId> {
        self.nodes.find(name)
    }
    /// How many records are live.
    #[must_use]
    pub fn allocation_count(&self) -> u64 {
        self.allocs.len()
    }
    /// How many namespace rows there are.
    #[must_use]
    pub fn namespace_count(&self) -> u64 {
        self.spaces.len()
    }

    pub(crate) fn has(&self, feature: Feature) -> bool {
        self.config.available.has(feature)
    }
    pub(crate) fn is_well_formed(&self, name: &str) -> bool {
        !name.is_empty() && name.len() as u64 <= self.config.limits.max_name
    }
    pub(crate) fn is_namespace_name(&self, name: &str) -> bool {
        self.is_well_formed(name) && !name.as_bytes().contains(&b':')
    }
    pub(crate) fn is_owner(&self, alloc: AllocId, ns: NsId) -> bool {
        self.allocs.row[alloc].owners.contains(ns)
    }
    /// Whether a namespace may extend, release and reacquire: it is an owner, or the scheduler.
    pub(crate) fn may_act(&self, alloc: AllocId, ns: NsId) -> bool {
        self.scheduler == Some(ns) || self.is_owner(alloc, ns)
    }
    /// The owner of a record while it lives.
    pub(crate) fn owner(&self, alloc: AllocId) -> Option<NsId> {
        let row = &self.allocs.row[alloc];
        let live = || self.spaces.find_live(row.owner.as_str());
        row.owner_live.then(live).flatten()
    }
    /// The target of a request while it lives.
    pub(crate) fn target(&self, request: &Request) -> Option<NsId> {
        let target = request.target.as_ref().filter(|_| !request.target_gone);
        target.and_then(|name| self.spaces.find_live(name.as_str()))
    }
    /// The nodes that a job uses. Cost: all nodes of the DVM, if the job uses the default session as it was at a time.
    pub(crate) fn uses(&self, ns: NsId) -> Option<Arc<NodeSet>> {
        match self.users.extent(self.spaces.row[ns].run?)? {
            Extent::Shared(nodes) | Extent::Listed(nodes) => Some(Arc::clone(nodes)),
            Extent::Session(time) => {
                let there = |&node: &NodeId| self.nodes.was_there(node, *time);
                Some(Arc::new(self.nodes.all().iter().filter(there).collect()))
            }
        }
    }
}
