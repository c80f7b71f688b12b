//! The GPUs given to processes are the same in all forms of a plan, and the judge checks them against the words.

use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan_engine::count::Rank;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::slice::NodeSlice;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::table::names::NodeId;
use stowplan_judge::{Promise, check};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("there is no {path}"))
    }
}

fn plan(words: &str) -> Plan {
    let words = words.split(' ').map(|word| word.replace(';', " "));
    let asked = map_args(&words.collect::<Vec<_>>()).unwrap();
    let placed = place(asked, &FilesAlone(&NoFiles));
    placed
        .unwrap_or_else(|error| panic!("{error:?}"))
        .mapped
        .plan
}

/// Jobs that give GPUs to processes, with every word for it.
const JOBS: &[&str] = &[
    "--topo builtin:frontier -H a:8,b:8 -n 12 --map-by gpu",
    "--topo builtin:frontier -H a:16 -n 16 --map-by ppr:2:gpu",
    "--topo builtin:frontier -H a:3 -n 3 --map-by slot --bind-to none",
    "--topo builtin:perlmutter-gpu -H n[0-9]:6 -n 60 --map-by numa --gpus share",
    "--topo builtin:perlmutter-gpu -H n[0-9]:7 -n 70 --map-by node --bind-to none --gpus-per-rank 3",
    "--topo builtin:elcap -H a:5,b:9 -n 14 --map-by mpibind",
    "--topo builtin:elcap -H a:5,b:9 -n 14 --map-by mpibind:threads=3:gpu=0 --bind-to none",
    "--topo builtin:aurora -H a:4,b:24 -n 10 --map-by core : -n 9 --map-by package --gpus none : -n 3 --gpus share",
    "--topo builtin:summit --topo b=package:2;core:4;pu:1 -H a:6,b:6 -n 12 --map-by slot",
    "--topo package:2;core:4;pu:1 --devices b=gpu=package:5,1 -H a:4,b:4 -n 8 --map-by core",
    "--topo builtin:frontier -H a:8 -n 8 --map-by core --gpus none",
];

/// Visible GPU numbers and thread counts, rank by rank.
fn of_ranks(plan: &Plan) -> Vec<(Vec<u32>, Option<u32>)> {
    let given = plan.given_gpus();
    let places = (0..plan.ranks()).map(|rank| plan.place(Rank(rank)).unwrap());
    places
        .map(|place| {
            let gpus = given.of(place.node, place.local_rank).to_vec();
            (gpus, plan.threads_of(&place))
        })
        .collect()
}

#[test]
fn gpus_come_back_from_every_form() {
    for words in JOBS {
        let fresh = plan(words);
        assert_eq!(check(&fresh), Ok(()), "{words}");
        let promised = of_ranks(&fresh);
        let bytes = fresh.to_bytes();
        let saved = Plan::from_bytes(&bytes).unwrap();
        assert_eq!(of_ranks(&saved), promised, "saved: {words}");
        assert_eq!(
            saved.dealt_gpus(),
            fresh.given_gpus(),
            "dealt again: {words}"
        );
        assert_eq!(saved.to_bytes(), bytes, "{words}");
        assert_eq!(check(&saved), Ok(()), "{words}");
        let sent = fresh.broadcast_bytes();
        assert_eq!(saved.broadcast_bytes(), sent, "{words}");
        let heard = Plan::from_broadcast_bytes(&sent).unwrap();
        assert_eq!(of_ranks(&heard), promised, "broadcast: {words}");
        assert_eq!(heard.broadcast_bytes(), sent, "{words}");
        for plan in [&fresh, &saved, &heard] {
            for node in (0..plan.world().names.len()).map(|row| NodeId::from_row(row as usize)) {
                let slice = NodeSlice::from_bytes(&plan.slice_bytes(node)).unwrap();
                for proc in &slice.procs {
                    let own = proc.gpus.map_or(&[][..], |row| &slice.gpus[row as usize]);
                    assert_eq!(own, promised[proc.rank.0 as usize].0, "slice: {words}");
                }
            }
        }
    }
}

#[test]
fn plans_without_gpus_have_the_bytes_they_had() {
    let old = plan("--topo package:2;core:4;pu:1 -H a:4,b:4 -n 6 --map-by core");
    let node = NodeId::from_row(0);
    for bytes in [old.to_bytes(), old.broadcast_bytes(), old.slice_bytes(node)] {
        assert_eq!(bytes[8], 1);
    }
    let new = plan(JOBS[0]);
    for bytes in [new.to_bytes(), new.broadcast_bytes(), new.slice_bytes(node)] {
        assert_eq!(bytes[8], 2);
    }
}

/// A promise, a sound job, and another job: processes of the first are given the GPUs of the second.
const DAMAGES: &[(Promise, &str, &str)] = &[
    (
        Promise::GpuNear,
        "--topo package:2;core:4;pu:1 --devices gpu=package -H a:8 -n 8 --map-by core",
        "--topo package:2;core:4;pu:1 --devices gpu=package:1,0 -H a:8 -n 8 --map-by core",
    ),
    (
        Promise::GpuLost,
        "--topo package:2;core:4;pu:1 --devices gpu=node:4 -H a:4 -n 4 --map-by slot --bind-to none",
        "--topo package:2;core:4;pu:1 --devices gpu=node:3 -H a:4 -n 4 --map-by slot --bind-to none",
    ),
    (
        Promise::GpuEven,
        "--topo package:2;core:4;pu:1 --devices gpu=node:2 -H a:5 -n 5 --map-by slot --bind-to none",
        "--topo package:2;core:4;pu:1 --devices gpu=package -H a:5 -n 5 --map-by core --bind-to core",
    ),
    (
        Promise::GpuAsked,
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus share",
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus split",
    ),
    (
        Promise::GpuAsked,
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus-per-rank 1",
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus split",
    ),
    (
        Promise::GpuAsked,
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus none",
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 8 --map-by core --gpus split",
    ),
    (
        Promise::GpuAsked,
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:4 -n 4 --map-by gpu",
        "--topo package:2;core:4;pu:1 --devices gpu=package:2 -H a:8 -n 4 --map-by ppr:2:gpu",
    ),
    (
        Promise::GpuAsked,
        "--topo builtin:elcap -H a:4 -n 4 --map-by mpibind",
        "--topo builtin:elcap -H a:4 -n 4 --map-by slot --bind-to none --gpus share",
    ),
];

#[test]
fn the_judge_names_the_promise_about_gpus_that_was_broken() {
    for (promise, good, other) in DAMAGES {
        let other = plan(other).given_gpus();
        let sound = plan(good);
        assert_eq!(check(&sound), Ok(()), "{good}");
        let damaged = sound.with_gpus(other);
        let faults = check(&damaged).expect_err(good);
        assert_eq!(faults[0].promise, *promise, "{good}: {}", faults[0]);
        // The saved plan has the same fault.
        let saved = Plan::from_bytes(&damaged.to_bytes()).unwrap();
        assert_eq!(
            check(&saved).expect_err(good)[0].promise,
            *promise,
            "{good}"
        );
    }
}
