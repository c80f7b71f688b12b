//! The complete state as rows that write and read themselves. A snapshot holds them, and two states are compared by them.
//!
//! Records and requests are rows of the tables as they are. All rows point at each other by their place in a list. Together with
//! the [`Config`](crate::Config) an image is complete: a state that is made from it behaves the same from then on.

use super::id_row::{bit, maybe_at_row};
use super::name::Name;
use super::state::{Dvm, State};
use super::tables::{
    Alloc, AllocId, Extent, NodeId, NodeOrigin, NodeSet, NsId, Process, Request, Session, Space,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use stowplan_engine::id::Id;

/// The whole state. Lists ascend: nodes by id, allocations and namespaces by name, requests by number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Image {
    pub(crate) dvm: Dvm,
    pub(crate) next_request: u64,
    pub(crate) next_session: u32,
    /// Node ids given so far.
    pub(crate) next_node: u32,
    #[serde(with = "maybe_at_row")]
    pub(crate) scheduler: Option<NsId>,
    /// The nodes in the order of joining.
    pub(crate) nodes: Vec<NodeImage>,
    pub(crate) allocs: Vec<Alloc>,
    /// With what each uses.
    pub(crate) spaces: Vec<(Space, Option<Uses>)>,
    pub(crate) pending: Vec<(u64, Box<Request>)>,
    /// Former states of the default session that jobs use, the oldest first: how many. Each node says which had it.
    pub(crate) pasts: u32,
    /// Whether the last of them is the present state.
    pub(crate) last_is_present: bool,
    /// Other distinct sets of node ids that jobs use, as runs (first id, ids after it), in the order of the jobs.
    pub(crate) sets: Vec<Vec<(u32, u32)>>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct NodeImage {
    /// Its id, in the order of joining.
    pub(crate) id: u32,
    pub(crate) name: Name,
    pub(crate) origin: NodeOrigin,
    pub(crate) up: bool,
    #[serde(with = "maybe_at_row")]
    pub(crate) alloc: Option<AllocId>,
    /// Which of the `pasts` had it: (first, the first after it that had not), ascending, with gaps between.
    pub(crate) pasts: Vec<(u32, u32)>,
}

/// What a job uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Uses {
    /// The default session as it was: a place in `pasts`.
    Past(u32),
    /// A place in `sets`.
    Set(u32),
}

/// Places of rows in the sorted lists, as the ids that rows of an image have.
struct Places {
    allocs: BTreeMap<AllocId, AllocId>,
    spaces: BTreeMap<NsId, NsId>,
    /// Times of the default session that jobs use, ascending.
    times: Vec<u64>,
}

impl Places {
    fn process(&self, of: Process) -> Process {
        Process {
            ns: self.spaces[&of.ns],
            ..of
        }
    }
    fn session(&self, at: Session) -> Session {
        match at {
            Session::Default => Session::Default,
            Session::Reserved(alloc) => Session::Reserved(self.allocs[&alloc]),
        }
    }
}

fn by_place<I: Id>(rows: &[I]) -> BTreeMap<I, I> {
    let places = (0..).map(I::from_row);
    rows.iter().copied().zip(places).collect()
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
            allocs: by_place(&allocs),
            spaces: by_place(&spaces),
            times: self.nodes.times.used().map(|row| row.0).collect(),
        };
        let mut sets = Sets::default();
        let spaces = spaces.iter().map(|&ns| self.space(&places, &mut sets, ns));
        let request = |(number, request): (u64, &Request)| {
            let from = places.process(request.from);
            let request = Request {
                from,
                ..request.clone()
            };
            (number, Box::new(request))
        };
        let spaces = spaces.collect();
        Image {
            dvm: self.dvm,
            next_request: self.next_request,
            next_session: self.next_session,
            next_node: place(self.nodes.next()),
            scheduler: self.scheduler.map(|ns| places.spaces[&ns]),
            nodes: self.node_images(&places),
            allocs: allocs.iter().map(|&at| self.alloc(&places, at)).collect(),
            spaces,
            pending: self.pending.iter().map(request).collect(),
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

    /// A record without what follows from other rows.
    fn alloc(&self, places: &Places, alloc: AllocId) -> Alloc {
        let row = &self.allocs.row[alloc];
        Alloc {
            id: row.id.clone(),
            session: row.session,
            owner: row.owner.clone(),
            owner_live: row.owner_live,
            shared: row.shared,
            inheritance: row.inheritance,
            warn_timeout: row.warn_timeout,
            requestor: row.requestor.map(|to| places.process(to)),
            req_ns: row.req_ns.map(|ns| places.spaces[&ns]),
            req_id: row.req_id.clone(),
            lent: row.lent.clone(),
            roots: row.roots.iter().map(|ns| places.spaces[&ns]).collect(),
            ..Alloc::default()
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

    /// A namespace without what follows from other rows, and what it uses.
    fn space(&self, places: &Places, sets: &mut Sets, ns: NsId) -> (Space, Option<Uses>) {
        let row = &self.spaces.row[ns];
        let space = Space {
            parent: row.parent.map(|parent| places.spaces[&parent]),
            sessions: row.sessions.iter().map(|&at| places.session(at)).collect(),
            run: None,
            children: 0,
            ..row.clone()
        };
        let past = |time: u64| place(places.times.partition_point(|&other| other < time));
        let extent = row.run.and_then(|run| self.users.extent(run));
        let uses = extent.map(|extent| match extent {
            Extent::Session(time) => Uses::Past(past(*time)),
            Extent::Shared(nodes) | Extent::Listed(nodes) => Uses::Set(sets.place_of(nodes)),
        });
        (space, uses)
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
