//! Makes a topology from a tree: removes what is disallowed, and numbers the rest in hwloc's order.

use super::allowed::Allowed;
use super::sets::Sets;
use super::tree::{Line, Row, Tree};
use crate::classes::{self, KnownAs, Plugged};
use crate::kind::Kind;
use crate::os_devices;
use std::ops::Range;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::topologies::{Device, DraftObject, KeptPu, TopologyDraft};

/// An object on the path from the root to the current object of the walk.
struct Open {
    row: Row,
    /// Its row among the objects of the draft, for kinds that are listed.
    listed: Option<usize>,
    /// Its first PU.
    first_pu: u32,
    /// The next of its normal children to visit.
    next: Option<Row>,
    /// Whether something below it stays, or it has devices.
    holds: bool,
    /// The first of the draft's kept PUs below it.
    first_kept: usize,
}

/// Walks the tree: an object comes before its children, then its memory, then its devices.
///
/// Cost: linear in the objects, times the depth for PUs.
pub(super) fn draft(tree: &Tree, sets: &Sets, allowed: Allowed) -> TopologyDraft {
    let mut walk = Walk {
        tree,
        sets,
        allowed,
        draft: TopologyDraft::default(),
        plugged: Vec::new(),
        known: Vec::new(),
        gone: Vec::new(),
        open: Vec::new(),
    };
    if let Some(root) = tree.root() {
        if tree.node(root).kind != Kind::Machine {
            walk.push(ObjKind::Machine, None, 0..0);
        }
        walk.enter(root);
    }
    while let Some(open) = walk.open.last_mut() {
        match open.next {
            Some(child) => {
                open.next = tree.next(child);
                walk.enter(child);
            }
            None => walk.leave(),
        }
    }
    walk.finish()
}

/// Stands for no PU yet.
const NOWHERE: u32 = u32::MAX;

struct Walk<'t> {
    tree: &'t Tree,
    sets: &'t Sets,
    allowed: Allowed,
    draft: TopologyDraft,
    /// The PCI addresses of the draft's devices. Shape `[devices]`.
    plugged: Vec<Plugged>,
    /// What they are. Shape `[devices]`.
    known: Vec<KnownAs>,
    /// Objects of the draft that hold nothing any more.
    gone: Vec<usize>,
    open: Vec<Open>,
}

impl Walk<'_> {
    fn pus(&self) -> u32 {
        u32::try_from(self.draft.pus_os.len()).expect("limit.rs keeps objects below 2^32")
    }

    fn push(&mut self, kind: ObjKind, os: Option<u32>, pus: Range<u32>) -> usize {
        let pus = if pus.is_empty() {
            Vec::new()
        } else {
            std::iter::once(pus).collect()
        };
        self.draft.objects.push(DraftObject { kind, os, pus });
        self.draft.objects.len() - 1
    }

    fn enter(&mut self, row: Row) {
        let node = self.tree.node(row);
        let first_pu = self.pus();
        let first_kept = self.draft.kept.len();
        let listed = match node.kind.listed() {
            Some(ObjKind::Hwthread) => {
                match node.os {
                    Some(os) if self.allowed.has(self.tree, self.sets, row) => {
                        self.draft.pus_os.push(os);
                    }
                    Some(os) => {
                        self.draft.disallowed.push(os);
                        self.keep(os);
                    }
                    None => {}
                }
                None
            }
            Some(kind) => Some(self.push(kind, node.os, 0..0)),
            None => None,
        };
        self.open.push(Open {
            row,
            listed,
            first_pu,
            next: self.tree.first(row, Line::Normal),
            holds: false,
            first_kept,
        });
    }

    /// Notes a PU that jobs do not get, and its core.
    fn keep(&mut self, os: u32) {
        let core = self.open.iter().rev().find_map(|open| {
            let kind = self.tree.node(open.row).kind.listed();
            (kind == Some(ObjKind::Core)).then_some(open.listed)
        });
        let core = core
            .flatten()
            .map_or(u32::MAX, |row| u32::try_from(row).unwrap_or(u32::MAX));
        self.draft.kept.push(KeptPu {
            os,
            core,
            beside: NOWHERE,
        });
    }

    /// Says of kept PUs below an object that they are beside its first PU, where nothing deeper has any.
    fn seat_kept(&mut self, open: &Open, pus: &Range<u32>) {
        let kind = self.tree.node(open.row).kind.listed();
        let is_around = self.open.is_empty()
            || matches!(
                kind,
                Some(ObjKind::Package | ObjKind::Numa | ObjKind::L3 | ObjKind::Machine)
            );
        let holds_numa = self.tree.children(open.row, Line::Memory).next().is_some();
        if kind == Some(ObjKind::Core) && !pus.is_empty() {
            // Of a core of which jobs get a part nothing is kept.
            self.draft.kept.truncate(open.first_kept);
        }
        if pus.is_empty() || !(is_around || holds_numa) {
            return;
        }
        for kept in &mut self.draft.kept[open.first_kept..] {
            if kept.beside == NOWHERE {
                kept.beside = pus.start;
            }
        }
    }

    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let pus = open.first_pu..self.pus();
        let mut holds = open.holds || !pus.is_empty();
        self.seat_kept(&open, &pus);
        if let Some(listed) = open.listed.filter(|_| !pus.is_empty()) {
            self.draft.objects[listed].pus.push(pus.clone());
        }
        for memory in self.tree.children(open.row, Line::Memory) {
            let node = self.tree.node(memory);
            if node.kind == Kind::Numa && self.allowed.has(self.tree, self.sets, memory) {
                self.push(ObjKind::Numa, node.os, pus.clone());
                holds = true;
            }
        }
        holds |= self.devices(open.row, &pus);
        match self.open.last_mut() {
            Some(above) => above.holds |= holds,
            // The machine always stays.
            None => return,
        }
        if let Some(listed) = open.listed.filter(|_| !holds) {
            self.gone.push(listed);
        }
    }

    /// Lists the OS devices below an object. Returns whether it has any I/O object.
    fn devices(&mut self, row: Row, pus: &Range<u32>) -> bool {
        let mut ahead: Vec<Row> = self.tree.children(row, Line::Io).collect();
        let any = !ahead.is_empty();
        ahead.reverse();
        while let Some(row) = ahead.pop() {
            if let Some(device) = self.tree.node(row).device {
                let mut above = std::iter::successors(Some(row), |&row| self.tree.node(row).parent);
                self.plugged
                    .push(Plugged(above.find_map(|row| self.tree.node(row).pci)));
                let (name, subtype, known) = self.tree.devices[device as usize].clone();
                self.known.push(known);
                self.draft.devices.push(Device {
                    name,
                    subtype,
                    class: known.class(),
                    turn: None,
                    pus: std::iter::once(pus.clone())
                        .filter(|pus| !pus.is_empty())
                        .collect(),
                });
            }
            let below = ahead.len();
            ahead.extend(self.tree.children(row, Line::Io));
            ahead[below..].reverse();
        }
        any
    }

    fn finish(mut self) -> TopologyDraft {
        let pus = self.pus();
        if let Some(machine) = self.draft.objects.first_mut() {
            machine.pus.clear();
            machine
                .pus
                .extend(std::iter::once(0..pus).filter(|_| pus > 0));
        }
        if !self.gone.is_empty() {
            self.gone.sort_unstable();
            let (mut row, mut gone) = (0, self.gone.iter().copied().peekable());
            self.draft.objects.retain(|_| {
                let stays = gone.next_if_eq(&row).is_none();
                row += 1;
                stays
            });
        }
        classes::number(&mut self.draft.devices, &self.plugged, &self.known);
        self.draft.gpus = os_devices::gpus(&self.draft.devices, &self.plugged);
        self.draft.nics = os_devices::nics(&self.draft.devices);
        self.draft.kept.retain(|kept| kept.beside != NOWHERE);
        // Kind by kind, so that a machine gives the same topology from every source.
        self.draft.objects.sort_by_key(|object| object.kind);
        self.draft
    }
}
