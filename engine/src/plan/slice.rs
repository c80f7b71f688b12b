//! The part of a plan that the daemon of one node needs: its ranks, with their objects and cpus. A daemon can use it without a
//! plan.

use super::bytes::placed::read_kind;
use super::bytes::wire::{Reader, Writer, or_zero};
use super::bytes::{BadPlan, FrameKind, gpus, nics, sets};
use super::{Plan, ProcPlace};
use crate::count::Rank;
use crate::id::Id as _;
use crate::limit::{APPS_MAX, RANKS_MAX};
use crate::policy::ObjKind;
use crate::table::apps::AppId;
use crate::table::cpusets::CpusetId;
use crate::table::interner::KeyRows;
use crate::table::names::NodeId;
use roaring::RoaringBitmap;

/// One process of a node, as its daemon starts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalProc {
    /// Its rank in the job.
    pub rank: Rank,
    /// Its app.
    pub app: AppId,
    /// Its rank in the app.
    pub app_rank: u32,
    /// Its number among the job's processes on this node.
    pub local_rank: u32,
    /// Its number among all processes on this node.
    pub node_rank: u32,
    /// The object it was mapped to.
    pub object: Option<(ObjKind, u32)>,
    /// Row of [`NodeSlice::cpusets`]; `None`: unbound.
    pub cpus: Option<u32>,
    /// Row of [`NodeSlice::gpus`]; `None`: it is given no GPU.
    pub gpus: Option<u32>,
    /// Row of [`NodeSlice::nics`]; `None`: it is mapped to no network card.
    pub nics: Option<u32>,
}

/// One node of a plan, without the plan: what [`Plan::slice_bytes`] writes for the node's daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeSlice {
    /// The node's name.
    pub name: String,
    /// Number of processes of the job.
    pub ranks: u32,
    /// The node's processes, by local rank.
    pub procs: Vec<LocalProc>,
    /// Distinct cpu sets, by OS number.
    pub cpusets: Vec<RoaringBitmap>,
    /// Distinct sets of GPUs, by visible number.
    pub gpus: Vec<Vec<u32>>,
    /// Distinct lists of names of network cards.
    pub nics: Vec<Vec<String>>,
}

impl Plan {
    /// One node of the plan in bytes, for its daemon: columns in which equal steps are written once. Read by
    /// [`NodeSlice::from_bytes`].
    ///
    /// Cost: the node's processes.
    #[must_use]
    pub fn slice_bytes(&self, node: NodeId) -> Vec<u8> {
        let procs: Vec<ProcPlace> = self.procs_on(node).collect();
        let mut cpusets: KeyRows<CpusetId> = KeyRows::default();
        let rows = procs.iter().map(|proc| {
            let cpus = proc.cpus.map(|cpus| cpusets.meet(cpus));
            let (kind, object) = proc.object.unzip();
            [
                proc.rank.0,
                self.table.number(proc.app),
                proc.app_rank,
                proc.node_rank,
                or_zero(kind.map(|kind| kind as u32)),
                object.unwrap_or(0),
                or_zero(cpus),
            ]
        });
        let rows: Vec<[u32; 7]> = rows.collect();
        let mut writer = Writer::default();
        writer.text(&self.world.names.name(node));
        writer.number(self.ranks());
        writer.number(procs.first().map_or(0, |proc| proc.local_rank));
        let cpusets = cpusets.keys().iter();
        sets::write(&mut writer, cpusets.map(|&id| self.world.cpusets.get(id)));
        writer.table(rows);
        let edition = self.sent_edition();
        if edition.has_gpus() {
            let given = self.given_gpus_on(node);
            let mut gpusets: KeyRows<&[u32]> = KeyRows::default();
            gpusets.push(&[]);
            let of_procs = procs.iter().map(|proc| given.of(node, proc.local_rank));
            let of_procs: Vec<u32> = of_procs.map(|gpus| gpusets.meet(gpus)).collect();
            gpus::write_sets(&mut writer, &gpusets.keys()[1..]);
            writer.column(of_procs);
        }
        if edition.has_devices() {
            let mut sets: KeyRows<&[String]> = KeyRows::default();
            sets.push(&[]);
            let of_procs = procs.iter().map(|proc| self.nics().of(proc));
            let of_procs: Vec<u32> = of_procs.map(|cards| sets.meet(cards)).collect();
            nics::write_sets(&mut writer, &sets.keys()[1..]);
            writer.column(of_procs);
        }
        writer.seal(FrameKind::Slice, edition)
    }
}

impl NodeSlice {
    /// Reads what [`Plan::slice_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-plan`: the bytes are foreign, cut off, damaged or of another version.
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
        let table = reader.table()?;
        let (gpus, of_gpus) = match reader.edition.has_gpus() {
            false => (Vec::new(), vec![0; table.len()]),
            true => {
                let sets = gpus::read_sets(&mut reader)?;
                (sets, reader.column(table.len())?)
            }
        };
        let known = of_gpus.iter().all(|&set| set as usize <= gpus.len());
        reader.ensure(|| known, "sets of GPUs that there are")?;
        let (nics, of_nics) = match reader.edition.has_devices() {
            false => (Vec::new(), vec![0; table.len()]),
            true => {
                let sets = nics::read_sets(&mut reader)?;
                (sets, reader.column(table.len())?)
            }
        };
        let known = of_nics.iter().all(|&set| set as usize <= nics.len());
        reader.ensure(|| known, "network cards that there are")?;
        reader.end()?;
        let mut procs = Vec::with_capacity(table.len());
        let devices = of_gpus.into_iter().zip(of_nics);
        for ((columns, (of_gpus, of_nics)), local) in table.into_iter().zip(devices).zip(0_u32..) {
            let [rank, app, app_rank, node_rank, kind, object, cpus] = columns;
            let kind = read_kind(&reader, kind)?;
            let cpus = cpus.checked_sub(1);
            let local_rank = own_before.checked_add(local);
            let sound = rank < ranks
                && app_rank <= rank
                && app < APPS_MAX
                && cpus.is_none_or(|set| (set as usize) < cpusets.len());
            let expected = "ranks, apps and cpu sets that there are";
            procs.push(LocalProc {
                rank: Rank(rank),
                app: AppId::from_row(app as usize),
                app_rank,
                local_rank: reader.require(local_rank.filter(|_| sound), expected)?,
                node_rank,
                object: kind.map(|kind| (kind, object)),
                cpus,
                gpus: of_gpus.checked_sub(1),
                nics: of_nics.checked_sub(1),
            });
        }
        Ok(Self {
            name,
            ranks,
            procs,
            cpusets,
            gpus,
            nics,
        })
    }
}
