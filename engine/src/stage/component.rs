//! Which component takes an app: a registry, asked by priority. Source: `per-app` 5.
//!
//! A component is a small table of functions over columns. None of them is called per rank, and no component keeps state.

use crate::count::ProcCount;
use crate::error::spec::SpecError;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::policy::{MapBy, ObjKind};
use crate::table::apps::{AppId, Policy};
use crate::table::names::{Names, NodeId};
use crate::table::pusets::PuSets;
use crate::table::states::NodeState;
use crate::table::topologies::Topologies;
use std::sync::Arc;

/// An interface version: major, minor, release.
pub type Version = (u16, u16, u16);

/// The interface version that components must state. 4.0.0, from before `app_idx`, does not match.
pub const INTERFACE: Version = (5, 0, 0);

/// What a component answers for one app or job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

/// How many processes each of the app's nodes gets. `Err` is [`Answer::ResourceBusy`], in the component's own words.
///
/// Arguments: the policy; the processes wanted, or `None` when the component counts them itself; the nodes, as rooms in the
/// order of the app's list. The shares are in that order too, and cover all nodes.
pub type Count = fn(&Policy, Option<ProcCount>, &[Room<'_>]) -> Result<Vec<Share>, String>;

/// The object of each process on a node: one logical index of the kind for each process, in placement order. Called once
/// for each state and number of processes. `Err` means the same as for [`Count`].
pub type Objects = fn(&Policy, &Node<'_>, u32) -> Result<Vec<u32>, String>;

/// How processes lie on a node. Their binding follows the policy, whatever the pattern.
#[derive(Clone, Copy, Debug)]
pub enum ComponentPattern {
    /// In the order of one of the engine's map policies, which replaces the app's.
    Engine(fn(&Policy) -> MapBy),
    /// In an order of the component's own.
    Own {
        /// The kind of the objects.
        kind: ObjKind,
        /// The object of each process.
        objects: Objects,
    },
}

/// Whether a component takes apps of a policy. A pure function.
pub type Accepts = fn(&Policy) -> bool;

/// How a component places.
#[derive(Clone, Copy, Debug)]
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
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name, unique in the registry.
    pub name: Arc<str>,
    /// The component with the highest priority is asked first.
    pub priority: u8,
    /// The interface it was written for.
    pub version: Version,
    /// Whether it takes apps of this policy. A pure function.
    pub accepts: Accepts,
    /// How it places them.
    pub functions: Functions,
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

/// The engine's components: name, priority, and the policies that they take.
const STANDARD: &[(&str, u8, Accepts)] = &[
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
        let row = |&(name, priority, accepts): &(&str, u8, Accepts)| Component {
            name: name.into(),
            priority,
            version: INTERFACE,
            accepts,
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
    /// use stowplan_engine::stage::component::{Component, Functions, Registry};
    /// let mine = |version| Component {
    ///     name: "mine".into(),
    ///     priority: 50,
    ///     version,
    ///     accepts: |_| false,
    ///     functions: Functions::Engine,
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

    /// Row of the component that takes a policy; all rows before it were asked first.
    ///
    /// # Errors
    /// `failed-map` if no component takes it.
    pub(crate) fn take(&self, app: AppId, policy: &Policy) -> Result<usize, MapError> {
        self.rows
            .iter()
            .position(|row| (row.accepts)(policy))
            .ok_or_else(|| {
                PlaceError::FailedMap {
                    app: app.number(),
                    policy: policy.map.word().to_owned(),
                }
                .into()
            })
    }
}

/// Which apps shall be mapped: `app_idx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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
#[derive(Clone, PartialEq, Eq, Debug)]
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
