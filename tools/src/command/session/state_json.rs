//! Writes the final state as JSON.

use super::state_uses::{Said, shortest};
use super::state_view::{View, directive};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use std::io::{self, BufWriter, Write};
use stowplan_answers::json_text;
use stowplan_answers::session_json::outcome_json::Named;
use stowplan_session::{AllocImage, Image, NodeImage, NsImage, PendingImage, State};
use stowplan_session::{Dvm, NodeOrigin};

/// The complete state as a JSON value; all keys are always present. A large state should rather be [written](Dump).
#[must_use]
pub fn to_json(state: &State) -> Json {
    serde_json::to_value(Dump::of(state, Named::All)).unwrap_or_default()
}

/// The complete state, written row by row: the nodes of a namespace are listed only while they are written. Keys ascend.
#[derive(Debug)]
pub struct Dump {
    image: Image,
    /// How the nodes of each namespace are said. Shape `[namespaces]`, or empty if all are named.
    said: Vec<Said>,
}

impl Dump {
    /// The dump of a state. With [`Named::First`], a large set of nodes that many namespaces use is named once. Cost: the image of the
    /// state.
    #[must_use]
    pub fn of(state: &State, which: Named) -> Self {
        let image = state.image();
        let said = match which {
            Named::All => Vec::new(),
            Named::First => shortest(&image),
        };
        Self { image, said }
    }
}

/// A line at the end: `final`, and other keys before and after it in alphabetical order.
#[derive(Debug, Serialize)]
pub struct FinalLine<'s> {
    /// The expected final state, if it differs.
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
        json_text::write(&mut out, self)?;
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
                image.namespaces.iter().enumerate().map(|(at, row)| {
                    let said = self.said.get(at).unwrap_or(&Said::Named);
                    Namespace {
                        view: &view,
                        row,
                        said,
                    }
                })
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
        map.serialize_entry("scheduler", &view.space_json(image.scheduler))?;
        map.end()
    }
}

/// A list whose items are made while they are written.
struct Each<F>(F);

impl<I: Iterator<Item: Serialize>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq((self.0)())
    }
}

/// A namespace, made while it is written.
struct Namespace<'v> {
    view: &'v View<'v>,
    row: &'v NsImage,
    said: &'v Said,
}

impl Serialize for Namespace<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { view, row, said } = self;
        let session = |at: &Option<u32>| {
            if at.is_none() {
                json!("")
            } else {
                view.alloc_id(*at)
            }
        };
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("kind", row.kind.name())?;
        map.serialize_entry("live", &row.live)?;
        map.serialize_entry("name", row.name.as_str())?;
        map.serialize_entry("parent", &view.space_json(row.parent))?;
        map.serialize_entry("sessions", &Each(|| row.sessions.iter().map(session)))?;
        match said {
            Said::Named => {
                let nodes = view.used(row);
                let names = || {
                    let nodes = nodes.iter();
                    nodes.map(|&at| view.image.nodes[at as usize].name.as_str())
                };
                map.serialize_entry("uses", &Each(names))?;
            }
            Said::As {
                other,
                also,
                without,
            } => {
                if !also.is_empty() {
                    map.serialize_entry("uses_also", &view.names(also))?;
                }
                map.serialize_entry("uses_as", view.space(*other))?;
                if !without.is_empty() {
                    map.serialize_entry("uses_without", &view.names(without))?;
                }
            }
        }
        map.end()
    }
}

impl View<'_> {
    fn space_json(&self, at: Option<u32>) -> Json {
        at.map_or(Json::Null, |at| json!(self.space(at)))
    }
    fn process(&self, (ns, rank): (u32, u32)) -> Json {
        json!(format!("{}:{rank}", self.space(ns)))
    }
    fn alloc_id(&self, at: Option<u32>) -> Json {
        at.map_or(Json::Null, |at| {
            json!(self.image.allocations[at as usize].id)
        })
    }

    fn node(&self, node: &NodeImage) -> Json {
        json!({
            "name": node.name,
            "origin": match node.origin { NodeOrigin::Startup => "startup", NodeOrigin::Granted => "granted" },
            "state": if node.up { "up" } else { "down" },
            "session": self.reserved(node).map_or("", |record| record.id.as_str()),
            "alloc": self.alloc_id(node.alloc),
        })
    }

    fn alloc(&self, at: usize, row: &AllocImage) -> Json {
        let roots: Vec<&str> = row.roots.iter().map(|&ns| self.space(ns)).collect();
        json!({
            "id": row.id,
            "session_id": row.session_id,
            "owner": row.owner,
            "owner_live": row.owner_live,
            "owners": self.owners[at],
            "roots": roots,
            "requestor": row.requestor.map_or(Json::Null, |to| self.process(to)),
            "req_id": row.req_id,
            "req_ns": self.space_json(row.req_ns),
            "shared": row.shared,
            "inheritance": row.inheritance.name(),
            "warn_timeout": row.warn_timeout,
            "nodes": self.held[at].0,
            "carved": self.held[at].1,
            "lent": row.lent,
        })
    }

    fn pending(&self, row: &PendingImage) -> Json {
        json!({
            "request": row.request,
            "from": self.process(row.from),
            "directive": directive(row.wanted),
            "alloc_id": row.record.as_ref().map(|record| &record.0),
            "session_id": row.record.as_ref().map(|record| record.1),
            "req_id": row.req_id,
            "owner": row.owner,
            "target": row.target,
            "target_gone": row.target_gone,
            "shared": row.shared,
            "inheritance": row.inheritance.map(stowplan_session::Inheritance::name),
            "warn_timeout": row.warn_timeout,
        })
    }
}
