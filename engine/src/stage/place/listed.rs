//! Places apps whose processes a rankfile, sequence file or affinity file lists, entry by entry. Source: `semantics` 4.5, 4.6, `per-app` 9.1.
//!
//! Each entry costs one step. What happens on a node depends on its state and on its entries, in order. Nodes for which both are
//! equal are worked out once.

use super::app::App;
use super::entries::{Entries, EntryStep, path};
use super::listed_node::{Items, Stuck, on_node};
use super::outcome::Outcome;
use super::refuse::RefusedAt;
use super::scratch::emptied;
use super::workspace::Workspace;
use crate::error::{MapError, PlaceError};
use crate::id::Id as _;
use crate::plan::{ListedRun, PlacedRun, RankOrder};
use crate::policy::{BindTo, MapBy};
use crate::stage::alloc::{Pool, Tables};
use crate::stage::node::bind::Failure;
use crate::stage::node::capacity::TopologyView;
use crate::stage::node::sets::NodeSets;
use crate::table::listings::EntryNode;
use crate::table::names::{NodeId, NodeRange};
use crate::table::patterns::{PatternDraft, PatternId};
use crate::table::states::{NodeState, StateId, StateRuns};
use std::collections::HashMap;
use std::sync::Arc;

/// A node with entries.
struct ListedNode {
    node: u32,
    /// Its state when the app finds it.
    state: StateId,
    /// How many processes all its entries have.
    procs: u32,
    items: Items,
}

/// Where the processes of a step are.
#[derive(Clone, Copy)]
struct Start {
    /// The row of the node in [`Listed::nodes`].
    row: usize,
    /// The first process of the step on that node.
    local: u32,
}

/// The result for nodes of one state that get the same entries.
struct Settled {
    pattern: PatternId,
    next: StateId,
    /// The first process of a node that cannot be placed, and why.
    stuck: Option<(u32, Stuck)>,
}

/// An app and its entries.
struct Listed<'p> {
    app: &'p App<'p>,
    entries: &'p Entries,
    /// The steps before the first one on a node that the app may not use.
    steps: &'p [EntryStep],
    /// Nodes in the order of their first entry.
    nodes: Vec<ListedNode>,
    /// Where each step starts. Shape `[steps]`.
    starts: Vec<Start>,
}

/// Places an app by its entries.
///
/// # Errors
/// The first entry that cannot be placed, as an error of its class.
pub(crate) fn place(
    work: &mut Workspace,
    app: &App<'_>,
    mut entries: Entries,
) -> Result<Outcome, MapError> {
    let pool = &mut work.pool;
    let listed = Listed::new(app, &entries, &pool.nodes.with(&entries.slots.lowered));
    let mut settled: Vec<Settled> = Vec::new();
    let mut known: HashMap<(StateId, &Items), usize> = HashMap::new();
    // The row of each node in `settled`. Shape `[nodes]`.
    let mut rows = Vec::with_capacity(listed.nodes.len());
    for node in &listed.nodes {
        let row = *known.entry((node.state, &node.items)).or_insert_with(|| {
            settled.push(listed.settle(&mut pool.tables, node));
            settled.len() - 1
        });
        rows.push(row);
    }
    let settled = |row: usize| &settled[rows[row]];
    listed.check(pool, &settled)?;
    let mut runs = emptied(&mut work.scratch.runs);
    let mut changes = Vec::with_capacity(listed.nodes.len());
    for (row, of) in listed.nodes.iter().enumerate() {
        let state = pool.tables.states.get(of.state);
        let Settled { pattern, next, .. } = settled(row);
        let nodes = NodeRange::one(of.node);
        changes.push((nodes, *next));
        runs.push(PlacedRun {
            nodes,
            procs: of.procs,
            pattern: *pattern,
            kind: None,
            own_before: state.own,
            used_before: state.used,
        });
    }
    let order = RankOrder::Listed(listed.ranks());
    Ok(Outcome {
        policy: app.policy_id,
        touched: runs.iter().map(|run| run.nodes).collect(),
        runs,
        order,
        passes: None,
        slots: std::mem::take(&mut entries.slots),
        named: Some(std::mem::take(&mut entries.named)),
        changes,
    })
}

impl<'p> Listed<'p> {
    fn new(app: &'p App<'p>, entries: &'p Entries, states: &StateRuns) -> Self {
        let steps = &entries.steps;
        let outside = steps.iter().position(|step| step.nodes.is_none());
        let steps = &steps[..outside.unwrap_or(steps.len())];
        let mut rows: HashMap<u32, usize> = HashMap::new();
        let mut nodes: Vec<ListedNode> = Vec::new();
        let mut starts = Vec::with_capacity(steps.len());
        for step in steps {
            let Some(NodeRange { first: node, .. }) = step.nodes else {
                continue;
            };
            let row = *rows.entry(node).or_insert_with(|| {
                nodes.push(ListedNode {
                    node,
                    state: states.state(NodeId::from_row(node as usize)),
                    procs: 0,
                    items: Vec::new(),
                });
                nodes.len() - 1
            });
            let of = &mut nodes[row];
            starts.push(Start {
                row,
                local: of.procs,
            });
            of.procs += step.count;
            match of.items.last_mut().filter(|last| last.0 == step.cpus) {
                Some(last) => last.1 += step.count,
                None => of.items.push((step.cpus, step.count)),
            }
        }
        Self {
            app,
            entries,
            steps,
            nodes,
            starts,
        }
    }

    /// Works out the result of a node's entries.
    fn settle(&self, tables: &mut Tables, of: &ListedNode) -> Settled {
        let row = *tables.states.get(of.state);
        let topology = row.topology;
        tables.hardware(topology);
        let view = TopologyView::new(
            &tables.topologies,
            tables.prepared(topology),
            self.app.policy,
            &self.app.resolved.apps,
            None,
        );
        let sets = NodeSets {
            free_at_start: tables.pusets.words(row.free),
            allowed: tables.pusets.words(row.allowed),
        };
        let laid = on_node(&view, &row, sets, &of.items, self.app);
        let segments = laid.segments.into_iter();
        let segments: PatternDraft =
            { segments.map(|draft| tables.segment(topology, draft)) }.collect();
        let free = &laid.cpus.free;
        let free =
            Arc::make_mut(&mut tables.pusets).intern_words(free.words(), free.len() as usize);
        Settled {
            pattern: tables.pattern(segments),
            next: tables.state(NodeState {
                free,
                used: row.used + of.procs,
                own: row.own + of.procs,
                ..row
            }),
            stuck: laid.stuck,
        }
    }

    /// The ranks of the app, in runs on one node each.
    fn ranks(&self) -> Vec<ListedRun> {
        let mut rank = 0;
        let mut runs: Vec<ListedRun> = Vec::new();
        for (step, &Start { row, local }) in self.steps.iter().zip(&self.starts) {
            let node = self.nodes[row].node;
            let continues =
                |last: &ListedRun| last.node == node && last.local + (rank - last.rank) == local;
            if !runs.last().is_some_and(continues) {
                runs.push(ListedRun { rank, node, local });
            }
            rank += step.count;
        }
        runs
    }

    /// Checks that all entries can be placed.
    ///
    /// # Errors
    /// The first entry that is stuck on its node; else the first on a node that the app may not use; else a rank without an entry.
    fn check<'s>(
        &self,
        pool: &Pool,
        settled: &impl Fn(usize) -> &'s Settled,
    ) -> Result<(), MapError> {
        // Processes of each node up to the present entry. Shape `[nodes]`.
        let mut reached = vec![0; self.nodes.len()];
        let mut rank = self.entries.first;
        for (step, &Start { row, local }) in self.steps.iter().zip(&self.starts) {
            let stuck = settled(row).stuck.as_ref();
            let stuck = stuck.filter(|(at, _)| *at < local + step.count);
            reached[row] = stuck.map_or(local + step.count, |(at, _)| local.max(*at));
            rank += reached[row] - local;
            if let Some((_, why)) = stuck {
                let bound = reached.iter().enumerate().map(|(row, &procs)| {
                    let pattern = pool.tables.patterns.get(settled(row).pattern);
                    pattern.bound(procs)
                });
                return Err(self.refuse(pool, &self.nodes[row], step, rank, bound.sum(), why));
            }
        }
        if let Some(outside) = self.entries.steps.get(self.steps.len()) {
            return Err(self.not_allowed(outside, pool.nodes.names.len()));
        }
        let procs = self.entries.procs;
        if rank - self.entries.first < procs {
            let path = path(self.app);
            return Err(PlaceError::RankfileMissingRank { path, rank, procs }.into());
        }
        Ok(())
    }

    /// The refusal of an entry. `rank`: the rank of its process; `bound`: how many processes before it got cpus.
    fn refuse(
        &self,
        pool: &Pool,
        of: &ListedNode,
        step: &EntryStep,
        rank: u32,
        bound: u64,
        why: &Stuck,
    ) -> MapError {
        let (listing, policy) = (self.app.listing(), self.app.policy);
        let entry = listing.zip(step.entry);
        let entry = entry.map(|(listing, at)| &listing.entries[at as usize]);
        let line = entry.map_or(0, |entry| entry.line);
        let cpus = listing.zip(entry.and_then(|entry| entry.cpus));
        let asked = cpus.map(|(listing, list)| listing.slot_texts[list].clone());
        let asked = asked.unwrap_or_else(|| "a cpu".to_owned());
        let (path, node) = (path(self.app), pool.nodes.name(of.node));
        let at = RefusedAt {
            tables: &pool.tables,
            app: self.app.id,
            policy,
            state: pool.tables.states.get(of.state),
            node: node.clone(),
        };
        match (why, policy.map) {
            (Stuck::Full, _) => {
                let slots = at.state.most();
                PlaceError::EntryFull {
                    path,
                    line,
                    rank,
                    node,
                    slots,
                    used: slots,
                }
            }
            (Stuck::Lacking(what), map) => {
                let reason = format!("{node} has no {what}");
                if map == MapBy::Rankfile {
                    PlaceError::BadRankfile { path, line, reason }
                } else if map == MapBy::Lsf {
                    PlaceError::BadAffinityfile { path, line, reason }
                } else {
                    PlaceError::BadSeqfile { path, line, reason }
                }
            }
            (Stuck::Taken | Stuck::NoCpu | Stuck::Unbindable(_), MapBy::Rankfile) => {
                PlaceError::RankfileCpuTaken {
                    path,
                    line,
                    rank,
                    asked,
                    node,
                }
            }
            (Stuck::Taken, _) => PlaceError::SeqCpuTaken {
                path,
                line,
                rank,
                asked,
                node,
            },
            (Stuck::Unbindable(Failure::NoTarget(kind)), _) => return at.no_target(*kind, ""),
            (Stuck::Unbindable(Failure::SpanPackages), _) => {
                return at.span_packages(format!("pe={}", policy.pe));
            }
            (Stuck::Unbindable(Failure::Limit), _) => return at.bind_limit(),
            (Stuck::NoCpu | Stuck::Unbindable(_), _) => return self.no_cpu(at, bound),
        }
        .into()
    }

    fn no_cpu(&self, at: RefusedAt<'_>, bound: u64) -> MapError {
        let target = match self.app.policy.bind {
            BindTo::Object(kind) => format!("to a {}", kind.word()),
            BindTo::Nothing | BindTo::BySize => "to a cpu".to_owned(),
        };
        if bound > 0 {
            return at.not_enough_cpus(self.entries.procs, bound, target);
        }
        at.no_available_cpus(target, 1)
    }

    /// The refusal of an entry on a node that the app may not use. `pool`: how many nodes the job has.
    fn not_allowed(&self, step: &EntryStep, pool: u32) -> MapError {
        let Some((listing, at)) = self.app.listing().zip(step.entry) else {
            unreachable!("steps made from hosts name nodes of the pool")
        };
        let entry = &listing.entries[at as usize];
        let (path, line) = (listing.path.clone(), entry.line);
        let name = match entry.node {
            EntryNode::Name(name) => listing.names[name].clone(),
            EntryNode::Nth(nth) => format!("+n{nth}"),
        };
        match (self.app.policy.map, entry.node) {
            (MapBy::Rankfile, EntryNode::Nth(_)) => PlaceError::BadRankfile {
                path,
                line,
                reason: format!("{name} is beyond the app's nodes"),
            },
            (MapBy::Rankfile, EntryNode::Name(_)) => PlaceError::RankfileHost {
                app: self.app.id.number(),
                path,
                line,
                name,
            },
            _ => PlaceError::SeqHost {
                path,
                line,
                name,
                pool,
            },
        }
        .into()
    }
}
