//! Every plan made for the labelled corpus: the judge finds no fault, bytes come back the same, and the table agrees with the questions.

use crate::corpus_words::{Given, shared};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU32;
use stowplan::job::args::map_args;
use stowplan_engine::count::Rank;
use stowplan_engine::error::MapError;
use stowplan_engine::id::Id as _;
use stowplan_engine::map::{Machine, map_resolved};
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::stage::resolve::{Context, resolve};
use stowplan_engine::table::names::NodeId;
use stowplan_engine::table::topologies::TopologyDraft;
use stowplan_judge::{check, check_ranks};

fn map(argv: &[String], files: &Given, topology: &TopologyDraft) -> Result<Plan, MapError> {
    let asked = map_args(argv)?;
    let inferred = asked.job.slots_by;
    let relayed = asked.taken.relay()?;
    let context = Context {
        parent: None,
        spoken: &relayed.spoken,
        affinity: None,
        files,
    };
    let resolved = resolve(relayed.request, context)?;
    let machine = Machine {
        local: Some("headnode".to_owned()),
        inferred,
        ..Machine::uniform(topology.clone()).unwrap()
    };
    map_resolved(resolved, machine).map(|mapped| mapped.plan)
}

/// What is wrong with a plan; empty when nothing is.
fn wrong(plan: &Plan) -> Vec<String> {
    let step = NonZeroU32::new(1).unwrap();
    let mut wrong: Vec<String> = match check(plan).and_then(|()| check_ranks(plan, step)) {
        Ok(()) => Vec::new(),
        Err(faults) => faults.iter().map(ToString::to_string).collect(),
    };
    let bytes = plan.to_bytes();
    match Plan::from_bytes(&bytes) {
        Ok(back) if back.to_bytes() != bytes => wrong.push("bytes differ the second time".into()),
        Ok(back) => wrong.extend(differences(plan, &back)),
        Err(error) => wrong.push(format!("whole bytes: {error}")),
    }
    match Plan::from_broadcast_bytes(&plan.broadcast_bytes()) {
        Ok(back) => wrong.extend(differences(plan, &back)),
        Err(error) => wrong.push(format!("broadcast bytes: {error}")),
    }
    wrong.extend(table_differs(plan));
    wrong.extend(slices_differ(plan));
    wrong
}

fn differences(plan: &Plan, other: &Plan) -> Option<String> {
    (0..plan.ranks()).map(Rank).find_map(|rank| {
        let (a, b) = (plan.place(rank)?, other.place(rank));
        let same = b.is_some_and(|b| {
            let sets =
                |plan: &Plan, id: Option<_>| id.map(|id| plan.world().cpusets.get(id).clone());
            sets(plan, a.cpus) == sets(other, b.cpus)
                && (a.app, a.node, a.local_rank, a.node_rank, a.object)
                    == (b.app, b.node, b.local_rank, b.node_rank, b.object)
        });
        (!same).then(|| format!("rank {rank} read back: {b:?}, not {a:?}"))
    })
}

fn table_differs(plan: &Plan) -> Option<String> {
    let table = plan.expand();
    (0..plan.ranks()).map(Rank).find_map(|rank| {
        let place = plan.place(rank)?;
        let row = (
            table.node(rank),
            table.local_rank(rank),
            table.node_rank(rank),
            table.object(rank),
            table.cpus(rank),
        );
        let promised = (
            place.node,
            place.local_rank,
            place.node_rank,
            place.object,
            place.cpus,
        );
        (row != promised).then(|| format!("rank {rank} in the table: {row:?}, not {promised:?}"))
    })
}

fn slices_differ(plan: &Plan) -> Option<String> {
    (0..plan.world().names.len()).find_map(|row| {
        let node = NodeId::from_row(row as usize);
        let bytes = plan.slice_bytes(node);
        let slice = NodeSlice::from_bytes(&bytes).unwrap();
        let mut promised = plan.procs_on(node);
        let same = slice.procs.iter().all(|found| {
            let Some(place) = promised.next() else {
                return false;
            };
            let set = place.cpus.map(|id| plan.world().cpusets.get(id));
            let own = found.cpus.map(|row| &slice.cpusets[row as usize]);
            set == own
                && (
                    found.rank,
                    found.app,
                    found.app_rank,
                    found.local_rank,
                    found.object,
                ) == (
                    place.rank,
                    place.app,
                    place.app_rank,
                    place.local_rank,
                    place.object,
                )
        });
        (!same || promised.next().is_some()).then(|| format!("the slice of node {row} differs"))
    })
}

#[test]
fn every_plan_of_the_corpus_is_judged_sound() {
    let (Some(path), Some(folder)) = (shared("corpus/placement.jsonl"), shared("corpus/topo"))
    else {
        println!("skipped: there is no reference corpus; STOWPLAN_SHARED names its folder");
        return;
    };
    let text = std::fs::read_to_string(path).expect("the corpus is readable");
    let mut topologies: HashMap<String, TopologyDraft> = HashMap::new();
    let (mut faults, mut kinds, mut plans) = (Vec::new(), BTreeMap::new(), 0);
    // All of them in the long check; a sample in an ordinary one.
    let step = if std::env::var_os("STOWPLAN_LONG").is_some() {
        1
    } else {
        8
    };
    for line in text.lines().step_by(step) {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let argv = case["argv"].as_array().unwrap().iter();
        let argv: Vec<String> = argv.map(|word| word.as_str().unwrap().to_owned()).collect();
        let name = case["topology"].as_str().unwrap();
        let topology = topologies.entry(name.to_owned()).or_insert_with(|| {
            let bytes = std::fs::read(folder.join(format!("{name}.xml"))).unwrap();
            stowplan_topo::xml::parse(&bytes).unwrap()
        });
        let Ok(plan) = map(&argv, &Given::of(&case), topology) else {
            continue;
        };
        plans += 1;
        for words in wrong(&plan) {
            let kind = words.split([':', '0', '1']).next().unwrap_or("").to_owned();
            *kinds.entry(kind).or_insert(0) += 1;
            faults.push(format!("{}: {words}\n  {argv:?}", case["id"]));
        }
    }
    assert!(
        faults.is_empty(),
        "{plans} plans, {} faults {kinds:#?}:\n{}",
        faults.len(),
        faults[..faults.len().min(40)].join("\n")
    );
}
