//! A state from its image: the rows are put into the tables, and all that follows from them is made anew. Nothing in an image is
//! trusted: it may come from a damaged or forged journal.

use super::check::{Broken, check};
use super::config::Config;
use super::derived::Derived;
use super::id_row::id_of;
use super::image::{Image, NodeImage, Uses};
use super::name::Name;
use super::state::State;
use super::tables::{Alloc, Extent, LISTED_MAX, NodeSet, NsId, RunId, Session, Space};
use std::sync::Arc;
use stowplan_engine::id::Id;
use stowplan_engine::limit::{NODES_MAX, SET_BYTES_MAX};

/// Why an image is no valid state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ImageError {
    /// A row points at a place that its list does not have, or a set at a node that is not there.
    #[error("{what} points at place {place}, which is not there")]
    Dangling {
        /// The list that points.
        what: &'static str,
        /// The place it points at.
        place: u32,
    },
    /// A name or number appears twice, or rows are out of order.
    #[error("{what} {name:?} stands twice or out of order")]
    Repeated {
        /// The list.
        what: &'static str,
        /// The row.
        name: Name,
    },
    /// There are more node ids, or the sets of all jobs are larger, than a state may have.
    #[error("more node ids, or larger sets of nodes, than a state may have")]
    TooLarge,
    /// The rows do not fit together.
    #[error("the state breaks its invariants: {0}")]
    Broken(#[from] Broken),
}

impl ImageError {
    fn repeated(what: &'static str, name: &Name) -> Self {
        Self::Repeated {
            what,
            name: name.clone(),
        }
    }
}

impl State {
    /// The state of an image.
    ///
    /// # Errors
    /// [`ImageError`] when rows dangle, repeat or break an invariant: the result is a sound state or none.
    ///
    /// Cost: linear in the image, and one judgement of all invariants.
    pub fn from_image(config: Config, image: Image) -> Result<Self, ImageError> {
        within(&image)?;
        let mut state = Self::bare(config);
        state.dvm = image.dvm;
        state.next_request = image.next_request;
        state.next_session = image.next_session;
        state.scheduler = image.scheduler;
        // Tables that are empty give the ids 0, 1, 2 …: those that rows point at.
        let (spaces, uses): (Vec<_>, Vec<_>) = image.spaces.into_iter().unzip();
        add_spaces(&mut state, spaces)?;
        add_allocs(&mut state, image.allocs)?;
        add_nodes(&mut state, &image.nodes, image.next_node)?;
        for (number, request) in image.pending {
            if state.pending.get(number).is_some() {
                return Err(ImageError::repeated("request of", &request.owner));
            }
            state.pending.add(number, request);
        }
        Derived::of(&state).give(&mut state);
        remember(
            &mut state,
            &image.nodes,
            (image.pasts, image.last_is_present),
        )?;
        let sets = read_sets(&state, &image.sets)?;
        use_nodes(&mut state, &uses, image.pasts, &sets)?;
        check(&state)?;
        Ok(state)
    }
}

/// Whether the lists have all rows that are pointed at.
fn within(image: &Image) -> Result<(), ImageError> {
    let scheduler = image.scheduler.map(|ns| ("scheduler", ns));
    let parents = image.spaces.iter().map(|row| ("parent", row.0.parent));
    let parents = parents.filter_map(|(what, ns)| Some((what, ns?)));
    let records = image.allocs.iter().flat_map(|row| {
        let to = row.requestor.map(|to| ("requestor", to.ns));
        let holder = row.req_ns.map(|ns| ("request id", ns));
        let roots = row.roots.iter().map(|ns| ("root", ns));
        to.into_iter().chain(holder).chain(roots)
    });
    let asked = image.pending.iter();
    let asked = asked.map(|(_, request)| ("requester", request.from.ns));
    let spaces = scheduler.into_iter().chain(parents);
    let mut spaces = spaces.chain(records).chain(asked);
    let held = image.nodes.iter().map(|row| ("node", row.alloc));
    let sessions = image.spaces.iter().flat_map(|row| &row.0.sessions);
    let sessions = sessions.map(|session| match *session {
        Session::Default => ("session", None),
        Session::Reserved(alloc) => ("session", Some(alloc)),
    });
    let mut allocs = held.chain(sessions);
    let dangling = |what, place| Err(ImageError::Dangling { what, place });
    if let Some((what, ns)) = spaces.find(|row| row.1.row() >= image.spaces.len()) {
        return dangling(what, ns.number());
    }
    match allocs.find(|row| row.1.is_some_and(|at| at.row() >= image.allocs.len())) {
        Some((what, Some(alloc))) => dangling(what, alloc.number()),
        Some((_, None)) | None => Ok(()),
    }
}

fn add_spaces(state: &mut State, rows: Vec<Space>) -> Result<(), ImageError> {
    for row in rows {
        if state.spaces.find(row.name.as_str()).is_some() {
            return Err(ImageError::repeated("namespace", &row.name));
        }
        state.spaces.put(row);
    }
    Ok(())
}

fn add_allocs(state: &mut State, rows: Vec<Alloc>) -> Result<(), ImageError> {
    for row in rows {
        if row.session == 0 || state.allocs.find(row.id.as_str()).is_some() {
            return Err(ImageError::repeated("allocation", &row.id));
        }
        state.allocs.add(row);
    }
    Ok(())
}

fn add_nodes(state: &mut State, rows: &[NodeImage], next: u32) -> Result<(), ImageError> {
    if next > NODES_MAX {
        return Err(ImageError::TooLarge);
    }
    let mut pool = NodeSet::new();
    for row in rows {
        let out_of_order = (row.id as usize) < state.nodes.next() || row.id >= next;
        if out_of_order || state.nodes.find(row.name.as_str()).is_some() {
            return Err(ImageError::repeated("node", &row.name));
        }
        state.nodes.skip_to(row.id as usize);
        let name = std::iter::once(row.name.as_str());
        state.nodes.add(name, row.origin, row.alloc);
        let id = id_of(row.id);
        if !row.up {
            state.nodes.set_down(id);
        }
        let record = row.alloc.map(|alloc| &mut state.allocs.row[alloc]);
        if record.as_ref().is_none_or(|record| record.shared) {
            pool.insert(id);
        }
        record.map(|record| record.nodes.insert(id));
    }
    state.nodes.skip_to(next as usize);
    state.nodes.enter_pool(&pool);
    Ok(())
}

/// Reads sets of nodes. All their nodes must be there, and sizes are checked before the sets are built.
fn read_sets(state: &State, sets: &[Vec<(u32, u32)>]) -> Result<Vec<Arc<NodeSet>>, ImageError> {
    let all = state.nodes.all();
    let mut bytes = 0;
    let mut read = Vec::with_capacity(sets.len());
    for runs in sets {
        let mut set = NodeSet::new();
        for &(first, more) in runs {
            let dangling = ImageError::Dangling {
                what: "set",
                place: first,
            };
            let last = first.checked_add(more).ok_or_else(|| dangling.clone())?;
            if !all.has_range(first..=last) {
                return Err(dangling);
            }
            // A block of 65,536 ids takes two bytes per id, at most 8 KiB.
            bytes += 64 + (2 * (u64::from(more) + 1)).min(8192 * (2 + u64::from(more >> 16)));
            if bytes > SET_BYTES_MAX {
                return Err(ImageError::TooLarge);
            }
            set.insert_range(first..=last);
        }
        read.push(Arc::new(set));
    }
    Ok(read)
}

/// Restores the former states of the default session. Times are counted anew from 0, one for each past.
///
/// `pasts`: how many there are, and whether the last is the present one.
fn remember(
    state: &mut State,
    rows: &[NodeImage],
    (pasts, last_is_present): (u32, bool),
) -> Result<(), ImageError> {
    // Each past is used by a job.
    if u64::from(pasts) > state.spaces.len() {
        return Err(ImageError::TooLarge);
    }
    let now = u64::from(pasts) - u64::from(last_is_present && pasts > 0);
    state.nodes.times.begin_at(now);
    for row in rows {
        let id = id_of(row.id);
        let here = state.nodes.pool_up().contains(id);
        let mut free = 0;
        let mut since = now;
        for &(first, end) in &row.pasts {
            if first < free || first >= end || end > pasts {
                return Err(ImageError::Dangling {
                    what: "past",
                    place: first,
                });
            }
            free = end + 1;
            if here && end == pasts {
                since = u64::from(first);
            } else {
                state.nodes.add_span(id, u64::from(first), u64::from(end));
            }
        }
        if here {
            state.nodes.set_since(id, since);
        }
    }
    Ok(())
}

/// Jobs take their nodes. Jobs with the same set take it together, so that they form one run.
fn use_nodes(
    state: &mut State,
    uses: &[Option<Uses>],
    pasts: u32,
    sets: &[Arc<NodeSet>],
) -> Result<(), ImageError> {
    let mut pasts: Vec<Option<RunId>> = vec![None; pasts as usize];
    let mut users: Vec<Vec<NsId>> = vec![Vec::new(); sets.len()];
    for (uses, ns) in uses.iter().zip((0..).map(NsId::from_row)) {
        let dangling = |place| ImageError::Dangling {
            what: "uses",
            place,
        };
        match *uses {
            None => {}
            Some(Uses::Set(place)) => users
                .get_mut(place as usize)
                .ok_or_else(|| dangling(place))?
                .push(ns),
            Some(Uses::Past(place)) => {
                let run = pasts
                    .get_mut(place as usize)
                    .ok_or_else(|| dangling(place))?;
                match *run {
                    Some(run) => state.users.join(ns, run),
                    None => {
                        let extent = Extent::Session(u64::from(place));
                        *run = Some(state.users.open(ns, extent));
                    }
                }
                state.spaces.row[ns].run = *run;
            }
        }
    }
    for (time, run) in (0_u64..).zip(pasts) {
        // An image of ours has no past that no job uses.
        let run = run.ok_or(ImageError::TooLarge)?;
        state.nodes.times.restore(time, run);
    }
    for (set, jobs) in sets.iter().zip(users) {
        use_set(state, set, &jobs);
    }
    Ok(())
}

/// Jobs that use the same set take it.
fn use_set(state: &mut State, set: &Arc<NodeSet>, jobs: &[NsId]) {
    if let ([ns], true) = (jobs, set.len() <= LISTED_MAX) {
        let extent = Extent::Listed(Arc::clone(set));
        state.spaces.row[*ns].run = Some(state.users.open(*ns, extent));
        return;
    }
    let mut run = None;
    for &ns in jobs {
        let strange = foreign(state, ns, set);
        state.nodes.show(&strange);
        run = Some(match run {
            Some(run) => {
                state.users.join(ns, run);
                run
            }
            None => state.users.open(ns, Extent::Shared(Arc::clone(set))),
        });
        state.spaces.row[ns].run = run;
    }
}

/// The nodes that a job uses outside its reservations.
fn foreign(state: &State, ns: NsId, uses: &NodeSet) -> NodeSet {
    let mut strange = uses.clone();
    for session in &state.spaces.row[ns].sessions {
        if let Session::Reserved(alloc) = *session {
            strange.remove_all(&state.allocs.row[alloc].nodes);
        }
    }
    strange
}
