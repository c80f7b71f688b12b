//! What holds in Rust, C and Python alike: each promise of the library, as a test.

use proptest::prelude::*;
use stowplan::{
    App, Cluster, Error, Job, JobBuilder, Machine, Node, NodeSlice, Note, Plan, Planner, Proc,
    Rank, Table, Topology,
};
use stowplan::{BindTo, MapBy, RankBy};

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:2").expect("it is sound"))
}

fn job(line: &str) -> Result<Job, Error> {
    Job::from_command_line(line.split(' '))
}

fn place(line: &str) -> Result<Plan, Error> {
    Plan::new(&job(line)?, &machine())
}

fn class(refused: Result<impl Sized, Error>) -> &'static str {
    match refused {
        Ok(_) => "none",
        Err(error) => error.class(),
    }
}

#[test]
fn all_is_send_and_sync() {
    fn both<T: Send + Sync>() {}
    both::<Topology>();
    both::<Machine>();
    both::<(App, JobBuilder, Job)>();
    both::<(Plan, Table, Note)>();
    both::<(Proc<'_>, Node<'_>, NodeSlice)>();
    both::<(Cluster, Planner, Error, Rank)>();
    both::<(MapBy, RankBy, BindTo)>();
}

#[test]
fn a_file_that_words_name_is_one_given_with_the_job() {
    let lines = [
        ("--hostfile", "hosts", "a slots=4\n", "bad-hostfile"),
        ("--map-by", "seq:file=order", "a\n", "bad-seqfile"),
        (
            "--map-by",
            "rankfile:file=ranks",
            "rank 0=a slot=0\n",
            "bad-rankfile",
        ),
        ("--lsf-affinity", "lsf", "a 0\n", "bad-affinityfile"),
    ];
    for (option, value, _, expected) in lines {
        let hosts = if option == "--hostfile" {
            ""
        } else {
            " -H a:4"
        };
        // A file of this name on the disk does not count.
        assert_eq!(
            class(place(&format!("-n 1{hosts} {option} {value} ./x"))),
            expected
        );
        let real = place(&format!("-n 1{hosts} --hostfile /etc/hostname ./x"));
        assert_eq!(class(real), "bad-hostfile");
    }
    for (policy, name, text) in [
        ("seq:file=order", "order", "b\na\n"),
        (
            "rankfile:file=ranks",
            "ranks",
            "rank 0=b slot=0\nrank 1=a slot=0\n",
        ),
    ] {
        let with = Job::builder()
            .map_by(policy)
            .file(name, text)
            .app(App::new("./x").procs(2).hosts("a:4,b:4"));
        let job = with.build().expect("the words are right");
        let plan = Plan::new(&job, &machine()).expect("the file was given");
        assert_eq!(plan.table().node(), [1, 0]);
        // The bytes of a job contain its files.
        let there = Job::from_bytes(&job.to_bytes()).expect("it was just written");
        assert_eq!(
            (
                &there,
                Plan::new(&there, &machine()).expect("its files came along")
            ),
            (&job, plan)
        );
    }
}

#[test]
fn nodes_are_numbered_as_in_the_pool_idle_ones_too() {
    let plan = place("-n 2 -H c:4,a:4,b:4 --map-by slot ./x").expect("there is room");
    let names: Vec<String> = plan.nodes().map(|node| node.name().to_owned()).collect();
    assert_eq!(names, ["c", "a", "b"]);
    assert_eq!(
        plan.node("b")
            .map(|node| (node.number(), node.procs().len())),
        Some((2, 0))
    );
    let unbound = place("-n 1 -H a:4 --bind-to none ./x").expect("there is room");
    let proc = unbound.proc(Rank::new(0)).expect("one process");
    assert_eq!(
        (proc.cpus().to_string().as_str(), proc.cpus().is_empty()),
        ("", true)
    );
}

#[test]
fn policies_are_the_jobs_or_an_apps() {
    let own = Job::builder()
        .app(App::new("./a").procs(2).hosts("a:4,b:4").map_by("node"))
        .app(App::new("./b").procs(2).hosts("a:4,b:4").map_by("slot"))
        .build()
        .expect("the words are right");
    assert_eq!(
        Plan::new(&own, &machine())
            .expect("there is room")
            .table()
            .node(),
        [0, 1, 0, 0]
    );
    // On a command line the options of the first app are the job's, and apply to the second app.
    let line =
        place("-n 2 -H a:4,b:4 --map-by node ./a : -n 2 -H a:4,b:4 ./b").expect("there is room");
    assert_eq!(line.table().node(), [0, 1, 0, 1]);
    // With calls, the options of app 0 do not.
    let calls = Job::builder()
        .app(App::new("./a").procs(2).hosts("a:4,b:4").map_by("node"))
        .app(App::new("./b").procs(2).hosts("a:4,b:4"))
        .build()
        .expect("the words are right");
    assert_ne!(
        Plan::new(&calls, &machine())
            .expect("there is room")
            .table()
            .node(),
        line.table().node()
    );
}

#[test]
fn no_number_is_as_many_as_policy_and_slots_give_and_none_is_refused() {
    let job = Job::builder()
        .app(App::new("./a").hosts("a:3,b:2"))
        .build()
        .expect("the words are right");
    assert_eq!(Plan::new(&job, &machine()).expect("there is room").len(), 5);
    let none = Job::builder()
        .app(App::new("./a").procs(0))
        .build()
        .unwrap_err();
    let line = self::job("-n 0 ./a").unwrap_err();
    assert_eq!(
        (none.class(), none.message()),
        ("bad-value", line.message())
    );
}

#[test]
fn what_is_the_machines_or_the_outputs_is_no_option_here() {
    for line in [
        "--topo core:4 ./x",
        "--head a ./x",
        "--format tsv ./x",
        "-o file ./x",
        "--save plan ./x",
        "--display map ./x",
        "--session state ./x",
        "--as ns ./x",
        "--target 1 ./x",
        "--threads 2 ./x",
        "--from-env LSB_AFFINITY_HOSTFILE ./x",
        "--prtemca hwloc_use_topo_file f ./x",
        "-n 1 ./x : --topo core:4 ./y",
    ] {
        let refused = job(line).unwrap_err();
        assert_eq!(
            (refused.class(), refused.text(), refused.span()),
            ("bad-option", None, None),
            "{line}"
        );
        let says_it = refused.message().contains("--session");
        assert_eq!(says_it, line.starts_with("--session"), "{refused}");
    }
    for line in [
        "--prtemca rmaps_base_verbose 5 ./x",
        "--mca hwloc_default_cpu_list 0-1 ./x",
        "--devices gpu=numa:2 ./x",
        "--rank-order cells:2x2:1x2 ./x",
        "--rtos donotlaunch ./x",
        "-x HOME ./x",
        "--bynode ./x -- --topo",
    ] {
        assert!(job(line).is_ok(), "{line}");
    }
}

#[test]
fn an_error_has_class_message_hint_and_words_with_their_place() {
    let at = |error: &Error| Some(error.text()?.get(error.span()?)?.to_owned());
    for (line, class, word) in [
        ("--map-by core:pee=2 ./x", "bad-qualifier", Some("pee=2")),
        ("--map-by croe ./x", "bad-directive", Some("croe")),
        ("--bind-to core:limit=0 ./x", "bad-value", Some("0")),
        ("-n x ./x", "bad-value", Some("x")),
        ("-H a:4,b:c ./x", "bad-hostlist", Some("b:c")),
        ("--nope ./x", "bad-option", None),
    ] {
        let error = job(line).unwrap_err();
        assert_eq!(
            (error.class(), at(&error).as_deref()),
            (class, word),
            "{line}"
        );
        assert!(!error.message().is_empty() && !error.message().contains('\n'));
    }
    let combined = place("-n 2 -H a:4 --map-by core --bind-to package ./x").unwrap_err();
    assert_eq!(
        (combined.class(), at(&combined).as_deref()),
        ("bind-above-map", Some("package"))
    );
    let room = place("-n 5 -H a:4 ./x").unwrap_err();
    assert_eq!(
        (room.class(), room.text(), room.span(), room.hint()),
        ("not-enough-slots", None, None, None)
    );
}

#[test]
fn bytes_are_whole_or_a_broadcast() {
    let plan = place("-n 6 -H a:4,b:4 --map-by core --bind-to core ./x").expect("there is room");
    let whole = Plan::from_bytes(&plan.to_bytes()).expect("it was just written");
    assert_eq!(whole, plan);
    assert_eq!((whole.check(), whole.notes().len()), (Ok(()), 0));
    let broadcast = Plan::from_bytes(&plan.to_broadcast()).expect("it was just written");
    assert_eq!(broadcast.to_bytes(), plan.to_broadcast());
    assert_eq!(broadcast.to_broadcast(), plan.to_broadcast());
    assert_eq!(class(broadcast.check()), "bad-plan");
    assert_ne!(broadcast, plan, "it knows less");
    for (one, other) in plan.procs().zip(broadcast.procs()) {
        assert_eq!(
            (one.node().name(), one.cpus(), one.object()),
            (other.node().name(), other.cpus(), other.object())
        );
    }
    assert_eq!(
        broadcast.task_map().map(|map| map.to_string()),
        plan.task_map().map(|map| map.to_string())
    );
    assert_eq!(broadcast.summary(), plan.summary());
    let (here, there) = (
        plan.node("a").expect("it is there"),
        broadcast.node("a").expect("it is there"),
    );
    assert_eq!(here.to_bytes(), there.to_bytes());
    assert_eq!((there.slots_free(), there.topology()), (None, None));
    assert_eq!(
        (here.slots_free(), here.topology().is_some()),
        (Some(0), true)
    );
    assert_eq!(
        broadcast
            .table()
            .cpus(broadcast.table().cpuset()[0])
            .to_string(),
        "0,1".replace(',', "-")
    );
}

#[test]
fn release_takes_what_this_cluster_placed_and_did_not_release() {
    let (mut one, mut other) = (Cluster::new(machine()), Cluster::new(machine()));
    let job = job("-n 2 -H a:4 ./x").expect("the words are right");
    let free = Plan::new(&job, &machine()).expect("there is room");
    assert_eq!(class(one.release(&free)), "no-such-job");
    let (here, there) = (
        one.place(&job).expect("there is room"),
        other.place(&job).expect("there is room"),
    );
    assert_eq!(class(one.release(&there)), "no-such-job");
    assert_eq!(class(one.release(&free)), "no-such-job");
    let read = Plan::from_bytes(&here.to_bytes()).expect("it was just written");
    assert_eq!(class(one.release(&read)), "no-such-job");
    assert_eq!(class(one.release(&here.clone())), "none");
    assert_eq!(class(one.release(&here)), "no-such-job");
    // Dropping a plan does not remove its job.
    let more = self::job("-n 2 ./y").expect("the words are right");
    drop(one.place(&more).expect("all is free"));
    drop(one.place(&more).expect("two slots are left"));
    assert_eq!(class(one.place(&more)), "nodes-full");
}

#[test]
fn a_refused_job_leaves_the_cluster_as_it_was() {
    let mut cluster = Cluster::new(machine());
    let large = job("-n 9 -H a:4 ./x").expect("the words are right");
    let small = job("-n 4 -H b:4 ./x").expect("the words are right");
    assert_eq!(class(cluster.place(&large)), "not-enough-slots");
    let plan = cluster.place(&small).expect("the refused job made no pool");
    assert_eq!(plan.nodes().len(), 1);
    assert_eq!(
        class(cluster.place(&job("-n 1 ./y").expect("right"))),
        "nodes-full"
    );
    cluster.release(&plan).expect("it was placed here");
    let anywhere = cluster
        .place(&job("-n 4 ./y").expect("right"))
        .expect("the cluster's nodes are used");
    assert_eq!(anywhere.node("b").map(|node| node.procs().len()), Some(4));
}

#[test]
fn broken_bytes_are_refused_by_class() {
    let plan = place("-n 6 -H a:4,b:4 --map-by core ./x").expect("there is room");
    let job = job("-n 6 -H a:4 --hostfile f ./x").expect("the words are right");
    let slice = plan.node("a").expect("it is there").to_bytes();
    for cut in [0, 1, 7, 8, 16, 17, 40] {
        assert_eq!(class(Plan::from_bytes(&plan.to_bytes()[..cut])), "bad-plan");
        assert_eq!(
            class(Plan::from_bytes(&plan.to_broadcast()[..cut])),
            "bad-plan"
        );
        assert_eq!(class(NodeSlice::from_bytes(&slice[..cut])), "bad-plan");
        assert_eq!(
            class(Job::from_bytes(&job.to_bytes()[..cut])),
            "bad-request"
        );
    }
    assert_eq!(
        class(Plan::from_bytes(&slice)),
        "bad-plan",
        "a slice is no plan"
    );
    assert_eq!(class(NodeSlice::from_bytes(&plan.to_bytes())), "bad-plan");
}

proptest! {
    #[test]
    fn a_job_with_a_damaged_byte_is_read_or_refused(at in 0..200_usize, byte: u8, sealed: bool) {
        let builder = Job::builder().map_by("seq:file=order").file("order", "a\nb\n").file("more", "");
        let mut bytes = builder.app(App::new("./x").procs(2).hosts("a:4")).build().unwrap().to_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if sealed {
            let sum = crc32fast::hash(&bytes[16..]);
            bytes[12..16].copy_from_slice(&sum.to_le_bytes());
        }
        match Job::from_bytes(&bytes) {
            Ok(job) => {
                prop_assert!(Job::from_bytes(&job.to_bytes()).is_ok());
                let _ = Plan::new(&job, &machine());
            }
            Err(error) => prop_assert!(["bad-request", "bad-value", "contradicting-qualifiers"].contains(&error.class()), "{error:?}"),
        }
    }

    #[test]
    fn any_words_are_read_or_refused(words in prop::collection::vec("-n|-H|--map-by|:|a:4|b|core|[ -~]{0,12}", 0..8)) {
        if let Ok(job) = Job::from_command_line(words) {
            prop_assert_eq!(&Job::from_bytes(&job.to_bytes()).unwrap(), &job);
            if let Ok(plan) = Plan::new(&job, &machine()) {
                prop_assert_eq!(plan.check(), Ok(()));
            }
        }
    }
}

#[test]
fn a_job_read_from_bytes_is_refused_by_the_same_class() {
    for (line, text) in [
        ("-H a:4 -n 2 --map-by slot:span ./x", "slot:span"),
        (
            "-H a:4 -n 2 --map-by slot:pe=2 --bind-to package ./x",
            "slot:pe=2",
        ),
        ("-H a:4 -n 2 --map-by slot --rank-by fill ./x", "fill"),
        ("-H a:4 -n 2 --map-by core --bind-to package ./x", "package"),
        ("-H a:4 -n 2 --map-by rankfile ./x", "rankfile"),
        ("-H a:4 -n 2 --map-by mpibind --bind-to core ./x", "core"),
    ] {
        let job = job(line).expect("its words are right, each alone");
        let read = Job::from_bytes(&job.to_bytes()).expect("it was just written");
        let [here, there] = [&job, &read].map(|job| Plan::new(job, &machine()).unwrap_err());
        assert_eq!(here.text(), Some(text), "{line}");
        assert_eq!(
            (there.class(), there.text(), there.span()),
            (here.class(), None, None)
        );
    }
}

/// Texts that are empty, huge, or nothing that anybody means.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        " ",
        "\0",
        ":",
        "ä",
        "-",
        "n[0-",
        "core:pee=2",
        "a:-1",
        "a:x",
        "n[0-4294967295]",
        "0-",
    ]
    .map(str::to_owned)
    .to_vec();
    texts.extend(["x", "[", ":", "pu:2 ", "{", "a,"].map(|part| part.repeat(1 << 18)));
    texts
}

/// Every call that takes text or bytes gives an answer, or an error that has a class, a sentence, and a place in the text.
#[test]
fn every_function_answers_empty_huge_and_broken_arguments() {
    fn judge(done: Result<(), Error>) {
        let Err(error) = done else { return };
        assert!(!error.class().is_empty() && !error.message().is_empty());
        if let (Some(text), Some(span)) = (error.text(), error.span()) {
            assert!(text.get(span).is_some(), "{error:?}");
        }
    }
    let small = || Topology::parse("core:4 pu:1").expect("sound");
    let build = |app: App| Job::builder().app(app.procs(2)).build().map(drop);
    for text in &texts() {
        let app = || App::new("./x").procs(2);
        judge(Topology::parse(text).map(drop));
        judge(text.parse::<Topology>().map(drop));
        judge(Machine::uniform(small()).set_topology(text, small()));
        judge(Machine::uniform(small()).set_cpu_list(text));
        let mut machine = machine();
        let _ = machine.set_head(text);
        judge(place("-n 1 -H a:2 ./x").map(|plan| assert!(plan.node(text).is_none())));
        judge(
            job("-n 1 -H a:2 ./x")
                .and_then(|job| Plan::new(&job, &machine))
                .map(drop),
        );
        judge(Job::from_command_line([text.as_str()]).map(drop));
        judge(Job::from_command_line(["--map-by", text, "./x"]).map(drop));
        judge(Job::from_json(text).map(drop));
        judge(Job::from_bytes(text.as_bytes()).map(drop));
        judge(Plan::from_bytes(text.as_bytes()).map(drop));
        judge(NodeSlice::from_bytes(text.as_bytes()).map(drop));
        judge(build(App::new(text)));
        judge(build(app().hosts(text)));
        judge(build(app().hostfile(text)));
        judge(build(app().map_by(text.as_str())));
        judge(build(app().rank_by(text.as_str())));
        judge(build(app().bind_to(text.as_str())));
        let job = || Job::builder().app(app().hosts("a:4"));
        for builder in [
            job().map_by(text.as_str()),
            job().rank_by(text.as_str()),
            job().bind_to(text.as_str()),
            job().map_by("seq:file=f").file("f", text),
            job().file(text, text),
        ] {
            judge(
                builder
                    .build()
                    .and_then(|job| Plan::new(&job, &machine))
                    .map(drop),
            );
        }
        judge(
            Planner::new(&job().build().expect("its words are right"), &machine)
                .and_then(|mut planner| planner.lose(text)),
        );
    }
    let plan = place("-n 2 -H a:2 ./x").expect("there is room");
    for rank in [2, 1 << 31, u32::MAX] {
        assert!(plan.proc(Rank::new(rank)).is_none());
    }
}
