//! The final state as JSON, and back.

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use std::io::{self, BufWriter, Write};
use stowplan_engine::session::{
    AllocImage, Image, NodeImage, NsImage, PendingImage, State, UsesImage, WantedImage,
};
use stowplan_engine::session::{Dvm, NodeOrigin};

/// The complete state as a value; every key is always there. What may be large is better [written](Dump).
#[must_use]
pub fn to_json(state: &State) -> Json {
    serde_json::to_value(Dump::of(state)).unwrap_or_default()
}

/// The complete state, written row by row: a namespace's nodes stand nowhere but on their way out. Keys ascend.
#[derive(Debug)]
pub struct Dump {
    image: Image,
}

impl Dump {
    /// Of this state. Cost: its image.
    #[must_use]
    pub fn of(state: &State) -> Self {
        let image = state.image();
        Self { image }
    }
}

/// A line of the end: keys beside `final`, which stands between those before it and those behind it.
#[derive(Debug, Serialize)]
pub struct FinalLine<'s> {
    /// What was expected instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<&'s serde_json::Map<String, Json>>,
    /// The state.
    #[serde(rename = "final")]
    pub last: Dump,
    /// The scenario; a journal has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<&'s str>,
}

impl FinalLine<'_> {
    /// Writes the line. Memory: a row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BLOCK, out);
        serde_json::to_writer(&mut out, self).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

/// Bytes that are gathered before they are written.
const BLOCK: usize = 1 << 16;

impl Serialize for Dump {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let image = &self.image;
        let view = View::new(image);
        let mut map = to.serialize_map(Some(8))?;
        let allocations = image.allocations.iter().enumerate();
        map.serialize_entry(
            "allocations",
            &Each(|| allocations.clone().map(|(at, row)| view.alloc(at, row))),
        )?;
        let dvm = match image.dvm {
            Dvm::Up => "up",
            Dvm::Down => "down",
        };
        map.serialize_entry("dvm", dvm)?;
        map.serialize_entry(
            "namespaces",
            &Each(|| {
                image
                    .namespaces
                    .iter()
                    .map(|row| Namespace { view: &view, row })
            }),
        )?;
        map.serialize_entry("next_request", &image.next_request)?;
        map.serialize_entry("next_session_id", &image.next_session_id)?;
        let nodes = || {
            view.sorted
                .iter()
                .map(|&at| view.node(&image.nodes[at as usize]))
        };
        map.serialize_entry("nodes", &Each(nodes))?;
        map.serialize_entry(
            "pending",
            &Each(|| image.pending.iter().map(|row| view.pending(row))),
        )?;
        map.serialize_entry("scheduler", &view.space(image.scheduler))?;
        map.end()
    }
}

/// A list whose items are made on their way out.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// A namespace on its way out.
struct Namespace<'v> {
    view: &'v View<'v>,
    row: &'v NsImage,
}

impl Serialize for Namespace<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { view, row } = self;
        let session = |at: &Option<u32>| {
            if at.is_none() {
                json!("")
            } else {
                view.alloc_id(*at)
            }
        };
        let mut map = to.serialize_map(Some(6))?;
        map.serialize_entry("kind", row.kind.name())?;
        map.serialize_entry("live", &row.live)?;
        map.serialize_entry("name", row.name.as_str())?;
        map.serialize_entry("parent", &view.space(row.parent))?;
        map.serialize_entry("sessions", &Each(|| row.sessions.iter().map(session)))?;
        let nodes = view.used(row);
        let names = || {
            nodes
                .iter()
                .map(|&at| view.image.nodes[at as usize].name.as_str())
        };
        map.serialize_entry("uses", &Each(names))?;
        map.end()
    }
}

/// An image with what its rows say of each other.
struct View<'i> {
    image: &'i Image,
    /// Ids of nodes, ascending.
    ids: Vec<u32>,
    /// Nodes by name: rows of the image.
    sorted: Vec<u32>,
    /// The place of each node among those. Shape `[nodes]`.
    place: Vec<u32>,
    /// Per allocation: names of all nodes, and of those of startup origin.
    held: Vec<(Vec<&'i str>, Vec<&'i str>)>,
    /// Per allocation: names of the owners.
    owners: Vec<Vec<&'i str>>,
}

impl<'i> View<'i> {
    fn new(image: &'i Image) -> Self {
        let mut held = vec![(Vec::new(), Vec::new()); image.allocations.len()];
        for node in &image.nodes {
            if let Some(at) = node.alloc {
                let (all, carved) = &mut held[at as usize];
                all.push(node.name.as_str());
                if node.origin == NodeOrigin::Startup {
                    carved.push(node.name.as_str());
                }
            }
        }
        for (all, carved) in &mut held {
            all.sort_unstable();
            carved.sort_unstable();
        }
        let mut owners = vec![Vec::new(); image.allocations.len()];
        for (at, row) in image.allocations.iter().enumerate() {
            if row.owner_live {
                owners[at].push(row.owner.as_str());
            }
        }
        for row in image.namespaces.iter().filter(|row| row.live) {
            for at in row.sessions.iter().flatten() {
                owners[*at as usize].push(row.name.as_str());
            }
        }
        for list in &mut owners {
            list.sort_unstable();
            list.dedup();
        }
        let mut sorted: Vec<u32> = (0..).zip(&image.nodes).map(|(at, _)| at).collect();
        sorted.sort_by(|&a, &b| {
            image.nodes[a as usize]
                .name
                .cmp(&image.nodes[b as usize].name)
        });
        let mut place = vec![0; sorted.len()];
        for (at, &node) in (0..).zip(&sorted) {
            place[node as usize] = at;
        }
        Self {
            image,
            ids: image.nodes.iter().map(|node| node.id).collect(),
            sorted,
            place,
            held,
            owners,
        }
    }

    fn space(&self, at: Option<u32>) -> Json {
        at.map_or(Json::Null, |at| {
            json!(self.image.namespaces[at as usize].name)
        })
    }
    fn process(&self, (ns, rank): (u32, u32)) -> Json {
        json!(format!(
            "{}:{rank}",
            self.image.namespaces[ns as usize].name
        ))
    }
    fn alloc_id(&self, at: Option<u32>) -> Json {
        at.map_or(Json::Null, |at| {
            json!(self.image.allocations[at as usize].id)
        })
    }

    fn node(&self, node: &NodeImage) -> Json {
        let reserved = node
            .alloc
            .filter(|&at| !self.image.allocations[at as usize].shared);
        json!({
            "name": node.name,
            "origin": match node.origin { NodeOrigin::Startup => "startup", NodeOrigin::Granted => "granted" },
            "state": if node.up { "up" } else { "down" },
            "session": if reserved.is_some() { self.alloc_id(reserved) } else { json!("") },
            "alloc": self.alloc_id(node.alloc),
        })
    }

    fn alloc(&self, at: usize, row: &AllocImage) -> Json {
        let roots: Vec<&str> = row
            .roots
            .iter()
            .map(|&ns| self.image.namespaces[ns as usize].name.as_str())
            .collect();
        json!({
            "id": row.id,
            "session_id": row.session_id,
            "owner": row.owner,
            "owner_live": row.owner_live,
            "owners": self.owners[at],
            "roots": roots,
            "requestor": row.requestor.map_or(Json::Null, |to| self.process(to)),
            "req_id": row.req_id,
            "req_ns": self.space(row.req_ns),
            "shared": row.shared,
            "inheritance": row.inheritance.name(),
            "warn_timeout": row.warn_timeout,
            "nodes": self.held[at].0,
            "carved": self.held[at].1,
            "lent": row.lent,
        })
    }

    /// The nodes that a namespace uses, by name. Cost: those nodes, sorted; all nodes where it uses many of them, or a
    /// former state of the default session.
    fn used(&self, row: &NsImage) -> Vec<u32> {
        let image = self.image;
        let runs = match row.uses {
            None => return Vec::new(),
            Some(UsesImage::Past(at)) => {
                let had = |node: &&u32| {
                    let spans = &image.nodes[**node as usize].pasts;
                    let behind = spans.partition_point(|&(first, _)| first <= at);
                    behind > 0 && at < spans[behind - 1].1
                };
                return self.sorted.iter().filter(had).copied().collect();
            }
            Some(UsesImage::Set(at)) => image.sets.get(at as usize).map_or(&[][..], Vec::as_slice),
        };
        let mut rows = Vec::new();
        for &(first, more) in runs {
            // Ids of a run are all there, one after the other.
            if let Ok(at) = self.ids.binary_search(&first) {
                rows.push(at..=at + more as usize);
            }
        }
        let many = rows
            .iter()
            .map(|rows| rows.end() - rows.start() + 1)
            .sum::<usize>();
        if many.saturating_mul(8) < self.sorted.len() {
            let places = rows.into_iter().flatten().map(|node| self.place[node]);
            let mut places: Vec<u32> = places.collect();
            places.sort_unstable();
            return places.iter().map(|&at| self.sorted[at as usize]).collect();
        }
        let mut used = vec![false; self.sorted.len()];
        rows.into_iter().for_each(|rows| used[rows].fill(true));
        let used = self.sorted.iter().filter(|&&node| used[node as usize]);
        used.copied().collect()
    }

    fn pending(&self, row: &PendingImage) -> Json {
        let directive = match row.wanted {
            WantedImage::New => "PMIX_ALLOC_NEW",
            WantedImage::Extend => "PMIX_ALLOC_EXTEND",
            WantedImage::Reaquire => "PMIX_ALLOC_REAQUIRE",
        };
        json!({
            "request": row.request,
            "from": self.process(row.from),
            "directive": directive,
            "alloc_id": row.record.as_ref().map(|record| &record.0),
            "session_id": row.record.as_ref().map(|record| record.1),
            "req_id": row.req_id,
            "owner": row.owner,
            "target": row.target,
            "target_gone": row.target_gone,
            "shared": row.shared,
            "inheritance": row.inheritance.map(stowplan_engine::session::Inheritance::name),
            "warn_timeout": row.warn_timeout,
        })
    }
}
