//! The complete state as plain rows. A snapshot holds it, a dump shows it, and two states are compared by it.
//!
//! Rows point at each other by place in their list. Together with the [`Config`] an image is complete: a state that is
//! rebuilt from it behaves the same from then on.

use super::config::Inheritance;
use super::event::Directive;
use super::id_set::bit;
use super::name::Name;
use super::state::{Dvm, State};
use super::tables::{
    AllocId, Extent, NodeId, NodeOrigin, NodeSet, NsId, Session, SpaceKind, Wanted,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The whole state. Lists ascend: nodes by id, allocations and namespaces by name, requests by number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Image {
    /// Whether the DVM runs.
    pub dvm: Dvm,
    /// The number the next request gets.
    pub next_request: u64,
    /// The number the next session gets.
    pub next_session_id: u32,
    /// Node ids given so far.
    pub next_node: u32,
    /// The scheduler: a place in `namespaces`.
    pub scheduler: Option<u32>,
    /// The nodes in the order of joining.
    pub nodes: Vec<NodeImage>,
    /// The live records.
    pub allocations: Vec<AllocImage>,
    /// The namespaces, dead ones with live descendants among them.
    pub namespaces: Vec<NsImage>,
    /// The requests that wait.
    pub pending: Vec<PendingImage>,
    /// Former states of the default session that jobs use, the oldest first: how many. Each node says which had it.
    pub pasts: u32,
    /// Whether the last of them is the present state.
    pub last_is_present: bool,
    /// Other distinct sets of node ids that jobs use, as runs (first id, ids after it), in the order of the jobs.
    pub sets: Vec<Vec<(u32, u32)>>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NodeImage {
    /// Its id, in the order of joining.
    pub id: u32,
    /// Its name.
    pub name: Name,
    /// How it came.
    pub origin: NodeOrigin,
    /// Whether it is up.
    pub up: bool,
    /// Who holds it: a place in `allocations`.
    pub alloc: Option<u32>,
    /// Which of the `pasts` had it: (first, the first after it that had not), ascending, with gaps between.
    pub pasts: Vec<(u32, u32)>,
}

/// A record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AllocImage {
    /// Its id.
    pub id: Name,
    /// Its session number.
    pub session_id: u32,
    /// The owning namespace, by name: it may be gone.
    pub owner: Name,
    /// Whether that namespace lives (a live one of the same name may be another).
    pub owner_live: bool,
    /// Whether its nodes are in the default session.
    pub shared: bool,
    /// What the owner's end does.
    pub inheritance: Inheritance,
    /// Seconds.
    pub warn_timeout: Option<u32>,
    /// Who gets the warning: a place in `namespaces`, and a rank.
    pub requestor: Option<(u32, u32)>,
    /// Who holds the request id: a place in `namespaces`.
    pub req_ns: Option<u32>,
    /// The request id.
    pub req_id: Option<Name>,
    /// Nodes lent, by name, ascending.
    pub lent: Vec<Name>,
    /// Places in `namespaces`, ascending.
    pub roots: Vec<u32>,
}

/// A namespace.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NsImage {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub kind: SpaceKind,
    /// Who spawned it: a place in `namespaces`.
    pub parent: Option<u32>,
    /// Whether it lives.
    pub live: bool,
    /// Its sessions: `None` for the default one, else a place in `allocations`.
    pub sessions: Vec<Option<u32>>,
    /// What it uses.
    pub uses: Option<UsesImage>,
}

/// What a job uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum UsesImage {
    /// The default session as it was: a place in `pasts`.
    Past(u32),
    /// A place in `sets`.
    Set(u32),
}

/// What a request wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum WantedImage {
    /// A fresh allocation.
    #[serde(rename = "PMIX_ALLOC_NEW")]
    New,
    /// More of a record.
    #[serde(rename = "PMIX_ALLOC_EXTEND")]
    Extend,
    /// Lent nodes of a record.
    #[serde(rename = "PMIX_ALLOC_REAQUIRE")]
    Reaquire,
}

impl WantedImage {
    /// The directive.
    #[must_use]
    pub fn name(self) -> &'static str {
        let directive = match self {
            Self::New => Directive::New,
            Self::Extend => Directive::Extend,
            Self::Reaquire => Directive::Reaquire,
        };
        directive.name()
    }
}

/// A request that waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PendingImage {
    /// Its number.
    pub request: u64,
    /// Who asked: a place in `namespaces`, and a rank.
    pub from: (u32, u32),
    /// What for.
    pub wanted: WantedImage,
    /// Id and session number of the record; it may have ended since.
    pub record: Option<(Name, u32)>,
    /// The request id.
    pub req_id: Option<Name>,
    /// The owner of the record that is or will be.
    pub owner: Name,
    /// The target as given.
    pub target: Option<Name>,
    /// Whether the target died since.
    pub target_gone: bool,
    /// As asked.
    pub shared: bool,
    /// As asked.
    pub inheritance: Option<Inheritance>,
    /// Seconds.
    pub warn_timeout: Option<u32>,
}

impl Wanted {
    /// What is wanted, without the record.
    pub(crate) fn image(&self) -> WantedImage {
        match self {
            Self::New => WantedImage::New,
            Self::Extend(_) => WantedImage::Extend,
            Self::Reaquire(_) => WantedImage::Reaquire,
        }
    }
}

/// Places of rows in the sorted lists.
struct Places {
    allocs: BTreeMap<AllocId, u32>,
    spaces: BTreeMap<NsId, u32>,
    /// Times of the default session that jobs use, ascending.
    times: Vec<u64>,
}

pub(crate) fn place(index: usize) -> u32 {
    u32::try_from(index).expect("limit.rs keeps tables below 2^32 rows")
}

impl State {
    /// The complete state as plain rows. Cost: linear in the tables.
    #[must_use]
    pub fn image(&self) -> Image {
        let (allocs, spaces) = (self.allocs_by_id(), self.spaces_by_name());
        let places = Places {
            allocs: allocs.iter().copied().zip(0..).collect(),
            spaces: spaces.iter().copied().zip(0..).collect(),
            times: self.nodes.times.used().map(|row| row.0).collect(),
        };
        let mut sets = Sets::default();
        let namespaces = spaces
            .iter()
            .map(|&ns| self.ns_image(&places, &mut sets, ns))
            .collect();
        Image {
            dvm: self.dvm,
            next_request: self.next_request,
            next_session_id: self.next_session,
            next_node: place(self.nodes.next()),
            scheduler: self.scheduler.map(|ns| places.spaces[&ns]),
            nodes: self.node_images(&places),
            allocations: allocs
                .iter()
                .map(|&row| self.alloc_image(&places, row))
                .collect(),
            namespaces,
            pending: self.pending_images(&places),
            pasts: place(places.times.len()),
            last_is_present: self.nodes.times.present().is_some(),
            sets: sets.list,
        }
    }

    /// The state as bytes: equal bytes mean equal states. Cost: linear in the tables.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.config, &self.image())).expect("plain rows always encode")
    }

    fn node_images(&self, places: &Places) -> Vec<NodeImage> {
        let image = |id| NodeImage {
            id: bit(id),
            name: self.nodes.name(id).clone(),
            origin: self.nodes.origin(id),
            up: self.nodes.up().contains(id),
            alloc: self.nodes.alloc(id).map(|alloc| places.allocs[&alloc]),
            pasts: self.past_images(&places.times, id),
        };
        self.nodes.all().iter().map(image).collect()
    }

    fn alloc_image(&self, places: &Places, alloc: AllocId) -> AllocImage {
        let row = &self.allocs.row[alloc];
        let mut roots: Vec<u32> = row.roots.iter().map(|ns| places.spaces[&ns]).collect();
        roots.sort_unstable();
        AllocImage {
            id: row.id.clone(),
            session_id: row.session,
            owner: row.owner_name.clone(),
            owner_live: row.owner.is_some(),
            shared: row.shared,
            inheritance: row.inheritance,
            warn_timeout: row.warn_timeout,
            requestor: row.requestor.map(|to| (places.spaces[&to.ns], to.rank)),
            req_ns: row.req_ns.map(|ns| places.spaces[&ns]),
            req_id: row.req_id.clone(),
            lent: row.lent.iter().cloned().collect(),
            roots,
        }
    }

    /// At which of the used times a node was in the session. Spans without a used time are left out, and spans without a used
    /// time between them are joined.
    fn past_images(&self, times: &[u64], id: NodeId) -> Vec<(u32, u32)> {
        let mut spans: Vec<(u32, u32)> = Vec::new();
        let at = |time: u64| place(times.partition_point(|&other| other < time));
        for (from, to) in self.nodes.times.spans(self.nodes.seen(id)) {
            let (first, end) = (at(from), at(to));
            match spans.last_mut() {
                _ if first == end => {}
                // Spans come in reverse order.
                Some(later) if later.0 == end => later.0 = first,
                Some(_) | None => spans.push((first, end)),
            }
        }
        spans.reverse();
        spans
    }

    fn ns_image(&self, places: &Places, sets: &mut Sets, ns: NsId) -> NsImage {
        let session = |session: &Session| match *session {
            Session::Default => None,
            Session::Reserved(alloc) => Some(places.allocs[&alloc]),
        };
        let space = &self.spaces.row[ns];
        let extent = space.run.and_then(|run| self.users.extent(run));
        NsImage {
            name: space.name.clone(),
            kind: space.kind.expect("a row in use has a kind"),
            parent: space.parent.map(|parent| places.spaces[&parent]),
            live: space.live,
            sessions: space.seats.list().iter().map(session).collect(),
            uses: extent.map(|extent| match extent {
                Extent::Session(time) => {
                    UsesImage::Past(place(places.times.partition_point(|other| other < time)))
                }
                Extent::Shared(nodes) | Extent::Listed(nodes) => {
                    UsesImage::Set(sets.place_of(nodes))
                }
            }),
        }
    }

    fn pending_images(&self, places: &Places) -> Vec<PendingImage> {
        let image = |(number, request): (u64, &super::tables::Request)| PendingImage {
            request: number,
            from: (places.spaces[&request.from.ns], request.from.rank),
            wanted: request.wanted.image(),
            record: request
                .record()
                .map(|record| (record.id.clone(), record.session)),
            req_id: request.req_id.clone(),
            owner: request.owner.clone(),
            target: request.target.clone(),
            target_gone: request.target_gone(),
            shared: request.shared,
            inheritance: request.inheritance,
            warn_timeout: request.warn_timeout,
        };
        self.pending.iter().map(image).collect()
    }
}

/// Distinct sets in first-seen order. Jobs mostly share a set, and its address finds it without looking inside.
#[derive(Default)]
pub(crate) struct Sets {
    pub(crate) list: Vec<Vec<(u32, u32)>>,
    by_runs: BTreeMap<Vec<(u32, u32)>, u32>,
    by_address: HashMap<usize, u32>,
}

impl Sets {
    pub(crate) fn place_of(&mut self, set: &Arc<NodeSet>) -> u32 {
        let address = Arc::as_ptr(set).addr();
        if let Some(&at) = self.by_address.get(&address) {
            return at;
        }
        let at = self.place_of_runs(set.runs());
        self.by_address.insert(address, at);
        at
    }
    pub(crate) fn place_of_runs(&mut self, runs: Vec<(u32, u32)>) -> u32 {
        let next = place(self.list.len());
        let at = *self.by_runs.entry(runs.clone()).or_insert(next);
        if at == next {
            self.list.push(runs);
        }
        at
    }
}
