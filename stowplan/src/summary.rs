//! The numbers that people quote about a plan.

use crate::Plan;
use crate::plan::Form;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{self, PlacedRun};
use stowplan_engine::table::names::NodeRange;
use stowplan_engine::table::patterns::PatternId;

/// The numbers that people quote about a plan. `Display` writes the first line of the command's page.
///
/// ```
#[doc = include_str!("example.txt")]
/// let line = "6 ranks on 2 nodes · 2 apps · 2 node shapes · 0 notes";
/// assert_eq!(plan.summary().to_string(), line);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    ranks: u64,
    pool: u64,
    nodes: u64,
    apps: u64,
    shapes: u64,
    notes: u64,
}

impl Summary {
    pub(crate) fn new(plan: &Plan) -> Self {
        let inner = plan.inner();
        let whole = plan.form() == Form::Whole;
        let apps = inner.apps().iter();
        let apps = apps.filter(|app| {
            if whole {
                app.policy().is_some()
            } else {
                app.procs().0 > 0
            }
        });
        let (nodes, shapes) = shapes(inner);
        Self {
            ranks: u64::from(inner.ranks()),
            pool: u64::from(inner.world().names.len()),
            nodes,
            apps: apps.count() as u64,
            shapes,
            notes: plan.notes().len() as u64,
        }
    }
}

/// The shape of a node: its hardware, and the process count and pattern of each app on it. Nodes of equal shape look the same.
type Looks = (Option<(u32, u32)>, Vec<(usize, u32, PatternId)>);

/// The number of nodes with processes, and the number of distinct shapes among these nodes. Cost: sorting the runs, and the apps on
/// each stretch.
fn shapes(plan: &plan::Plan) -> (u64, u64) {
    let mut starts: Vec<(u32, usize, &PlacedRun)> = Vec::new();
    for (app, placed) in plan.apps().iter().enumerate() {
        let runs = placed.runs().iter();
        starts.extend(runs.map(|run| (run.nodes.first, app, run)));
    }
    starts.sort_unstable_by_key(|&(first, app, _)| (first, app));
    let mut starts = starts.into_iter().peekable();
    let mut here: Vec<(usize, &PlacedRun)> = Vec::new();
    let mut looks: HashSet<Looks> = HashSet::new();
    let (mut nodes, mut at) = (0_u64, 0_u32);
    loop {
        here.retain(|(_, run)| run.nodes.end() > at);
        if here.is_empty() {
            match starts.peek() {
                Some(&(first, ..)) => at = first,
                None => return (nodes, looks.len() as u64),
            }
        }
        while let Some((_, app, run)) = starts.next_if(|&(first, ..)| first == at) {
            here.push((app, run));
        }
        here.sort_unstable_by_key(|&(app, _)| app);
        let ends = here.iter().map(|(_, run)| run.nodes.end());
        let end = ends.chain(starts.peek().map(|&(first, ..)| first)).min();
        let stretch = NodeRange {
            first: at,
            count: end.unwrap_or(at + 1) - at,
        };
        let own = |&(app, run): &(usize, &PlacedRun)| (app, run.procs, run.pattern);
        let runs: Vec<_> = here.iter().map(own).collect();
        for hardware in hardware(plan, stretch) {
            looks.insert((hardware, runs.clone()));
        }
        nodes += u64::from(stretch.count);
        at = stretch.end();
    }
}

/// The distinct topologies and allowed cpus on a stretch of nodes. A plan from a broadcast has neither: `None`.
fn hardware(plan: &plan::Plan, nodes: NodeRange) -> BTreeSet<Option<(u32, u32)>> {
    let world = plan.world();
    if world.before.is_empty() {
        return BTreeSet::from([None]);
    }
    let number = |row: usize| u32::try_from(row).unwrap_or(u32::MAX);
    let parts = world.before.within(nodes);
    let kinds = parts.map(|(_, state)| {
        let state = world.states.get(state);
        Some((number(state.topology.row()), number(state.allowed.row())))
    });
    kinds.collect()
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number))
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on ", counted(self.ranks, "rank"))?;
        if self.nodes == self.pool {
            f.write_str(&counted(self.nodes, "node"))?;
        } else {
            let pool = counted(self.pool, "node");
            write!(f, "{} of {pool}", grouped(self.nodes))?;
        }
        write!(
            f,
            " · {} · {} · {}",
            counted(self.apps, "app"),
            counted(self.shapes, "node shape"),
            counted(self.notes, "note")
        )
    }
}

impl Plan {
    /// The numbers that people quote about the plan. As text, they are the first line of the command's page.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "4", "-H", "a:2,b:2", "./x"])?, &machine)?;
    /// let line = "4 ranks on 2 nodes · 1 app · 1 node shape · 0 notes";
    /// assert_eq!(plan.summary().to_string(), line);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn summary(&self) -> Summary {
        Summary::new(self)
    }
}
