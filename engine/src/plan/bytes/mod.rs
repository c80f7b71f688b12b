//! The compact forms of a plan: the whole plan, to be saved and judged again, and the part that a launcher broadcasts to its
//! daemons.
//!
//! Both are columns of steps in a sealed frame; equal steps are written once (`docs/plan.md` draws the bytes). Reading checks
//! the frame, then every id, sum and bound before anything uses them. The number of bytes bounds what is allocated.

// Versions and kinds of frames.
pub(crate) mod edition;
// The sealed frame.
pub(crate) mod frame;
// Numbers, columns.
pub(crate) mod wire;
// Sets of PUs.
pub(crate) mod sets;
// Node states.
mod states;
// Apps of a section, ascending.
mod each_app;
// Ranges of PUs.
mod ranges;
// Names and topologies.
mod hardware;
// Resolved apps.
mod apps;
// Patterns and placed runs.
pub(crate) mod placed;
// Listed ranks.
mod listed;
// GPUs: of topologies, of processes.
pub(crate) mod gpus;
// Network cards of processes.
pub(crate) mod nics;
// What was shown beside a plan.
mod remarks;
// Where passes ended.
mod passes;
// What apps claimed of the nodes.
mod claims;
// What is said about threads.
mod thread_words;
// Domains, users and ports of nodes.
mod written;
// Tests: what readers refuse.

pub use edition::{FrameKind, VERSION, VERSION_WITH_DEVICES, VERSION_WITH_GPUS};
pub use frame::BadPlan;
pub use remarks::{ReadingRemark, Remark, Remarks};

#[doc(hidden)]
pub mod inside {
    //! For the tests in `engine/tests/it/` alone, which are another crate: nothing else names these.

    pub use crate::plan::bytes::apps::{listing, ranges, read_arguments};
    pub use crate::plan::bytes::edition::Edition;
    pub use crate::plan::bytes::gpus::{read_given, read_kind, read_set, read_shares};
    pub use crate::plan::bytes::hardware::{read_topologies, write_topologies};
    pub use crate::plan::bytes::listed::{is_whole, read as read_listed, write as write_listed};
    pub use crate::plan::bytes::passes::{PASSES, read_runs};
    pub use crate::plan::bytes::placed::{PatternFacts, read_app, read_segment};
    pub use crate::plan::bytes::sets::{read as read_sets, write as write_sets};
    pub use crate::plan::bytes::wire::{Reader, Writer};
    pub use crate::plan::bytes::{local, policy, sections};
}

use super::placed::row;
use super::{Placed, Plan, World};
use crate::id::Id as _;
use crate::plan::gpus::given::GivenGpus;
use crate::plan::nics::MappedNics;
use crate::table::apps::{AppTable, PolicyId};
use crate::table::interner::KeyRows;
use crate::table::names::NodeId;
use crate::table::patterns::Patterns;
use edition::Edition;
use std::sync::Arc;
use wire::{Reader, Writer};

impl Plan {
    /// Whether these first bytes are those of a saved plan, a broadcast or a slice.
    #[must_use]
    pub fn is_sealed(start: &[u8]) -> bool {
        start.starts_with(frame::MAGIC)
    }

    /// Everything needed to judge the plan: resolved apps, node states, topologies, places. Read by [`Plan::from_bytes`].
    ///
    /// Cost: the tables used, written once.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(&Remarks::default())
    }

    /// The same, with what was shown beside the plan. [`Plan::from_bytes_with`] returns these remarks; other readers skip them.
    ///
    /// Cost: as [`Plan::to_bytes`], and the remarks.
    #[must_use]
    pub fn to_bytes_with(&self, remarks: &Remarks) -> Vec<u8> {
        let (mut states, mut topologies) = (Writer::default(), KeyRows::default());
        states::write(&mut states, &self.world, &mut topologies);
        let topologies = topologies.keys();
        let edition = match hardware::have_classes(&self.world.topologies, topologies) {
            true => self.edition().with_devices(),
            false => self.edition(),
        };
        let mut writer = Writer::default();
        self.write_names(&mut writer);
        hardware::write_topologies(&mut writer, &self.world.topologies, topologies, edition);
        writer.append(&states);
        apps::write(&mut writer, &self.table);
        if edition.has_gpus() {
            gpus::write_words(&mut writer, &self.table);
        }
        for app in &self.apps {
            writer.maybe(app.policy().map(|policy| row(policy.row())));
        }
        self.write_places(&mut writer, edition);
        apps::write_arguments(&mut writer, &self.table);
        remarks::write(&mut writer, remarks, topologies);
        passes::write(&mut writer, &self.apps);
        claims::write(&mut writer, &self.apps);
        let words = &self.table.thread_words;
        thread_words::write(&mut writer, words, &self.world.topologies, topologies);
        remarks::write_reading(&mut writer, remarks);
        written::write(&mut writer, &self.world.names);
        remarks::write_facts(&mut writer, remarks);
        apps::write_parts(&mut writer, &self.table);
        writer.seal(FrameKind::Whole, edition)
    }

    /// Reads what [`Plan::to_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-plan`, with the offset and what was expected there: the bytes are foreign, cut off, damaged or of another version.
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
        let mut world = read_names(&mut reader)?;
        world.topologies =
            hardware::read_topologies(&mut reader, Arc::make_mut(&mut world.cpusets))?.into();
        states::read(&mut reader, &mut world)?;
        let mut table = apps::read(&mut reader)?;
        if reader.edition.has_gpus() {
            gpus::read_words(&mut reader, &mut table)?;
        }
        let policies = reader.items(table.len(), |reader| policy(reader, &table))?;
        let mut places = PlacesRead::read(&mut reader, &mut world)?;
        reader.ensure(
            || places.apps.len() == table.len(),
            "as many apps as were resolved",
        )?;
        for (app, policy) in places.apps.iter_mut().zip(policies) {
            let sound = app.runs.is_empty() || policy.is_some();
            reader.ensure(|| sound, "a policy where there are processes")?;
            app.policy = policy;
        }
        let remarks = sections(&mut reader, &mut table, &mut places.apps, &mut world)?;
        Ok((places.assemble(world, table), remarks))
    }

    /// What every daemon of a job needs, and no more: names, places, ranks, cpu sets, and the names of the network cards that
    /// processes are mapped to; no topologies, states or policies.
    ///
    /// Cost: placed runs and distinct patterns.
    #[must_use]
    pub fn broadcast_bytes(&self) -> Vec<u8> {
        let (mut writer, edition) = (Writer::default(), self.sent_edition());
        self.write_names(&mut writer);
        self.write_places(&mut writer, edition);
        if edition.has_devices() {
            nics::write(&mut writer, self.nics());
        }
        apps::write_parts(&mut writer, &self.table);
        writer.seal(FrameKind::Broadcast, edition)
    }

    /// Reads what [`Plan::broadcast_bytes`] wrote. The plan answers where a rank is and who is on a node. It has no topologies,
    /// states or policies, so it cannot be judged.
    ///
    /// # Errors
    /// `bad-plan`, as [`Plan::from_bytes`].
    pub fn from_broadcast_bytes(bytes: &[u8]) -> Result<Self, BadPlan> {
        let mut reader = Reader::open(bytes, FrameKind::Broadcast)?;
        let mut world = read_names(&mut reader)?;
        let places = PlacesRead::read(&mut reader, &mut world)?;
        let nics = match reader.edition.has_devices() {
            false => MappedNics::default(),
            true => nics::read(&mut reader, places.apps.len(), world.names.len())?,
        };
        let mut table = AppTable::default();
        places.apps.iter().for_each(|_| table.push_hole());
        if reader.left() > 0 {
            let section = reader.number(apps::PARTS, "the end")?;
            reader.ensure(|| section == apps::PARTS, "the end")?;
            apps::read_parts(&mut reader, &mut table)?;
        }
        reader.end()?;
        Ok(Self {
            nics: nics.into(),
            ..places.assemble(world, table)
        })
    }

    #[doc(hidden)]
    pub fn write_names(&self, writer: &mut Writer) {
        hardware::write_names(writer, &self.world.names);
        writer.maybe(self.world.local.map(|node| row(node.row())));
    }

    /// Writes where processes are and, if the plan has GPUs, which GPUs they get.
    #[doc(hidden)]
    pub fn write_places(&self, writer: &mut Writer, edition: Edition) {
        placed::write(writer, self, edition);
        if edition.has_gpus() {
            gpus::write_given(writer, &self.given_gpus());
        }
    }

    /// The edition of a broadcast or a slice.
    pub(super) fn sent_edition(&self) -> Edition {
        match self.nics().any() {
            true => self.edition().with_devices(),
            false => self.edition(),
        }
    }

    fn edition(&self) -> Edition {
        match self.tells_gpus() {
            true => Edition::Gpus,
            false => Edition::Plain,
        }
    }
}

/// Reads a world that has only names, one of which may be the local node.
fn read_names(reader: &mut Reader<'_>) -> Result<World, BadPlan> {
    let names = hardware::read_names(reader)?;
    Ok(World {
        local: local(reader, names.len())?,
        names: names.into(),
        ..World::default()
    })
}

/// Reads the local node, which is one of so many.
pub fn local(reader: &mut Reader<'_>, nodes: u32) -> Result<Option<NodeId>, BadPlan> {
    let local = reader.maybe("the local node")?;
    reader.ensure(
        || local.is_none_or(|local| local < nodes),
        "a node of the pool",
    )?;
    Ok(local.map(|local| NodeId::from_row(local as usize)))
}

/// Where processes are and, if the plan has GPUs, which GPUs they get.
struct PlacesRead {
    patterns: Patterns,
    apps: Vec<Placed>,
    gpus: Option<Arc<GivenGpus>>,
}

impl PlacesRead {
    fn read(reader: &mut Reader<'_>, world: &mut World) -> Result<Self, BadPlan> {
        let nodes = world.names.len();
        let (patterns, apps) = placed::read(reader, Arc::make_mut(&mut world.cpusets), nodes)?;
        let gpus = match reader.edition.has_gpus() {
            false => None,
            true => Some(Arc::new(gpus::read_given(reader, nodes)?)),
        };
        Ok(Self {
            patterns,
            apps,
            gpus,
        })
    }

    fn assemble(self, world: World, table: AppTable) -> Plan {
        Plan {
            told: self.gpus,
            ..Plan::assemble(world, table, self.patterns, self.apps)
        }
    }
}

/// Reads the settled policy of an app.
pub fn policy(reader: &mut Reader<'_>, table: &AppTable) -> Result<Option<PolicyId>, BadPlan> {
    let known = table.policies.len();
    let row = reader.maybe("a policy")?.map(|row| row as usize);
    reader.ensure(
        || row.is_none_or(|row| row < known),
        "a policy that there is",
    )?;
    Ok(row.map(PolicyId::from_row))
}

/// Reads the sections behind the parts that every plan has: each at most once, in ascending order.
pub fn sections(
    reader: &mut Reader<'_>,
    table: &mut AppTable,
    placed: &mut [Placed],
    world: &mut World,
) -> Result<Remarks, BadPlan> {
    let (topologies, nodes) = (world.topologies.len(), world.names.len());
    let mut remarks = Remarks::default();
    let mut before = 0;
    while reader.left() > 0 {
        let section = reader.number(apps::PARTS, "the end, or a section that there is")?;
        reader.ensure(|| section > before, "a section after the one before")?;
        before = section;
        match section {
            apps::PARTS => apps::read_parts(reader, table)?,
            thread_words::THREAD_WORDS => thread_words::read(reader, table, world)?,
            claims::CLAIMS => claims::read(reader, placed, nodes)?,
            passes::PASSES => passes::read(reader, placed, nodes)?,
            remarks::REMARKS => remarks = remarks::read(reader, topologies)?,
            remarks::FACTS => remarks::read_facts(reader, &mut remarks.notes)?,
            written::WRITTEN => written::read(reader, Arc::make_mut(&mut world.names))?,
            remarks::READING => remarks.reading = Some(remarks::read_reading(reader)?),
            _ => apps::read_arguments(reader, table)?,
        }
    }
    reader.end()?;
    Ok(remarks)
}
