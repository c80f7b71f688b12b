//! The hardware of a node.

use crate::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{Topologies, TopologyDraft, TopologyId};
use stowplan_topo::TopoError;

/// The hardware of a node: packages, NUMA nodes, caches, cores, hardware threads. Cheap to clone.
///
/// ```
/// use stowplan::Topology;
/// let described = Topology::parse("package:2 core:8 pu:2")?;
/// let named: Topology = "builtin:frontier".parse()?;
/// assert_ne!(described, named);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone)]
pub struct Topology {
    draft: Arc<TopologyDraft>,
    /// The text that named it, for a named machine: its site's settings go with the name.
    named: Option<Arc<str>>,
}

impl PartialEq for Topology {
    fn eq(&self, other: &Self) -> bool {
        self.draft == other.draft
    }
}

impl Eq for Topology {}

impl Topology {
    /// Reads a topology: the contents of an hwloc XML file, a synthetic description, or `builtin:NAME`.
    ///
    /// # Errors
    /// `bad-topology`, with what is wrong and where.
    ///
    /// Cost: linear in the text and in the objects.
    /// ```
    /// use stowplan::Topology;
    /// assert!(Topology::parse("package:2 core:8 pu:2(indexes=2*16:1*2)").is_ok());
    /// assert_eq!(Topology::parse("<topology/>").unwrap_err().class(), "bad-topology");
    /// assert_eq!(Topology::parse("/etc/topology.xml").unwrap_err().class(), "bad-topology");
    /// ```
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut draft = if text.trim_start().starts_with('<') {
            stowplan_topo::xml::parse(text.as_bytes())?
        } else {
            stowplan_topo::read(text, &|_| Err("files are not opened here".to_owned()))?
        };
        // Placement does not use network cards, and plans do not hold them.
        draft.nics = Vec::new();
        Topologies::default()
            .add(draft.clone(), &mut Cpusets::default())
            .map_err(|source| TopoError::Unsound {
                file: String::new(),
                source,
            })?;
        Ok(Self {
            draft: Arc::new(draft),
            named: text.starts_with("builtin:").then(|| text.into()),
        })
    }

    /// A topology of a plan.
    pub(crate) fn of_table(topologies: &Topologies, id: TopologyId) -> Self {
        Self {
            draft: Arc::new(topologies.draft(id)),
            named: None,
        }
    }

    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    pub(crate) fn draft(&self) -> TopologyDraft {
        (*self.draft).clone()
    }
}

impl FromStr for Topology {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        Self::parse(text)
    }
}

impl fmt::Debug for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pus = self.draft.pus_os.len();
        write!(f, "Topology({pus} hardware threads)")
    }
}
