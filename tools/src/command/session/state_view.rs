//! The state of a session as it is shown: its image, with what is derived from it.

use std::collections::BTreeSet;
use stowplan_session::{AllocImage, Image, NodeImage, NodeOrigin, NsImage, UsesImage, WantedImage};

/// What a request may ask for, by directive.
pub(super) const WANTED: [(&str, WantedImage); 3] = [
    ("PMIX_ALLOC_NEW", WantedImage::New),
    ("PMIX_ALLOC_EXTEND", WantedImage::Extend),
    ("PMIX_ALLOC_REAQUIRE", WantedImage::Reaquire),
];

/// The directive of a request.
pub(super) fn directive(wanted: WantedImage) -> &'static str {
    let row = WANTED.iter().find(|row| row.1 == wanted);
    row.map_or("", |row| row.0)
}

/// An image, and the relations between its rows.
pub(super) struct View<'i> {
    pub(super) image: &'i Image,
    /// The ids of nodes, ascending.
    ids: Vec<u32>,
    /// The nodes sorted by name, as rows of the image.
    pub(super) sorted: Vec<u32>,
    /// The position of each node in `sorted`. Shape `[nodes]`.
    place: Vec<u32>,
    /// Per allocation: the names of all its nodes, and of those with origin startup.
    pub(super) held: Vec<(Vec<&'i str>, Vec<&'i str>)>,
    /// Per allocation: the names of its owners.
    pub(super) owners: Vec<Vec<&'i str>>,
}

impl<'i> View<'i> {
    pub(super) fn new(image: &'i Image) -> Self {
        let mut held = vec![(Vec::new(), Vec::new()); image.allocations.len()];
        for node in &image.nodes {
            if let Some(at) = node.alloc {
                let (all, carved) = &mut held[at as usize];
                all.push(node.name.as_str());
                if node.origin == NodeOrigin::Startup {
                    carved.push(node.name.as_str());
                }
            }
        }
        for (all, carved) in &mut held {
            all.sort_unstable();
            carved.sort_unstable();
        }
        let mut owners = vec![Vec::new(); image.allocations.len()];
        for (at, row) in image.allocations.iter().enumerate() {
            if row.owner_live {
                owners[at].push(row.owner.as_str());
            }
        }
        for row in image.namespaces.iter().filter(|row| row.live) {
            for at in row.sessions.iter().flatten() {
                owners[*at as usize].push(row.name.as_str());
            }
        }
        for list in &mut owners {
            list.sort_unstable();
            list.dedup();
        }
        let mut sorted: Vec<u32> = (0..).zip(&image.nodes).map(|(at, _)| at).collect();
        sorted.sort_by(|&a, &b| {
            image.nodes[a as usize]
                .name
                .cmp(&image.nodes[b as usize].name)
        });
        let mut place = vec![0; sorted.len()];
        for (at, &node) in (0..).zip(&sorted) {
            place[node as usize] = at;
        }
        Self {
            image,
            ids: image.nodes.iter().map(|node| node.id).collect(),
            sorted,
            place,
            held,
            owners,
        }
    }

    /// The name of a namespace.
    pub(super) fn space(&self, at: u32) -> &'i str {
        self.image.namespaces[at as usize].name.as_str()
    }

    /// The names of nodes, ascending.
    pub(super) fn names(&self, nodes: &BTreeSet<u32>) -> Vec<&'i str> {
        let nodes = nodes.iter();
        let mut names: Vec<&str> = nodes
            .map(|&node| self.image.nodes[node as usize].name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// The record whose reservation holds a node.
    pub(super) fn reserved(&self, node: &NodeImage) -> Option<&'i AllocImage> {
        let record = &self.image.allocations[node.alloc? as usize];
        (!record.shared).then_some(record)
    }

    /// The nodes that a namespace uses, by name. Cost: these nodes, sorted; all nodes if it uses many of them or has a former
    /// state of the default session.
    pub(super) fn used(&self, row: &NsImage) -> Vec<u32> {
        let image = self.image;
        let runs = match row.uses {
            None => return Vec::new(),
            Some(UsesImage::Past(at)) => {
                let had = |node: &&u32| {
                    let spans = &image.nodes[**node as usize].pasts;
                    let behind = spans.partition_point(|&(first, _)| first <= at);
                    behind > 0 && at < spans[behind - 1].1
                };
                return self.sorted.iter().filter(had).copied().collect();
            }
            Some(UsesImage::Set(at)) => image.sets.get(at as usize).map_or(&[][..], Vec::as_slice),
        };
        let mut rows = Vec::new();
        for &(first, more) in runs {
            // The ids of a run all exist, one after the other.
            if let Ok(at) = self.ids.binary_search(&first) {
                rows.push(at..=at + more as usize);
            }
        }
        let many = rows
            .iter()
            .map(|rows| rows.end() - rows.start() + 1)
            .sum::<usize>();
        if many.saturating_mul(8) < self.sorted.len() {
            let places = rows.into_iter().flatten().map(|node| self.place[node]);
            let mut places: Vec<u32> = places.collect();
            places.sort_unstable();
            return places.iter().map(|&at| self.sorted[at as usize]).collect();
        }
        let mut used = vec![false; self.sorted.len()];
        rows.into_iter().for_each(|rows| used[rows].fill(true));
        let used = self.sorted.iter().filter(|&&node| used[node as usize]);
        used.copied().collect()
    }
}
