//! The GPUs of the ranks of a node, in rank order, as launchers count the ranks of a node; and the variables that show these
//! GPUs.

use crate::launchers::lists::{Bound, NODE_RANKS_MAX, Unsaid, located, stretches};
use crate::launchers::nodes::RankNodes;
use std::collections::HashMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{OnNode, Plan, ProcPlace};
use stowplan_engine::table::gpus::{Gpu, GpuFamily};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::topologies::TopologyId;

/// The visible numbers of the GPUs of each rank of a node, in rank order.
pub type GpuList = Vec<Vec<u32>>;

/// The GPUs that ranks are given, node by node.
#[derive(Clone, Debug, Default)]
pub struct GpuLists {
    /// Distinct lists.
    pub rows: Vec<GpuList>,
    /// The first node of each stretch of equal nodes, by its number, and the row of its list.
    pub groups: Vec<(u32, usize)>,
}

impl GpuLists {
    /// The lists of a plan; `None` if nobody asked for GPUs, or no rank is given any.
    ///
    /// # Errors
    /// A node with more ranks than a list may have.
    ///
    /// Cost: placed runs, and the ranks of one node for each stretch of equal nodes.
    pub fn of(plan: &Plan, nodes: &RankNodes<'_>) -> Result<Option<Self>, Unsaid> {
        if !plan.asks_for_gpus() {
            return Ok(None);
        }
        let given = plan.given_gpus();
        if !given.any() {
            return Ok(None);
        }
        let mut lists = Self::default();
        let mut known: HashMap<GpuList, usize> = HashMap::new();
        for (first, _) in stretches(plan, Bound::Some) {
            let node = NodeId::from_row(first as usize);
            let on: Vec<OnNode<'_>> = plan.on_node(node).collect();
            if on.is_empty() {
                continue;
            }
            let number = nodes.number(first);
            let list = list(plan, &given, node, &on).ok_or_else(|| {
                let name = nodes.name(number);
                Unsaid(format!("more than {NODE_RANKS_MAX} ranks on node {name}"))
            })?;
            let rows = &mut lists.rows;
            let row = *known.entry(list).or_insert_with_key(|list| {
                rows.push(list.clone());
                rows.len() - 1
            });
            lists.groups.push((number, row));
        }
        Ok(Some(lists))
    }

    /// The list of a node.
    #[must_use]
    pub fn on(&self, number: u32) -> &[Vec<u32>] {
        let at = self.groups.partition_point(|(first, _)| *first <= number);
        let row = self.groups.get(at.saturating_sub(1)).map(|group| group.1);
        row.map_or(&[], |row| &self.rows[row])
    }

    /// The longest list, if the lists of all these nodes are beginnings of it.
    ///
    /// # Errors
    /// The first node whose list is not.
    pub fn common(&self, nodes: impl Iterator<Item = u32> + Clone) -> Result<&[Vec<u32>], u32> {
        let lists = nodes.clone().map(|node| self.on(node));
        let longest = lists.max_by_key(|list| list.len()).unwrap_or_default();
        match nodes
            .into_iter()
            .find(|&node| !longest.starts_with(self.on(node)))
        {
            None => Ok(longest),
            Some(node) => Err(node),
        }
    }

    /// The same for all nodes. Cost: the stretches.
    ///
    /// # Errors
    /// The first node whose list is not.
    pub fn common_of_all(&self) -> Result<&[Vec<u32>], u32> {
        self.common(self.groups.iter().map(|(first, _)| *first))
    }
}

fn list(plan: &Plan, given: &GivenGpus, node: NodeId, on: &[OnNode<'_>]) -> Option<GpuList> {
    let ranks: u64 = on.iter().map(|on| u64::from(on.run.procs)).sum();
    if ranks > NODE_RANKS_MAX {
        return None;
    }
    let mut by_rank: Vec<(u32, u32)> = Vec::new();
    for on in on {
        for local in 0..on.run.procs {
            let rank = plan.rank_of(located(on, local));
            by_rank.push((rank.0, on.run.own_before + local));
        }
    }
    by_rank.sort_unstable();
    let gpus = by_rank
        .iter()
        .map(|&(_, local)| given.of(node, local).to_vec());
    Some(gpus.collect())
}

/// The shortest list whose repetition begins with this list.
#[must_use]
pub fn period(list: &[Vec<u32>]) -> &[Vec<u32>] {
    let goes_on = |length: &usize| (*length..list.len()).all(|at| list[at] == list[at - length]);
    let length = (1..list.len()).find(goes_on);
    &list[..length.unwrap_or(list.len())]
}

/// Numbers separated by commas.
#[must_use]
pub fn numbers(gpus: &[u32]) -> String {
    let words: Vec<String> = gpus.iter().map(u32::to_string).collect();
    words.join(",")
}

/// The GPUs on the node of a process.
#[must_use]
pub fn there<'p>(plan: &'p Plan, place: &ProcPlace) -> &'p [Gpu] {
    let world = plan.world();
    if place.node.row() >= world.before.nodes() as usize {
        return &[];
    }
    let topology = world.states.get(world.before.state(place.node)).topology;
    world.topologies.gpus(topology)
}

/// The variables that show a process its GPUs, with their values. `named`: the variable that the user names.
///
/// # Errors
/// If the plan does not know which variable shows such GPUs: the reason in words.
pub fn variables(
    plan: &Plan,
    place: &ProcPlace,
    named: Option<&str>,
) -> Result<Vec<(String, String)>, String> {
    let given = plan.given_gpus_on(place.node);
    let value = numbers(given.of(place.node, place.local_rank));
    if let Some(name) = named {
        return Ok(vec![(name.to_owned(), value)]);
    }
    let family = there(plan, place)
        .first()
        .or_else(|| anywhere(plan))
        .map(|gpu| gpu.family);
    let why = match family {
        None => "the plan knows no GPUs".to_owned(),
        Some(family) => match family.variable() {
            Some(name) => {
                let mut set = vec![(name.to_owned(), value)];
                if family == GpuFamily::Ze {
                    // Tiles are numbered flat over the whole node.
                    set.push(("ZE_FLAT_DEVICE_HIERARCHY".to_owned(), "FLAT".to_owned()));
                }
                return Ok(set);
            }
            None if family == GpuFamily::OpenCl => "OpenCL has no variable of its own".to_owned(),
            None => "the plan's GPUs are stated, of no known make".to_owned(),
        },
    };
    Err(why)
}

/// Any GPU of the plan.
pub(crate) fn anywhere(plan: &Plan) -> Option<&Gpu> {
    let topologies = &plan.world().topologies;
    let ids: Vec<TopologyId> = topologies.ids().collect();
    ids.into_iter().find_map(|id| topologies.gpus(id).first())
}

/// Reads the visible numbers in a variable's value, in ascending order. A word is a number, or the name `g.t` of a tile.
/// `None`: a word is something else.
#[must_use]
pub fn read(value: &str, there: &[Gpu]) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    for word in value.split(',').map(str::trim) {
        if word.is_empty() && value.trim().is_empty() {
            break;
        }
        let tile = |gpu: &&Gpu| word.contains('.') && gpu.name.strip_prefix("ze") == Some(word);
        let number = match there.iter().find(tile) {
            Some(gpu) => gpu.visible,
            None => word.parse().ok()?,
        };
        numbers.push(number);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}
