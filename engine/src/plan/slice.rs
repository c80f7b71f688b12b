//! What one node's daemon needs: which ranks are here, on which objects and cpus. Alone: no plan is needed to use it.

use super::bytes::wire::{Edition, Reader, Writer};
use super::bytes::{BadPlan, FrameKind, gpus, sets};
use super::placed::row;
use super::{OnNode, Plan};
use crate::count::Rank;
use crate::id::Id as _;
use crate::limit::{APPS_MAX, RANKS_MAX};
use crate::policy::ObjKind;
use crate::table::apps::AppId;
use crate::table::cpusets::CpusetId;
use crate::table::names::NodeId;
use roaring::RoaringBitmap;
use smallvec::SmallVec;
use std::collections::HashMap;

/// One node of a plan: a view, made in the time of a few searches.
#[derive(Clone, Debug)]
pub struct NodeView<'p> {
    plan: &'p Plan,
    node: NodeId,
    apps: SmallVec<[OnNode<'p>; 4]>,
}

/// One process of a node, as its daemon starts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalProc {
    /// Its rank in the job.
    pub rank: Rank,
    /// Its app.
    pub app: AppId,
    /// Its rank in the app.
    pub app_rank: u32,
    /// Its number among the job's processes here.
    pub local_rank: u32,
    /// Its number among all processes here.
    pub node_rank: u32,
    /// The object it was mapped to.
    pub object: Option<(ObjKind, u32)>,
    /// Row of [`NodeSlice::cpusets`]; `None`: unbound.
    pub cpus: Option<u32>,
    /// Row of [`NodeSlice::gpus`]; `None`: it is given none.
    pub gpus: Option<u32>,
}

/// One node of a plan, alone: what [`NodeView::to_bytes`] tells a daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSlice {
    /// The node's name.
    pub name: String,
    /// Processes of the job.
    pub ranks: u32,
    /// The node's processes, by local rank.
    pub procs: Vec<LocalProc>,
    /// Distinct cpu sets, by OS number.
    pub cpusets: Vec<RoaringBitmap>,
    /// Distinct sets of GPUs, by visible number.
    pub gpus: Vec<Vec<u32>>,
}

impl Plan {
    /// One node of the plan. Cost: the apps on it and a few searches.
    #[must_use]
    pub fn node_view(&self, node: NodeId) -> NodeView<'_> {
        NodeView {
            plan: self,
            node,
            apps: self.on_node(node).collect(),
        }
    }
}

impl<'p> NodeView<'p> {
    /// The node.
    #[must_use]
    pub const fn node(&self) -> NodeId {
        self.node
    }
    /// What each app has here.
    #[must_use]
    pub fn apps(&self) -> &[OnNode<'p>] {
        &self.apps
    }
    /// Processes of the job here.
    #[must_use]
    pub fn procs(&self) -> u64 {
        self.apps.iter().map(|on| u64::from(on.run.procs)).sum()
    }
    /// The slice in bytes, for this node's daemon: columns, equal steps told once. Cost: the node's processes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut columns: [Vec<u32>; 7] = Default::default();
        let mut masks: HashMap<CpusetId, u32> = HashMap::new();
        let mut sets: Vec<CpusetId> = Vec::new();
        for proc in self.plan.procs_on(self.node) {
            let mask = proc.cpus.map_or(0, |id| {
                1 + *masks.entry(id).or_insert_with(|| {
                    sets.push(id);
                    row(sets.len() - 1)
                })
            });
            let kind = proc.object.map_or(0, |(kind, _)| kind as u32 + 1);
            let values = [
                proc.rank.0,
                row(proc.app.row()),
                proc.app_rank,
                proc.node_rank,
                kind,
                proc.object.map_or(0, |(_, at)| at),
                mask,
            ];
            for (column, value) in columns.iter_mut().zip(values) {
                column.push(value);
            }
        }
        let mut writer = Writer::default();
        writer.text(&self.plan.world.names.name(self.node));
        writer.number(self.plan.ranks());
        writer.number(self.apps.first().map_or(0, |on| on.run.own_before));
        sets::write(
            &mut writer,
            sets.iter().map(|&id| self.plan.world.cpusets.get(id)),
        );
        writer.size(columns[0].len());
        for column in &columns {
            writer.column(column);
        }
        if !self.plan.tells_gpus() {
            return writer.seal(FrameKind::Slice, Edition::Plain);
        }
        self.write_gpus(&mut writer);
        writer.seal(FrameKind::Slice, Edition::Gpus)
    }

    /// The GPUs of each process: distinct sets, and which one it has.
    fn write_gpus(&self, writer: &mut Writer) {
        let given = self.plan.given_gpus_on(self.node);
        let mut sets: Vec<Vec<u32>> = Vec::new();
        let mut rows: HashMap<&[u32], u32> = HashMap::from([(&[][..], 0)]);
        let mut column = Vec::new();
        for proc in self.plan.procs_on(self.node) {
            let own = given.of(self.node, proc.local_rank);
            column.push(*rows.entry(own).or_insert_with(|| {
                sets.push(own.to_vec());
                row(sets.len())
            }));
        }
        gpus::write_sets(writer, &sets);
        writer.column(&column);
    }
}

impl NodeSlice {
    /// Reads what [`NodeView::to_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-plan`: foreign, cut, damaged or of another version.
    ///
    /// ```
    /// use stowplan_engine::plan::slice::NodeSlice;
    /// assert_eq!(NodeSlice::from_bytes(b"stowpln").unwrap_err().class(), "bad-plan");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadPlan> {
        let mut reader = Reader::open(bytes, FrameKind::Slice)?;
        let name = reader.text()?.to_owned();
        let ranks = reader.number(RANKS_MAX, "a number of processes")?;
        let own_before = reader.number(RANKS_MAX, "a number of processes")?;
        let cpusets = sets::read(&mut reader)?;
        let rows = reader.rows()?;
        let table = reader.table::<7>(rows)?;
        let (gpus, of_gpus) = match reader.edition {
            Edition::Plain => (Vec::new(), Vec::new()),
            Edition::Gpus => (gpus::read_sets(&mut reader)?, reader.column(rows)?),
        };
        let known = of_gpus.iter().all(|&set| set as usize <= gpus.len());
        reader.ensure(|| known, "sets of GPUs that there are")?;
        reader.end()?;
        let mut procs = Vec::with_capacity(rows);
        for (at, row) in table.into_iter().enumerate() {
            let value = |column: usize| row[column];
            let kind = match value(4).checked_sub(1) {
                None => None,
                Some(kind) => {
                    Some(ObjKind::of_number(kind).ok_or_else(|| reader.bad("a kind of objects"))?)
                }
            };
            let cpus = value(6).checked_sub(1);
            let local_rank = u32::try_from(at)
                .ok()
                .and_then(|at| own_before.checked_add(at));
            let sound = value(0) < ranks
                && value(2) <= value(0)
                && value(1) < APPS_MAX
                && cpus.is_none_or(|mask| (mask as usize) < cpusets.len());
            let Some(local_rank) = local_rank.filter(|_| sound) else {
                return Err(reader.bad("ranks, apps and cpu sets that there are"));
            };
            procs.push(LocalProc {
                rank: Rank(value(0)),
                app: AppId::from_row(value(1) as usize),
                app_rank: value(2),
                local_rank,
                node_rank: value(3),
                object: kind.map(|kind| (kind, value(5))),
                cpus,
                gpus: of_gpus.get(at).and_then(|set| set.checked_sub(1)),
            });
        }
        Ok(Self {
            name,
            ranks,
            procs,
            cpusets,
            gpus,
        })
    }
}
