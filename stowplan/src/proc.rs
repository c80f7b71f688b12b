//! Processes of a plan.

use crate::{Node, ObjKind, Plan, Rank};
use roaring::RoaringBitmap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::FusedIterator;
use std::ops::Range;
use stowplan_engine::count;
use stowplan_engine::plan::ProcPlace;
use stowplan_engine::table::cpusets::list_form;

/// One process of a plan. Two are equal if they have the same rank in equal plans; a comparison costs as much as one of the plans.
///
/// ```
/// # use stowplan::{Job, Machine, Plan, Rank, Topology};
/// let machine = Machine::uniform(Topology::parse("package:2 core:2 pu:2")?);
/// let job = Job::from_command_line("-n 3 -H a:4 --map-by core --bind-to core ./x".split(' '))?;
/// let plan = Plan::new(&job, &machine)?;
/// let proc = plan.proc(Rank::new(2)).ok_or("three ranks")?;
/// assert_eq!(u32::from(proc.rank()), 2);
/// assert_eq!((proc.app(), proc.app_rank(), proc.local_rank(), proc.node_rank()), (0, 2, 2, 2));
/// assert_eq!(proc.object().map(|object| object.to_string()), Some("core:2".to_owned()));
/// assert_eq!(proc.cpus().iter().collect::<Vec<u32>>(), [4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Proc<'p> {
    plan: &'p Plan,
    place: ProcPlace,
}

impl<'p> Proc<'p> {
    pub(crate) const fn new(plan: &'p Plan, place: ProcPlace) -> Self {
        Self { plan, place }
    }

    /// Its rank in the job.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.rank(), Rank::new(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn rank(&self) -> Rank {
        Rank::new(self.place.rank.0)
    }

    /// The number of its app.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.app(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn app(&self) -> u32 {
        self.plan.inner().resolved_apps().number(self.place.app)
    }

    /// Its rank in the app.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.app_rank(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn app_rank(&self) -> u32 {
        self.place.app_rank
    }

    /// Its number on the node among the job's processes, in placement order.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.local_rank(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn local_rank(&self) -> u32 {
        self.place.local_rank
    }

    /// Its number on the node among the processes of all jobs.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.node_rank(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn node_rank(&self) -> u32 {
        self.place.node_rank
    }

    /// Its node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.node().name(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn node(&self) -> Node<'p> {
        Node::new(self.plan, self.place.node)
    }

    /// The object it was mapped to. `None` if it was not mapped to an object.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.object().ok_or("mapped by core")?.to_string(), "core:2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn object(&self) -> Option<Object> {
        self.place.object.map(Object::from)
    }

    /// The cpus it is bound to, by OS number. Empty when it is unbound.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.cpus().to_string(), "2");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn cpus(&self) -> Cpus<'p> {
        let cpusets = &self.plan.inner().world().cpusets;
        Cpus::new(self.place.cpus.map(|id| cpusets.get(id)))
    }

    /// The GPUs it is given, ascending, by the numbers that `CUDA_VISIBLE_DEVICES` and similar variables take. Empty when its node
    /// has no GPUs, when no GPU is near it, or when none was asked for.
    ///
    /// Cost: two searches. The first call also deals the GPUs of all processes, in time that grows with the distinct nodes.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// let machine = Machine::uniform(Topology::parse("builtin:frontier")?);
    /// let job = Job::from_command_line("-n 8 -H a:8 --map-by gpu ./x".split(' '))?;
    /// let plan = Plan::new(&job, &machine)?;
    /// assert_eq!(plan.proc(Rank::new(0)).map(|proc| proc.gpus().to_vec()), Some(vec![4]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn gpus(&self) -> &'p [u32] {
        let given = self.plan.given_gpus();
        given.of(self.place.node, self.place.local_rank)
    }

    /// The names of the network cards that it is mapped to, in the order of the map: by `--map-by device=network`, or by the name of
    /// a card. Empty under other maps.
    ///
    /// Cost: two searches. The first call also looks at the devices of each topology.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// let job = "-n 2 -H a:4 --devices nic=package --map-by device=network ./x";
    /// let job = Job::from_command_line(job.split(' '))?;
    /// let plan = Plan::new(&job, &Machine::uniform(Topology::parse("package:2 core:2 pu:1")?))?;
    /// assert_eq!(plan.proc(Rank::new(1)).map(|proc| proc.nics()), Some(&["nic1".to_owned()][..]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn nics(&self) -> &'p [String] {
        self.plan.inner().nics().of(&self.place)
    }
}

impl PartialEq for Proc<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank() && self.plan == other.plan
    }
}

impl Eq for Proc<'_> {}

impl Hash for Proc<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
    }
}

impl fmt::Debug for Proc<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Proc({} on {})", self.rank(), self.node().name())
    }
}

/// The object that a process was mapped to: a kind, and its number on the node.
///
/// ```
#[doc = include_str!("example.txt")]
/// let object = proc.object().ok_or("mapped by core")?;
/// assert_eq!((object.kind(), object.index()), (stowplan::ObjKind::Core, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Object {
    kind: ObjKind,
    index: u32,
}

impl Object {
    /// Its kind.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.object().map(|object| object.kind().word()), Some("core"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn kind(&self) -> ObjKind {
        self.kind
    }

    /// Its logical number on the node.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.object().map(|object| object.index()), Some(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.index
    }
}

impl From<(ObjKind, u32)> for Object {
    fn from((kind, index): (ObjKind, u32)) -> Self {
        Self { kind, index }
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.kind.word(), self.index)
    }
}

/// Cpus by OS number; as text `0-3,128`, and `""` for none.
///
/// ```
#[doc = include_str!("example.txt")]
/// let cpus = proc.cpus();
/// assert_eq!((cpus.len(), cpus.is_empty(), cpus.to_string()), (1, false, "2".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Cpus<'p> {
    set: Option<&'p RoaringBitmap>,
}

impl<'p> Cpus<'p> {
    pub(crate) fn new(set: Option<&'p RoaringBitmap>) -> Self {
        Self {
            set: set.filter(|set| !set.is_empty()),
        }
    }

    /// The OS numbers, ascending.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.cpus().iter().collect::<Vec<u32>>(), [2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = u32> + use<'p> {
        self.set.into_iter().flatten()
    }

    /// How many cpus there are.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.cpus().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        let len = self.set.map_or(0, RoaringBitmap::len);
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    /// Whether there are no cpus: the process is unbound.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert!(!proc.cpus().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.set.is_none()
    }

    /// The text that `Display` writes, in one allocation.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.cpus().list(), proc.cpus().to_string());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn list(&self) -> String {
        self.set.map(list_form).unwrap_or_default()
    }
}

// The numbers of a set equal themselves.
impl Eq for Cpus<'_> {}

impl Hash for Cpus<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|cpu| cpu.hash(state));
    }
}

impl<'p> IntoIterator for Cpus<'p> {
    type Item = u32;
    type IntoIter = Box<dyn Iterator<Item = u32> + Send + 'p>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

impl fmt::Display for Cpus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.set {
            None => Ok(()),
            Some(set) => f.write_str(&list_form(set)),
        }
    }
}

impl fmt::Debug for Cpus<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cpus({self})")
    }
}

/// The processes of a plan, by rank.
///
/// ```
#[doc = include_str!("example.txt")]
/// assert_eq!(plan.procs().len(), plan.len());
/// assert_eq!(plan.procs().next_back().map(|proc| proc.rank()), Some(Rank::new(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Procs<'p> {
    plan: &'p Plan,
    left: Range<u32>,
}

impl<'p> Procs<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            left: 0..plan.inner().ranks(),
        }
    }
}

impl<'p> Iterator for Procs<'p> {
    type Item = Proc<'p>;

    fn next(&mut self) -> Option<Proc<'p>> {
        self.plan.proc(Rank::new(self.left.next()?))
    }

    fn nth(&mut self, n: usize) -> Option<Proc<'p>> {
        self.plan.proc(Rank::new(self.left.nth(n)?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for Procs<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.plan.proc(Rank::new(self.left.next_back()?))
    }
}

impl ExactSizeIterator for Procs<'_> {}
impl FusedIterator for Procs<'_> {}

impl fmt::Debug for Procs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Procs({:?})", self.left)
    }
}

impl<'p> Node<'p> {
    /// The job's processes on this node, by local rank. Cost: linear in their number.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let cpus: Vec<String> = proc.node().procs().map(|proc| proc.cpus().to_string()).collect();
    /// assert_eq!(cpus, ["0", "1", "2"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn procs(&self) -> impl ExactSizeIterator<Item = Proc<'p>> + DoubleEndedIterator + use<'p> {
        let plan = self.plan;
        let places: Vec<_> = plan.inner().procs_on(self.id).collect();
        places.into_iter().map(move |place| Proc::new(plan, place))
    }
}

impl Plan {
    /// Everything about one process. `None` if the job has no such rank. Cost: a few searches.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Rank, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// assert_eq!(plan.proc(Rank::new(1)).map(|proc| proc.local_rank()), Some(1));
    /// assert!(plan.proc(Rank::new(2)).is_none());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn proc(&self, rank: Rank) -> Option<Proc<'_>> {
        let place = self.inner().place(count::Rank(rank.into()))?;
        Some(Proc::new(self, place))
    }

    /// All processes, by rank. Cost: that of [`Plan::proc`] for each process. [`Plan::table`] is faster for reading all of them.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
    /// let ranks: Vec<u32> = plan.procs().map(|proc| proc.rank().into()).collect();
    /// assert_eq!(ranks, [0, 1]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn procs(&self) -> Procs<'_> {
        Procs::new(self)
    }
}

impl<'p> IntoIterator for &'p Plan {
    type Item = Proc<'p>;
    type IntoIter = Procs<'p>;

    fn into_iter(self) -> Procs<'p> {
        self.procs()
    }
}
