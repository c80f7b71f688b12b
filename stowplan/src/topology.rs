//! The hardware of a node.

use crate::Error;
use crate::job::hardware::restricted;
use roaring::RoaringBitmap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::topologies::{Topologies, TopologyDraft, TopologyId};
use stowplan_engine::text::cursor::whole_ranges;
use stowplan_topo::TopoError;

/// The hardware of a node: packages, NUMA nodes, caches, cores, hardware threads. Cheap to clone. Two are equal if processes are placed
/// on them alike: that of a node of a saved plan equals the one that the plan was made with.
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
        self.hardware() == other.hardware()
    }
}

impl Eq for Topology {}

impl Hash for Topology {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hardware().hash(state);
    }
}

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

    /// Leaves these hardware threads alone, by OS number, as hwloc restricts a topology to a cpu set: other threads, and objects that
    /// lose all of theirs, are gone. Memory stays.
    ///
    /// # Errors
    /// `bad-cpu-list` for what is no list, or for a number that it does not have.
    ///
    /// Cost: linear in the objects.
    /// ```
    /// # use stowplan::Topology;
    /// let whole = Topology::parse("package:2 core:4 pu:1")?;
    /// assert_ne!(whole.restrict("0-3")?, whole);
    /// assert_eq!(whole.restrict("0-7")?, whole);
    /// assert_eq!(whole.restrict("8").unwrap_err().class(), "bad-cpu-list");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn restrict(&self, cpus: &str) -> Result<Self, Error> {
        let kept = os_cpus(cpus)?;
        let restricted = restricted(&self.draft, &kept).map_err(|why| {
            let sentence = format!("cpus {cpus}: {why}");
            Error::told("bad-cpu-list", &sentence)
        })?;
        Ok(Self {
            draft: Arc::new(restricted),
            named: self.named.clone(),
        })
    }

    /// A topology of a plan.
    pub(crate) fn of_table(topologies: &Topologies, id: TopologyId) -> Self {
        Self {
            draft: Arc::new(topologies.draft(id)),
            named: None,
        }
    }

    /// What places processes, which is also what a saved plan keeps. Network cards, cores that jobs do not get, hardware threads that
    /// may not be used and the maker are only shown.
    fn hardware(&self) -> impl Eq + Hash + '_ {
        let draft = &*self.draft;
        let places = (&draft.pus_os, &draft.objects, &draft.latency);
        (places, &draft.devices, &draft.gpus)
    }

    pub(crate) fn named(&self) -> Option<&str> {
        self.named.as_deref()
    }

    pub(crate) fn shared(&self) -> Arc<TopologyDraft> {
        Arc::clone(&self.draft)
    }
}

/// A list of cpus by OS number.
pub(crate) fn os_cpus(list: &str) -> Result<RoaringBitmap, Error> {
    let ranges = whole_ranges(list).ok_or_else(|| {
        let sentence = format!("cpus {list:?}: this is no list of OS numbers such as 0-3,7");
        Error::told("bad-cpu-list", &sentence)
    })?;
    let mut all = RoaringBitmap::new();
    for (first, last) in ranges {
        all.insert_range(first..=last);
    }
    Ok(all)
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
