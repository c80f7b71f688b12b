//! What a component sees: the app with its options and attributes, and the nodes as rooms.

use crate::ObjKind;
use crate::answers::policy;
use crate::attribute::Attribute;
use std::fmt;
use std::ops::RangeInclusive;
use stowplan_engine::id::Id as _;
use stowplan_engine::policy::{
    BindStrength, CpuMode, IfSupported, NoLocal, Ordered, Overload, Oversubscribe, Span,
};
use stowplan_engine::spawn::request::owner;
use stowplan_engine::stage::component::{self as engine, Asked};
use stowplan_engine::table::apps::{AppTable, Policy};

/// The options of an app with every default decided, as PRRTE's `prte_rmaps_options_t`.
/// ```
/// # use stowplan::component::Registry;
/// # use stowplan::prte::MapJob;
/// # use stowplan::{Job, Machine, Topology};
/// # let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1")?);
/// let job = Job::from_command_line("-n 4 -H a:8 --map-by package:pe=2:span ./x".split(' '))?;
/// let map = MapJob::new(&job, &machine, &Registry::standard())?;
/// let options = map.options(0).ok_or("there is an app")?;
/// assert_eq!((options.map_word(), options.rank(), options.bind()), ("package", "span", "core"));
/// assert_eq!((options.pe(), options.span()), (2, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Options<'a> {
    policy: Policy,
    /// The lists that policies name; `None`: the caller has none at hand.
    apps: Option<&'a AppTable>,
}

impl<'a> Options<'a> {
    pub(crate) const fn new(policy: Policy, apps: Option<&'a AppTable>) -> Self {
        Self { policy, apps }
    }
    /// The word of the map policy without its parameters: `slot`, `core`, `ppr`, `pe-list`.
    #[must_use]
    pub const fn map_word(&self) -> &'static str {
        self.policy.map.word()
    }
    /// The map policy with its parameters: `ppr:2:package`, `pe-list=0-3`.
    #[must_use]
    pub fn map(&self) -> String {
        let none = AppTable::default();
        policy::map(&self.policy, self.apps.unwrap_or(&none))
    }
    /// Whether objects of all nodes are dealt as if they were of one: SPAN.
    #[must_use]
    pub fn span(&self) -> bool {
        self.policy.span == Span::Yes
    }
    /// Whether a list is followed in its order: ORDERED.
    #[must_use]
    pub fn ordered(&self) -> bool {
        self.policy.ordered == Ordered::Yes
    }
    /// Whether the local node is left out: NOLOCAL.
    #[must_use]
    pub fn no_local(&self) -> bool {
        self.policy.nolocal == NoLocal::Yes
    }
    /// Whether nodes may hold more processes than slots: the job's OVERSUBSCRIBE.
    #[must_use]
    pub fn oversubscribe(&self) -> bool {
        self.policy.oversubscribe == Oversubscribe::Allowed
    }
    /// Cpus per process, at least 1.
    #[must_use]
    pub const fn pe(&self) -> u16 {
        self.policy.pe
    }
    /// The cpus of a pe-list, in the order given. Empty for other maps.
    #[must_use]
    pub fn list(&self) -> Vec<RangeInclusive<u32>> {
        let ranges = self.policy.list.zip(self.apps);
        let ranges = ranges.map_or(&[][..], |(list, apps)| &apps.lists[list]);
        ranges.iter().map(|&(first, last)| first..=last).collect()
    }
    /// Whether hardware threads are the cpus; else cores are.
    #[must_use]
    pub fn hwthreads(&self) -> bool {
        self.policy.mode == CpuMode::Hwthread
    }
    /// The order of ranks: `slot`, `node`, `fill`, `span`, or `listed` for maps that a file lists.
    #[must_use]
    pub const fn rank(&self) -> &'static str {
        policy::rank(&self.policy)
    }
    /// What processes are bound to: `none`, or the word of a kind of objects.
    #[must_use]
    pub const fn bind(&self) -> &'static str {
        policy::bind(&self.policy)
    }
    /// Whether the binding was asked for; else it is a default that may be given up.
    #[must_use]
    pub fn bind_is_explicit(&self) -> bool {
        self.policy.strength == BindStrength::Explicit
    }
    /// Whether a binding that is not possible is left out: `if-supported`.
    #[must_use]
    pub fn if_supported(&self) -> bool {
        self.policy.if_supported == IfSupported::Yes
    }
    /// Whether processes may share cpus: `overload-allowed`.
    #[must_use]
    pub fn overload_allowed(&self) -> bool {
        self.policy.overload == Overload::Allowed
    }
    /// The most processes of the app on one target object: LIMIT.
    #[must_use]
    pub const fn limit(&self) -> Option<u16> {
        self.policy.limit
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (map, rank, bind) = (self.map(), self.rank(), self.bind());
        write!(f, "Options(map {map}, rank {rank}, bind {bind})")
    }
}

impl PartialEq for Options<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Ids of lists count within one job.
        let lists = self.list() == other.list();
        let alike = |policy: &Policy| Policy {
            list: None,
            ..*policy
        };
        lists && alike(&self.policy) == alike(&other.policy)
    }
}

/// The app that a component is asked about.
/// ```
/// # use stowplan::component::{self, Component, Declined, Registry};
/// # use stowplan::{Job, Machine, Topology};
/// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let mut registry = Registry::standard();
/// registry.register(Component::new("talks", 99).count(|app, _| {
///     Err(Declined::from(format!("{} with {:?} processes", app.program(), app.procs())))
/// }))?;
/// let job = Job::from_command_line("-n 2 -H a:4 ./x".split(' '))?;
/// let refused = component::place(&job, &machine, &registry).unwrap_err();
/// assert!(refused.message().ends_with("./x with Some(2) processes"));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct AskedApp<'a> {
    asked: &'a Asked<'a>,
}

impl<'a> AskedApp<'a> {
    pub(crate) const fn new(asked: &'a Asked<'a>) -> Self {
        Self { asked }
    }
    /// The number of the app, from 0.
    #[must_use]
    pub fn number(self) -> u32 {
        self.asked.app.number()
    }
    /// The program, empty if the job names none.
    #[must_use]
    pub fn program(self) -> &'a str {
        self.asked.label().map_or("", |label| &label.cmd)
    }
    /// The arguments of the program.
    #[must_use]
    pub fn argv(self) -> &'a [String] {
        self.asked.label().map_or(&[], |label| &label.argv)
    }
    /// The processes that the app asks for, or that the engine counted. `None`: the component counts them.
    #[must_use]
    pub fn procs(self) -> Option<u32> {
        self.asked.procs.map(|procs| procs.0)
    }
    /// Its options, with every default decided.
    #[must_use]
    pub const fn options(self) -> Options<'a> {
        Options::new(*self.asked.policy, Some(self.asked.apps))
    }
    /// Its attributes, ascending by key: those that are known, and those from 35 to 100 that are not.
    pub fn attributes(self) -> impl ExactSizeIterator<Item = Attribute<'a>> {
        self.asked.attributes().iter().map(Attribute::new)
    }
    /// One of its attributes.
    #[must_use]
    pub fn attribute(self, key: u16) -> Option<Attribute<'a>> {
        let own = self.asked.request.attributes();
        own.get(owner(self.asked.app), key).map(Attribute::new)
    }
}

impl fmt::Debug for AskedApp<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AskedApp({}: {})", self.number(), self.program())
    }
}

/// A node as a component sees it: its slots, its hardware, and what is free.
/// ```
/// # use stowplan::component::{self, Component, Declined, Registry};
/// # use stowplan::{Job, Machine, ObjKind, Topology};
/// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let mut registry = Registry::standard();
/// registry.register(Component::new("looks", 99).count(|_, rooms| {
///     let node = rooms[0].hardware();
///     assert_eq!((node.slots(), node.used(), node.objects(ObjKind::Core), node.free_pus()), (4, 0, 4, 4));
///     Err(Declined::TakeNextOption)
/// }))?;
/// let job = Job::from_command_line("-n 2 -H n[0-1]:4 ./x".split(' '))?;
/// assert_eq!(component::place(&job, &machine, &registry)?.len(), 2);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Hardware<'a> {
    node: &'a engine::Node<'a>,
}

impl<'a> Hardware<'a> {
    pub(crate) const fn new(node: &'a engine::Node<'a>) -> Self {
        Self { node }
    }
    /// The slots of the node.
    #[must_use]
    pub const fn slots(self) -> u32 {
        self.node.state.slots
    }
    /// The limit of slots that oversubscribing does not lift, if there is one.
    #[must_use]
    pub const fn max_slots(self) -> Option<u32> {
        self.node.state.max_slots
    }
    /// Processes on the node, of any job.
    #[must_use]
    pub const fn used(self) -> u32 {
        self.node.state.used
    }
    /// How many objects of a kind the node has.
    #[must_use]
    pub fn objects(self, kind: ObjKind) -> u32 {
        self.node.objects(kind)
    }
    /// How many hardware threads no process has consumed.
    #[must_use]
    pub fn free_pus(self) -> usize {
        self.node.free_pus()
    }
    /// How many hardware threads inside an object no process has consumed. The object is named by its kind and its number, from 0; 0
    /// if there is none.
    #[must_use]
    pub fn free_inside(self, kind: ObjKind, number: u32) -> usize {
        self.node.free_inside(kind, number)
    }
}

impl fmt::Debug for Hardware<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hardware({} slots)", self.slots())
    }
}

/// Neighbouring nodes that are equal for an app.
/// ```
/// # use stowplan::component::{self, Component, Declined, Registry};
/// # use stowplan::{Job, Machine, ObjKind, Topology};
/// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let mut registry = Registry::standard();
/// registry.register(Component::new("looks", 99).count(|_, rooms| {
///     assert_eq!((rooms[0].nodes(), rooms[0].avail(), rooms[0].name(1).as_str()), (2, 4, "n1"));
///     Err(Declined::TakeNextOption)
/// }))?;
/// let job = Job::from_command_line("-n 2 -H n[0-1]:4 ./x".split(' '))?;
/// assert_eq!(component::place(&job, &machine, &registry)?.len(), 2);
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Room<'a> {
    room: &'a engine::Room<'a>,
}

impl<'a> Room<'a> {
    pub(crate) const fn new(room: &'a engine::Room<'a>) -> Self {
        Self { room }
    }
    /// The number of the first node among all nodes of the job.
    #[must_use]
    pub const fn first(self) -> u32 {
        self.room.first
    }
    /// How many nodes.
    #[must_use]
    pub const fn nodes(self) -> u32 {
        self.room.nodes
    }
    /// How many processes each node may take.
    #[must_use]
    pub const fn avail(self) -> u32 {
        self.room.avail
    }
    /// The name of one of the nodes; `at` counts from 0.
    #[must_use]
    pub fn name(self, at: u32) -> String {
        self.room.name(at)
    }
    /// What each of them is.
    #[must_use]
    pub const fn hardware(self) -> Hardware<'a> {
        Hardware::new(&self.room.node)
    }
}

impl fmt::Debug for Room<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Room({} nodes from {})", self.nodes(), self.name(0))
    }
}
