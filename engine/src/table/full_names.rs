//! Names that are compared whole: several full names share their first label, so that label names none of them.

use super::name_forms::{Form, domain};
use super::names::{
    NameRange, Names, NodeId, NodeRange, Nodes, TooManyNodes, Written, join, range_names,
};
use crate::id::Id as _;
use std::sync::Arc;

/// First labels that several full names share, and the first two of these names.
#[derive(Clone, Debug)]
pub struct SharedLabels {
    /// The labels, as names.
    pub labels: Arc<Names>,
    /// The first two full names with one label.
    pub first: [String; 2],
}

impl SharedLabels {
    /// The labels that several of these names share; `None`: there are none.
    ///
    /// Cost: a look at each range; one step for each name whose label is shared.
    pub fn of<'n>(ranges: impl Iterator<Item = &'n NameRange>) -> Option<Self> {
        let (mut seen, mut labels) = (Names::default(), Names::default());
        let mut first = None;
        for range in ranges {
            let own = domain(range);
            if own.is_empty() {
                continue;
            }
            for nodes in seen.find(range).0 {
                for node in (nodes.first..nodes.end()).map(|row| NodeId::from_row(row as usize)) {
                    let known = seen.full_name(node);
                    let label = seen.name(node);
                    if known[label.len()..] == *own {
                        continue;
                    }
                    first.get_or_insert_with(|| [known, format!("{label}{own}")]);
                    // More names than a pool may have are refused when the pool is made.
                    let _ = labels.add(&whole(label));
                }
            }
            let _ = seen.add(range);
        }
        Some(Self {
            first: first?,
            labels: Arc::new(labels),
        })
    }
}

/// Whether the names of a range have more than their first label, and are no addresses.
pub(crate) fn is_full(range: &NameRange) -> bool {
    !domain(range).is_empty()
}

/// One name as a range.
fn whole(name: String) -> NameRange {
    NameRange {
        prefix: name,
        first: 0,
        count: 1,
        width: 0,
        suffix: String::new(),
    }
}

/// The names of a range, one by one.
fn each(range: &NameRange) -> impl Iterator<Item = NameRange> + '_ {
    range_names(range).map(whole)
}

impl Names {
    /// As [`Names::find`]; where a user stands before names that are not known so, the hosts behind it. A user decides how to log in, not
    /// where processes go: `me@a` is the node `a` of a hostfile, in which users are kept apart.
    #[must_use]
    pub fn find_hosts(&self, range: &NameRange) -> (Nodes, Option<String>) {
        let (found, missing) = self.find(range);
        let hosts = missing.as_ref().and_then(|_| self.behind_users(range));
        hosts.map_or((found, missing), |hosts| (hosts, None))
    }

    /// The nodes whose names stand behind a user in a range; `None`: no user stands there, or a node is missing.
    fn behind_users(&self, range: &NameRange) -> Option<Nodes> {
        if let Some((_, host)) = range.prefix.split_once('@') {
            let hosts = NameRange {
                prefix: host.to_owned(),
                ..range.clone()
            };
            let (found, missing) = self.find(&hosts);
            return missing.is_none().then_some(found);
        }
        // The number is one of the user's: `u1@a`.
        let (_, host) = range.suffix.split_once('@')?;
        let node = self.find_name(host)?.number();
        let one = NodeRange::one(node);
        Some((0..range.count).map(|_| one).collect())
    }

    /// As [`Names::find_name`], in the same way.
    #[must_use]
    pub fn find_host(&self, name: &str) -> Option<NodeId> {
        let bare = || name.split_once('@').map(|(_, host)| host);
        self.find_name(name)
            .or_else(|| bare().and_then(|host| self.find_name(host)))
    }

    /// No names yet; full names with one of these first labels will be kept apart.
    #[doc(hidden)]
    pub fn apart(shared: Option<&Arc<Self>>) -> Self {
        Self {
            shared: shared.map(Arc::clone),
            ..Self::default()
        }
    }

    /// Whether the first label of a name of this range is one that several full names share.
    pub(super) fn shares_labels_of(&self, range: &NameRange) -> bool {
        let shared = self.shared.as_ref();
        shared.is_some_and(|shared| !shared.find(range).0.is_empty())
    }

    /// Adds names some of which are compared whole.
    pub(super) fn add_each(&mut self, range: &NameRange) -> Result<Nodes, TooManyNodes> {
        let mut found = Nodes::new();
        for name in each(range) {
            let form = match self.shares_labels_of(&name) {
                true => Form::Whole,
                false => Form::Cut,
            };
            let nodes = self.add_in(&name, form)?;
            if form == Form::Cut {
                let written = Written::domain(domain(&name));
                nodes
                    .iter()
                    .for_each(|nodes| self.written.keep(*nodes, &written));
            }
            nodes.into_iter().for_each(|nodes| join(&mut found, nodes));
        }
        Ok(found)
    }

    /// Adds names that are kept as they stand, however many dots they have.
    pub(crate) fn add_kept(&mut self, range: &NameRange) -> Result<Nodes, TooManyNodes> {
        match domain(range) {
            "" => self.add_in(range, Form::Cut),
            _ => self.add_in(range, Form::Whole),
        }
    }

    /// The nodes of names some of which may be kept whole, and the first name that is missing.
    pub(super) fn find_each(&self, range: &NameRange) -> (Nodes, Option<String>) {
        let (mut found, mut missing) = (Nodes::new(), None);
        for name in each(range) {
            match self.find_name(&name.prefix) {
                Some(node) => join(&mut found, NodeRange::one(node.number())),
                None => drop(missing.get_or_insert(name.prefix)),
            }
        }
        (found, missing)
    }

    /// The first labels that this table keeps apart.
    pub(crate) fn shared_labels(&self) -> Option<&Arc<Self>> {
        self.shared.as_ref()
    }

    /// What was written of a node beyond its name. Cost: a search over the stretches of nodes of which the same was written.
    #[must_use]
    pub fn written(&self, node: NodeId) -> Option<&Written> {
        let known = self.written.around(node.number());
        known.map(|(_, written)| written)
    }

    /// The name of a node as it was written, with its domain. Cost: as [`Names::name`] and [`Names::written`].
    ///
    /// # Panics
    /// When the node is not of this pool.
    #[must_use]
    pub fn full_name(&self, node: NodeId) -> String {
        let domain = self.written(node).map_or("", |written| &written.domain);
        self.name(node) + domain
    }

    /// The node from this one on at which something else was written.
    #[must_use]
    pub fn written_until(&self, node: NodeId) -> u32 {
        let row = node.number();
        match self.written.around(row) {
            Some((nodes, _)) => nodes.end(),
            None => self.written.next(row).unwrap_or(u32::MAX),
        }
    }

    /// What was written of nodes beyond their names, as stretches in node order.
    pub fn all_written(&self) -> impl ExactSizeIterator<Item = (NodeRange, &Written)> + '_ {
        self.written.iter()
    }

    /// Whether nothing was written of any node but its name.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.written.is_empty()
    }

    /// Keeps what is written of some nodes beyond their names.
    pub(crate) fn keep_written(&mut self, nodes: NodeRange, written: &Written) {
        self.written.keep(nodes, written);
    }

    /// Adds a node of another table, with all that was written of it.
    ///
    /// # Errors
    /// As [`Names::add`].
    pub(crate) fn add_of(&mut self, other: &Self, node: NodeId) -> Result<(), TooManyNodes> {
        let written = other.written(node);
        for nodes in self.add_kept(&whole(other.name(node)))? {
            written
                .into_iter()
                .for_each(|own| self.written.keep(nodes, own));
        }
        Ok(())
    }
}
