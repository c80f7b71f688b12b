//! Why a task map is refused: what was asked for, what was found, and where.

use super::blocks::JobNode;
use crate::count::Rank;
use crate::count::counted;
use std::fmt;

/// A place in the input: a byte of a text, or a block of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MapPlace {
    /// Offset in bytes from the start of the text, from 0.
    Byte(usize),
    /// Number of the block (or run) in the list given by a program, from 0.
    Block(usize),
}

/// One of the four numbers of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The first node.
    NodeId,
    /// How many nodes.
    Nnodes,
    /// Tasks of each node in one repeat.
    Ppn,
    /// How often.
    Repeat,
}

impl Field {
    /// The name that RFC 34 gives it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NodeId => "nodeid",
            Self::Nnodes => "nnodes",
            Self::Ppn => "ppn",
            Self::Repeat => "repeat",
        }
    }

    /// The smallest value it may have.
    #[must_use]
    pub const fn least(self) -> u32 {
        match self {
            Self::NodeId => 0,
            Self::Nnodes | Self::Ppn | Self::Repeat => 1,
        }
    }
}

/// Why a task map cannot be read, asked, changed or written. Source: errors "Plans, sessions, task maps, output".
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskMapError {
    /// The text has none of the forms.
    #[error("expected {expected}, found {found}, at byte {at} of the task map")]
    Syntax {
        /// What the form needs here.
        expected: &'static str,
        /// What was found.
        found: FoundText,
        /// Offset in bytes.
        at: usize,
    },
    /// Valid JSON of another shape.
    #[error("expected {expected}, found {found}, at byte {at} of the task map")]
    Type {
        /// What a task map must have here.
        expected: &'static str,
        /// What was found.
        found: &'static str,
        /// Offset in bytes.
        at: usize,
    },
    /// Another version than 1.
    #[error("task map of version {found}, this program reads version 1, at byte {at}")]
    Version {
        /// The version, cut to a readable length.
        found: String,
        /// Offset in bytes.
        at: usize,
    },
    /// A number below the least that makes sense.
    #[error("{} is {found}, at least {} is needed, at {at}", field.name(), field.least())]
    Value {
        /// Which number.
        field: Field,
        /// As it was given, cut to a readable length.
        found: String,
        /// Where.
        at: MapPlace,
    },
    /// A number or a sum beyond the limits.
    #[error("{what} {found}, at most {most} fit, at {at}")]
    Range {
        /// Which number or sum.
        what: &'static str,
        /// As it was given or came out, cut to a readable length.
        found: String,
        /// The limit.
        most: u32,
        /// Where.
        at: MapPlace,
    },
    /// Raw: a task on two nodes.
    #[error("task {task} is named twice, on {first} and on {second}")]
    Overlap {
        /// The first such task.
        task: Rank,
        /// The node that named it first, in task order.
        first: JobNode,
        /// The other.
        second: JobNode,
    },
    /// Raw: a task on no node.
    #[error("task {task} is on no node, yet task {next} is on {node}")]
    Gap {
        /// The first such task.
        task: Rank,
        /// The next task that is named.
        next: Rank,
        /// The node of that task.
        node: JobNode,
    },
    /// The operation needs a known map.
    #[error("{asked} was asked of the unknown task map, which has no nodes and no tasks")]
    Unknown {
        /// The operation.
        asked: &'static str,
    },
    /// A question about a task that the map does not have.
    #[error("task {asked} was asked for, the map has tasks 0 to {last}")]
    NoSuchTask {
        /// The task.
        asked: Rank,
        /// The last one of the map.
        last: Rank,
    },
    /// A question about a node that the map does not have, or that has no task.
    #[error("{asked} was asked for, it has no task in the map, whose nodes are 0 to {last}")]
    NoSuchNode {
        /// The node.
        asked: JobNode,
        /// The last one of the map.
        last: JobNode,
    },
    /// A form that cannot say that a node has no task.
    #[error("{node} has no task, which the {form} form cannot say; the map has {}", counted(*.nodes, "node"))]
    EmptyNode {
        /// The first such node.
        node: JobNode,
        /// The form.
        form: &'static str,
        /// Nodes of the map, including nodes without tasks.
        nodes: u32,
    },
    /// More items than were allowed.
    #[error("{asked} needs {items} {unit}, at most {most} are allowed")]
    TooLarge {
        /// The form, question or scheme.
        asked: &'static str,
        /// How many it needs, or how many it had needed when it was given up.
        items: u64,
        /// What the items are.
        unit: &'static str,
        /// The limit.
        most: u64,
    },
    /// More characters than were allowed.
    #[error("{asked} has {chars} characters, at most {most} are allowed")]
    TooLong {
        /// The form or question.
        asked: &'static str,
        /// How many characters it has.
        chars: u64,
        /// The limit.
        most: u64,
    },
    /// The other map has different totals.
    #[error(
        "the map has {} on {}, the other {} on {}", counted(*.tasks, "task"), counted(*.nodes, "node"), counted(*.other_tasks, "task"), counted(*.other_nodes, "node")
    )]
    Mismatch {
        /// Nodes of the map.
        nodes: u32,
        /// Its tasks.
        tasks: u32,
        /// Nodes of the other.
        other_nodes: u32,
        /// Its tasks.
        other_tasks: u32,
    },
    /// Hostfile: a node of the job gets no task.
    #[error(
        "{node} of {nodes} gets no task from the host file, which places {} by {}", counted(*.tasks, "task"), counted(*.entries as u64, "entry")
    )]
    NodeLeftOut {
        /// The first such node.
        node: JobNode,
        /// Nodes of the job.
        nodes: u32,
        /// Entries of the file.
        entries: usize,
        /// Tasks of the job.
        tasks: u32,
    },
    /// An unknown scheme, or a bad value for a scheme.
    #[error("scheme `{scheme}`: {why}")]
    Scheme {
        /// As it was given.
        scheme: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Hostfile: a host that the job does not have.
    #[error("host `{host}` of line {line} is none of the job's {}", counted(*.hosts as u64, "host"))]
    Host {
        /// The name.
        host: String,
        /// Its line, from 1.
        line: usize,
        /// Hosts of the job.
        hosts: usize,
    },
    /// A hostfile that cannot be used.
    #[error("host file, line {line}: {why}")]
    Hostfile {
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The job's host list cannot be used.
    #[error("host list `{text}`, byte {at}: {why}")]
    Hostlist {
        /// As it was given, cut to a readable length.
        text: String,
        /// Offset in bytes.
        at: usize,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl TaskMapError {
    /// The stable name that scripts match on. Source: errors "Plans, sessions, task maps, output".
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "taskmap-syntax",
            Self::Type { .. } => "taskmap-type",
            Self::Version { .. } => "taskmap-version",
            Self::Value { .. } => "taskmap-value",
            Self::Range { .. } => "taskmap-range",
            Self::Overlap { .. } => "taskmap-overlap",
            Self::Gap { .. } => "taskmap-gap",
            Self::Unknown { .. } => "taskmap-unknown",
            Self::NoSuchTask { .. } => "taskmap-no-such-task",
            Self::NoSuchNode { .. } => "taskmap-no-such-node",
            Self::EmptyNode { .. } => "taskmap-empty-node",
            Self::TooLarge { .. } => "taskmap-too-large",
            Self::TooLong { .. } => "taskmap-too-long",
            Self::Mismatch { .. } | Self::NodeLeftOut { .. } => "taskmap-mismatch",
            Self::Scheme { .. } => "taskmap-scheme",
            Self::Host { .. } => "taskmap-host",
            Self::Hostfile { .. } => "bad-hostfile",
            Self::Hostlist { .. } => "bad-hostlist",
        }
    }
}

/// What was found at a place of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoundText {
    /// The text ends here.
    End,
    /// A byte; for a longer character, its first byte.
    Byte(u8),
    /// Something that has a name.
    Named(&'static str),
}

impl fmt::Display for FoundText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::End => f.write_str("the end"),
            Self::Byte(byte @ 0x20..0x7f) => write!(f, "`{}`", char::from(byte)),
            Self::Byte(byte) => write!(f, "byte 0x{byte:02x}"),
            Self::Named(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for MapPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(at) => write!(f, "byte {at} of the task map"),
            Self::Block(at) => write!(f, "block {at}"),
        }
    }
}

impl fmt::Display for JobNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}
