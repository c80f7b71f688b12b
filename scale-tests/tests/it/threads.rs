//! Any number of threads gives the same bytes.

use crate::size::named;
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::expand::ExpandScratch;
use stowplan_scale_tests::shapes::NAMES;

#[test]
fn threads_change_nothing() {
    for name in NAMES {
        let shape = named(name);
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
            pool.install(|| {
                let plan = map_resolved(resolved, machine).unwrap().plan;
                let table = plan.expand();
                (plan.to_bytes(), plan.broadcast_bytes(), table)
            })
        };
        let one = on(1);
        for threads in [2, 3, 8] {
            assert!(on(threads) == one, "{name} on {threads} threads");
        }
    }
}

#[test]
fn a_table_is_filled_again_without_its_last_content() {
    let mut table = stowplan_engine::plan::expand::ProcTable::default();
    let mut scratch = ExpandScratch::default();
    for name in NAMES {
        let shape = named(name);
        let plan = map_resolved(shape.resolved, shape.machine).unwrap().plan;
        plan.expand_into(&mut table, &mut scratch);
        assert!(table == plan.expand(), "{name}");
    }
}
