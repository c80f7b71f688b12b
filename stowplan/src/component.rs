//! Mapping components of a launcher's own. A component has a name, a priority, and functions that choose nodes and objects. The
//! engine binds, ranks and checks.
//!
//! ```
//! use stowplan::component::{self, Component, Functions, INTERFACE, Pattern, Registry, Share};
//! use stowplan::{Job, Machine, ObjKind, Topology};
//!
//! let mut registry = Registry::standard();
//! registry.register(Component {
//!     name: "first-node".into(),
//!     priority: 99,
//!     version: INTERFACE,
//!     accepts: |_| true,
//!     functions: Functions::Own {
//!         // All processes on the first node.
//!         count: |_, procs, _| Ok(vec![
//!             Share { nodes: 1, procs: procs.map_or(1, |procs| procs.0) },
//!             Share { nodes: 1, procs: 0 },
//!         ]),
//!         // From the last core down.
//!         pattern: Pattern::Own {
//!             kind: ObjKind::Core,
//!             objects: |_, node, procs| Ok((0..node.objects(ObjKind::Core)).rev().take(procs as usize).collect()),
//!         },
//!     },
//! })?;
//! let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
//! let job = Job::from_command_line("-n 2 -H a:4,b:4 --map-by node ./x".split(' '))?;
//! let plan = component::place(&job, &machine, registry)?;
//! assert_eq!(plan.table().node(), [0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::{Error, Job, Machine, Plan, workers};
use stowplan_engine::map::{Components, map_with};

pub use stowplan_engine::policy::MapBy as EngineMap;
pub use stowplan_engine::stage::component::{
    Accepts, Answer, AppIndex, Call, Component, ComponentPattern as Pattern, Count, Dispatch,
    Functions, INTERFACE, Node, Objects, Registry, RegistryError, Room, Share, Version,
};
pub use stowplan_engine::table::apps::Policy;

/// Places a job with these components. The engine asks them from the highest priority down.
///
/// # Errors
/// As [`Plan::new`], and `failed-map` when no component takes an app, or when the component that takes it cannot place it.
/// ```
/// # use stowplan::component::{self, Registry};
/// # use stowplan::{Job, Machine, Plan, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let job = Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?;
/// assert_eq!(component::place(&job, &machine, Registry::standard())?, Plan::new(&job, &machine)?);
/// assert_eq!(component::place(&job, &machine, Registry::empty()).unwrap_err().class(), "failed-map");
/// # Ok::<(), stowplan::Error>(())
/// ```
pub fn place(job: &Job, machine: &Machine, registry: Registry) -> Result<Plan, Error> {
    let (resolved, machine) = crate::job::resolve(job, machine)?;
    let components = Components {
        registry,
        index: AppIndex::All,
    };
    let mapped = workers::run(|| map_with(resolved, machine, components))??;
    Ok(Plan::of(mapped))
}

/// Which components were asked while the plan was made, about what, and what they answered. Empty for a plan from bytes.
/// ```
/// # use stowplan::{Job, Machine, Plan, Topology, component};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4", "./x"])?, &machine)?;
/// assert!(!component::calls(&plan).is_empty());
/// # Ok::<(), stowplan::Error>(())
/// ```
#[must_use]
pub fn calls(plan: &Plan) -> &[Call] {
    &plan.mapped().calls
}
