//! A state from its image. Nothing in an image is trusted: it may come from a damaged or forged journal.

use super::check::{Broken, check};
use super::config::Config;
use super::id_set::id_of;
use super::image::{AllocImage, Image, NsImage, PendingImage, UsesImage, WantedImage};
use super::name::Name;
use super::state::State;
use super::tables::{
    Alloc, AllocId, Extent, LISTED_MAX, NodeSet, NsId, Process, Record, Request, RunId, Seats,
    Session, Sessions, Tie, Wanted,
};
use std::collections::BTreeMap;
use std::sync::Arc;
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

/// Rows by place.
struct Rows {
    allocs: Vec<AllocId>,
    spaces: Vec<NsId>,
}

fn at<T: Copy>(list: &[T], what: &'static str, place: u32) -> Result<T, ImageError> {
    list.get(place as usize)
        .copied()
        .ok_or(ImageError::Dangling { what, place })
}

impl State {
    /// Rebuilds the state of an image.
    ///
    /// # Errors
    /// [`ImageError`] when rows dangle, repeat or break an invariant: the result is a sound state or none.
    ///
    /// Cost: linear in the image, and one judgement of all invariants.
    pub fn from_image(config: Config, image: &Image) -> Result<Self, ImageError> {
        let mut state = Self::bare(config);
        state.dvm = image.dvm;
        state.next_request = image.next_request;
        state.next_session = image.next_session_id;
        let spaces = add_spaces(&mut state, image)?;
        let mut allocs = Vec::with_capacity(image.allocations.len());
        for record in &image.allocations {
            allocs.push(add_alloc(&mut state, &spaces, record)?);
        }
        let rows = Rows { allocs, spaces };
        state.scheduler = image
            .scheduler
            .map(|place| at(&rows.spaces, "scheduler", place))
            .transpose()?;
        add_nodes(&mut state, &rows, image)?;
        remember(&mut state, image)?;
        let sets = read_sets(&state, &image.sets)?;
        for (row, &ns) in image.namespaces.iter().zip(&rows.spaces) {
            sit(&mut state, &rows, row, ns)?;
        }
        use_nodes(&mut state, &rows, image, &sets)?;
        let by_session: BTreeMap<u32, AllocId> = rows
            .allocs
            .iter()
            .map(|&row| (state.allocs.row[row].session, row))
            .collect();
        for request in &image.pending {
            wait(&mut state, &rows, &by_session, request)?;
        }
        check(&state)?;
        Ok(state)
    }
}

fn add_spaces(state: &mut State, image: &Image) -> Result<Vec<NsId>, ImageError> {
    let mut spaces = Vec::with_capacity(image.namespaces.len());
    for row in &image.namespaces {
        if state.spaces.find(row.name.as_str()).is_some() {
            return Err(ImageError::Repeated {
                what: "namespace",
                name: row.name.clone(),
            });
        }
        let ns = state.spaces.add(row.name.as_str(), row.kind, None);
        state.spaces.row[ns].live = row.live;
        spaces.push(ns);
    }
    for (row, &ns) in image.namespaces.iter().zip(&spaces) {
        if let Some(place) = row.parent {
            let parent = at(&spaces, "parent", place)?;
            state.spaces.row[ns].parent = Some(parent);
            state.spaces.row[parent].children += 1;
        }
    }
    Ok(spaces)
}

fn add_alloc(
    state: &mut State,
    spaces: &[NsId],
    record: &AllocImage,
) -> Result<AllocId, ImageError> {
    if record.session_id == 0 || state.allocs.find(record.id.as_str()).is_some() {
        return Err(ImageError::Repeated {
            what: "allocation",
            name: record.id.clone(),
        });
    }
    let missing = || ImageError::Repeated {
        what: "owner",
        name: record.owner.clone(),
    };
    let owner = if record.owner_live {
        let live = state.spaces.find_live(record.owner.as_str());
        Some(live.ok_or_else(missing)?)
    } else {
        None
    };
    let process = |(place, rank)| at(spaces, "requestor", place).map(|ns| Process { ns, rank });
    let requestor = record.requestor.map(process).transpose()?;
    let req_ns = record
        .req_ns
        .map(|place| at(spaces, "request id", place))
        .transpose()?;
    let alloc = state.allocs.add(Alloc {
        id: record.id.clone(),
        session: record.session_id,
        owner,
        owner_name: record.owner.clone(),
        shared: record.shared,
        inheritance: record.inheritance,
        warn_timeout: record.warn_timeout,
        requestor,
        req_ns,
        req_id: record.req_id.clone(),
        ..Alloc::default()
    });
    tie_alloc(state, spaces, record, alloc)?;
    Ok(alloc)
}

/// Ties a record to every namespace it names.
fn tie_alloc(
    state: &mut State,
    spaces: &[NsId],
    record: &AllocImage,
    alloc: AllocId,
) -> Result<(), ImageError> {
    let row = &mut state.allocs.row[alloc];
    row.lent = record.lent.iter().cloned().collect();
    if let Some(owner) = row.owner {
        row.owners.insert(owner);
    }
    for &place in &record.roots {
        row.roots.insert(at(spaces, "root", place)?);
    }
    let (owner, holder, warned) = (row.owner, row.req_ns, row.requestor);
    let roots = row.roots.clone();
    let ties = owner.into_iter().map(|ns| (ns, Tie::Owns));
    let ties = ties.chain(roots.iter().map(|ns| (ns, Tie::Root)));
    let ties = ties.chain(warned.map(|to| (to.ns, Tie::Warned)));
    for (ns, tie) in ties.chain(holder.map(|ns| (ns, Tie::Holds))) {
        state.tie(ns, tie, alloc);
    }
    if let Some(id) = holder.zip(record.req_id.clone())
        && state.holders.insert(id, alloc).is_some()
    {
        return Err(ImageError::Repeated {
            what: "request id of",
            name: record.id.clone(),
        });
    }
    Ok(())
}

fn add_nodes(state: &mut State, rows: &Rows, image: &Image) -> Result<(), ImageError> {
    if image.next_node > NODES_MAX {
        return Err(ImageError::TooLarge);
    }
    let mut pool = NodeSet::new();
    let mut held: Vec<NodeSet> = vec![NodeSet::new(); rows.allocs.len()];
    for row in &image.nodes {
        let out_of_order = (row.id as usize) < state.nodes.next() || row.id >= image.next_node;
        if out_of_order || state.nodes.find(row.name.as_str()).is_some() {
            return Err(ImageError::Repeated {
                what: "node",
                name: row.name.clone(),
            });
        }
        state.nodes.skip_to(row.id as usize);
        let name = std::iter::once(row.name.as_str());
        state.nodes.add(name, row.origin, None);
        let id = id_of(row.id);
        if !row.up {
            state.nodes.set_down(id);
        }
        match row.alloc {
            None => {
                pool.insert(id);
            }
            Some(place) => {
                let alloc = at(&rows.allocs, "node", place)?;
                if state.allocs.row[alloc].shared {
                    pool.insert(id);
                }
                held[place as usize].insert(id);
            }
        }
    }
    state.nodes.skip_to(image.next_node as usize);
    for (nodes, &alloc) in held.into_iter().zip(&rows.allocs) {
        state.nodes.set_alloc(&nodes, Some(alloc));
        state.allocs.row[alloc].nodes = nodes;
    }
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
fn remember(state: &mut State, image: &Image) -> Result<(), ImageError> {
    // Each past is used by a job.
    if image.pasts as usize > image.namespaces.len() {
        return Err(ImageError::TooLarge);
    }
    let now = u64::from(image.pasts) - u64::from(image.last_is_present && image.pasts > 0);
    state.nodes.times.begin_at(now);
    for row in &image.nodes {
        let id = id_of(row.id);
        let here = state.nodes.pool_up().contains(id);
        let mut free = 0;
        let mut since = now;
        for &(first, end) in &row.pasts {
            if first < free || first >= end || end > image.pasts {
                return Err(ImageError::Dangling {
                    what: "past",
                    place: first,
                });
            }
            free = end + 1;
            if here && end == image.pasts {
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

/// A namespace takes its sessions.
fn sit(state: &mut State, rows: &Rows, row: &NsImage, ns: NsId) -> Result<(), ImageError> {
    let mut sessions = Sessions::new();
    for session in &row.sessions {
        sessions.push(match *session {
            None => Session::Default,
            Some(place) => Session::Reserved(at(&rows.allocs, "session", place)?),
        });
    }
    if row.live {
        for session in &sessions {
            if let Session::Reserved(alloc) = *session {
                state.allocs.row[alloc].owners.insert(ns);
            }
        }
    }
    state.spaces.row[ns].seats = Seats::new(sessions);
    Ok(())
}

/// Jobs take their nodes. Jobs with the same set take it together, so that they form one run.
fn use_nodes(
    state: &mut State,
    rows: &Rows,
    image: &Image,
    sets: &[Arc<NodeSet>],
) -> Result<(), ImageError> {
    let mut pasts: Vec<Option<RunId>> = vec![None; image.pasts as usize];
    let mut users: Vec<Vec<NsId>> = vec![Vec::new(); sets.len()];
    for (row, &ns) in image.namespaces.iter().zip(&rows.spaces) {
        let dangling = |place| ImageError::Dangling {
            what: "uses",
            place,
        };
        match row.uses {
            None => {}
            Some(UsesImage::Set(place)) => users
                .get_mut(place as usize)
                .ok_or_else(|| dangling(place))?
                .push(ns),
            Some(UsesImage::Past(place)) => {
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
    for session in state.spaces.row[ns].seats.list() {
        if let Session::Reserved(alloc) = *session {
            strange.remove_all(&state.allocs.row[alloc].nodes);
        }
    }
    strange
}

fn wait(
    state: &mut State,
    rows: &Rows,
    by_session: &BTreeMap<u32, AllocId>,
    row: &PendingImage,
) -> Result<(), ImageError> {
    let twice = || ImageError::Repeated {
        what: "request of",
        name: row.owner.clone(),
    };
    if state.pending.get(row.request).is_some() {
        return Err(twice());
    }
    let record = row.record.as_ref().map(|(id, session)| Record {
        row: by_session.get(session).copied(),
        session: *session,
        id: id.clone(),
    });
    let wanted = match (row.wanted, record) {
        (WantedImage::New, None) => Wanted::New,
        (WantedImage::Extend, Some(record)) => Wanted::Extend(record),
        (WantedImage::Reaquire, Some(record)) => Wanted::Reaquire(record),
        (WantedImage::New, Some(_)) | (WantedImage::Extend | WantedImage::Reaquire, None) => {
            return Err(twice());
        }
    };
    let target_ns = match &row.target {
        Some(target) if !row.target_gone => {
            Some(state.spaces.find_live(target.as_str()).ok_or_else(twice)?)
        }
        Some(_) | None => None,
    };
    let from = Process {
        ns: at(&rows.spaces, "requester", row.from.0)?,
        rank: row.from.1,
    };
    state.tie_request(from.ns, Tie::Asked, row.request);
    if let Some(target) = target_ns {
        state.tie_request(target, Tie::Target, row.request);
    }
    let request = Request {
        from,
        wanted,
        req_id: row.req_id.clone(),
        owner: row.owner.clone(),
        target: row.target.clone(),
        target_ns,
        shared: row.shared,
        inheritance: row.inheritance,
        warn_timeout: row.warn_timeout,
    };
    state.pending.add(row.request, Box::new(request));
    Ok(())
}
