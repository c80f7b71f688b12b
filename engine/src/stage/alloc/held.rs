//! Nodes of which other jobs hold GPUs: an app whose processes get GPUs leaves out those where too few are left for one process.

use super::nodes::Nodes;
use super::selected::{HeldGpus, Named};
use crate::error::PlaceError;
use crate::plan::gpus::gpus_of_each;
use crate::table::apps::{AppId, Policy};
use crate::table::intervals::Intervals;
use crate::table::names::NodeRange;
use crate::text::host_types::Hosts;
use std::sync::Arc;

impl Nodes {
    /// The nodes that an app may use, of those that it names: those with enough GPUs, if its processes get some. An app that names no
    /// nodes is content with the others.
    ///
    /// # Errors
    /// [`PlaceError::GpusHeld`]: the app names such a node, or there is no other.
    pub(crate) fn with_gpus(
        &self,
        (hosts, app): (&Hosts, AppId),
        policy: &Policy,
        named: Arc<Named>,
    ) -> Result<Arc<Named>, PlaceError> {
        let mut lacking = self.lacking(policy).peekable();
        if lacking.peek().is_none() {
            return Ok(named);
        }
        let mut without = Intervals::default();
        lacking.for_each(|held| drop(without.insert(held.nodes)));
        let list = named.list.iter();
        let left: Vec<NodeRange> = list.flat_map(|&nodes| without.missing(nodes)).collect();
        let chosen = hosts.entries(app).is_some() || !hosts.own_files(app).is_empty();
        if chosen || left.is_empty() {
            self.has_gpus(policy, named.list.iter().copied())?;
        }
        Ok(Arc::new(Named {
            mentions: left.clone(),
            list: left,
            ..(*named).clone()
        }))
    }

    /// Checks that nodes which a file or a host list names have enough GPUs, if an app's processes get some.
    ///
    /// # Errors
    /// [`PlaceError::GpusHeld`] for the first that has too few.
    pub(crate) fn has_gpus(
        &self,
        policy: &Policy,
        nodes: impl Iterator<Item = NodeRange>,
    ) -> Result<(), PlaceError> {
        let lacking: Vec<&HeldGpus> = self.lacking(policy).collect();
        let of = |nodes| {
            let mut lacking = lacking.iter();
            lacking.find_map(|held| Some((held, held.nodes.overlap(nodes)?)))
        };
        match nodes.filter(|_| !lacking.is_empty()).find_map(of) {
            None => Ok(()),
            Some((held, part)) => Err(PlaceError::GpusHeld {
                node: self.name(part.first),
                asked: gpus_of_each(policy).unwrap_or_default(),
                free: held.free,
                all: held.all,
            }),
        }
    }

    /// The nodes with too few GPUs for one process.
    fn lacking(&self, policy: &Policy) -> impl Iterator<Item = &HeldGpus> {
        let asked = gpus_of_each(policy).unwrap_or_default();
        self.held.iter().filter(move |held| held.free < asked)
    }
}
