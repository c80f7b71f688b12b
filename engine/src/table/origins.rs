//! Where each resolved word came from: the app, the job, the parent job, or the rule of a default.

use serde::{Deserialize, Serialize};

/// Where a resolved word came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// Said by this app's own directive.
    App,
    /// Said for the job (on the first app of a command line, or in the job's info).
    Job,
    /// Copied from the parent job (`per-app` 10).
    Parent,
    /// A default.
    Default(Rule),
}

/// The rule behind a default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Rule {
    /// Map by core: nothing else was said (3.2).
    MapCore,
    /// Map by slot: PE=n was given without a policy (3.2).
    MapSlotForPe,
    /// Map by the kind bound to (3.2), or by slot for bind none.
    MapAsBound,
    /// Rank as mapped (3.5).
    RankAsMapped,
    /// Bind to the mapped object (3.6).
    BindAsMapped,
    /// Bind to a cpu: PE was given (3.6).
    BindForPe,
    /// Bind to a cpu: pe-list (3.6).
    BindPeList,
    /// Bind to a cpu: the app has an object-less map of its own (`per-app` 6).
    BindOwnMap,
    /// Bind to a cpu up to two processes, else to a NUMA node (3.6).
    BindBySize,
    /// Map as the parameter `mapby` says.
    MapParameter,
    /// Rank as the parameter `rankby` says.
    RankParameter,
    /// Bind as the parameter `bindto` says.
    BindParameter,
}

/// Origins of the three policies of an app.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Origins {
    /// Of the map policy.
    pub map: Origin,
    /// Of the rank policy.
    pub rank: Origin,
    /// Of the bind target.
    pub bind: Origin,
}
