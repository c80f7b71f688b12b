//! The hardware of nodes, as options or calls say it, one after another.

use crate::job::devices::give_all;
use crate::job::error::JobError;
use crate::job::node_topologies::{ROWS_MAX, Row, change};
use crate::job::sources::Sources;
use roaring::RoaringBitmap;
use std::collections::HashSet;
use std::sync::Arc;
use stowplan_engine::count::counted;
use stowplan_engine::map::{CpuList, Machine};
use stowplan_engine::policy::CpuMode;
use stowplan_engine::table::cpusets::Cpusets;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::table::topologies::{DraftError, Topologies, TopologyDraft};
use stowplan_topo::{core_of_package, keep_pus, keep_units};

/// Topologies and the nodes that have them. What is said later holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hardware {
    rows: Vec<Row>,
}

/// A topology that is unsound, with its source.
pub(crate) struct Unsound {
    pub(crate) source: String,
    pub(crate) why: DraftError,
}

impl Hardware {
    /// Gives some nodes a topology; `None`: all nodes of which nothing else is said.
    pub fn assign(
        &mut self,
        nodes: Option<Vec<NameRange>>,
        draft: Arc<TopologyDraft>,
        source: String,
    ) {
        self.rows.push(Row {
            nodes,
            draft,
            source,
        });
    }

    /// Limits some nodes to these cores or hardware threads, by logical number.
    ///
    /// # Errors
    /// What is wrong with the list on these nodes.
    ///
    /// Cost: as [`Hardware::restrict`].
    pub fn limit(&mut self, nodes: Vec<NameRange>, list: &CpuList) -> Result<(), String> {
        self.change(nodes, &|draft| {
            keep_units(draft, &list.ranges, list.mode).map_err(|there| {
                let missing = list.ranges.iter().map(|&(first, last)| {
                    let (first, last) = (first as usize, last as usize);
                    (last >= there).then_some(first.max(there))
                });
                let missing = missing.flatten().next().unwrap_or(there);
                let what = match list.mode {
                    CpuMode::Core => "core",
                    CpuMode::Hwthread => "hwthread",
                };
                let there = counted(there as u64, what);
                format!("these nodes have no {what} {missing}: they have {there}, from 0 on")
            })
        })
    }

    /// Limits some nodes to these cores, each by its package and its number there, both from 0.
    ///
    /// # Errors
    /// The first that these nodes do not have, in words.
    ///
    /// Cost: as [`Hardware::restrict`].
    pub fn limit_to_cores(
        &mut self,
        nodes: Vec<NameRange>,
        cores: &[(u32, u32)],
    ) -> Result<(), String> {
        self.change(nodes, &|draft| {
            let mut ranges = Vec::with_capacity(cores.len());
            for &(package, core) in cores {
                let own = core_of_package(draft, package, core).ok_or_else(|| {
                    format!(
                        "these nodes have no core {core} in a package {package}; both are counted from 0"
                    )
                })?;
                ranges.push((own, own));
            }
            keep_units(draft, &ranges, CpuMode::Core)
                .map_err(|there| format!("these nodes have {there} cores"))
        })
    }

    /// Limits some nodes to these hardware threads, by OS number.
    ///
    /// # Errors
    /// What is wrong with the numbers on these nodes.
    ///
    /// Cost: the rows times the ranges of names, and a topology for each kind of nodes that is changed.
    pub fn restrict(&mut self, nodes: Vec<NameRange>, cpus: &RoaringBitmap) -> Result<(), String> {
        self.change(nodes, &|draft| restricted(draft, cpus))
    }

    /// Replaces the devices of all nodes, or of some: `[NODES=]gpu=WHERE`, in their order.
    ///
    /// # Errors
    /// `bad-devices`, `bad-hostlist`.
    ///
    /// Cost: as [`Hardware::restrict`], for each distinct statement of neighbouring texts.
    pub fn give_devices(&mut self, texts: &[String]) -> Result<(), JobError> {
        give_all(&mut self.rows, texts)
    }

    fn change(
        &mut self,
        nodes: Vec<NameRange>,
        changed: &dyn Fn(&TopologyDraft) -> Result<TopologyDraft, String>,
    ) -> Result<(), String> {
        let mut rows = self.rows.clone();
        change(&mut rows, Some(nodes), &|draft| {
            *draft = changed(draft)?;
            Ok::<(), String>(())
        })?;
        let kinds = rows.len();
        if kinds > ROWS_MAX {
            return Err(format!(
                "with what was said before there are {kinds} kinds of nodes, at most {ROWS_MAX} are possible"
            ));
        }
        self.rows = rows;
        Ok(())
    }

    /// The machine that these nodes are, of which nothing else is known, and where its topologies came from.
    ///
    /// # Errors
    /// The first topology that is unsound.
    ///
    /// Cost: the objects of all topologies.
    pub(crate) fn interned(self) -> Result<(Machine, Sources), Unsound> {
        let (mut topologies, mut cpusets) = (Topologies::default(), Cpusets::default());
        let mut sources = Sources::default();
        let (mut default, mut assigned) = (None, Vec::new());
        for Row {
            nodes,
            draft,
            source,
        } in self.rows
        {
            let draft = Arc::unwrap_or_clone(draft);
            let id = match topologies.add(draft, &mut cpusets) {
                Ok(id) => id,
                Err(why) => return Err(Unsound { source, why }),
            };
            sources.add(id, &source);
            match nodes {
                Some(nodes) => assigned.push((nodes, id)),
                None => default = Some(id),
            }
        }
        let machine = Machine {
            assigned,
            ..Machine::new(topologies.into(), cpusets, default)
        };
        Ok((machine, sources))
    }

    /// The machine that these nodes are. The topologies are sound: each was read by itself, and what was said later left less of it.
    ///
    /// # Errors
    /// `bad-topology`, if a topology is unsound nevertheless.
    pub fn machine(&self) -> Result<Machine, DraftError> {
        let made = self.clone().interned();
        made.map(|(machine, _)| machine)
            .map_err(|unsound| unsound.why)
    }
}

/// A topology with these PUs alone, by OS number.
///
/// # Errors
/// The first number that it does not have, in words.
///
/// Cost: linear in the draft.
pub fn restricted(draft: &TopologyDraft, cpus: &RoaringBitmap) -> Result<TopologyDraft, String> {
    let there: HashSet<u32> = draft.pus_os.iter().copied().collect();
    match cpus.iter().find(|cpu| !there.contains(cpu)) {
        Some(cpu) => Err(format!("cpu {cpu} is not of these nodes")),
        None => Ok(keep_pus(draft.clone(), |os| cpus.contains(os))),
    }
}
