//! PRRTE's names for PRRTE's people: attributes of apps with their numbers, setters with their statuses, the relay, the resolved
//! options of an app, promotions, and the loop of `map_job` over apps and components.
//!
//! A [`Request`] is the job with its apps. Setters take the strings of `--map-by`, `--rank-by` and `--bind-to` and store typed
//! attributes; [`Request::attribute`] reads them back; [`Request::to_bytes`] relays them. [`Request::job`] makes the [`Job`] that
//! [`Plan::new`](crate::Plan::new) places. [`MapJob`] leaves the loop over apps and components to the caller.
//! ```
//! use stowplan::component::{Answer, AppIndex, Registry};
//! use stowplan::prte::{MapJob, Owner, Request, Scope, Value, keys};
//! use stowplan::{Machine, Topology};
//!
//! let mut request = Request::new();
//! let app = Owner::App(request.push_app("./ocean", Some(4))?);
//! request.set_attribute(app, keys::APP_DASH_HOST, Value::from("a:4,b:4"), Scope::Global)?;
//! request.set_app_mapping_policy(0, "node:pe=1")?;
//! assert_eq!(request.attribute(app, keys::APP_PES_PER_PROC).map(|own| own.value()), Some(Value::Uint16(1)));
//!
//! let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
//! let registry = Registry::standard();
//! let mut map = MapJob::new(&request.job()?, &machine, &registry)?;
//! for app in map.apps() {
//!     for component in 0..registry.names().len() {
//!         if map.ask(AppIndex::Only(app), component)? == Answer::Success {
//!             break;
//!         }
//!     }
//! }
//! assert_eq!(map.finish()?.table().node(), [0, 1, 0, 1]);
//! # Ok::<(), stowplan::Error>(())
//! ```
//! [`Job`]: crate::Job

// A request, set by keys and directives.
mod request;
// The loop over apps and components.
mod map_job;

pub use crate::attribute::{Attribute, Owner, Scope, Value};
pub use map_job::MapJob;
pub use request::{Request, SetError, SetStatus};
pub use stowplan_engine::stage::component::Dispatch;

/// The keys of attributes: their numbers are PRRTE's.
/// ```
/// use stowplan::prte::keys;
/// let known = keys::key(keys::APP_MAPBY).ok_or("it is known")?;
/// assert_eq!((known.number, known.name, known.ty.word()), (26, "PRTE_APP_MAPBY", "uint16"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub mod keys {
    pub use stowplan_engine::spawn::keys::{
        APP_BINDING_LIMIT, APP_BINDTO, APP_CORE_CPUS, APP_CPUSET, APP_DASH_HOST, APP_DIST_DEVICE,
        APP_GPUS, APP_HOSTFILE, APP_HWT_CPUS, APP_KEY_MAX, APP_MAP_FILE, APP_MAPBY, APP_MPIBIND,
        APP_PES_PER_PROC, APP_PPR, APP_RANKBY, JOB_BINDING_LIMIT, JOB_CORE_CPUS, JOB_CPUSET,
        JOB_DISPLAY_DEVEL_MAP, JOB_DISPLAY_MAP, JOB_DIST_DEVICE, JOB_FILE, JOB_GPUS, JOB_HWT_CPUS,
        JOB_INHERIT, JOB_MPIBIND, JOB_NOINHERIT, JOB_PES_PER_PROC, JOB_PPR, KEYS, Key, KeyPlace,
        ValueType, key, key_named,
    };
}
