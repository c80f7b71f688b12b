//! The final state as JSON, and back.

use serde_json::{Value as Json, json};
use stowplan_engine::session::{
    AllocImage, Image, NodeImage, NsImage, PendingImage, State, WantedImage,
};
use stowplan_engine::session::{Dvm, Origin};

/// The complete state; every key is always there.
#[must_use]
pub fn to_json(state: &State) -> Json {
    let image = state.image();
    let mut nodes: Vec<&NodeImage> = image.nodes.iter().collect();
    nodes.sort_by(|a, b| a.name.cmp(&b.name));
    let view = View::new(&image);
    json!({
        "dvm": match image.dvm { Dvm::Up => "up", Dvm::Down => "down" },
        "scheduler": view.space(image.scheduler),
        "next_request": image.next_request,
        "next_session_id": image.next_session_id,
        "nodes": nodes.iter().map(|node| view.node(node)).collect::<Vec<_>>(),
        "allocations": image.allocations.iter().enumerate().map(|(at, row)| view.alloc(at, row)).collect::<Vec<_>>(),
        "namespaces": image.namespaces.iter().map(|row| view.namespace(row)).collect::<Vec<_>>(),
        "pending": image.pending.iter().map(|row| view.pending(row)).collect::<Vec<_>>(),
    })
}

/// An image with what its rows say of each other.
struct View<'i> {
    image: &'i Image,
    /// Names of nodes by id; ids ascend.
    ids: Vec<u32>,
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
                if node.origin == Origin::Startup {
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
        Self {
            image,
            ids: image.nodes.iter().map(|node| node.id).collect(),
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
            "origin": match node.origin { Origin::Startup => "startup", Origin::Granted => "granted" },
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

    fn namespace(&self, row: &NsImage) -> Json {
        let session = |at: &Option<u32>| {
            if at.is_none() {
                json!("")
            } else {
                self.alloc_id(*at)
            }
        };
        json!({
            "name": row.name,
            "kind": row.kind.name(),
            "parent": self.space(row.parent),
            "live": row.live,
            "sessions": row.sessions.iter().map(session).collect::<Vec<_>>(),
            "uses": self.names(&self.image.uses(row)),
        })
    }

    fn names(&self, runs: &[(u32, u32)]) -> Vec<&'i str> {
        let mut names = Vec::new();
        for &(first, more) in runs {
            // Ids of a run are all there, one after the other.
            if let Ok(at) = self.ids.binary_search(&first) {
                names.extend(
                    self.image.nodes[at..=at + more as usize]
                        .iter()
                        .map(|node| node.name.as_str()),
                );
            }
        }
        names.sort_unstable();
        names
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
