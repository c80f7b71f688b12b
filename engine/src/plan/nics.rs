//! The network cards of processes that are mapped to network cards: by kinds of nodes, never by rank.

use super::{Plan, ProcPlace};
use crate::devices::{DeviceClass, Devices};
use crate::id::Id as _;
use crate::policy::DeviceMap;
use crate::table::device_order;
use crate::table::interner::KeyRows;
use crate::table::names::NodeRange;
use crate::table::topologies::{Topologies, TopologyId};
use std::collections::HashMap;

/// Processes that are mapped to a device of an app, and the cards that they get.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NicRow {
    /// The number of the app.
    pub app: u32,
    /// The logical number of the first of their devices.
    pub device: u32,
    /// Row of [`MappedNics::sets`].
    pub set: u32,
}

/// The network cards that the processes of a plan are mapped to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MappedNics {
    /// Distinct lists of names, each in the order of the map. Shape `[sets][cards]`.
    pub(crate) sets: Vec<Vec<String>>,
    /// For each kind of node its rows, ascending. Shape `[kinds][rows]`.
    pub(crate) kinds: Vec<Vec<NicRow>>,
    /// Neighbouring nodes of a kind, ascending; nodes without rows are left out.
    pub(crate) nodes: Vec<(NodeRange, u32)>,
}

impl MappedNics {
    /// Whether any node has a card that an app is mapped to.
    #[must_use]
    pub fn any(&self) -> bool {
        !self.sets.is_empty()
    }

    /// Distinct lists of names, each in the order of the map.
    #[must_use]
    pub fn sets(&self) -> &[Vec<String>] {
        &self.sets
    }

    /// For each kind of node its rows, ascending.
    #[must_use]
    pub fn kinds(&self) -> &[Vec<NicRow>] {
        &self.kinds
    }

    /// Neighbouring nodes, each stretch with its kind.
    #[must_use]
    pub fn nodes(&self) -> &[(NodeRange, u32)] {
        &self.nodes
    }

    /// The row of the cards of a process; `None`: it is mapped to none. Cost: two searches.
    #[must_use]
    pub fn set_of(&self, place: &ProcPlace) -> Option<u32> {
        let (_, device) = place.object.filter(|(kind, _)| kind.is_device())?;
        let node = u32::try_from(place.node.row()).ok()?;
        let at = self.nodes.partition_point(|(nodes, _)| nodes.end() <= node);
        let (_, kind) = self
            .nodes
            .get(at)
            .filter(|(nodes, _)| nodes.first <= node)?;
        let rows = self.kinds.get(*kind as usize)?;
        let key = (u32::try_from(place.app.row()).ok()?, device);
        let row = rows.binary_search_by_key(&key, |row| (row.app, row.device));
        Some(rows[row.ok()?].set)
    }

    /// The names of the cards of a process, in the order of the map. Cost: two searches.
    #[must_use]
    pub fn of(&self, place: &ProcPlace) -> &[String] {
        self.set_of(place)
            .and_then(|set| self.sets.get(set as usize))
            .map_or(&[], Vec::as_slice)
    }
}

impl Plan {
    /// The network cards that its processes are mapped to, by class or by name. A plan that was broadcast has read them.
    ///
    /// Cost: the first time, the policies and, if one of them maps by network card, the devices of each topology and the stretches
    /// of nodes.
    #[must_use]
    pub fn nics(&self) -> &MappedNics {
        self.nics.get_or_init(|| self.found_nics())
    }

    fn found_nics(&self) -> MappedNics {
        let maps: Vec<(u32, DeviceMap)> = (0..)
            .zip(&self.apps)
            .filter_map(|(app, of)| {
                let policy = self.table.policies.get(of.policy()?)?;
                Some((app, policy.map.devices()?))
            })
            .filter(|(_, options)| options.of != Devices::Gpus)
            .collect();
        let mut nics = MappedNics::default();
        if maps.is_empty() {
            return nics;
        }
        let mut sets: KeyRows<Vec<String>> = KeyRows::default();
        let mut known: HashMap<TopologyId, Option<u32>> = HashMap::new();
        for (nodes, state) in self.world.before.iter() {
            let topology = self.world.states.get(state).topology;
            let kind = known.entry(topology).or_insert_with(|| {
                let rows = rows(&self.world.topologies, topology, &maps, &mut sets);
                let row = u32::try_from(nics.kinds.len()).ok()?;
                (!rows.is_empty()).then(|| {
                    nics.kinds.push(rows);
                    row
                })
            });
            let Some(kind) = *kind else { continue };
            match nics.nodes.last_mut() {
                Some((last, of)) if *of == kind && last.end() == nodes.first => {
                    last.count += nodes.count;
                }
                Some(_) | None => nics.nodes.push((nodes, kind)),
            }
        }
        nics.sets = sets.keys().to_vec();
        nics
    }
}

/// The rows of the nodes of a topology.
fn rows(
    topologies: &Topologies,
    topology: TopologyId,
    maps: &[(u32, DeviceMap)],
    sets: &mut KeyRows<Vec<String>>,
) -> Vec<NicRow> {
    let devices = topologies.devices(topology);
    let mut rows = Vec::new();
    for &(app, options) in maps {
        for group in device_order::groups(topologies, topology, options) {
            let own = group.devices.iter();
            let own = own.map(|device| topologies.logical(topology, *device));
            let own: Vec<u32> = own.collect();
            let cards = own.iter().filter_map(|&device| {
                let device = devices.get(device as usize)?;
                (device.class == DeviceClass::Network).then(|| device.name.clone())
            });
            let cards: Vec<String> = cards.collect();
            if !cards.is_empty() {
                rows.push(NicRow {
                    app,
                    device: own[0],
                    set: sets.meet(cards),
                });
            }
        }
    }
    rows.sort_unstable();
    rows
}
