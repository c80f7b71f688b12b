//! The slice of one node of a plan, which the node's daemon reads.

use crate::proc::{Cpus, Object};
use crate::{Error, Rank};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::slice;

/// One node of a plan, read from the bytes of [`Node::to_bytes`](crate::Node::to_bytes). It needs nothing else of the plan. Cheap
/// to clone.
///
/// ```
#[doc = include_str!("example.txt")]
/// let slice = stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?;
/// assert_eq!((slice.name(), slice.len(), slice.ranks()), ("b", 3, 6));
/// for proc in slice.procs() {
///     println!("start rank {} on cpus {}", proc.rank(), proc.cpus());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct NodeSlice {
    inner: Arc<slice::NodeSlice>,
}

impl NodeSlice {
    /// Reads a slice.
    ///
    /// # Errors
    /// `bad-plan` when the bytes are foreign, cut, damaged or of another version.
    /// ```
    /// assert_eq!(stowplan::NodeSlice::from_bytes(b"stow").unwrap_err().class(), "bad-plan");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let inner = slice::NodeSlice::from_bytes(bytes)?;
        Ok(Self {
            inner: Arc::new(inner),
        })
    }

    /// The node's name.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?.name(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Processes of the whole job.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?.ranks(), 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn ranks(&self) -> u32 {
        self.inner.ranks
    }

    /// Processes of the job on this node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?.len(), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.inner.procs.len()
    }

    /// Whether the job has no processes on this node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(!stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.inner.procs.is_empty()
    }

    /// One process, by its local rank.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(slice.proc(2).map(|proc| proc.rank()), Some(Rank::new(5)));
    /// assert!(slice.proc(3).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn proc(&self, local_rank: u32) -> Option<SliceProc<'_>> {
        let slice = &*self.inner;
        let at = local_rank.checked_sub(slice.procs.first()?.local_rank)?;
        let proc = *slice.procs.get(at as usize)?;
        Some(SliceProc { slice, proc })
    }

    /// The job's processes on this node, by local rank.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let slice = stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?;
    /// let ranks: Vec<u32> = slice.procs().map(|proc| proc.rank().into()).collect();
    /// assert_eq!(ranks, [3, 4, 5]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn procs(&self) -> impl ExactSizeIterator<Item = SliceProc<'_>> + DoubleEndedIterator {
        let slice = &*self.inner;
        slice
            .procs
            .iter()
            .map(move |&proc| SliceProc { slice, proc })
    }
}

impl fmt::Debug for NodeSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeSlice({:?}, {} processes)", self.name(), self.len())
    }
}

impl PartialEq for NodeSlice {
    fn eq(&self, other: &Self) -> bool {
        self.inner == other.inner
    }
}

impl Eq for NodeSlice {}

impl Hash for NodeSlice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
        self.len().hash(state);
    }
}

/// One process of a node, as the node's daemon starts it. It has everything that a [`Proc`](crate::Proc) has, except the node. Two
/// are equal if they have the same rank in equal slices.
///
/// ```
#[doc = include_str!("example.txt")]
/// let slice = stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?;
/// let last = slice.procs().next_back().ok_or("three are here")?;
/// assert_eq!((last.rank(), last.app(), last.app_rank()), (Rank::new(5), 1, 1));
/// assert_eq!((last.local_rank(), last.node_rank()), (2, 2));
/// assert_eq!((last.object(), last.cpus()), (proc.object(), proc.cpus()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct SliceProc<'s> {
    slice: &'s slice::NodeSlice,
    proc: slice::LocalProc,
}

impl PartialEq for SliceProc<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank() && self.slice == other.slice
    }
}

impl Eq for SliceProc<'_> {}

impl Hash for SliceProc<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
    }
}

impl<'s> SliceProc<'s> {
    /// Its rank in the job.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.rank(), Rank::new(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn rank(&self) -> Rank {
        Rank::new(self.proc.rank.0)
    }

    /// The number of its app.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.app(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn app(&self) -> u32 {
        u32::try_from(self.proc.app.row()).unwrap_or(u32::MAX)
    }

    /// Its rank in the app.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.app_rank(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn app_rank(&self) -> u32 {
        self.proc.app_rank
    }

    /// Its number on this node among the job's processes.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.local_rank(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn local_rank(&self) -> u32 {
        self.proc.local_rank
    }

    /// Its number on this node among the processes of all jobs.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.node_rank(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn node_rank(&self) -> u32 {
        self.proc.node_rank
    }

    /// The object it was mapped to. `None` if it was not mapped to an object.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.object().map(|object| object.to_string()), Some("core:2".to_owned()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn object(&self) -> Option<Object> {
        self.proc.object.map(Object::from)
    }

    /// The cpus it is bound to, by OS number. Empty when it is unbound.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert_eq!(here.cpus().to_string(), "2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpus(&self) -> Cpus<'s> {
        let set = self.proc.cpus;
        Cpus::new(set.map(|id| &self.slice.cpusets[id as usize]))
    }

    /// The GPUs it is given, ascending, by the numbers that `CUDA_VISIBLE_DEVICES` and similar variables take.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert!(here.gpus().is_empty(), "its node has none");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gpus(&self) -> &'s [u32] {
        let set = self.proc.gpus;
        set.map_or(&[], |row| &self.slice.gpus[row as usize])
    }

    /// The names of the network cards that it is mapped to, in the order of the map.
    /// ```
    #[doc = include_str!("slice_example.txt")]
    /// assert!(here.nics().is_empty(), "it is not mapped by network card");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nics(&self) -> &'s [String] {
        let set = self.proc.nics;
        set.map_or(&[], |row| &self.slice.nics[row as usize])
    }
}

impl fmt::Debug for SliceProc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SliceProc({})", self.rank())
    }
}
