//! What a launcher, a tool or a scheduler reports: one event at a time.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A value as it was said: what the engine reads is typed, the rest is kept as text to be forwarded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum EventValue<'a> {
    /// `null`, or not there: both mean absent.
    #[default]
    Absent,
    /// A truth value.
    Bool(bool),
    /// An integer: a number without fraction or exponent.
    Int(i128),
    /// A string.
    #[serde(borrow)]
    Text(&'a str),
    /// A list of strings, perhaps empty.
    #[serde(borrow)]
    Texts(Vec<&'a str>),
    /// Anything else, as compact JSON.
    #[serde(borrow)]
    Other(Cow<'a, str>),
}

impl<'a> EventValue<'a> {
    /// A list of strings; absent if there are none.
    ///
    /// ```
    /// use stowplan_session::EventValue;
    /// assert_eq!(EventValue::names(["n0", "n1"]), EventValue::Texts(vec!["n0", "n1"]));
    /// assert_eq!(EventValue::names([]), EventValue::Absent);
    /// ```
    pub fn names(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        if names.is_empty() {
            Self::Absent
        } else {
            Self::Texts(names)
        }
    }
    /// Whether a value was given.
    #[must_use]
    pub fn is_present(&self) -> bool {
        !matches!(self, Self::Absent)
    }
    /// The string, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        if let Self::Text(text) = self {
            Some(text)
        } else {
            None
        }
    }
    /// The list of strings, if it is one.
    pub(crate) fn texts(&self) -> Option<&[&'a str]> {
        if let Self::Texts(list) = self {
            Some(list)
        } else {
            None
        }
    }
}

/// A key and its value.
pub type Attr<'a> = (&'a str, EventValue<'a>);

/// What a tool attaches as.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ToolRole {
    /// Any tool.
    Tool,
    /// The scheduler, of which there is at most one.
    Scheduler,
}

/// One event. Source: reservations "Clauses". Strings are judged by the engine, so any are accepted here.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Event<'a> {
    /// A request by a tool or a process.
    Alloc {
        /// `namespace` or `namespace:rank`.
        from: &'a str,
        /// The directive.
        #[serde(borrow)]
        directive: EventValue<'a>,
        /// The attributes; of a key given twice the last counts.
        #[serde(borrow)]
        attrs: Vec<Attr<'a>>,
    },
    /// The scheduler gives nodes.
    Grant {
        /// The request's number.
        req: u64,
        /// Names of nodes.
        #[serde(borrow)]
        nodes: EventValue<'a>,
        /// The id of the allocation.
        #[serde(borrow)]
        alloc_id: EventValue<'a>,
    },
    /// The scheduler refuses.
    Deny {
        /// The request's number.
        req: u64,
        /// The name of an error.
        status: &'a str,
    },
    /// A job is to be started.
    Spawn {
        /// `namespace` or `namespace:rank`.
        from: &'a str,
        /// The name of the job.
        job: &'a str,
        /// The sessions it may use.
        #[serde(borrow)]
        target: EventValue<'a>,
        /// The nodes it uses: the mapper's answer.
        #[serde(borrow)]
        hosts: EventValue<'a>,
    },
    /// A job has ended.
    JobEnd {
        /// Its namespace.
        ns: &'a str,
    },
    /// A tool has come.
    ToolAttach {
        /// Its namespace.
        ns: &'a str,
        /// What it is.
        role: ToolRole,
    },
    /// A tool has gone.
    ToolDetach {
        /// Its namespace.
        ns: &'a str,
    },
    /// A node has failed.
    NodeDown {
        /// Its name.
        node: &'a str,
    },
    /// A node is back.
    NodeUp {
        /// Its name.
        node: &'a str,
    },
    /// An allocation is about to expire.
    Warn {
        /// Which.
        alloc_id: &'a str,
        /// Seconds left.
        time_remaining: u32,
    },
    /// The scheduler ends an allocation.
    Reclaim {
        /// Which.
        alloc_id: &'a str,
        /// Why, for people.
        reason: Option<&'a str>,
    },
    /// The DVM ends.
    DvmEnd,
}

impl Event<'_> {
    /// The event's name in scenarios and journals.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Alloc { .. } => "alloc",
            Self::Grant { .. } => "grant",
            Self::Deny { .. } => "deny",
            Self::Spawn { .. } => "spawn",
            Self::JobEnd { .. } => "job_end",
            Self::ToolAttach { .. } => "tool_attach",
            Self::ToolDetach { .. } => "tool_detach",
            Self::NodeDown { .. } => "node_down",
            Self::NodeUp { .. } => "node_up",
            Self::Warn { .. } => "warn",
            Self::Reclaim { .. } => "reclaim",
            Self::DvmEnd => "dvm_end",
        }
    }
}

/// What an `alloc` asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Directive {
    /// A fresh allocation.
    New,
    /// More nodes, more time, or another disposition.
    Extend,
    /// Nodes go back.
    Release,
    /// Lent nodes are wanted again.
    Reaquire,
    /// Pending requests are withdrawn.
    Cancel,
}

/// The five directives with their names.
pub const DIRECTIVES: &[(&str, Directive)] = &[
    ("PMIX_ALLOC_NEW", Directive::New),
    ("PMIX_ALLOC_EXTEND", Directive::Extend),
    ("PMIX_ALLOC_RELEASE", Directive::Release),
    ("PMIX_ALLOC_REAQUIRE", Directive::Reaquire),
    ("PMIX_ALLOC_REQ_CANCEL", Directive::Cancel),
];

impl Directive {
    /// The PMIx name.
    #[must_use]
    pub fn name(self) -> &'static str {
        DIRECTIVES
            .iter()
            .find(|row| row.1 == self)
            .expect("the table has every directive")
            .0
    }
    /// The directive of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        DIRECTIVES.iter().find(|row| row.0 == name).map(|row| row.1)
    }
}
