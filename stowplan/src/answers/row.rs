//! What a line of `tsv` says about one rank, as data.

use serde::Serialize;
use std::collections::HashMap;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::{CpusetId, list_form};
use stowplan_engine::table::names::NodeId;

/// One rank; the fields are the columns of `tsv`, in their order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// Its rank in the job.
    pub rank: u32,
    /// Its app.
    pub app: u32,
    /// Its rank in the app.
    pub app_rank: u32,
    /// The name of its node.
    pub node: String,
    /// Its number on the node among the processes of the job.
    pub local_rank: u32,
    /// Its number on the node among the processes of all jobs.
    pub node_rank: u32,
    /// The object it was mapped to, `core:5`; `None`: no object.
    pub object: Option<String>,
    /// The cpus it is bound to, as a list of OS numbers; `None`: unbound.
    pub cpus: Option<String>,
}

/// The rows of a plan; a text that many ranks share is made once.
#[derive(Debug)]
pub struct Rows<'p> {
    plan: &'p Plan,
    /// List forms made so far: few rows of a plan of many sets may be asked for.
    lists: HashMap<CpusetId, Box<str>>,
    name: Option<(NodeId, String)>,
}

impl<'p> Rows<'p> {
    /// The rows of a plan.
    #[must_use]
    pub fn new(plan: &'p Plan) -> Self {
        Self {
            plan,
            lists: HashMap::new(),
            name: None,
        }
    }

    /// The row of a rank; `None`: the plan has no such rank. Cost: a search.
    pub fn row(&mut self, rank: Rank) -> Option<Row> {
        let place = self.plan.place(rank)?;
        Some(Row {
            rank: rank.0,
            app: self.plan.resolved_apps().number(place.app),
            app_rank: place.app_rank,
            node: self.name(place.node),
            local_rank: place.local_rank,
            node_rank: place.node_rank,
            object: place.object.map(object),
            cpus: self.cpus(&place),
        })
    }

    fn name(&mut self, node: NodeId) -> String {
        if let Some((known, name)) = &self.name
            && *known == node
        {
            return name.clone();
        }
        let name = self.plan.world().names.name(node);
        self.name = Some((node, name.clone()));
        name
    }

    fn cpus(&mut self, place: &ProcPlace) -> Option<String> {
        place.cpus.map(|set| self.list(set).to_owned())
    }

    /// The list form of a cpu set.
    pub fn list(&mut self, set: CpusetId) -> &str {
        let sets = &self.plan.world().cpusets;
        let list = self.lists.entry(set);
        list.or_insert_with(|| list_form(sets.get(set)).into_boxed_str())
    }
}

/// An object in words: `core:5`.
#[must_use]
pub fn object((kind, logical): (ObjKind, u32)) -> String {
    format!("{}:{logical}", kind.word())
}

impl Row {
    /// The line of `tsv`, without its line end.
    #[must_use]
    pub fn tsv(&self) -> String {
        let or = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.rank,
            self.app,
            self.app_rank,
            self.node,
            self.local_rank,
            self.node_rank,
            or(&self.object),
            or(&self.cpus)
        )
    }
}
