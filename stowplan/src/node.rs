//! Nodes of a plan.

use crate::plan::Form;
use crate::{Plan, Topology};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::OnceLock;
use stowplan_engine::id::Id as _;
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::states::NodeState;

/// One node of a plan. Two are equal if they have the same number in equal plans; a comparison costs as much as one of the plans.
///
/// ```
#[doc = include_str!("example.txt")]
/// let node = plan.node("b").ok_or("b is in the pool")?;
/// assert_eq!((node.number(), node.name(), node.slots_free()), (1, "b", Some(0)));
/// let ranks: Vec<u32> = node.procs().map(|proc| proc.rank().into()).collect();
/// assert_eq!(ranks, [3, 4, 5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Node<'p> {
    pub(crate) plan: &'p Plan,
    pub(crate) id: NodeId,
    /// The plan keeps names as ranges. This one is written out when it is first asked for.
    name: OnceLock<String>,
}

impl<'p> Node<'p> {
    pub(crate) const fn new(plan: &'p Plan, id: NodeId) -> Self {
        Self {
            plan,
            id,
            name: OnceLock::new(),
        }
    }

    /// Its number in the pool, from 0, in order of first mention.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.node().number(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn number(&self) -> u32 {
        u32::try_from(self.id.row()).unwrap_or(u32::MAX)
    }

    /// Its name.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.node().name(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        let names = &self.plan.inner().world().names;
        self.name.get_or_init(|| names.name(self.id))
    }

    fn state(&self) -> Option<&'p NodeState> {
        let world = self.plan.inner().world();
        match self.plan.form() {
            Form::Whole => Some(world.states.get(world.after.state(self.id))),
            Form::Broadcast => None,
        }
    }

    /// Slots of this node that the job, and the jobs before it, leave free. `None` in a plan from a broadcast.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(plan.node("a").and_then(|node| node.slots_free()), Some(0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn slots_free(&self) -> Option<u32> {
        let state = self.state()?;
        Some(state.slots.saturating_sub(state.used))
    }

    /// Its hardware. `None` in a plan from a broadcast. Cost: linear in its objects.
    /// ```
    #[doc = include_str!("example.txt")]
    /// assert_eq!(proc.node().topology(), Some(Topology::parse("package:2 core:2 pu:1")?));
    /// assert_eq!(Plan::from_bytes(&plan.to_broadcast())?.nodes().next().and_then(|node| node.topology()), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn topology(&self) -> Option<Topology> {
        let topologies = &self.plan.inner().world().topologies;
        Some(Topology::of_table(topologies, self.state()?.topology))
    }

    /// The part of the plan that this node's daemon needs, in bytes. [`NodeSlice::from_bytes`](crate::NodeSlice::from_bytes) reads
    /// them.
    /// ```
    #[doc = include_str!("example.txt")]
    /// let slice = stowplan::NodeSlice::from_bytes(&proc.node().to_bytes())?;
    /// assert_eq!(slice.name(), "b");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.plan.inner().slice_bytes(self.id)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.plan == other.plan
    }
}

impl Eq for Node<'_> {}

impl Hash for Node<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number().hash(state);
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Node({} {:?})", self.number(), self.name())
    }
}

/// The nodes of a plan, by number.
///
/// ```
#[doc = include_str!("example.txt")]
/// assert_eq!(plan.nodes().len(), 2);
/// assert_eq!(plan.nodes().next_back().map(|node| node.number()), Some(1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Nodes<'p> {
    plan: &'p Plan,
    left: Range<u32>,
}

impl<'p> Nodes<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            left: 0..plan.inner().world().names.len(),
        }
    }

    fn node(&self, number: u32) -> Node<'p> {
        Node::new(self.plan, NodeId::from_row(number as usize))
    }
}

impl<'p> Iterator for Nodes<'p> {
    type Item = Node<'p>;

    fn next(&mut self) -> Option<Node<'p>> {
        let number = self.left.next()?;
        Some(self.node(number))
    }

    fn nth(&mut self, n: usize) -> Option<Node<'p>> {
        let number = self.left.nth(n)?;
        Some(self.node(number))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl DoubleEndedIterator for Nodes<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        let number = self.left.next_back()?;
        Some(self.node(number))
    }
}

impl ExactSizeIterator for Nodes<'_> {}
impl FusedIterator for Nodes<'_> {}

impl fmt::Debug for Nodes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nodes({:?})", self.left)
    }
}

impl Plan {
    /// Finds a node by its name.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4,b:4", "./x"])?, &machine)?;
    /// assert_eq!(plan.node("b").map(|node| node.number()), Some(1));
    /// assert!(plan.node("c").is_none());
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn node(&self, name: &str) -> Option<Node<'_>> {
        let node = self.inner().world().names.find_name(name)?;
        Some(Node::new(self, node))
    }

    /// The nodes of the pool in order of first mention, including idle nodes.
    /// ```
    /// # use stowplan::{Job, Machine, Plan, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Plan::new(&Job::from_command_line(["-n", "2", "-H", "a:4,b:4", "./x"])?, &machine)?;
    /// let names: Vec<String> = plan.nodes().map(|node| node.name().to_owned()).collect();
    /// assert_eq!(names, ["a", "b"]);
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn nodes(&self) -> Nodes<'_> {
        Nodes::new(self)
    }
}
