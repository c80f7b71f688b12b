//! The state in words: rows that name each other, and write and read themselves. A dump shows them; people are shown them.
//!
//! Fields ascend by name, as keys do in a dump. What another row says already is written but not read.

use super::config::Inheritance;
use super::name::Name;
use super::state::State;
use super::tables::{
    AllocId, NodeId, NodeOrigin, NodeSet, NsId, Process, Request, SpaceKind, Wanted,
};
use super::uses_as::{UsesAs, uses_as};
use serde::de::IgnoredAny;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Whether a node may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeState {
    /// It is up.
    Up,
    /// It failed.
    Down,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeRow {
    /// The allocation that holds it.
    pub alloc: Option<Name>,
    /// Its name.
    pub name: Name,
    /// How it came.
    pub origin: NodeOrigin,
    /// The session it is in, `""` for the default one.
    #[serde(default, deserialize_with = "passed_over")]
    pub session: Name,
    /// Whether it is up.
    pub state: NodeState,
}

/// A live record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AllocRow {
    /// Its nodes of startup origin.
    #[serde(default, deserialize_with = "passed_over")]
    pub carved: Vec<Name>,
    /// Its id.
    pub id: Name,
    /// What the owner's end does.
    pub inheritance: Inheritance,
    /// Nodes lent.
    pub lent: Vec<Name>,
    /// Its nodes.
    #[serde(default, deserialize_with = "passed_over")]
    pub nodes: Vec<Name>,
    /// The owning namespace, which may be gone.
    pub owner: Name,
    /// Whether that namespace lives (a live one of the same name may be another).
    pub owner_live: bool,
    /// Who may target, extend and release it.
    #[serde(default, deserialize_with = "passed_over")]
    pub owners: Vec<Name>,
    /// The request id.
    pub req_id: Option<Name>,
    /// Who holds the request id.
    pub req_ns: Option<Name>,
    /// Who gets the warning, `namespace:rank`.
    pub requestor: Option<String>,
    /// It is not drained while one of these is active.
    pub roots: Vec<Name>,
    /// Its session number.
    pub session_id: u32,
    /// Whether its nodes are in the default session.
    pub shared: bool,
    /// Seconds.
    pub warn_timeout: Option<u32>,
}

/// A namespace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NsRow {
    /// What it is.
    pub kind: SpaceKind,
    /// Whether it lives.
    pub live: bool,
    /// Its name.
    pub name: Name,
    /// Who spawned it.
    pub parent: Option<Name>,
    /// Its sessions in the order of first mention, `""` for the default one.
    pub sessions: Vec<Name>,
    /// The nodes it uses, unless `uses_as` says them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses: Option<Vec<Name>>,
    /// Nodes that it uses and `uses_as` does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses_also: Vec<Name>,
    /// The namespace whose nodes it uses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uses_as: Option<Name>,
    /// Nodes that `uses_as` uses and it does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses_without: Vec<Name>,
}

/// A request that waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PendingRow {
    /// The id of the record; it may have ended since.
    pub alloc_id: Option<Name>,
    /// What it asks for.
    pub directive: Wanted,
    /// Who asked, `namespace:rank`.
    pub from: String,
    /// As asked.
    pub inheritance: Option<Inheritance>,
    /// The owner of the record that is or will be.
    pub owner: Name,
    /// The request id.
    pub req_id: Option<Name>,
    /// Its number.
    pub request: u64,
    /// The session number of the record.
    pub session_id: Option<u32>,
    /// As asked.
    pub shared: bool,
    /// The target as given.
    pub target: Option<Name>,
    /// Whether the target died since.
    pub target_gone: bool,
    /// Seconds.
    pub warn_timeout: Option<u32>,
}

/// For what another row says already.
fn passed_over<'de, T: Default, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    IgnoredAny::deserialize(from).map(|_| T::default())
}

/// The rows of a state, each made when it is asked for. They ascend by name, requests by number.
#[derive(Debug)]
pub struct Rows<'s> {
    state: &'s State,
    nodes: Vec<NodeId>,
    /// Namespaces whose nodes are said as those of another.
    like: BTreeMap<NsId, UsesAs>,
}

impl State {
    /// The state as rows. Cost: sorting the nodes by name.
    #[must_use]
    pub fn rows(&self) -> Rows<'_> {
        let mut nodes: Vec<NodeId> = self.nodes.all().iter().collect();
        nodes.sort_by_key(|&node| self.nodes.name(node));
        let like = BTreeMap::new();
        Rows {
            state: self,
            nodes,
            like,
        }
    }
    /// The state as rows in which sets of more than `most` nodes are named once, and then what is different (`uses_as`), so that they
    /// grow with what happened. Cost: linear in the tables.
    #[must_use]
    pub fn short_rows(&self, most: usize) -> Rows<'_> {
        let like = uses_as(self, most);
        Rows {
            like,
            ..self.rows()
        }
    }
    fn process(&self, of: Process) -> String {
        format!("{}:{}", self.spaces.name(of.ns), of.rank)
    }
}

fn sorted<'n>(names: impl Iterator<Item = &'n Name>) -> Vec<Name> {
    let mut names: Vec<Name> = names.cloned().collect();
    names.sort_unstable();
    names
}

impl Rows<'_> {
    /// The scheduler, if one is attached.
    #[must_use]
    pub fn scheduler(&self) -> Option<&Name> {
        self.state.scheduler.map(|ns| self.state.spaces.name(ns))
    }
    /// The nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeRow> + Clone + '_ {
        self.nodes.iter().map(|&node| self.node(node))
    }
    /// The live records.
    pub fn allocations(&self) -> impl ExactSizeIterator<Item = AllocRow> + Clone + '_ {
        let rows = self.state.allocs.by_name();
        rows.into_iter().map(|alloc| self.alloc(alloc))
    }
    /// The namespaces, dead ones with live descendants among them. Cost of each: the nodes it uses.
    pub fn namespaces(&self) -> impl ExactSizeIterator<Item = NsRow> + Clone + '_ {
        let rows = self.state.spaces.by_name();
        rows.into_iter().map(|ns| self.namespace(ns))
    }
    /// The requests that wait.
    pub fn pending(&self) -> impl Iterator<Item = PendingRow> + Clone + '_ {
        let rows = self.state.pending.iter();
        rows.map(|(number, request)| self.request(number, request))
    }

    fn node(&self, node: NodeId) -> NodeRow {
        let table = &self.state.nodes;
        let record = table.alloc(node).map(|alloc| &self.state.allocs.row[alloc]);
        let reserved = record.filter(|record| !record.shared);
        NodeRow {
            alloc: record.map(|record| record.id.clone()),
            name: table.name(node).clone(),
            origin: table.origin(node),
            session: reserved.map_or_else(Name::default, |record| record.id.clone()),
            state: if table.up().contains(node) {
                NodeState::Up
            } else {
                NodeState::Down
            },
        }
    }

    fn alloc(&self, alloc: AllocId) -> AllocRow {
        let (state, row) = (self.state, &self.state.allocs.row[alloc]);
        let spaces =
            |set: &crate::tables::NsSet| sorted(set.iter().map(|ns| state.spaces.name(ns)));
        let nodes = |set: &NodeSet| sorted(set.iter().map(|node| state.nodes.name(node)));
        AllocRow {
            carved: nodes(&row.nodes.and(state.nodes.startup())),
            id: row.id.clone(),
            inheritance: row.inheritance,
            lent: row.lent.iter().cloned().collect(),
            nodes: nodes(&row.nodes),
            owner: row.owner.clone(),
            owner_live: row.owner_live,
            owners: spaces(&row.owners),
            req_id: row.req_id.clone(),
            req_ns: row.req_ns.map(|ns| state.spaces.name(ns).clone()),
            requestor: row.requestor.map(|to| state.process(to)),
            roots: spaces(&row.roots),
            session_id: row.session,
            shared: row.shared,
            warn_timeout: row.warn_timeout,
        }
    }

    fn namespace(&self, ns: NsId) -> NsRow {
        let (state, row) = (self.state, &self.state.spaces.row[ns]);
        let like = self.like.get(&ns);
        let names = |nodes: &Vec<NodeId>| sorted(nodes.iter().map(|&node| state.nodes.name(node)));
        let all = || {
            let uses = state.uses(ns);
            uses.map_or_else(Vec::new, |set| self.names(&set))
        };
        NsRow {
            kind: row.kind,
            live: row.live,
            name: row.name.clone(),
            parent: row.parent.map(|ns| state.spaces.name(ns).clone()),
            sessions: super::candidates::names(&state.allocs, &row.sessions).collect(),
            uses: like.is_none().then(all),
            uses_also: like.map_or_else(Vec::new, |like| names(&like.also)),
            uses_as: like.map(|like| state.spaces.name(like.other).clone()),
            uses_without: like.map_or_else(Vec::new, |like| names(&like.without)),
        }
    }

    /// The names of a set of nodes. A large one is not sorted again.
    fn names(&self, set: &NodeSet) -> Vec<Name> {
        let name = |node| self.state.nodes.name(node);
        if set.len() < self.nodes.len() as u64 / 8 {
            return sorted(set.iter().map(name));
        }
        let there = self.nodes.iter().filter(|&&node| set.contains(node));
        there.map(|&node| name(node).clone()).collect()
    }

    fn request(&self, number: u64, request: &Request) -> PendingRow {
        let record = request.record.as_ref();
        PendingRow {
            alloc_id: record.map(|record| record.id.clone()),
            directive: request.wanted,
            from: self.state.process(request.from),
            inheritance: request.inheritance,
            owner: request.owner.clone(),
            req_id: request.req_id.clone(),
            request: number,
            session_id: record.map(|record| record.session),
            shared: request.shared,
            target: request.target.clone(),
            target_gone: request.target_gone,
            warn_timeout: request.warn_timeout,
        }
    }
}

/// A list whose items are made while they are written.
struct Each<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.0.clone())
    }
}

/// The complete state, with the names of all nodes.
impl Serialize for State {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.rows().serialize(to)
    }
}

/// The complete state, written row by row.
impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (rows, state) = (self, self.state);
        let mut whole = to.serialize_struct("State", 8)?;
        whole.serialize_field("allocations", &Each(rows.allocations()))?;
        whole.serialize_field("dvm", &state.dvm)?;
        whole.serialize_field("namespaces", &Each(rows.namespaces()))?;
        whole.serialize_field("next_request", &state.next_request)?;
        whole.serialize_field("next_session_id", &state.next_session)?;
        whole.serialize_field("nodes", &Each(rows.nodes()))?;
        whole.serialize_field("pending", &Each(rows.pending()))?;
        whole.serialize_field("scheduler", &rows.scheduler())?;
        whole.end()
    }
}
