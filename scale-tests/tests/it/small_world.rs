//! The small world: every job once.

use stowplan_scale_tests::small_world::{
    CLUSTERS, FEW_WORLDS, WORLDS, hosts, job, pairs, singles, size, spoken,
};

#[test]
fn every_number_is_a_job() {
    assert_eq!(
        (singles(), pairs(), spoken()),
        (7_062_048, 2_864_896, 1_738_576)
    );
    let few = singles() + pairs();
    for number in [0, 1, 5000, singles() - 1, singles(), few, size() - 1] {
        let job = job(number);
        assert_eq!(job.apps.len(), if number < singles() { 1 } else { 2 });
        assert!(
            job.apps[0]
                .hosts
                .as_ref()
                .is_some_and(|hosts| hosts.starts_with("a:"))
        );
    }
    assert_eq!(hosts(CLUSTERS - 1), "a:3,b:3,c:3");
}

#[test]
fn the_few_worlds_are_what_they_are_called() {
    let first = singles() + pairs();
    let worlds = (first..first + FEW_WORLDS.len() as u64).map(job);
    let hosts: Vec<_> = worlds.filter_map(|job| job.apps[0].hosts.clone()).collect();
    let [one, two, three] = ["a:3", "a:2,b:3", "a:2,b:1,c:3"];
    assert_eq!(hosts, [one, one, two, two, two, three, three, three]);
}

#[test]
fn no_world_is_there_twice() {
    let world = |number| {
        let job = job(number);
        (job.apps[0].hosts.clone(), job.machine, job.others)
    };
    let all: std::collections::BTreeSet<_> = (0..WORLDS).map(world).collect();
    assert_eq!(all.len() as u64, WORLDS);
}
