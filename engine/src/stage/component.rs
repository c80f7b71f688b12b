//! Which component takes an app: a registry, asked by priority. Source: `per-app` 5.
//!
//! A component is a small table of functions over columns. None of them is called per rank. They may keep state of their own: apps
//! are placed one after the other, in their order, when a launcher's own component is registered.

use crate::count::ProcCount;
use crate::error::spec::SpecError;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::policy::{MapBy, ObjKind};
use crate::spawn::attributes::Attribute;
use crate::spawn::request::{Label, SpawnRequest, owner};
use crate::table::apps::{AppId, AppTable, Policy};
use crate::table::names::{Names, NodeId};
use crate::table::pusets::PuSets;
use crate::table::states::NodeState;
use crate::table::topologies::Topologies;
use std::fmt;
use std::sync::Arc;

/// An interface version: major, minor, release.
pub type Version = (u16, u16, u16);

/// The interface version that components must state. 4.0.0, from before `app_idx`, does not match.
pub const INTERFACE: Version = (5, 0, 0);

/// What a component answers for one app or job.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// It has placed the app.
    Success,
    /// The policy is not for this component: the next one is asked.
    TakeNextOption,
    /// It cannot place the app, and no other component may try: the map of the whole job ends.
    ResourceBusy,
}

/// A node as a component sees it: its state and its hardware.
#[derive(Clone, Copy, Debug)]
pub struct Node<'s> {
    /// The node's slots, processes and cpus.
    pub state: &'s NodeState,
    /// All topologies, the node's among them.
    pub topologies: &'s Topologies,
    pub(crate) pusets: &'s PuSets,
    pub(crate) names: &'s Names,
}

impl Node<'_> {
    /// How many objects of a kind the node has.
    #[must_use]
    pub fn objects(&self, kind: ObjKind) -> u32 {
        self.topologies.count(self.state.topology, kind)
    }
    /// How many PUs no process has consumed.
    #[must_use]
    pub fn free_pus(&self) -> usize {
        self.pusets.get(self.state.free).count_ones()
    }
    /// How many PUs inside an object no process has consumed. The object is named by its kind and logical index; 0 if there is none.
    #[must_use]
    pub fn free_inside(&self, kind: ObjKind, logical: u32) -> usize {
        let object = self.topologies.object(self.state.topology, kind, logical);
        let free = self.pusets.get(self.state.free);
        let ranges = object.map_or(&[][..], |object| self.topologies.ranges(object));
        let inside = |&(first, end): &(u32, u32)| free[first as usize..end as usize].count_ones();
        ranges.iter().map(inside).sum()
    }
}

/// Neighbouring nodes that are equal for an app.
#[derive(Clone, Copy, Debug)]
pub struct Room<'s> {
    /// The position of the first node in the pool.
    pub first: u32,
    /// How many nodes.
    pub nodes: u32,
    /// How many processes each node may take.
    pub avail: u32,
    /// One of the nodes; they are all alike.
    pub node: Node<'s>,
}

impl Room<'_> {
    /// The name of one of the nodes; `at` counts from 0.
    #[must_use]
    pub fn name(&self, at: u32) -> String {
        let row = self.first + at.min(self.nodes.saturating_sub(1));
        self.node.names.name(NodeId::from_row(row as usize))
    }
}

/// Neighbouring nodes that get equally many processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// How many nodes: a share may begin and end inside a room.
    pub nodes: u32,
    /// Processes on each node; 0 leaves the nodes out.
    pub procs: u32,
}

/// The app that a component is asked about: its options with all defaults, and everything that its request says.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The app.
    pub app: AppId,
    /// Its options.
    pub policy: &'a Policy,
    /// Its processes, `None` when the component counts them.
    pub procs: Option<ProcCount>,
    /// All apps.
    pub apps: &'a AppTable,
    /// What the job and its apps ask for, after promotions and inheritance.
    pub request: &'a SpawnRequest,
}

impl<'a> Asked<'a> {
    /// The attributes of the app, ascending by key: those that we know, and those from 35 to 100 that we do not.
    #[must_use]
    pub fn attributes(&self) -> &'a [Attribute] {
        self.request.attributes().of(owner(self.app))
    }
    /// The program and its arguments, if they were said.
    #[must_use]
    pub fn label(&self) -> Option<&'a Label> {
        self.request.label(self.app)
    }
}

/// Why a component does not place an app.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Declined {
    /// After a look at the nodes the app is not for it: [`Answer::TakeNextOption`], and the next component is asked.
    TakeNextOption,
    /// Nobody may place it: [`Answer::ResourceBusy`], in the component's own words. The map of the whole job ends.
    ResourceBusy(String),
}

impl From<String> for Declined {
    fn from(why: String) -> Self {
        Self::ResourceBusy(why)
    }
}

impl From<&str> for Declined {
    fn from(why: &str) -> Self {
        Self::ResourceBusy(why.to_owned())
    }
}

/// How many processes each of the app's nodes gets, of the nodes as rooms, in the order of the app's list. The shares are in that
/// order too, and cover all nodes.
pub type Count = Arc<dyn Fn(&Asked<'_>, &[Room<'_>]) -> Result<Vec<Share>, Declined> + Send + Sync>;

/// The object of each process on a node: one logical index of the kind for each process, in placement order. Called once
/// for each state and number of processes.
pub type Objects =
    Arc<dyn Fn(&Asked<'_>, &Node<'_>, u32) -> Result<Vec<u32>, Declined> + Send + Sync>;

/// How processes lie on a node. Their binding follows the policy, whatever the pattern.
#[derive(Clone)]
pub enum ComponentPattern {
    /// In the order of one of the engine's map policies, which replaces the app's.
    Engine(Arc<dyn Fn(&Policy) -> MapBy + Send + Sync>),
    /// In an order of the component's own.
    Own {
        /// The kind of the objects.
        kind: ObjKind,
        /// The object of each process.
        objects: Objects,
    },
}

/// Whether a component takes apps of a policy. A pure function.
pub type Accepts = Arc<dyn Fn(&Policy) -> bool + Send + Sync>;

/// How a component places.
#[derive(Clone)]
pub enum Functions {
    /// As the engine does for its own policies.
    Engine,
    /// By functions of the component's own.
    Own {
        /// How many processes each node gets.
        count: Count,
        /// Which object each process gets on its node.
        pattern: ComponentPattern,
    },
}

/// A row of the registry.
#[derive(Clone)]
pub struct Component {
    /// Its name, unique in the registry.
    pub name: Arc<str>,
    /// The component with the highest priority is asked first.
    pub priority: u8,
    /// The interface it was written for.
    pub version: Version,
    /// The word of `--map-by` that asks for it, if it has one: then it is asked about no other apps, and no other component about
    /// such apps.
    pub word: Option<Arc<str>>,
    /// Whether it takes apps of this policy. A pure function.
    pub accepts: Accepts,
    /// How it places them.
    pub functions: Functions,
}

impl Component {
    /// A component of this interface that lays processes in the order of one of the engine's map policies.
    #[must_use]
    pub fn new(
        name: &str,
        priority: u8,
        accepts: impl Fn(&Policy) -> bool + Send + Sync + 'static,
        count: impl Fn(&Asked<'_>, &[Room<'_>]) -> Result<Vec<Share>, Declined> + Send + Sync + 'static,
        order: impl Fn(&Policy) -> MapBy + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            priority,
            version: INTERFACE,
            word: None,
            accepts: Arc::new(accepts),
            functions: Functions::Own {
                count: Arc::new(count),
                pattern: ComponentPattern::Engine(Arc::new(order)),
            },
        }
    }

    /// The same component, but it chooses the object of every process itself.
    #[must_use]
    pub fn with_objects(
        mut self,
        kind: ObjKind,
        objects: impl Fn(&Asked<'_>, &Node<'_>, u32) -> Result<Vec<u32>, Declined>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        if let Functions::Own { pattern, .. } = &mut self.functions {
            let objects = Arc::new(objects);
            *pattern = ComponentPattern::Own { kind, objects };
        }
        self
    }

    /// Whether it is a launcher's own.
    pub(crate) const fn is_own(&self) -> bool {
        matches!(self.functions, Functions::Own { .. })
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component")
            .field("name", &self.name)
            .field("priority", &self.priority)
            .field("version", &self.version)
            .field("word", &self.word)
            .finish_non_exhaustive()
    }
}

/// Why a component is not registered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RegistryError {
    /// It states another major version of the interface.
    #[error(transparent)]
    Version(Box<SpecError>),
    /// A component of this name is registered.
    #[error("a component named {0} is registered already")]
    NameTaken(String),
}

/// The components, by descending priority; equal priorities in order of registration.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    rows: Vec<Component>,
}

/// A component of the engine's: name, priority, and the policies that it takes.
type OwnRow = (&'static str, u8, fn(&Policy) -> bool);

/// The engine's components: name, priority, and the policies that they take.
const STANDARD: &[OwnRow] = &[
    ("lsf", 100, |policy| policy.map == MapBy::Lsf),
    ("rank_file", 95, |policy| policy.map == MapBy::Rankfile),
    ("ppr", 90, |policy| matches!(policy.map, MapBy::Ppr { .. })),
    ("mpibind", 70, |policy| {
        matches!(policy.map, MapBy::Mpibind(_))
    }),
    ("seq", 60, |policy| policy.map == MapBy::Seq),
    ("round_robin", 10, |policy| {
        matches!(
            policy.map,
            MapBy::Slot
                | MapBy::Node
                | MapBy::Object(_)
                | MapBy::PeList
                | MapBy::Dist
                | MapBy::Device(_)
        )
    }),
];

impl Registry {
    /// No components: every map ends in `failed-map` until one is registered.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// lsf, rank_file, ppr, mpibind, seq and round_robin.
    #[must_use]
    pub fn standard() -> Self {
        let row = |&(name, priority, accepts): &OwnRow| Component {
            name: name.into(),
            priority,
            version: INTERFACE,
            word: None,
            accepts: Arc::new(accepts),
            functions: Functions::Engine,
        };
        Self {
            rows: STANDARD.iter().map(row).collect(),
        }
    }

    /// Adds a component.
    ///
    /// # Errors
    /// `component-version` if the component states another major version; an error if its name is taken.
    /// ```
    /// use stowplan_engine::policy::MapBy;
    /// use stowplan_engine::stage::component::{Component, Registry};
    /// let mine = |version| Component {
    ///     version,
    ///     ..Component::new("mine", 50, |_| false, |_, _| Ok(Vec::new()), |_| MapBy::Slot)
    /// };
    /// let mut registry = Registry::standard();
    /// assert!(registry.register(mine((4, 0, 0))).is_err());
    /// assert!(registry.register(mine((5, 0, 0))).is_ok());
    /// assert!(registry.register(mine((5, 0, 0))).is_err());
    /// ```
    pub fn register(&mut self, component: Component) -> Result<(), RegistryError> {
        if component.version.0 != INTERFACE.0 {
            return Err(RegistryError::Version(Box::new(
                SpecError::ComponentVersion {
                    name: component.name.to_string(),
                    stated: component.version,
                    ours: INTERFACE,
                },
            )));
        }
        if self.rows.iter().any(|row| row.name == component.name) {
            return Err(RegistryError::NameTaken(component.name.to_string()));
        }
        let at = self
            .rows
            .partition_point(|row| row.priority >= component.priority);
        self.rows.insert(at, component);
        Ok(())
    }

    /// The components, in the order in which they are asked.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.rows
    }

    /// Row of the first component from `from` on that takes an app; all rows before it were asked first. `word`: the word of a component
    /// that the app names.
    ///
    /// # Errors
    /// `failed-map` if no component takes it.
    pub(crate) fn take(
        &self,
        app: AppId,
        word: Option<&str>,
        policy: &Policy,
        from: usize,
    ) -> Result<usize, MapError> {
        let takes = |row: &Component| row.word.as_deref() == word && (row.accepts)(policy);
        let rows = self.rows.get(from..).unwrap_or(&[]).iter();
        let found = rows.zip(from..).find(|(row, _)| takes(row));
        found.map(|(_, at)| at).ok_or_else(|| {
            let policy = word.unwrap_or_else(|| policy.map.word()).to_owned();
            PlaceError::FailedMap {
                app: app.number(),
                policy,
            }
            .into()
        })
    }

    /// Whether there is a component of the launcher's own.
    pub(crate) fn has_own(&self) -> bool {
        self.rows.iter().any(Component::is_own)
    }
}

/// Which apps shall be mapped: `app_idx`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AppIndex {
    /// All of them: -1.
    All,
    /// Only the app with this index, from 0. For a hole or an index beyond the array nothing is done, and that is success.
    Only(u32),
}

/// Which components place a job, and which of its apps.
#[derive(Clone, Debug)]
pub struct Components {
    /// The components, by priority.
    pub registry: Registry,
    /// Which apps are mapped: `app_idx`.
    pub index: AppIndex,
}

impl Components {
    /// The engine's components, for all apps.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            registry: Registry::standard(),
            index: AppIndex::All,
        }
    }
}

/// How often components are called for a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Dispatch {
    /// Once for all apps, when none has a directive of its own.
    #[default]
    Single,
    /// Once for each app, in index order.
    PerApp,
}

/// One question to a component.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Call {
    /// The component's name, shared by its calls.
    pub component: Arc<str>,
    /// The apps that it is asked about.
    pub app: AppIndex,
    /// Its answer.
    pub answer: Answer,
}

impl Registry {
    /// Logs the calls up to the component at `row`, which takes the app.
    pub(crate) fn log(&self, calls: &mut Vec<Call>, app: AppIndex, row: usize) {
        for (asked, component) in self.rows.iter().enumerate().take(row + 1) {
            let answer = if asked == row {
                Answer::Success
            } else {
                Answer::TakeNextOption
            };
            calls.push(Call {
                component: Arc::clone(&component.name),
                app,
                answer,
            });
        }
    }
}
