//! A cluster: one damaged bit of its bytes shows, wherever it is; what a job waits for when nodes are down.

use stowplan::{Class, Cluster, Job, Machine, Topology};

#[test]
fn every_damaged_bit_is_found() {
    let machine = Machine::uniform(Topology::parse("core:4 pu:1").unwrap());
    let mut cluster = Cluster::new(machine.clone());
    let job = Job::from_command_line(["-n", "3", "-H", "a:4", "./x"]).unwrap();
    cluster.place(&job).unwrap();
    let bytes = cluster.to_bytes();
    for at in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[at / 8] ^= 1 << (at % 8);
        let refused = Cluster::from_bytes(&damaged, &machine).unwrap_err();
        assert_eq!(refused.kind(), Class::BadCluster, "bit {at}");
    }
}

#[test]
fn a_number_that_no_job_can_follow_is_refused() {
    let machine = Machine::uniform(Topology::parse("core:4 pu:1").unwrap());
    let mut bytes = Cluster::new(machine.clone()).to_bytes();
    bytes[..8].fill(0xff);
    bytes[8..16].fill(0);
    let refused = Cluster::from_bytes(&bytes, &machine).unwrap_err();
    assert_eq!(refused.kind(), Class::BadCluster);
}

#[test]
fn nodes_that_are_down_are_named_where_a_job_would_start_on_them() {
    let machine = Machine::uniform(Topology::parse("core:4 pu:1").unwrap());
    let mut cluster = Cluster::new(machine);
    cluster.add_nodes("n[0-2]:4").unwrap();
    cluster.down("n2").unwrap();
    cluster.drain("n1").unwrap();
    let told = |cluster: &Cluster, words: &str| {
        let job = Job::from_command_line(words.split(' ')).unwrap();
        let text = cluster.explain(&job).unwrap().to_string();
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let one = Job::from_command_line(["-n", "4", "./x"]).unwrap();
    assert_eq!(
        told(&cluster, "-n 12 ./x"),
        ["it starts when these nodes are up: n1, n2"]
    );
    assert_eq!(
        told(&cluster, "-n 4 -H n2:4 ./x"),
        ["it starts when these nodes are up: n2"]
    );
    cluster.place(&one).unwrap();
    assert_eq!(
        told(&cluster, "-n 4 ./x"),
        [
            "it starts when these jobs have ended: 0",
            "or when these nodes are up: n1"
        ]
    );
    assert_eq!(
        told(&cluster, "-n 12 ./x"),
        ["it starts when no other job runs and these nodes are up: n1, n2"]
    );
    assert_eq!(
        told(&cluster, "-n 13 ./x"),
        ["it does not fit even when no other job runs"]
    );
}

#[test]
fn the_help_of_a_cluster_works_on_it_as_it_is() {
    let machine = Machine::uniform(Topology::parse("core:4 pu:1").unwrap());
    let mut cluster = Cluster::new(machine);
    cluster.add_nodes("n[0-1]:4").unwrap();
    let job = |words: &str| Job::from_command_line(words.split(' ')).unwrap();
    cluster.place(&job("-n 5 --bind-to none ./x")).unwrap();
    let next = job("-n 4 --bind-to none ./y");
    let help = cluster.try_place(&next).unwrap_err().help();
    assert_eq!(help.last().unwrap(), "as many as fit: -n 3");
    assert_eq!(cluster.explain(&next).unwrap().error().help(), help);
    assert!(cluster.place(&job("-n 3 --bind-to none ./y")).is_ok());
}
