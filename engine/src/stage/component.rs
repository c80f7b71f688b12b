//! Which mapper takes an app: a registry of components, asked by priority. Source: `per-app` 5.
//!
//! A component is a small table of functions over columns. Nothing of it is called per rank, and none keeps state.

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

/// The interface that components must state. 4.0.0, before `app_idx`, is another.
pub const INTERFACE: Version = (5, 0, 0);

/// What a component answers for one app or job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// It has placed the app.
    Success,
    /// The policy is not its own: the next component is asked.
    TakeNextOption,
    /// It cannot, and nobody else shall: the map of the whole job ends.
    ResourceBusy,
}

/// A node as a component sees it: its state, and the hardware below.
#[derive(Clone, Copy, Debug)]
pub struct Node<'s> {
    /// Slots, processes, and which cpus there are.
    pub state: &'s NodeState,
    /// All topologies, the node's among them.
    pub topologies: &'s Topologies,
    pub(crate) pusets: &'s PuSets,
    pub(crate) names: &'s Names,
}

impl Node<'_> {
    /// Its objects of a kind.
    #[must_use]
    pub fn objects(&self, kind: ObjKind) -> u32 {
        self.topologies.count(self.state.topology, kind)
    }
    /// Its PUs that no process consumed.
    #[must_use]
    pub fn free_pus(&self) -> usize {
        self.pusets.get(self.state.free).count_ones()
    }
    /// PUs inside an object, by its kind and logical index, that no process consumed; 0 where there is no such object.
    #[must_use]
    pub fn free_inside(&self, kind: ObjKind, logical: u32) -> usize {
        let object = self.topologies.object(self.state.topology, kind, logical);
        let free = self.pusets.get(self.state.free);
        let ranges = object.map_or(&[][..], |object| self.topologies.ranges(object));
        let inside = |&(first, end): &(u32, u32)| free[first as usize..end as usize].count_ones();
        ranges.iter().map(inside).sum()
    }
}

/// Neighbouring nodes that are alike for an app.
#[derive(Clone, Copy, Debug)]
pub struct Room<'s> {
    /// The place of the first in the pool.
    pub first: u32,
    /// How many nodes.
    pub nodes: u32,
    /// Processes that each may take.
    pub avail: u32,
    /// Any of them.
    pub node: Node<'s>,
}

impl Room<'_> {
    /// The name of one of the nodes, from 0.
    #[must_use]
    pub fn name(&self, at: u32) -> String {
        let row = self.first + at.min(self.nodes.saturating_sub(1));
        self.node.names.name(NodeId::from_row(row as usize))
    }
}

/// Neighbouring nodes that shall get equally many processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Share {
    /// How many nodes: a share may begin and end inside a room.
    pub nodes: u32,
    /// Processes on each; 0 leaves them out.
    pub procs: u32,
}

/// How many processes each of the app's nodes gets. `Err` is [`Answer::ResourceBusy`], in the component's own words.
///
/// Asked: the policy; the processes wanted, `None` where the component counts them itself; the nodes, as rooms in the order
/// of the app's list. The shares are in that order too, and cover all nodes.
pub type Count = fn(&Policy, Option<ProcCount>, &[Room<'_>]) -> Result<Vec<Share>, String>;

/// The object of each process on a node: logical indices of the kind, one for each process, in placement order. Asked once
/// for each state and number of processes. `Err` is as of [`Count`].
pub type Objects = fn(&Policy, &Node<'_>, u32) -> Result<Vec<u32>, String>;

/// How processes lie on a node. What they are bound to follows the policy, whatever the pattern.
#[derive(Clone, Copy, Debug)]
pub enum ComponentPattern {
    /// As one of the engine's maps does: taken in place of the app's.
    Engine(fn(&Policy) -> MapBy),
    /// In an order of its own.
    Own {
        /// The kind of the objects.
        kind: ObjKind,
        /// Which of them, process by process.
        objects: Objects,
    },
}

/// Whether a component takes apps of a policy: pure.
pub type Accepts = fn(&Policy) -> bool;

/// How a component places.
#[derive(Clone, Copy, Debug)]
pub enum Functions {
    /// As the engine does by itself for its policies.
    Engine,
    /// By choices of its own.
    Own {
        /// Processes on each node.
        count: Count,
        /// What each of them gets there.
        pattern: ComponentPattern,
    },
}

/// A row of the registry.
#[derive(Clone, Debug)]
pub struct Component {
    /// Its name, one of a kind.
    pub name: Arc<str>,
    /// Who is asked first: the highest.
    pub priority: u8,
    /// The interface it was written for.
    pub version: Version,
    /// Whether it takes apps of this policy: pure.
    pub accepts: Accepts,
    /// How it places them.
    pub functions: Functions,
}

/// Why a component is not registered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum RegistryError {
    /// Its interface is another.
    #[error(transparent)]
    Version(Box<SpecError>),
    /// Its name is taken.
    #[error("a component named {0} is registered already")]
    NameTaken(String),
}

/// The components, by descending priority, equal ones in order of registration.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    rows: Vec<Component>,
}

/// The components of the engine: name, priority, what they take.
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
            MapBy::Slot | MapBy::Node | MapBy::Object(_) | MapBy::PeList | MapBy::Dist
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
    /// `component-version` when it states another major version; a name that is taken.
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

    /// The component that takes a policy, and how many were asked before it.
    ///
    /// # Errors
    /// `failed-map` when nobody does.
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

/// Which apps a map is asked for: `app_idx`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AppIndex {
    /// All of them: -1.
    All,
    /// That one alone, from 0. A hole, or beyond the array: nothing is done, and that is success.
    Only(u32),
}

/// Who places a job, and which of its apps.
#[derive(Clone, Debug)]
pub struct Components {
    /// The mappers, by priority.
    pub registry: Registry,
    /// Which apps: `app_idx`.
    pub index: AppIndex,
}

impl Components {
    /// The engine's own, for all apps.
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
    /// Once, for all apps: none has a directive of its own.
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
    /// For which apps.
    pub app: AppIndex,
    /// Its answer.
    pub answer: Answer,
}

impl Registry {
    /// Notes the questions that lead to the component at `row`.
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
