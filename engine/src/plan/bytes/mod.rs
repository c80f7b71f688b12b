//! The compact forms of a plan: whole, to be saved and judged again; and what a launcher broadcasts to its daemons.
//!
//! Both are columns of steps, equal steps told once, in a sealed frame (`docs/plan.md` draws the bytes). Reading checks the
//! frame, then every id, sum and bound before anything uses them; what is allocated is bounded by the bytes.

// Numbers, columns, frames.
pub(crate) mod wire;
// Sets of PUs.
pub(crate) mod sets;
// Node states.
mod states;
// Ranges of PUs.
mod ranges;
// Names and topologies.
mod hardware;
// Resolved apps.
mod table;
// Patterns and placed runs.
mod placed;
// Listed ranks.
mod listed;
// GPUs: of topologies, of processes.
pub(crate) mod gpus;
// What was shown beside a plan.
mod remarks;
// Where passes ended.
#[cfg(test)]
mod claims;
mod passes;

pub use remarks::{Remark, Remarks};
pub use wire::{BadPlan, FrameKind, VERSION, VERSION_WITH_GPUS};

use super::{Placed, Plan, World};
use crate::id::Id as _;
use crate::plan::gpus::given::GivenGpus;
use crate::table::apps::{AppTable, PolicyId};
use crate::table::names::NodeId;
use states::Used;
use std::sync::Arc;
use wire::{Edition, Reader, Writer};

/// A row number as it is written.
impl Plan {
    /// All that is needed to judge the plan: resolved apps, node states, topologies, places. Read by [`Plan::from_bytes`].
    ///
    /// Cost: the tables used, written once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(&Remarks::default())
    }

    /// The same, with what was shown beside the plan: [`Plan::from_bytes_with`] gives that back, all else passes over it.
    ///
    /// Cost: as [`Plan::to_bytes`], and the remarks.
    #[must_use]
    pub fn to_bytes_with(&self, remarks: &Remarks) -> Vec<u8> {
        let mut writer = Writer::default();
        let mut topologies = Used::new();
        let mut states = Writer::default();
        states::write(&mut states, self, &mut topologies);
        hardware::write_names(&mut writer, &self.world.names);
        writer.maybe(self.world.local.map(states::id_row));
        let edition = self.edition();
        let all = &self.world.topologies;
        hardware::write_topologies(&mut writer, all, &topologies.rows, edition);
        writer.append(&states);
        table::write(&mut writer, &self.table);
        if edition == Edition::Gpus {
            gpus::write_words(&mut writer, &self.table);
        }
        for app in &self.apps {
            writer.maybe(app.policy().map(states::id_row));
        }
        placed::write(&mut writer, self, edition);
        if edition == Edition::Gpus {
            gpus::write_given(&mut writer, &self.given_gpus());
        }
        table::write_arguments(&mut writer, &self.table);
        remarks::write(&mut writer, remarks, &topologies.rows);
        passes::write(&mut writer, &self.apps);
        writer.seal(FrameKind::Whole, edition)
    }

    /// Reads what [`Plan::to_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-plan`, with the offset and what was expected there: foreign, cut, damaged or of another version.
    ///
    /// ```
    /// use stowplan_engine::plan::Plan;
    /// let bytes = Plan::default().to_bytes();
    /// assert_eq!(Plan::from_bytes(&bytes).unwrap().to_bytes(), bytes);
    /// assert_eq!(Plan::from_bytes(b"stowage").unwrap_err().class(), "bad-plan");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BadPlan> {
        Ok(Self::from_bytes_with(bytes)?.0)
    }

    /// Reads what [`Plan::to_bytes_with`] wrote: the plan, and what was shown beside it.
    ///
    /// # Errors
    /// `bad-plan`, as [`Plan::from_bytes`].
    pub fn from_bytes_with(bytes: &[u8]) -> Result<(Self, Remarks), BadPlan> {
        let mut reader = Reader::open(bytes, FrameKind::Whole)?;
        let names = hardware::read_names(&mut reader)?;
        let nodes = names.len();
        let local = local(&mut reader, nodes)?;
        let mut world = World {
            names,
            local,
            ..World::default()
        };
        world.topologies = hardware::read_topologies(&mut reader, &mut world.cpusets)?.into();
        let read = states::read(&mut reader, &world.topologies, nodes)?;
        world.pusets = read.pusets;
        world.states = read.states;
        world.before = read.before;
        world.after = read.after;
        let mut table = table::read(&mut reader)?;
        if reader.edition == Edition::Gpus {
            gpus::read_words(&mut reader, &mut table)?;
        }
        let policies = policies(&mut reader, &table)?;
        let (patterns, mut placed) = placed::read(&mut reader, &mut world.cpusets, nodes)?;
        reader.ensure(
            || placed.len() == table.len(),
            "as many apps as were resolved",
        )?;
        for (app, policy) in placed.iter_mut().zip(policies) {
            let sound = app.runs.is_empty() || policy.is_some();
            reader.ensure(|| sound, "a policy where there are processes")?;
            app.policy = policy;
        }
        let told = told(&mut reader, nodes)?;
        let remarks = sections(
            &mut reader,
            &mut table,
            &mut placed,
            world.topologies.len(),
            nodes,
        )?;
        let mut plan = Self::assemble(world, table, patterns, placed);
        plan.told = told;
        Ok((plan, remarks))
    }

    /// What every daemon of a job needs, and no more: names, places, ranks, masks; no topologies, states or policies.
    ///
    /// Cost: placed runs and distinct patterns.
    #[must_use]
    pub fn broadcast_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        hardware::write_names(&mut writer, &self.world.names);
        writer.maybe(self.world.local.map(states::id_row));
        let edition = self.edition();
        placed::write(&mut writer, self, edition);
        if edition == Edition::Gpus {
            gpus::write_given(&mut writer, &self.given_gpus());
        }
        writer.seal(FrameKind::Broadcast, edition)
    }

    /// Reads what [`Plan::broadcast_bytes`] wrote: a plan that answers where and who, and knows no topologies,
    /// states or policies, so cannot be judged.
    ///
    /// # Errors
    /// `bad-plan`, as [`Plan::from_bytes`].
    pub fn from_broadcast_bytes(bytes: &[u8]) -> Result<Self, BadPlan> {
        let mut reader = Reader::open(bytes, FrameKind::Broadcast)?;
        let names = hardware::read_names(&mut reader)?;
        let nodes = names.len();
        let local = local(&mut reader, nodes)?;
        let mut world = World {
            names,
            local,
            ..World::default()
        };
        let (patterns, placed) = placed::read(&mut reader, &mut world.cpusets, nodes)?;
        let told = told(&mut reader, nodes)?;
        reader.end()?;
        let mut table = AppTable::default();
        for _ in &placed {
            table.push_hole();
        }
        let mut plan = Self::assemble(world, table, patterns, placed);
        plan.told = told;
        Ok(plan)
    }

    fn edition(&self) -> Edition {
        if self.tells_gpus() {
            Edition::Gpus
        } else {
            Edition::Plain
        }
    }
}

/// Which GPUs its processes have, where the plan tells that.
fn told(reader: &mut Reader<'_>, nodes: u32) -> Result<Option<Arc<GivenGpus>>, BadPlan> {
    if reader.edition == Edition::Plain {
        return Ok(None);
    }
    Ok(Some(Arc::new(gpus::read_given(reader, nodes)?)))
}

/// What stands behind all that every plan has: each section once, in ascending order.
fn sections(
    reader: &mut Reader<'_>,
    table: &mut AppTable,
    placed: &mut [Placed],
    topologies: usize,
    nodes: u32,
) -> Result<Remarks, BadPlan> {
    let mut remarks = Remarks::default();
    let mut before = 0;
    while reader.left() > 0 {
        let section = reader.number(passes::PASSES, "the end, or a section that there is")?;
        reader.ensure(|| section > before, "a section behind the one before")?;
        before = section;
        match section {
            passes::PASSES => passes::read(reader, placed, nodes)?,
            remarks::REMARKS => remarks = remarks::read(reader, topologies)?,
            _ => table::read_arguments(reader, table)?,
        }
    }
    reader.end()?;
    Ok(remarks)
}

/// The settled policy of each app.
fn policies(reader: &mut Reader<'_>, table: &AppTable) -> Result<Vec<Option<PolicyId>>, BadPlan> {
    let ids: Vec<PolicyId> = table.policies.ids().collect();
    let mut policies = Vec::with_capacity(table.len());
    for _ in table.ids() {
        let policy = match reader.maybe("a policy")? {
            None => None,
            Some(row) => {
                let known = ids.get(row as usize).copied();
                Some(known.ok_or_else(|| reader.bad("a policy that there is"))?)
            }
        };
        policies.push(policy);
    }
    Ok(policies)
}

fn local(reader: &mut Reader<'_>, nodes: u32) -> Result<Option<NodeId>, BadPlan> {
    let local = reader.maybe("the local node")?;
    reader.ensure(
        || local.is_none_or(|local| local < nodes),
        "a node of the pool",
    )?;
    Ok(local.map(|local| NodeId::from_row(local as usize)))
}
