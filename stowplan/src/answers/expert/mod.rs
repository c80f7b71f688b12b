//! What an expert would say of a plan: cores and GPUs that serve nobody or two ranks, masks that meet more objects than they
//! need, nodes without ranks. Each note has an exact condition, which is a fact of the plan.
//!
//! Nodes that look alike are looked at once. A node on which too many processes differ is not looked at.

// Cores: shared, idle, and masks that cross objects.
mod cores;
// GPUs: idle, shared, far.
mod gpus;
// Nodes without ranks, and ranks in one object of several.
mod nodes;
// Kinds of nodes.
mod kinds;
// What would mend it.
pub mod mended;

use crate::answers::hosts::folds;
use kinds::{Kind, Kinds};
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
use stowplan_engine::error::Note;
use stowplan_engine::error::note::Facts;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::names::NodeRange;

/// Ranks of a note that are listed at most.
const RANKS_MAX: usize = 1024;
/// Ranges of names that a sentence has at most.
const NAMES_MAX: usize = 8;
/// Ranges of ranks that a sentence has at most.
const RANGES_MAX: usize = 8;

/// A fact about the processes of one kind of node.
struct Fact {
    class: &'static str,
    /// `None`: of the whole node.
    app: Option<AppId>,
    /// How many things it counts on each node.
    count: u64,
    /// Processes: the row of the app's run among those of the node, and the number within it. Not more than are listed.
    procs: Vec<(usize, u32)>,
    /// How many processes of each node it holds for.
    ranks: u64,
    /// What is so, without the nodes and the ranks.
    what: String,
}

impl Fact {
    /// Adds processes that stand next to each other.
    fn hold(&mut self, row: usize, local: u32, count: u32) {
        let room = u32::try_from(RANKS_MAX.saturating_sub(self.procs.len())).unwrap_or(0);
        let some = local..local + count.min(room);
        self.procs.extend(some.map(|local| (row, local)));
        self.ranks += u64::from(count);
    }
}

/// A note in the making: a fact of several kinds of nodes.
struct Found {
    count: u64,
    nodes: Vec<NodeRange>,
    ranks: RoaringBitmap,
    /// How many ranks it holds for.
    procs: u64,
    what: String,
}

/// The notes on a plan, by class and app.
///
/// Cost: for each kind of node its processes and objects; nothing per rank but the ranks that are listed.
#[must_use]
pub fn notes(plan: &Plan) -> Vec<Note> {
    of(plan, Asked::Excuses)
}

/// Whether words that ask for something excuse it from a note.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asked {
    Excuses,
    Counts,
}

fn of(plan: &Plan, asked: Asked) -> Vec<Note> {
    let mut all: BTreeMap<(&'static str, Option<u32>), Found> = BTreeMap::new();
    let asks_for_gpus = plan.asks_for_gpus() || kinds::has_shares(plan);
    let given = asks_for_gpus.then(|| plan.given_gpus());
    for kind in Kinds::of(plan) {
        let mut facts = cores::facts(plan, &kind, asked);
        facts.extend(nodes::one_domain(plan, &kind));
        if let Some(given) = &given {
            facts.extend(gpus::facts(plan, &kind, given));
        }
        for fact in facts {
            let key = (
                fact.class,
                fact.app.map(|app| plan.resolved_apps().number(app)),
            );
            add(
                all.entry(key).or_insert_with(|| Found::of(&fact)),
                &fact,
                &kind,
                plan,
            );
        }
    }
    let told = all
        .into_iter()
        .map(|((class, app), found)| found.note(class, app, plan));
    told.chain(nodes::idle(plan)).collect()
}

fn add(found: &mut Found, fact: &Fact, kind: &Kind, plan: &Plan) {
    found.count += fact.count * kind.nodes();
    found.procs += fact.ranks * kind.nodes();
    found
        .nodes
        .extend(kind.stretches.iter().map(|own| own.nodes));
    if fact.procs.is_empty() {
        return;
    }
    for node in kind.first_nodes() {
        for &(row, local) in &fact.procs {
            if found.ranks.len() >= RANKS_MAX as u64 {
                return;
            }
            found.ranks.insert(kind.rank(plan, node, row, local));
        }
    }
}

impl Found {
    fn of(fact: &Fact) -> Self {
        Self {
            count: 0,
            nodes: Vec::new(),
            ranks: RoaringBitmap::new(),
            procs: 0,
            what: fact.what.clone(),
        }
    }

    fn note(mut self, class: &'static str, app: Option<u32>, plan: &Plan) -> Note {
        self.nodes.sort_unstable_by_key(|nodes| nodes.first);
        let facts = Facts {
            app,
            nodes: names(plan, &self.nodes, usize::MAX),
            count: self.count,
            ranks: ranks(&self.ranks, self.procs, usize::MAX),
        };
        let whose = app.map_or_else(String::new, |app| format!("app {app}: "));
        let who = ranks(&self.ranks, self.procs, RANGES_MAX);
        let who = match self.procs {
            0 => String::new(),
            1 => format!("rank {who} "),
            _ => format!("ranks {who} "),
        };
        let on = names(plan, &self.nodes, NAMES_MAX);
        Note::Advice {
            class,
            facts,
            text: format!("{whose}{who}on {on}: {}", self.what),
        }
    }
}

/// The ranks of a note; `…` stands for those that are not listed.
fn ranks(ranks: &RoaringBitmap, all: u64, most: usize) -> String {
    if ranks.is_empty() {
        return String::new();
    }
    let text = list_form(ranks);
    let mut parts: Vec<&str> = text.split(',').filter(|part| !part.is_empty()).collect();
    let more = parts.len() > most || ranks.len() < all;
    parts.truncate(most);
    if more {
        parts.push("…");
    }
    parts.join(",")
}

/// Names of nodes, folded; `…` stands for those that are not listed.
fn names(plan: &Plan, nodes: &[NodeRange], most: usize) -> String {
    let mut joined: Vec<NodeRange> = Vec::new();
    for own in nodes {
        match joined.last_mut() {
            Some(last) if last.end() == own.first => last.count += own.count,
            Some(_) | None => joined.push(*own),
        }
    }
    let names = &plan.world().names;
    let mut all = joined.iter().flat_map(|nodes| folds(names, *nodes));
    let shown = all.by_ref().take(most.min(1 << 12));
    let mut parts: Vec<String> = shown.map(|fold| fold.to_string()).collect();
    if all.next().is_some() {
        parts.push("…".to_owned());
    }
    parts.join(",")
}
