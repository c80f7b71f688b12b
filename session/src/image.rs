//! The complete state as rows that write and read themselves. A snapshot holds them, and two states are compared by them.
//!
//! Records and requests are rows of the tables as they are. All rows point at each other by their place in a list. Together with
//! the [`Config`](crate::Config) an image is complete: a state that is made from it behaves the same from then on.

use super::name::Name;
use super::state::{Dvm, State};
use super::tables::{
    Alloc, AllocId, Extent, NodeId, NodeOrigin, NodeSet, NsId, NsSet, Request, Session, Space,
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
    pub(crate) alloc: Option<AllocId>,
    /// Which of the `pasts` had it: (first, the first after it that had not), ascending, with gaps between.
    pub(crate) pasts: Vec<(u32, u32)>,
}

/// What a job uses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Uses {
    /// The default session as it was: a place in `pasts`.
    Past(u32),
    /// A place in `sets`.
    Set(u32),
}

impl Image {
    /// Visits all that points at a namespace or at a record, with what points.
    pub(crate) fn each_pointer(
        &mut self,
        mut to_space: impl FnMut(&'static str, &mut NsId),
        mut to_alloc: impl FnMut(&'static str, &mut AllocId),
    ) {
        let scheduler = self.scheduler.iter_mut();
        scheduler.for_each(|ns| to_space("scheduler", ns));
        for node in &mut self.nodes {
            let alloc = node.alloc.iter_mut();
            alloc.for_each(|alloc| to_alloc("node", alloc));
        }
        for row in &mut self.allocs {
            let requestor = row.requestor.iter_mut();
            requestor.for_each(|to| to_space("requestor", &mut to.ns));
            let holder = row.req_ns.iter_mut();
            holder.for_each(|ns| to_space("request id", ns));
            let roots = row.roots.iter().map(|mut ns| {
                to_space("root", &mut ns);
                ns
            });
            row.roots = roots.collect();
        }
        for (row, _) in &mut self.spaces {
            let parent = row.parent.iter_mut();
            parent.for_each(|ns| to_space("parent", ns));
            for session in &mut row.sessions {
                if let Session::Reserved(alloc) = session {
                    to_alloc("session", alloc);
                }
            }
        }
        let pending = self.pending.iter_mut();
        pending.for_each(|(_, request)| to_space("requester", &mut request.from.ns));
    }
}

/// The place of each row in a list.
fn places<I: Id>(rows: &[I]) -> BTreeMap<I, I> {
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
        let (allocs, spaces) = (self.allocs.by_name(), self.spaces.by_name());
        let (alloc_places, space_places) = (places(&allocs), places(&spaces));
        let times: Vec<u64> = self.nodes.times.used().map(|row| row.0).collect();
        let mut sets = Sets::default();
        let spaces = spaces.iter().map(|&ns| self.space(&times, &mut sets, ns));
        let spaces = spaces.collect();
        // Without what follows from other rows.
        let alloc = |&at: &AllocId| Alloc {
            nodes: NodeSet::new(),
            kept: None,
            owners: NsSet::new(),
            ..self.allocs.row[at].clone()
        };
        let pending = self.pending.iter();
        let mut image = Image {
            dvm: self.dvm,
            next_request: self.next_request,
            next_session: self.next_session,
            next_node: place(self.nodes.next()),
            scheduler: self.scheduler,
            nodes: self.node_images(&times),
            allocs: allocs.iter().map(alloc).collect(),
            spaces,
            pending: pending
                .map(|(number, request)| (number, Box::new(request.clone())))
                .collect(),
            pasts: place(times.len()),
            last_is_present: self.nodes.times.present().is_some(),
            sets: sets.list,
        };
        image.each_pointer(
            |_, ns| *ns = space_places[ns],
            |_, alloc| *alloc = alloc_places[alloc],
        );
        image
    }

    /// The state as bytes: equal bytes mean equal states. Cost: linear in the tables.
    #[must_use]
    pub fn canonical(&self) -> Vec<u8> {
        postcard::to_allocvec(&(&self.config, &self.image())).expect("plain rows always encode")
    }

    fn node_images(&self, times: &[u64]) -> Vec<NodeImage> {
        let image = |id: NodeId| NodeImage {
            id: id.number(),
            name: self.nodes.name(id).clone(),
            origin: self.nodes.origin(id),
            up: self.nodes.up().contains(id),
            alloc: self.nodes.alloc(id),
            pasts: self.past_images(times, id),
        };
        self.nodes.all().iter().map(image).collect()
    }

    /// At which of the used times a node was in the session. Spans without a used time are left out, and spans without a used
    /// time between them are joined.
    fn past_images(&self, times: &[u64], id: NodeId) -> Vec<(u32, u32)> {
        let mut spans: Vec<(u32, u32)> = Vec::new();
        for (from, to) in self.nodes.times.spans(self.nodes.seen(id)) {
            let (first, end) = (past(times, from), past(times, to));
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
    fn space(&self, times: &[u64], sets: &mut Sets, ns: NsId) -> (Space, Option<Uses>) {
        let space = Space {
            run: None,
            children: 0,
            ..self.spaces.row[ns].clone()
        };
        (space, self.uses_in(times, sets, ns))
    }

    /// What a namespace uses: one of the used times, or of the distinct sets, which get one more if need be.
    pub(crate) fn uses_in(&self, times: &[u64], sets: &mut Sets, ns: NsId) -> Option<Uses> {
        let run = self.spaces.row[ns].run?;
        Some(match self.users.extent(run)? {
            Extent::Session(time) => Uses::Past(past(times, *time)),
            Extent::Shared(nodes) | Extent::Listed(nodes) => Uses::Set(sets.place_of(nodes)),
        })
    }
}

/// The first of the used times that is not before this one.
fn past(times: &[u64], time: u64) -> u32 {
    place(times.partition_point(|&other| other < time))
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
