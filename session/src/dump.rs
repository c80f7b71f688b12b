//! A state from a dump. Rows of a dump name each other, those of an image point at places. Nothing in a dump is trusted.

use super::config::Config;
use super::dump_sets::{DumpSets, Said, Wrong};
use super::image::{Image, NodeImage, Uses};
use super::name::Name;
use super::rebuild::ImageError;
use super::rows::{AllocRow, NodeRow, NodeState, NsRow, PendingRow};
use super::state::{Dvm, State};
use super::tables::{Alloc, AllocId, NodeId, NsId, Process, Record, Request, Session, Space};
use std::collections::BTreeMap;
use stowplan_engine::id::Id;

/// All rows of a state, read back. Nodes join in the order of their rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    /// The live records.
    pub allocations: Vec<AllocRow>,
    /// Whether the DVM runs.
    pub dvm: Dvm,
    /// The namespaces.
    pub namespaces: Vec<NsRow>,
    /// The number the next request gets.
    pub next_request: u64,
    /// The number the next session gets.
    pub next_session_id: u32,
    /// The nodes.
    pub nodes: Vec<NodeRow>,
    /// The requests that wait.
    pub pending: Vec<PendingRow>,
    /// The scheduler.
    pub scheduler: Option<Name>,
}

/// Why a dump is no valid state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DumpError {
    /// A row names another that its table does not have.
    #[error("{name:?} is not there")]
    NotThere {
        /// The name.
        name: Name,
    },
    /// No `namespace:rank`.
    #[error("{text:?} is no process")]
    NoProcess {
        /// As given.
        text: String,
    },
    /// A namespace has none of `uses` and `uses_as`, both, or differences without `uses_as`.
    #[error(
        "namespace {name:?} needs either \"uses\" or \"uses_as\", and has both, none, or differences without \"uses_as\""
    )]
    Uses {
        /// The namespace.
        name: Name,
    },
    /// The nodes of a namespace are said by its own.
    #[error("\"uses_as\" {name:?} leads back to itself")]
    Circle {
        /// The namespace.
        name: Name,
    },
    /// The rows do not fit together.
    #[error(transparent)]
    Image(#[from] ImageError),
}

type Read<T> = Result<T, DumpError>;

impl State {
    /// All rows at once. Cost: the nodes that each job uses; to write them, serialise the state.
    #[must_use]
    pub fn dump(&self) -> Dump {
        let rows = self.rows();
        Dump {
            allocations: rows.allocations().collect(),
            dvm: self.dvm,
            namespaces: rows.namespaces().collect(),
            next_request: self.next_request,
            next_session_id: self.next_session,
            nodes: rows.nodes().collect(),
            pending: rows.pending().collect(),
            scheduler: rows.scheduler().cloned(),
        }
    }

    /// The state of a dump.
    ///
    /// # Errors
    /// [`DumpError`] when rows dangle, repeat or break an invariant: the result is a sound state or none.
    ///
    /// Cost: linear in the dump and in the sets of nodes that it stands for, and one judgement of all invariants.
    pub fn from_dump(config: Config, dump: &Dump) -> Result<Self, DumpError> {
        Ok(Self::from_image(config, image(dump)?)?)
    }
}

/// The id of each name in its table: its place.
struct Places<'d, I>(BTreeMap<&'d Name, I>);

impl<'d, I: Id> Places<'d, I> {
    fn of(names: impl Iterator<Item = &'d Name>) -> Self {
        Self(names.zip((0..).map(I::from_row)).collect())
    }
    fn find(&self, name: &Name) -> Read<I> {
        let not_there = || DumpError::NotThere { name: name.clone() };
        self.0.get(name).copied().ok_or_else(not_there)
    }
    fn maybe(&self, name: Option<&Name>) -> Read<Option<I>> {
        name.map(|name| self.find(name)).transpose()
    }
}

impl Places<'_, NsId> {
    fn process(&self, text: &str) -> Read<Process> {
        let parts = text
            .split_once(':')
            .and_then(|(ns, rank)| Some((ns, rank.parse().ok()?)));
        let no_process = || DumpError::NoProcess {
            text: text.to_owned(),
        };
        let (ns, rank) = parts.ok_or_else(no_process)?;
        let ns = self.find(&Name::new(ns))?;
        Ok(Process { ns, rank })
    }
}

fn image(dump: &Dump) -> Read<Image> {
    let allocs = Places::of(dump.allocations.iter().map(|row| &row.id));
    let spaces = Places::of(dump.namespaces.iter().map(|row| &row.name));
    let nodes = Places::of(dump.nodes.iter().map(|row| &row.name));
    let joined = (0..).zip(&dump.nodes).map(|(id, row)| {
        Ok(NodeImage {
            id,
            name: row.name.clone(),
            origin: row.origin,
            up: row.state == NodeState::Up,
            alloc: allocs.maybe(row.alloc.as_ref())?,
            pasts: Vec::new(),
        })
    });
    let joined: Vec<NodeImage> = joined.collect::<Read<_>>()?;
    let records = dump.allocations.iter().map(|row| alloc(row, &spaces));
    let said = dump.namespaces.iter().map(|row| said(row, &spaces, &nodes));
    let sets = DumpSets::of(&said.collect::<Read<Vec<Said>>>()?).map_err(|wrong| match wrong {
        Wrong::Circle(at) => DumpError::Circle {
            name: dump.namespaces[at].name.clone(),
        },
        Wrong::TooLarge => ImageError::TooLarge.into(),
    })?;
    let rows = dump.namespaces.iter().zip(sets.uses);
    let rows = rows.map(|(row, uses)| space(row, uses, &allocs, &spaces));
    let pending = dump.pending.iter().map(|row| request(row, &spaces));
    Ok(Image {
        dvm: dump.dvm,
        next_request: dump.next_request,
        next_session: dump.next_session_id,
        next_node: super::image::place(joined.len()),
        scheduler: spaces.maybe(dump.scheduler.as_ref())?,
        nodes: joined,
        allocs: records.collect::<Read<_>>()?,
        spaces: rows.collect::<Read<_>>()?,
        pending: pending.collect::<Read<_>>()?,
        pasts: 0,
        last_is_present: false,
        sets: sets.list,
    })
}

fn alloc(row: &AllocRow, spaces: &Places<'_, NsId>) -> Read<Alloc> {
    let requestor = row.requestor.as_ref();
    let roots = row.roots.iter().map(|name| spaces.find(name));
    Ok(Alloc {
        id: row.id.clone(),
        session: row.session_id,
        owner: row.owner.clone(),
        owner_live: row.owner_live,
        shared: row.shared,
        inheritance: row.inheritance,
        warn_timeout: row.warn_timeout,
        requestor: requestor.map(|to| spaces.process(to)).transpose()?,
        req_ns: spaces.maybe(row.req_ns.as_ref())?,
        req_id: row.req_id.clone(),
        lent: row.lent.iter().cloned().collect(),
        roots: roots.collect::<Read<_>>()?,
        ..Alloc::default()
    })
}

/// How the nodes of a namespace are said.
fn said(row: &NsRow, spaces: &Places<'_, NsId>, nodes: &Places<'_, NodeId>) -> Read<Said> {
    let places = |names: &[Name]| {
        let found = names.iter().map(|name| nodes.find(name).map(Id::number));
        found.collect::<Read<_>>()
    };
    let (also, without) = match (&row.uses, &row.uses_as) {
        (None, Some(_)) => (&row.uses_also, &row.uses_without),
        (Some(all), None) if row.uses_also.is_empty() && row.uses_without.is_empty() => {
            (all, &row.uses_without)
        }
        (Some(_), _) | (None, None) => {
            let name = row.name.clone();
            return Err(DumpError::Uses { name });
        }
    };
    Ok(Said {
        other: spaces.maybe(row.uses_as.as_ref())?.map(Id::number),
        also: places(also)?,
        without: places(without)?,
    })
}

fn space(
    row: &NsRow,
    uses: Option<u32>,
    allocs: &Places<'_, AllocId>,
    spaces: &Places<'_, NsId>,
) -> Read<(Space, Option<Uses>)> {
    let session = |id: &Name| match id.as_str() {
        "" => Ok(Session::Default),
        _ => allocs.find(id).map(Session::Reserved),
    };
    let space = Space {
        name: row.name.clone(),
        kind: row.kind,
        parent: spaces.maybe(row.parent.as_ref())?,
        live: row.live,
        sessions: row.sessions.iter().map(session).collect::<Read<_>>()?,
        ..Space::default()
    };
    Ok((space, uses.map(Uses::Set)))
}

fn request(row: &PendingRow, spaces: &Places<'_, NsId>) -> Read<(u64, Box<Request>)> {
    let record = row.alloc_id.clone().zip(row.session_id);
    let request = Request {
        from: spaces.process(&row.from)?,
        wanted: row.directive,
        record: record.map(|(id, session)| Record { id, session }),
        req_id: row.req_id.clone(),
        owner: row.owner.clone(),
        target: row.target.clone(),
        target_gone: row.target_gone,
        shared: row.shared,
        inheritance: row.inheritance,
        warn_timeout: row.warn_timeout,
    };
    Ok((row.request, Box::new(request)))
}
