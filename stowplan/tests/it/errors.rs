//! Errors are data: a class with a number, the app, and what would work, planned before it is told.

use stowplan::{App, Class, Job, Machine, Plan, Topology, Traffic};

fn machine() -> Machine {
    Machine::uniform(Topology::parse("package:2 core:4 pu:1").expect("a topology"))
}

fn refused(words: &[&str]) -> stowplan::Error {
    let job = Job::from_command_line(words.iter().copied()).expect("its words are valid");
    Plan::new(&job, &machine()).expect_err("it does not fit")
}

#[test]
fn classes_have_words_numbers_and_texts() {
    let error = refused(&["-n", "5", "-H", "a:4", "./x"]);
    assert_eq!(error.kind(), Class::NotEnoughSlots);
    assert_eq!(error.kind(), "not-enough-slots");
    assert_eq!(
        Class::of_number(error.kind().number()),
        Some(Class::NotEnoughSlots)
    );
    assert_eq!(error.kind().exit_status(), 2);
    assert_eq!(Class::Internal.exit_status(), 70);
    assert!(error.docs().contains("more processes than slots"));
    assert!(Class::ALL.iter().all(|class| !class.docs().is_empty()));
}

#[test]
fn the_app_is_data() {
    let second = refused(&[
        "-n", "1", "-H", "a:2", "./x", ":", "-n", "2", "-H", "b:1", "./y",
    ]);
    assert_eq!(
        (second.class(), second.app()),
        ("not-enough-slots", Some(1))
    );
    let words = Job::builder()
        .app(App::new("./a"))
        .app(App::new("./b").bind_to("nothing"))
        .build();
    assert_eq!(words.expect_err("no such word").app(), Some(1));
}

#[test]
fn a_rank_file_called_app_1_hides_no_help() {
    let words = [
        "-H",
        "a:4",
        "--map-by",
        "rankfile:file=app 1",
        "-n",
        "2",
        "./x",
    ];
    let file = ("app 1", "rank 0=a slot=0\nrank 1=a slot=0\n");
    let job = Job::from_command_line_with(words, [file]).expect("its words are valid");
    let error = Plan::new(&job, &machine()).expect_err("a cpu twice");
    assert_eq!(error.class(), "rankfile-cpu-taken");
    assert!(error.message().contains("app 1"), "{}", error.message());
    assert!(!error.help().is_empty(), "{error:?}");
}

#[test]
fn every_remedy_works() {
    let error = refused(&[
        "-n", "3", "-H", "a:2", "./x", ":", "-n", "1", "-H", "b:8", "./y",
    ]);
    assert_eq!(error.help()[0], "more slots: -H a:3", "{error:?}");
    let told = refused(&["-n", "2", "-H", "a:4", "--map-by", "core:pe=9", "./x"]).help();
    assert!(!told.is_empty());
    // A job that is built has the help of the command line that says the same.
    let built = Job::builder()
        .app(App::new("./x").procs(5).hosts("a:4"))
        .build()
        .unwrap();
    let built = Plan::new(&built, &machine()).expect_err("five on four");
    assert_eq!(
        built.help(),
        refused(&["-n", "5", "-H", "a:4", "./x"]).help()
    );
    // A request has it in its own keys.
    let request = r#"{"apps":[{"cmd":"./x","maxprocs":5,"info":{"PMIX_HOST":"a:4"}}]}"#;
    let request = Plan::new(&Job::from_json(request).unwrap(), &machine()).expect_err("the same");
    assert_eq!(
        request.help()[0],
        r#"more slots: apps[0].info.PMIX_HOST = "a:5""#
    );
    // What came as bytes has no words to change.
    let bytes = Job::builder()
        .app(App::new("./x").procs(5).hosts("a:4"))
        .build()
        .unwrap()
        .to_bytes();
    let bytes = Plan::new(&Job::from_bytes(&bytes).unwrap(), &machine()).expect_err("the same");
    assert_eq!((bytes.help(), &bytes), (Vec::new(), &built));
}

#[test]
fn empty_jobs_and_programs_are_refused() {
    let refused = |made: Result<Job, stowplan::Error>| made.expect_err("empty").class();
    assert_eq!(refused(Job::builder().build()), "bad-request");
    assert_eq!(
        refused(Job::builder().map_by("core").build()),
        "bad-request"
    );
    assert_eq!(
        refused(Job::builder().app(App::new("")).build()),
        "bad-value"
    );
    assert_eq!(
        refused(Job::from_command_line(["-n", "2", ""])),
        "bad-value"
    );
    assert_eq!(refused(Job::from_json(r#"{"apps":[]}"#)), "bad-request");
    assert_eq!(refused(Job::from_json(r#"{"apps":[null]}"#)), "bad-request");
    assert_eq!(
        refused(Job::from_json(r#"{"apps":[{"cmd":""}]}"#)),
        "bad-request"
    );
}

#[test]
fn a_job_says_what_it_was_made_of() {
    let words = "-n 8 -H a:4,b:4 --map-by numa:pe=2 -x OMP_PLACES=cores ./ocean -v : -n 1 --rank-by node ./io";
    let job = Job::from_command_line(words.split(' ')).unwrap();
    let read = |job: &Job| -> Vec<String> {
        let app = |app: stowplan::JobApp<'_>| {
            let policies = app
                .policies()
                .map(|word| format!("{}={}({})", word.option(), word.value(), word.from()));
            format!(
                "{:?} {:?} {:?} {:?} {:?}",
                app.program(),
                app.argv(),
                app.np(),
                app.hosts(),
                policies.collect::<Vec<_>>()
            )
        };
        job.apps().map(app).collect()
    };
    let apps = read(&job);
    assert_eq!(apps.len(), 2);
    assert!(
        apps[0].contains("--map-by=numa:pe=2(job)") && apps[0].contains("\"-v\""),
        "{apps:?}"
    );
    assert!(
        apps[1].contains("--rank-by=node(app)") && apps[1].contains("None"),
        "{apps:?}"
    );
    assert_eq!(read(&Job::from_bytes(&job.to_bytes()).unwrap()), apps);
    let old = Job::from_command_line(["--bynode", "-n", "2", "./x"]).unwrap();
    assert_eq!(old.notes()[0].class(), "old-spelling");
}

#[test]
fn what_a_broadcast_does_not_know_is_not_made_up() {
    let machine = Machine::uniform(Topology::parse("core:4 pu:1").unwrap());
    let job = Job::from_command_line(["-n", "6", "-H", "a:4,b:4", "./x"]).unwrap();
    let whole = Plan::new(&job, &machine).unwrap();
    let plan = Plan::from_bytes(&whole.to_broadcast()).unwrap();
    let score = plan.score(&Traffic::new("ring").unwrap());
    assert_eq!(score.unwrap_err().class(), "bad-plan");
    let moved = whole.diff(&plan);
    for picture in [plan.picture(), plan.html(), moved.picture(), moved.html()] {
        assert!(picture.contains("6 ranks on 2 nodes"), "{picture}");
        assert!(picture.contains("read from a broadcast"), "{picture}");
    }
}
