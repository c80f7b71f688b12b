//! Notes: not errors, but worth knowing. They are printed as `note[CLASS]: …` and never change the result.

use super::spec::Owner;
use crate::count::counted;

/// Of what a note holds, for programs. What a note does not say is `None`, empty or 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Facts {
    /// The app, from 0; `None`: the job.
    pub app: Option<u32>,
    /// The nodes, folded: `n[0-3],login`.
    pub nodes: String,
    /// How many things it counts: ranks, nodes, cores or GPUs.
    pub count: u64,
    /// The ranks, as ranges: `0-3,7`. Of many ranks the first ones, with `…` behind them.
    pub ranks: String,
}

/// Something worth knowing.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
pub enum Note {
    /// NOLOCAL, but the app's nodes do not include a local node.
    #[error("app {app} asks for NOLOCAL, and its nodes hold no local node")]
    NothingLocal {
        /// The app, from 0.
        app: u32,
    },
    /// A request key we do not know.
    #[error("{key} of {owner} is no key we know: it is kept and relayed, and has no effect")]
    UnknownKey {
        /// The key.
        key: String,
        /// The app or the job.
        owner: Owner,
    },
    /// An attribute of scope Local.
    #[error("{key} of {owner} is local: it is not relayed, and has no effect")]
    LocalAttribute {
        /// The key.
        key: String,
        /// The app or the job.
        owner: Owner,
    },
    /// A word that has no effect with this policy.
    #[error("{word} of {owner} has no effect: {why}")]
    NoEffect {
        /// The word.
        word: String,
        /// The app or the job.
        owner: Owner,
        /// Why.
        why: &'static str,
    },
    /// The `NODES=` of an option names no node of the job.
    #[error(
        "{option} {nodes}=… has no effect: no node of the job has such a name, its first one is {first}"
    )]
    NoNodeNamed {
        /// `--topo` or `--devices`.
        option: &'static str,
        /// As given.
        nodes: String,
        /// The first node of the job.
        first: String,
    },
    /// The job's rank or bind word does not apply to an app that has its own map.
    #[error("the job's {word} does not reach app {app}, which has its own map: it takes {instead}")]
    JobWordUnused {
        /// `rank-by` or `bind-to`.
        word: &'static str,
        /// The app, from 0.
        app: u32,
        /// The policy that the app takes instead.
        instead: String,
    },
    /// An old spelling of an option was accepted.
    #[error("{old} is an old spelling: write {new}")]
    OldSpelling {
        /// As given.
        old: String,
        /// The current spelling.
        new: String,
    },
    /// A sequence or rankfile has more entries than processes.
    #[error("{path} has {}, app {app} uses {procs}", counted(*.entries, "entry"))]
    UnusedEntries {
        /// The app, from 0.
        app: u32,
        /// The file.
        path: String,
        /// Processes of the app.
        procs: u32,
        /// Entries of the file.
        entries: u64,
    },
    /// The default binding of an app was given up.
    #[error(
        "app {app}, mapped by {policy}: its default binding was given up on {node}, {} there, {}: {} left unbound",
        counted(*.procs, "process"),
        counted(*.cpus, "free cpu"),
        counted(*.unbound, "process")
    )]
    BindingDropped {
        /// The app, from 0.
        app: u32,
        /// Its map policy.
        policy: &'static str,
        /// The first such node.
        node: String,
        /// Free cpus of that node.
        cpus: u32,
        /// Processes of the app there.
        procs: u32,
        /// How many processes of the app are unbound, on all nodes.
        unbound: u64,
    },
    /// A default binding, or one that is asked for if supported, that the binder could not do for some processes.
    #[error(
        "app {app}: {} left unbound, first on {node}: {why}",
        counted(*.procs, "process")
    )]
    Unbound {
        /// The app, from 0.
        app: u32,
        /// How many processes.
        procs: u64,
        /// The first such node.
        node: String,
        /// Why.
        why: String,
    },
    /// Memory behind memory: objects of the mapped or bound kind that do not count.
    #[error(
        "app {app}: {left_out} of the {objects} numa of {node} do not count, as the cpus of each are those of another (memory behind memory)"
    )]
    OneDomain {
        /// The app, from 0.
        app: u32,
        /// How many do not count.
        left_out: u32,
        /// How many there are.
        objects: u32,
        /// How many count.
        counted: u32,
        /// The first such node.
        node: String,
    },
    /// Nodes hold more processes than slots.
    #[error(
        "more processes than slots on {}: {first} has {procs} on {}",
        counted(*.nodes, "node"),
        counted(*.slots, "slot")
    )]
    Oversubscribed {
        /// How many nodes.
        nodes: u32,
        /// The first of them.
        first: String,
        /// Processes there.
        procs: u32,
        /// Its slots.
        slots: u32,
    },
    /// Bound processes share cpus under overload-allowed.
    #[error("app {app}: bound processes share cpus, first on {node}, which has {procs} of them")]
    Overloaded {
        /// The app, from 0.
        app: u32,
        /// The first such node.
        node: String,
        /// Processes of the app there.
        procs: u32,
    },
    /// Processes without a GPU near them, on nodes that have GPUs.
    #[error(
        "no GPU is given to {}, on nodes that have some none is near: first on {node}",
        counted(*.procs, "process")
    )]
    NoNearGpu {
        /// How many.
        procs: u64,
        /// The first such node.
        node: String,
    },
    /// A note of a line in another grammar than ours.
    #[error("{text}")]
    OfLine {
        /// The stable class.
        class: &'static str,
        /// Its sentence.
        text: String,
    },
    /// What an expert would say of a finished plan.
    #[error("{text}")]
    Advice {
        /// The stable class.
        class: &'static str,
        /// Of what it holds.
        facts: Facts,
        /// Its sentence, with what would mend it.
        text: String,
    },
    /// One or two ranks are bound to one cpu each by default, on a node that has many.
    #[error(
        "app {app} uses {bound} of the {} of a node, {}; --bind-to none or --bind-to numa widens it",
        counted(*.allowed, "cpu"),
        narrow(*.procs)
    )]
    BindingNarrow {
        /// The app, from 0.
        app: u32,
        /// Cpus that its processes are bound to.
        bound: u32,
        /// Cpus of the node that may be used.
        allowed: u32,
        /// Processes of the app.
        procs: u64,
    },
}

/// Why a default binds to a cpu each (`semantics` 3.6).
fn narrow(procs: u64) -> String {
    if procs <= 2 {
        return "as one or two processes are bound to a cpu each by default".to_owned();
    }
    format!(
        "as its {procs} processes do not count for the default: no -n is given (-n {procs} binds to numa)"
    )
}

impl Note {
    /// Of what it holds.
    #[must_use]
    pub fn facts(&self) -> Facts {
        let of = |app: &u32, nodes: &str, count: u64| Facts {
            app: Some(*app),
            nodes: nodes.to_owned(),
            count,
            ranks: String::new(),
        };
        match self {
            Self::Advice { facts, .. } => facts.clone(),
            Self::NothingLocal { app } | Self::JobWordUnused { app, .. } => of(app, "", 0),
            Self::UnusedEntries { app, entries, .. } => of(app, "", *entries),
            Self::BindingDropped {
                app, node, unbound, ..
            } => of(app, node, *unbound),
            Self::Overloaded { app, node, procs } => of(app, node, u64::from(*procs)),
            Self::Unbound {
                app, node, procs, ..
            } => of(app, node, *procs),
            Self::OneDomain {
                app,
                node,
                left_out,
                ..
            } => of(app, node, u64::from(*left_out)),
            Self::BindingNarrow { app, procs, .. } => of(app, "", *procs),
            Self::Oversubscribed { nodes, first, .. } => Facts {
                nodes: first.clone(),
                count: u64::from(*nodes),
                ..Facts::default()
            },
            Self::NoNearGpu { procs, node } => Facts {
                nodes: node.clone(),
                count: *procs,
                ..Facts::default()
            },
            Self::UnknownKey { owner, .. }
            | Self::LocalAttribute { owner, .. }
            | Self::NoEffect { owner, .. } => Facts {
                app: owner.app(),
                ..Facts::default()
            },
            Self::OldSpelling { .. } | Self::NoNodeNamed { .. } | Self::OfLine { .. } => {
                Facts::default()
            }
        }
    }

    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::OfLine { class, .. } | Self::Advice { class, .. } => class,
            Self::NothingLocal { .. } => "nothing-local",
            Self::BindingDropped { .. } | Self::Unbound { .. } => "binding-dropped",
            Self::OneDomain { counted: ..=1, .. } => "one-domain",
            Self::OneDomain { .. } => "domains-left-out",
            Self::Oversubscribed { .. } => "oversubscribed",
            Self::Overloaded { .. } => "overloaded",
            Self::BindingNarrow { .. } => "binding-narrow",
            Self::NoNearGpu { .. } => "no-near-gpu",
            Self::UnknownKey { .. } => "unknown-key",
            Self::LocalAttribute { .. } => "local-attribute",
            Self::NoEffect { .. } | Self::NoNodeNamed { .. } => "no-effect",
            Self::JobWordUnused { .. } => "job-word-unused",
            Self::OldSpelling { .. } => "old-spelling",
            Self::UnusedEntries { .. } => "unused-entries",
        }
    }
}
