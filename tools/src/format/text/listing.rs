//! A small job: a line per rank, with the columns of `tsv`.

use super::table::{Side, aligned};
use stowplan::answers::gpus::list;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::cpusets::list_form;

/// The column heads, then the ranks in order.
pub(super) fn rows(plan: &Plan, ranks: impl Iterator<Item = u32>) -> Vec<String> {
    let given = plan.tells_gpus().then(|| plan.given_gpus());
    let given = given.filter(GivenGpus::any);
    let gpus = if given.is_some() { "gpus" } else { "" };
    let nics = if plan.nics().any() { "nics" } else { "" };
    let head = ["rank", "node", "local_rank", "object", "cpus", gpus, nics].map(str::to_owned);
    let mut rows = vec![head];
    rows.extend(ranks.filter_map(|rank| row(plan, given.as_ref(), Rank(rank))));
    if nics.is_empty() {
        for row in &mut rows {
            row[6].clear();
        }
    }
    let sides = [
        Side::Right,
        Side::Left,
        Side::Right,
        Side::Left,
        Side::Left,
        Side::Left,
        Side::Left,
    ];
    aligned(&rows, &sides)
}

fn row(plan: &Plan, given: Option<&GivenGpus>, rank: Rank) -> Option<[String; 7]> {
    let proc = plan.place(rank)?;
    let object = proc
        .object
        .map(|(kind, number)| format!("{}:{number}", kind.word()));
    let cpus = proc
        .cpus
        .map(|set| list_form(plan.world().cpusets.get(set)));
    Some([
        rank.0.to_string(),
        plan.world().names.name(proc.node),
        proc.local_rank.to_string(),
        object.unwrap_or_else(|| "-".to_owned()),
        cpus.unwrap_or_else(|| "-".to_owned()),
        given.map_or_else(String::new, |given| {
            list(given.of(proc.node, proc.local_rank))
        }),
        nics(plan, &proc),
    ])
}

/// The names of the network cards of a process, `-` for none.
fn nics(plan: &Plan, proc: &ProcPlace) -> String {
    match plan.nics().of(proc) {
        [] => "-".to_owned(),
        names => names.join(","),
    }
}
