//! Which process gets which rank. `docs/semantics.md` section 6.

use crate::Row;
use crate::devices;
use crate::turn::{Job, Proc};
use std::collections::BTreeMap;
use stowplan_engine::id::Id as _;
use stowplan_engine::policy::RankBy;
use stowplan_engine::table::apps::{AppId, AppTable};

/// A process, and the keys by which its rank is sorted.
struct Placed<'p> {
    proc: &'p Proc,
    /// Its position in the job's placement order.
    at: usize,
    /// Position of its node in the job's node order.
    node: usize,
    /// Position of its object among those of its node.
    object: usize,
    /// How many processes of the app came before it: on the node, and on the object.
    on_node: u64,
    on_object: u64,
}

/// The rows of the job in rank order: app after app, each ordered by its own rank policy.
pub(crate) fn rows(job: &Job<'_>, apps: &AppTable, given: &[Vec<u32>]) -> Vec<Row> {
    let mut rows = Vec::new();
    for app in apps.ids() {
        let Some(policy) = apps.policy(app) else {
            continue;
        };
        let mut placed = placed(job, app);
        match policy.rank {
            RankBy::Slot => placed.sort_by_key(|p| p.node),
            RankBy::Fill => placed.sort_by_key(|p| (p.node, p.object)),
            RankBy::Node => placed.sort_by_key(|p| (p.on_node, p.node)),
            RankBy::Span => placed.sort_by_key(|p| (p.on_object, p.node, p.object)),
            RankBy::Listed => {}
        }
        for (app_rank, placed) in (0..).zip(placed) {
            let proc = placed.proc;
            let machine = job.pool.nodes[proc.node].machine;
            let object = proc.object.as_ref();
            let object = object.map(|(object, _)| (object.kind, object.logical));
            rows.push(Row {
                rank: rows.len() as u64,
                app: app.row(),
                app_rank,
                node: proc.node,
                name: job.pool.nodes[proc.node].name.clone(),
                local_rank: proc.before,
                node_rank: proc.before,
                object,
                nics: match (policy.map.devices(), object) {
                    (Some(options), Some((_, first))) => devices::cards(machine, options, first),
                    (Some(_) | None, _) => Vec::new(),
                },
                cpus: proc.cpus.clone(),
                gpus: given[placed.at].clone(),
            });
        }
    }
    rows
}

/// The processes of an app in placement order.
fn placed<'p>(job: &'p Job<'_>, app: AppId) -> Vec<Placed<'p>> {
    let mut on_node: BTreeMap<usize, u64> = BTreeMap::new();
    let mut on_object: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    let mut all = Vec::new();
    for (at, proc) in job
        .procs
        .iter()
        .enumerate()
        .filter(|(_, proc)| proc.app == app)
    {
        let node = job
            .order
            .iter()
            .position(|&node| node == proc.node)
            .unwrap_or(usize::MAX);
        let object = proc.object.as_ref().map_or(0, |&(_, at)| at);
        let (nth, nth_there) = (
            on_node.entry(node).or_default(),
            on_object.entry((node, object)).or_default(),
        );
        all.push(Placed {
            proc,
            at,
            node,
            object,
            on_node: *nth,
            on_object: *nth_there,
        });
        *nth += 1;
        *nth_there += 1;
    }
    all
}
