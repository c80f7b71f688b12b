//! Mapping components of a launcher's own. A component has a name, a priority, and functions that choose nodes and objects. The
//! engine binds, ranks and checks.
//!
//! Components are asked from the highest priority down, app by app. A component says in [`Component::accepts`] which options it takes.
//! Its [`Component::count`] then sees the nodes of the app as [`Room`]s and says how many processes each gets, or passes
//! ([`Declined::TakeNextOption`]): then the next component is asked. Functions are closures and may keep state; they are called in the
//! order of the apps, and none is called for each rank.
//! ```
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use stowplan::component::{self, Component, Declined, Registry, Share};
//! use stowplan::{Job, Machine, ObjKind, Topology};
//!
//! let asked = AtomicU32::new(0);
//! let mut registry = Registry::standard();
//! registry.register(
//!     Component::new("first-node", 99)
//!         .accepts(|options| options.map_word() == "node")
//!         // All processes on the first node, if it has room for them.
//!         .count(move |app, rooms| {
//!             asked.fetch_add(1, Ordering::Relaxed);
//!             let procs = app.procs().unwrap_or(1);
//!             if rooms.first().is_none_or(|room| room.avail() < procs) {
//!                 return Err(Declined::TakeNextOption);
//!             }
//!             let others = rooms.iter().map(|room| room.nodes()).sum::<u32>() - 1;
//!             Ok(vec![Share { nodes: 1, procs }, Share { nodes: others, procs: 0 }])
//!         })
//!         // From the last core down.
//!         .objects(ObjKind::Core, |_, node, procs| Ok((0..node.objects(ObjKind::Core)).rev().take(procs as usize).collect())),
//! )?;
//! let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
//! let job = Job::from_command_line("-n 2 -H a:4,b:4 --map-by node ./x".split(' '))?;
//! let plan = component::place(&job, &machine, &registry)?;
//! assert_eq!(plan.table().node(), [0, 0]);
//! let many = Job::from_command_line("-n 8 -H a:4,b:4 --map-by node ./x".split(' '))?;
//! assert_eq!(component::place(&many, &machine, &registry)?.nodes().len(), 2);
//! # Ok::<(), stowplan::Error>(())
//! ```

use crate::placing::{resolve, size};
use crate::{Cluster, Error, Job, Machine, ObjKind, Plan, Planner, ToJob, workers};
use std::fmt;
use std::sync::Arc;
use stowplan_engine::cluster::Among;
use stowplan_engine::map::map_with;
use stowplan_engine::policy::MapBy;
use stowplan_engine::stage::component::{
    self as engine, Accepts, Components, Count, Functions, RegistryError,
};
use stowplan_engine::text::words::{MAP_WORDS, find_word};

pub use crate::asked::{AskedApp, Hardware, Options, Room};
pub use stowplan_engine::stage::component::{
    Answer, AppIndex, Call, Declined, INTERFACE, Share, Version,
};

/// A mapper of a launcher's own, before it is registered.
///
/// Without [`Component::accepts`] it takes every app, without [`Component::count`] none: then it passes on all of them.
/// ```
/// use stowplan::component::{Component, Declined};
/// let closed = Component::new("closed", 101).count(|_, _| Err(Declined::from("no jobs tonight")));
/// ```
#[derive(Clone)]
#[must_use]
pub struct Component {
    inner: engine::Component,
}

impl Component {
    /// A component with this name; the highest priority is asked first. The engine's own have 10 to 100.
    /// ```
    /// # use stowplan::component::{Component, Registry};
    /// let mut registry = Registry::standard();
    /// registry.register(Component::new("mine", 99))?;
    /// assert!(registry.names().any(|(name, priority)| (name, priority) == ("mine", 99)));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn new(name: &str, priority: u8) -> Self {
        let pass = |_: &engine::Asked<'_>, _: &[engine::Room<'_>]| Err(Declined::TakeNextOption);
        Self {
            inner: engine::Component::new(name, priority, |_| true, pass, |_| MapBy::Slot),
        }
    }

    /// Which options it takes. A pure function: it may be called for apps in any order.
    /// ```
    /// # use stowplan::component::Component;
    /// let mine = Component::new("mine", 99).accepts(|options| options.map_word() == "node" && options.pe() == 1);
    /// ```
    pub fn accepts(
        mut self,
        accepts: impl Fn(&Options<'_>) -> bool + Send + Sync + 'static,
    ) -> Self {
        let accepts: Accepts = Arc::new(move |policy| accepts(&Options::new(*policy, None)));
        self.inner.accepts = accepts;
        self
    }

    /// How many processes each of the app's nodes gets. The shares follow the rooms, and cover all of their nodes; a share may begin and
    /// end inside a room. Without [`Component::objects`] the processes of a node lie as under `--map-by slot`.
    ///
    /// It is called once for each app that is mapped, in the order of the apps, and also for a job that is then refused.
    /// ```
    /// # use stowplan::component::{Component, Share};
    /// // One process on every node.
    /// let mine = Component::new("one-each", 99)
    ///     .count(|_, rooms| Ok(rooms.iter().map(|room| Share { nodes: room.nodes(), procs: 1 }).collect()));
    /// ```
    pub fn count(
        mut self,
        count: impl Fn(AskedApp<'_>, &[Room<'_>]) -> Result<Vec<Share>, Declined>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let own: Count = Arc::new(move |asked, rooms| {
            let rooms: Vec<Room<'_>> = rooms.iter().map(Room::new).collect();
            count(AskedApp::new(asked), &rooms)
        });
        if let Functions::Own { count, .. } = &mut self.inner.functions {
            *count = own;
        }
        self
    }

    /// The object of each process on a node: one number of an object of the kind for each process, in the order in which they are
    /// placed. Called once for each kind of node and number of processes.
    /// ```
    /// # use stowplan::ObjKind;
    /// # use stowplan::component::Component;
    /// // Every second core.
    /// let mine = Component::new("apart", 99).objects(ObjKind::Core, |_, _, procs| Ok((0..procs).map(|at| 2 * at).collect()));
    /// ```
    pub fn objects(
        mut self,
        kind: ObjKind,
        objects: impl Fn(AskedApp<'_>, Hardware<'_>, u32) -> Result<Vec<u32>, Declined>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.inner = self.inner.with_objects(kind, move |asked, node, procs| {
            objects(AskedApp::new(asked), Hardware::new(node), procs)
        });
        self
    }

    /// A word of `--map-by` of its own. [`Registry::job`] and [`Registry::build`] read jobs that say it. The component is then asked about
    /// the apps that say the word and about no others. Their other defaults are those of `--map-by slot`.
    /// ```
    /// # use stowplan::component::{self, Component, Registry, Share};
    /// # use stowplan::{Job, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let mut registry = Registry::standard();
    /// registry.register(Component::new("one-each", 99).word("one-each").count(|_, rooms| {
    ///     Ok(rooms.iter().map(|room| Share { nodes: room.nodes(), procs: 1 }).collect())
    /// }))?;
    /// let job = registry.job("-n 2 -H a:4,b:4 --map-by one-each:pe=2 ./x".split(' '))?;
    /// let plan = component::place(&job, &machine, &registry)?;
    /// assert_eq!(plan.table().node(), [0, 1]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn word(mut self, word: &str) -> Self {
        self.inner.word = Some(word.to_ascii_lowercase().into());
        self
    }

    /// The version of this interface that it was written for, if that is not [`INTERFACE`].
    /// ```
    /// # use stowplan::component::{Component, Registry};
    /// let old = Registry::standard().register(Component::new("old", 1).version((4, 0, 0)));
    /// assert_eq!(old.unwrap_err().class(), "component-version");
    /// ```
    pub const fn version(mut self, version: Version) -> Self {
        self.inner.version = version;
        self
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Component({}, {})", self.inner.name, self.inner.priority)
    }
}

/// The components that are asked, by descending priority.
/// ```
/// use stowplan::component::Registry;
/// let names: Vec<String> = Registry::standard().names().map(|(name, _)| name.to_owned()).collect();
/// assert_eq!(names, ["lsf", "rank_file", "ppr", "mpibind", "seq", "round_robin"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    inner: engine::Registry,
}

impl Registry {
    /// No components: every job is refused as `failed-map` until one is registered.
    /// ```
    /// assert_eq!(stowplan::component::Registry::empty().names().count(), 0);
    /// ```
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The engine's own: lsf, rank_file, ppr, mpibind, seq and round_robin.
    /// ```
    /// assert_eq!(stowplan::component::Registry::standard().names().next(), Some(("lsf", 100)));
    /// ```
    #[must_use]
    pub fn standard() -> Self {
        Self {
            inner: engine::Registry::standard(),
        }
    }

    /// Adds a component. Of equal priorities, the first that was registered is asked first.
    ///
    /// # Errors
    /// `component-version` when it states another major version of the interface; `bad-value` when its name is taken, or when its word is
    /// taken or is one of the engine's own.
    /// ```
    /// # use stowplan::component::{Component, Registry};
    /// let mut registry = Registry::standard();
    /// assert_eq!(registry.register(Component::new("ppr", 99)).unwrap_err().class(), "bad-value");
    /// assert_eq!(registry.register(Component::new("mine", 99).word("core")).unwrap_err().class(), "bad-value");
    /// ```
    pub fn register(&mut self, component: Component) -> Result<(), Error> {
        if let Some(word) = &component.inner.word {
            self.check_word(word)?;
        }
        match self.inner.register(component.inner) {
            Ok(()) => Ok(()),
            Err(RegistryError::Version(error)) => {
                Err(Error::told(error.class(), &error.to_string()))
            }
            Err(taken @ RegistryError::NameTaken(_)) => {
                Err(Error::told("bad-value", &taken.to_string()))
            }
        }
    }

    fn check_word(&self, word: &str) -> Result<(), Error> {
        let plain = |sign: char| sign.is_ascii_alphanumeric() || sign == '-' || sign == '_';
        let told = |sentence: String| Err(Error::told("bad-value", &sentence));
        if word.is_empty() || !word.chars().all(plain) {
            return told(format!(
                "{word:?} is no word of --map-by: letters, digits, - and _ make one"
            ));
        }
        if find_word(MAP_WORDS, word).is_ok() {
            return told(format!("{word:?} is a word of --map-by already"));
        }
        if self.has_word(word) {
            return told(format!(
                "a component with the word {word:?} is registered already"
            ));
        }
        Ok(())
    }

    pub(crate) fn has_word(&self, word: &str) -> bool {
        let mut rows = self.inner.components().iter();
        rows.any(|row| {
            row.word
                .as_deref()
                .is_some_and(|own| own.eq_ignore_ascii_case(word))
        })
    }

    /// Names and priorities, in the order in which the components are asked.
    /// ```
    /// use stowplan::component::Registry;
    /// assert!(Registry::standard().names().any(|(name, _)| name == "round_robin"));
    /// ```
    pub fn names(&self) -> impl ExactSizeIterator<Item = (&str, u8)> {
        let rows = self.inner.components().iter();
        rows.map(|row| (&*row.name, row.priority))
    }

    pub(crate) fn for_apps(&self, index: AppIndex) -> Components {
        Components {
            registry: self.inner.clone(),
            index,
        }
    }
}

/// Places a job with these components. The engine asks them from the highest priority down.
///
/// # Errors
/// As [`Plan::new`], and `failed-map` when no component takes an app, or when the component that takes it cannot place it.
/// ```
/// # use stowplan::component::{self, Registry};
/// # use stowplan::{Job, Machine, Plan, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?;
/// assert_eq!(component::place(&job, &machine, &Registry::standard())?, Plan::new(&job, &machine)?);
/// assert_eq!(component::place(&job, &machine, &Registry::empty()).unwrap_err().class(), "failed-map");
/// # Ok::<(), stowplan::Error>(())
/// ```
pub fn place(job: &Job, machine: &Machine, registry: &Registry) -> Result<Plan, Error> {
    place_apps(job, machine, registry, AppIndex::All)
}

/// The same for all apps, or for one alone: the others get no ranks. A number beyond the apps places nothing, which is success.
///
/// # Errors
/// As [`place`].
/// ```
/// # use stowplan::component::{self, AppIndex, Registry};
/// # use stowplan::{Job, Machine, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line("-n 2 -H a:4 ./x : -n 1 ./y".split(' '))?;
/// let registry = Registry::standard();
/// assert_eq!(component::place_apps(&job, &machine, &registry, AppIndex::Only(1))?.len(), 1);
/// # Ok::<(), stowplan::Error>(())
/// ```
pub fn place_apps(
    job: &Job,
    machine: &Machine,
    registry: &Registry,
    apps: AppIndex,
) -> Result<Plan, Error> {
    let (resolved, machine) = resolve(job, machine)?;
    let components = registry.for_apps(apps);
    let mapped = workers::place(size(job), || map_with(resolved, machine, components))??;
    Ok(Plan::of(mapped))
}

/// Which components were asked while the plan was made, about what, and what they answered. Empty for a plan from bytes.
/// ```
/// use stowplan::{Job, Machine, Plan, Topology, component};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
/// assert!(!component::calls(&plan).is_empty());
/// # Ok::<(), stowplan::Error>(())
/// ```
#[must_use]
pub fn calls(plan: &Plan) -> &[Call] {
    &plan.mapped().calls
}

impl Cluster {
    /// As [`Cluster::place`], with these components.
    ///
    /// # Errors
    /// As [`Cluster::place`] and [`place`]. Nothing changes then, but for the state of the components that were asked.
    /// ```
    /// # use stowplan::component::Registry;
    /// # use stowplan::{Cluster, Job, Machine, Topology};
    /// # let mut cluster = Cluster::new(Machine::uniform(Topology::parse("core:4 pu:1")?));
    /// let job = Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?;
    /// assert_eq!(cluster.place_with(&job, &Registry::standard())?.len(), 2);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn place_with(
        &mut self,
        job: &(impl ToJob + ?Sized),
        registry: &Registry,
    ) -> Result<Plan, Error> {
        self.place_among(
            job,
            &Among {
                components: registry.for_apps(AppIndex::All),
                ..Among::default()
            },
        )
    }
}

impl Planner {
    /// As [`Planner::new`], with these components: they are asked again for every plan.
    ///
    /// # Errors
    /// As [`Planner::new`].
    /// ```
    /// # use stowplan::component::Registry;
    /// # use stowplan::{Job, Machine, Planner, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let job = Job::from_command_line(["-n", "2", "-H", "a:4,b:4", "./x"])?;
    /// let mut planner = Planner::with(&job, &machine, &Registry::standard())?;
    /// assert_eq!(planner.plan()?.len(), 2);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn with(job: &Job, machine: &Machine, registry: &Registry) -> Result<Self, Error> {
        Self::by(job, machine, registry.for_apps(AppIndex::All))
    }
}
