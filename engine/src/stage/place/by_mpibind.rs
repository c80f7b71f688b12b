//! Nodes filled by slots alone, for `--map-by mpibind`: what a process gets depends on how many its node has in all.

use super::filling::{self, Lays};
use super::group::{NodeGroup, NodeTake};
use super::map_policy::{GroupView, MapPolicy, lay_or_refuse};
use super::placement::Placement;
use super::refuse;
use crate::error::at::{At, AtText};
use crate::error::{MapError, SpecError};
use crate::id::Id as _;
use crate::policy::{Mpibind, ObjKind};
use crate::stage::node::bits;
use crate::stage::node::layout::Layout;
use crate::stage::node::units::narrow;

/// `--map-by mpibind`.
pub(crate) struct ByMpibind(pub(crate) Mpibind);

impl MapPolicy for ByMpibind {
    /// Fills nodes by slots, then by even shares if that is allowed, then lays each node once.
    fn place(&mut self, placement: &mut Placement<'_>) -> Result<(), MapError> {
        filling::place(placement, self, Lays::AtTheEnd)?;
        let used = placement.groups.iter().enumerate();
        let used = used.filter(|(_, group)| group.placed > 0);
        let turn = |node: u32| placement.touched.iter().position(|nodes| nodes.holds(node));
        let refused = used.filter_map(|(row, group)| {
            let refused = self.check(placement, row).err()?;
            Some((turn(group.nodes.first), group.nodes.first, refused))
        });
        // Refuse at the node whose first process came first.
        if let Some((.., refused)) = refused.min_by_key(|&(turn, node, _)| (turn, node)) {
            return Err(refused);
        }
        placement.allotments.clear();
        for row in 0..placement.groups.len() {
            let NodeGroup { placed, .. } = placement.groups[row];
            placement.lay_later(row, Layout::Mpibind(placed), placed);
        }
        lay_or_refuse(placement, self)
    }

    fn node_takes(&mut self, view: &mut GroupView<'_, '_>) -> Result<NodeTake, MapError> {
        let procs = view.slots();
        Ok(NodeTake {
            layout: Layout::Mpibind(procs),
            procs,
        })
    }

    /// Cpus do not run out; only max_slots ends placing.
    fn out_of_cpus(&self, placement: &Placement<'_>, _placed: u64) -> MapError {
        refuse::out_of_resource(placement)
    }
}

impl ByMpibind {
    /// Checks that the nodes of a group can be dealt out: free cpus with memory, and cores as wide as `smt=` says.
    fn check(&self, placement: &Placement<'_>, group: usize) -> Result<(), MapError> {
        let state = placement.found(group);
        let (topology, topologies) = (state.topology, &placement.tables.topologies);
        if let Some(smt) = self.0.smt {
            let cores = topologies.objects(topology, ObjKind::Core);
            let wide = |core| -> u32 { topologies.ranges(core).iter().map(|(a, b)| b - a).sum() };
            let widest = cores.map(wide).max().unwrap_or(1);
            if u32::from(smt) > widest {
                let value = format!("smt={smt}");
                return Err(SpecError::BadValue {
                    at: At {
                        start: 0,
                        end: narrow(value.len()),
                        text: AtText::Value {
                            app: Some(placement.app.number()),
                            option: "map-by".to_owned(),
                            value,
                        },
                    },
                    asked: smt.to_string(),
                    range: "number of hwthreads that a core of the node has",
                }
                .into());
            }
        }
        let free = placement.tables.pusets.words(state.free);
        let mut memory = topologies.objects(topology, ObjKind::Numa);
        if memory.any(|node| bits::count_of(free, topologies.ranges(node)) > 0) {
            return Ok(());
        }
        Err(refuse::no_cpus(placement, group))
    }
}
