//! A state from a dump. Rows of a dump name each other, those of an image point at places. Nothing in a dump is trusted.

use super::config::Config;
use super::dump_sets::{DumpSets, Said, Wrong};
use super::image::{AllocImage, Image, NodeImage, NsImage, PendingImage, UsesImage};
use super::name::Name;
use super::rebuild::ImageError;
use super::rows::{AllocRow, NodeRow, NodeState, NsRow, PendingRow};
use super::state::{Dvm, State};
use std::collections::BTreeMap;

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
        Ok(Self::from_image(config, &image(dump)?)?)
    }
}

/// The place of each name in its table.
struct Places<'d>(BTreeMap<&'d Name, u32>);

impl<'d> Places<'d> {
    fn of(names: impl Iterator<Item = &'d Name>) -> Self {
        Self(names.zip(0..).collect())
    }
    fn find(&self, name: &Name) -> Read<u32> {
        let not_there = || DumpError::NotThere { name: name.clone() };
        self.0.get(name).copied().ok_or_else(not_there)
    }
    fn maybe(&self, name: Option<&Name>) -> Read<Option<u32>> {
        name.map(|name| self.find(name)).transpose()
    }
    fn process(&self, text: &str) -> Read<(u32, u32)> {
        let parts = text
            .split_once(':')
            .and_then(|(ns, rank)| Some((ns, rank.parse().ok()?)));
        let no_process = || DumpError::NoProcess {
            text: text.to_owned(),
        };
        let (ns, rank) = parts.ok_or_else(no_process)?;
        Ok((self.find(&Name::new(ns))?, rank))
    }
}

fn image(dump: &Dump) -> Read<Image> {
    let allocs = Places::of(dump.allocations.iter().map(|row| &row.id));
    let spaces = Places::of(dump.namespaces.iter().map(|row| &row.name));
    let nodes = Places::of(dump.nodes.iter().map(|row| &row.name));
    let rows = (0..).zip(&dump.nodes);
    let joined = rows.map(|(id, row)| {
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
    let namespaces = dump.namespaces.iter().zip(sets.uses);
    let namespaces = namespaces.map(|(row, uses)| namespace(row, uses, &allocs, &spaces));
    let pending = dump.pending.iter().map(|row| request(row, &spaces));
    Ok(Image {
        dvm: dump.dvm,
        next_request: dump.next_request,
        next_session_id: dump.next_session_id,
        next_node: super::image::place(joined.len()),
        scheduler: spaces.maybe(dump.scheduler.as_ref())?,
        nodes: joined,
        allocations: records.collect::<Read<_>>()?,
        namespaces: namespaces.collect::<Read<_>>()?,
        pending: pending.collect::<Read<_>>()?,
        pasts: 0,
        last_is_present: false,
        sets: sets.list,
    })
}

fn alloc(row: &AllocRow, spaces: &Places<'_>) -> Read<AllocImage> {
    let requestor = row.requestor.as_ref();
    let roots = row.roots.iter().map(|name| spaces.find(name));
    Ok(AllocImage {
        id: row.id.clone(),
        session_id: row.session_id,
        owner: row.owner.clone(),
        owner_live: row.owner_live,
        shared: row.shared,
        inheritance: row.inheritance,
        warn_timeout: row.warn_timeout,
        requestor: requestor.map(|to| spaces.process(to)).transpose()?,
        req_ns: spaces.maybe(row.req_ns.as_ref())?,
        req_id: row.req_id.clone(),
        lent: row.lent.clone(),
        roots: roots.collect::<Read<_>>()?,
    })
}

/// How the nodes of a namespace are said.
fn said(row: &NsRow, spaces: &Places<'_>, nodes: &Places<'_>) -> Read<Said> {
    let places = |names: &[Name]| {
        names
            .iter()
            .map(|name| nodes.find(name))
            .collect::<Read<_>>()
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
        other: spaces.maybe(row.uses_as.as_ref())?,
        also: places(also)?,
        without: places(without)?,
    })
}

fn namespace(
    row: &NsRow,
    uses: Option<u32>,
    allocs: &Places<'_>,
    spaces: &Places<'_>,
) -> Read<NsImage> {
    let session = |id: &Name| allocs.maybe(Some(id).filter(|id| !id.as_bytes().is_empty()));
    Ok(NsImage {
        name: row.name.clone(),
        kind: row.kind,
        parent: spaces.maybe(row.parent.as_ref())?,
        live: row.live,
        sessions: row.sessions.iter().map(session).collect::<Read<_>>()?,
        uses: uses.map(UsesImage::Set),
    })
}

fn request(row: &PendingRow, spaces: &Places<'_>) -> Read<PendingImage> {
    Ok(PendingImage {
        request: row.request,
        from: spaces.process(&row.from)?,
        wanted: row.directive,
        record: row.alloc_id.clone().zip(row.session_id),
        req_id: row.req_id.clone(),
        owner: row.owner.clone(),
        target: row.target.clone(),
        target_gone: row.target_gone,
        shared: row.shared,
        inheritance: row.inheritance,
        warn_timeout: row.warn_timeout,
    })
}
