//! A state from its image: the rows are put into the tables, and all that follows from them is made anew. Nothing in an image is
//! trusted: it may come from a damaged or forged journal.

use super::check::{Broken, check_read};
use super::config::Config;
use super::derived::Derived;
use super::id_set::id_of;
use super::image::{Image, NodeImage, Uses};
use super::name::Name;
use super::state::State;
use super::tables::{Extent, LISTED_MAX, Named, NodeSet, NsId, Session};
use std::borrow::Borrow;
use std::cell::Cell;
use std::collections::BTreeMap;
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
    #[error("{what} {name:?} is there twice or out of order")]
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
    pub fn from_image(config: Config, mut image: Image) -> Result<Self, ImageError> {
        within(&mut image)?;
        let mut state = Self::bare(config);
        state.dvm = image.dvm;
        state.next_request = image.next_request;
        state.next_session = image.next_session;
        state.scheduler = image.scheduler;
        let (spaces, uses): (Vec<_>, Vec<_>) = image.spaces.into_iter().unzip();
        put_all(&mut state.spaces, "namespace", spaces)?;
        put_all(&mut state.allocs, "allocation", image.allocs)?;
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
        check_read(&state)?;
        Ok(state)
    }
}

/// Whether the lists have all rows that are pointed at.
fn within(image: &mut Image) -> Result<(), ImageError> {
    let (spaces, allocs) = (image.spaces.len(), image.allocs.len());
    let dangling = Cell::new(None);
    let judge = |what, place: u32, rows: usize| {
        if place as usize >= rows {
            dangling.set(Some(ImageError::Dangling { what, place }));
        }
    };
    image.each_pointer(
        |what, ns| judge(what, ns.number(), spaces),
        |what, alloc| judge(what, alloc.number(), allocs),
    );
    dangling.take().map_or(Ok(()), Err)
}

/// Puts rows into a table that has none, so that they get the ids 0, 1, 2 …: those that rows point at.
fn put_all<I: Id, T: Default + Borrow<Name>>(
    table: &mut Named<I, T>,
    what: &'static str,
    rows: impl IntoIterator<Item = T>,
) -> Result<(), ImageError> {
    for row in rows {
        let name = row.borrow();
        if name.as_str().is_empty() || table.find(name.as_str()).is_some() {
            return Err(ImageError::repeated(what, name));
        }
        table.put(row);
    }
    Ok(())
}

fn add_nodes(state: &mut State, rows: &[NodeImage], next: u32) -> Result<(), ImageError> {
    if next > NODES_MAX {
        return Err(ImageError::TooLarge);
    }
    for row in rows {
        let out_of_order = (row.id as usize) < state.nodes.next() || row.id >= next;
        if out_of_order || state.nodes.find(row.name.as_str()).is_some() {
            return Err(ImageError::repeated("node", &row.name));
        }
        state.nodes.skip_to(row.id as usize);
        let name = std::iter::once(row.name.as_str());
        state.nodes.add(name, row.origin, row.alloc);
        if !row.up {
            state.nodes.set_down(id_of(row.id));
        }
    }
    state.nodes.skip_to(next as usize);
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

/// Jobs take their nodes. Jobs with the same nodes take them together, so that they form one run.
fn use_nodes(
    state: &mut State,
    uses: &[Option<Uses>],
    pasts: u32,
    sets: &[Arc<NodeSet>],
) -> Result<(), ImageError> {
    let mut users: BTreeMap<Uses, Vec<NsId>> = BTreeMap::new();
    for (uses, ns) in uses.iter().zip((0..).map(NsId::from_row)) {
        let jobs = uses.map(|uses| users.entry(uses).or_default());
        jobs.into_iter().for_each(|jobs| jobs.push(ns));
    }
    let used = users.range(..Uses::Set(0)).count() as u64;
    for (uses, jobs) in users {
        let dangling = |place| ImageError::Dangling {
            what: "uses",
            place,
        };
        let extent = match uses {
            Uses::Past(place) if place < pasts => Extent::Session(u64::from(place)),
            Uses::Past(place) => return Err(dangling(place)),
            Uses::Set(place) => {
                let set = sets.get(place as usize).ok_or_else(|| dangling(place))?;
                if jobs.len() == 1 && set.len() <= LISTED_MAX {
                    Extent::Listed(Arc::clone(set))
                } else {
                    for &ns in &jobs {
                        let strange = foreign(state, ns, set);
                        state.nodes.show(&strange);
                    }
                    Extent::Shared(Arc::clone(set))
                }
            }
        };
        let run = state.users.open(jobs[0], extent);
        for ns in jobs {
            state.users.join(ns, run);
            state.spaces.row[ns].run = Some(run);
        }
        if let Uses::Past(time) = uses {
            state.nodes.times.remember(u64::from(time), run);
        }
    }
    // An image of ours has no past that no job uses.
    if used == u64::from(pasts) {
        Ok(())
    } else {
        Err(ImageError::TooLarge)
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
