//! Why hosts do not hold a plan.

use std::fmt;
use stowplan_engine::count::counted;
use stowplan_engine::plan::HostCount;

/// The nodes of a plan that have one topology, and the hosts that have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShapeCount {
    /// The nodes, folded.
    pub nodes: String,
    /// The topology in a few words.
    pub size: String,
    /// Nodes with processes.
    pub needs: usize,
    /// Hosts.
    pub has: usize,
}

/// Why hosts do not hold a plan. Class `does-not-fit`.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misfit {
    /// Too few hosts, in all or of a topology.
    #[error("the plan needs {}, {} granted{}", counted(*.needs as u64, "host"), are(*.has), each(.shapes, *.unknown, *.others, .first_other.as_deref()))]
    Hosts {
        /// Nodes with processes.
        needs: usize,
        /// Hosts.
        has: usize,
        /// Counts for each topology of these nodes.
        shapes: Vec<ShapeCount>,
        /// Hosts of which nothing is known.
        unknown: usize,
        /// Hosts with a topology that no node of the plan has.
        others: usize,
        /// The first of those.
        first_other: Option<String>,
    },
    /// There are fewer hosts than nodes, and the rules of the job count the nodes without processes.
    #[error("the job is one of {}, some without processes, and its rules place it otherwise on the {hosts} that are granted", counted(*.nodes, "node"))]
    Idle {
        /// Nodes of the plan.
        nodes: u32,
        /// Hosts.
        hosts: u32,
    },
    /// A host has fewer slots than the plan uses there.
    #[error("{host} has {}, and the plan puts {} there", counted(*.slots, "slot"), counted(*.ranks, "rank"))]
    Slots {
        /// The host.
        host: String,
        /// Its slots, as said.
        slots: u32,
        /// Ranks of the node that it would stand for.
        ranks: u32,
    },
    /// A host lacks cpus that the plan binds to.
    #[error(
        "{host} would take the place of {node} and lacks cpus {cpus} (OS numbers), to which ranks are bound"
    )]
    Cpus {
        /// The node of the plan.
        node: String,
        /// The host.
        host: String,
        /// What it lacks.
        cpus: String,
    },
    /// There are not as many names as nodes.
    #[error(transparent)]
    Count(#[from] HostCount),
}

impl Misfit {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "does-not-fit"
    }
}

fn are(count: usize) -> String {
    match count {
        1 => "1 is".to_owned(),
        more => format!("{more} are"),
    }
}

/// Counts for each topology; of one topology alone, if hosts have another.
struct Each<'e> {
    shapes: &'e [ShapeCount],
    unknown: usize,
    others: usize,
    first_other: Option<&'e str>,
}

const fn each<'e>(
    shapes: &'e [ShapeCount],
    unknown: usize,
    others: usize,
    first_other: Option<&'e str>,
) -> Each<'e> {
    Each {
        shapes,
        unknown,
        others,
        first_other,
    }
}

impl fmt::Display for Each<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, shape) in self.shapes.iter().enumerate() {
            let sign = if at == 0 { ":" } else { ";" };
            write!(
                f,
                "{sign} {} ({}) needs {}, ",
                shape.nodes,
                shape.size,
                counted(shape.needs as u64, "host")
            )?;
            // Hosts of which nothing is known may stand for nodes of the only topology.
            match (self.shapes.len(), self.unknown) {
                (1, unknown) => write!(f, "{} granted", are(shape.has + unknown))?,
                (_, _) => write!(f, "{} granted", are(shape.has))?,
            }
        }
        if self.shapes.len() > 1 && self.unknown > 0 {
            write!(f, "; of unknown hardware: {} granted", are(self.unknown))?;
        }
        match self.first_other {
            Some(first) => write!(
                f,
                "; of other hardware: {} granted, {first} first",
                are(self.others)
            ),
            None => Ok(()),
        }
    }
}
