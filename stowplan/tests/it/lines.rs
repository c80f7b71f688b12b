//! Lines of launchers as jobs: placed, relayed, saved; refused where only jobs in prterun's words go.

use stowplan::{Cluster, Error, Job, Machine, Plan, Planner, Rank, Topology};

const LINE: &str = "mpiexec.hydra -hosts a:2,b:1 -bind-to core -n 4 ./ocean -v";

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:2").expect("it is sound"))
}

fn job(line: &str) -> Job {
    Job::from_command_line(line.split(' ')).expect("the words are right")
}

fn rows(plan: &Plan) -> Vec<(String, String)> {
    let ranks = 0..u32::try_from(plan.len()).expect("there are few");
    let procs = ranks.filter_map(|rank| plan.proc(Rank::new(rank)));
    let row = procs.map(|proc| (proc.node().name().to_owned(), proc.cpus().to_string()));
    row.collect()
}

#[test]
fn a_line_is_placed_by_its_launchers_rules() {
    let plan = Plan::new(&job(LINE), &machine()).expect("it runs");
    let promised = [("a", "0-1"), ("a", "2-3"), ("b", "0-1"), ("a", "4-5")];
    let promised = promised.map(|(node, cpus)| (node.to_owned(), cpus.to_owned()));
    assert_eq!(rows(&plan), promised);
    plan.check().expect("it keeps what any placement must keep");
    let read = Plan::from_bytes(&plan.to_bytes()).expect("it was just written");
    assert_eq!(
        (rows(&read), read.to_bytes()),
        (rows(&plan), plan.to_bytes())
    );
}

#[test]
fn words_of_ours_stand_before_it_and_a_job_travels() {
    let own = job("-H n[0-1]:3 --as hydra@4.3 mpirun -n 4 ./ocean");
    let plan = Plan::new(&own, &machine()).expect("it runs");
    let nodes: Vec<String> = rows(&plan).into_iter().map(|(node, _)| node).collect();
    assert_eq!(nodes, ["n0", "n0", "n0", "n1"]);
    let read = Job::from_bytes(&own.to_bytes()).expect("it was just written");
    assert_eq!(read, own);
    assert_eq!(Plan::new(&read, &machine()).expect("it runs"), plan);
}

#[test]
fn the_words_of_prteruns_family_are_ours() {
    let plan = Plan::new(
        &job("-H a:8 mpirun -np 3 --map-by core ./ocean"),
        &machine(),
    );
    let own = Plan::new(&job("-H a:8 -np 3 --map-by core ./ocean"), &machine());
    assert_eq!(plan.expect("there is room"), own.expect("there is room"));
}

#[test]
fn a_line_is_refused_in_its_launchers_terms() {
    let class = |line: &str| {
        let placed = Job::from_command_line(line.split(' '));
        placed.and_then(|job| Plan::new(&job, &machine())).map(drop)
    };
    let classes = |line| class(line).expect_err("it is refused").class().to_owned();
    assert_eq!(classes("mpiexec.hydra -hots a -n 4 ./ocean"), "bad-option");
    assert_eq!(
        classes("mpiexec.hydra -hosts a -hosts b -n 4 ./ocean"),
        "launcher-refuses"
    );
    assert_eq!(
        classes("mpiexec.hydra -hosts a -bind-to l4cache -n 4 ./ocean"),
        "launch-fails"
    );
    assert_eq!(classes("-n 4 srun -N2 ./ocean"), "bad-option");
    assert_eq!(classes("--as tool ./ocean"), "bad-option");
}

#[test]
fn lines_that_would_start_are_found_when_help_is_read() {
    let job = job("-H a,b srun -n 30 ./a");
    let machine = Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("it is sound"));
    let refused = Plan::new(&job, &machine).expect_err("30 tasks on 16 cpus");
    assert_eq!(refused.class(), "launcher-refuses");
    let help = refused.help();
    assert_eq!(help, ["srun -n16 ./a", "srun -n 30 -O ./a"]);
    for line in help {
        let job = self::job(&format!("-H a,b {line}"));
        assert!(Plan::new(&job, &machine).is_ok(), "{line}");
    }
}

#[test]
fn planners_and_clusters_take_no_line() {
    let refused = |error: Option<Error>| error.map(|error| error.class().to_owned());
    let planner = Planner::new(&job(LINE), &machine()).err();
    assert_eq!(refused(planner).as_deref(), Some("not-modelled"));
    let cluster = Cluster::new(machine()).place(&job(LINE)).err();
    assert_eq!(refused(cluster).as_deref(), Some("not-modelled"));
}
