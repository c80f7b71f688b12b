//! Each file of ours where each other was meant: the refusal says what the file is.

use crate::console::{MadeUp, Said, stowplan};
use crate::folder::Folder;
use crate::launch::{err, refused};

fn run(words: &[&str]) -> Said {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    stowplan(&words, &MadeUp::default())
}

/// The files, each with what a refusal calls it.
fn files(folder: &Folder) -> Vec<(&'static str, String)> {
    let job = ["--topo", "core:4 pu:1", "-H", "a:4", "-n", "2", "./x"];
    let [plan, journal, json] = ["plan", "journal", "json"].map(|name| folder.file(name));
    folder.write(
        "scenario",
        r#"{"name": "s", "initial": {"nodes": ["n0"]}, "steps": []}"#,
    );
    folder.write("request", r#"{"apps": [{"cmd": "./x", "maxprocs": 2}]}"#);
    folder.write(
        "resources",
        r#"{"version": 1, "execution": {"R_lite": []}}"#,
    );
    let scenario = folder.file("scenario");
    for words in [
        [&["map", "--save", &plan, "--format", "taskmap"], &job[..]].concat(),
        [&["map", "-o", &json, "--format", "json"], &job[..]].concat(),
        vec!["session", "run", &scenario, "--journal", &journal],
    ] {
        let said = run(&words);
        assert_eq!(said.status, 0, "{words:?}: {}", said.err);
    }
    vec![
        ("a saved plan", plan),
        ("a plan as JSON", json),
        ("a journal of sessions", journal),
        ("a scenario of sessions", scenario),
        ("a spawn request", folder.file("request")),
        ("an R of Flux", folder.file("resources")),
        ("a topology", "cases/machines/laptop.xml".to_owned()),
    ]
}

/// A place where a file stands, and what is meant there.
type Place = (&'static str, fn(&str) -> Vec<String>);

fn words(line: &str, path: &str) -> Vec<String> {
    line.split(' ')
        .map(|word| word.replace("FILE", path).replace('~', " "))
        .collect()
}

const PLACES: &[Place] = &[
    ("a saved plan", |path| words("show FILE", path)),
    ("a saved plan", |path| words("explain 0 FILE", path)),
    ("a saved plan", |path| words("check FILE", path)),
    ("a saved plan", |path| words("export srun FILE", path)),
    ("a saved plan", |path| {
        words("score --pattern ring FILE", path)
    }),
    ("a saved plan", |path| words("onto FILE -H a", path)),
    ("a spawn request", |path| {
        words("spawn FILE --topo core:4~pu:1", path)
    }),
    ("a journal of sessions", |path| {
        words("session replay FILE", path)
    }),
    ("a journal of sessions", |path| {
        words("session show FILE", path)
    }),
    ("a scenario of sessions", |path| {
        words("session run FILE", path)
    }),
    ("a topology", |path| words("topo show FILE", path)),
    ("a topology", |path| {
        words("map --topo FILE -H a:2 -n 1 ./x", path)
    }),
    ("", |path| {
        words("map --topo core:4~pu:1 --hostfile FILE -n 1 ./x", path)
    }),
    ("", |path| {
        words(
            "map --topo core:4~pu:1 -H a:2 -n 1 --map-by rankfile:file=FILE ./x",
            path,
        )
    }),
    ("", |path| {
        words(
            "map --topo core:4~pu:1 -H a:4 -n 2 --network FILE ./x",
            path,
        )
    }),
    ("", |path| {
        words(
            "map --topo core:4~pu:1 -H a:4 -n 2 --rank-order file:FILE ./x",
            path,
        )
    }),
    ("", |path| words("map --script FILE", path)),
];

#[test]
fn a_refusal_says_what_the_file_is() {
    let folder = Folder::new("mistaken");
    let root = crate::console::root();
    for (kind, path) in files(&folder) {
        // A file that is named from the workspace, or from its own folder.
        let path = match path.starts_with("cases") {
            true => root.join(&path).into_os_string().into_string().unwrap(),
            false => path,
        };
        let expected = format!("help: {path} is {kind}");
        for (meant, place) in PLACES {
            let words = place(&path);
            let said = stowplan(&words, &MadeUp::default());
            let told = said.err.contains(&expected);
            if *meant == kind {
                assert!(!told, "{words:?}: {}", said.err);
            } else {
                assert_eq!((said.status, told), (2, true), "{words:?}: {}", said.err);
            }
        }
    }
}

/// In the words of any launcher.
#[test]
fn a_plan_in_the_place_of_a_program_is_refused() {
    let folder = Folder::new("plan-for-program");
    let plan = &files(&folder)[0].1;
    let machine = ["map", "--topo", "core:4 pu:1", "-H", "a:4"];
    for line in [
        "-n 2",
        "mpirun -np 2",
        "srun -n 2",
        "flux run -n 2",
        "mpiexec.hydra -n 2",
    ] {
        let line: Vec<&str> = line.split(' ').chain([plan.as_str()]).collect();
        let output = folder.run(&[], &[&machine[..], &line].concat());
        refused(&output, "bad-option");
        let told = err(&output);
        assert!(told.contains("is a saved plan"), "{line:?}: {told}");
    }
}

#[test]
fn a_file_of_the_kind_that_is_meant_is_no_other() {
    let folder = Folder::new("damaged-not-mistaken");
    let files = files(&folder);
    let plan = &files[0].1;
    let mut bytes = std::fs::read(plan).unwrap();
    bytes.truncate(20);
    std::fs::write(plan, bytes).unwrap();
    let said = run(&["show", plan]);
    assert_eq!(said.status, 2);
    assert!(!said.err.contains("help:"), "{}", said.err);
    let said = run(&[
        "map",
        "--hostfile",
        &folder.file("nothing"),
        "-n",
        "1",
        "./x",
    ]);
    assert!(!said.err.contains(" is a"), "{}", said.err);
}
