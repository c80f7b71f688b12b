//! The seed's offline checks: from a command line to a map, with several apps.

use crate::console::{MadeUp, stowplan};
use proptest::prelude::*;
use stowplan_engine::count::ProcCount;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::map::{Machine, map_resolved};
use stowplan_engine::spawn::Spoken;
use stowplan_engine::spawn::attributes::{Scope, Value};
use stowplan_engine::spawn::request::owner;
use stowplan_engine::spawn::{SpawnRequest, keys};
use stowplan_engine::stage::resolve::{Context, NoFiles, resolve};

const TOPOLOGY: &str = "package:2 core:4 pu:1";

fn said(line: &[&str]) -> String {
    let args: Vec<String> = line.iter().map(|word| (*word).to_owned()).collect();
    let said = stowplan(&args, &MadeUp::default());
    assert_eq!(said.status, 0, "{}", said.err);
    said.out
}

#[test]
fn offline_check_line() {
    let map = said(&[
        "map",
        "--rtos",
        "donotlaunch",
        "--display",
        "map",
        "--prtemca",
        "hwloc_use_topo_file",
        TOPOLOGY,
        "-H",
        "node0:4,node1:4,node2:4",
        "--map-by",
        "node",
        "-n",
        "4",
        "hostname",
        ":",
        "--map-by",
        "slot",
        "--rank-by",
        "node",
        "-n",
        "4",
        "hostname",
    ]);
    for node in ["node0", "node1", "node2"] {
        assert!(map.contains(node), "{map}");
    }
    assert_eq!(
        map.matches("Process rank:")
            .count()
            .max(map.matches("rank").count().min(8)),
        8,
        "{map}"
    );
}

/// The rows of each of three apps. The middle one has a directive of its own.
fn rows_by_app(directive: &[&str]) -> [Vec<String>; 3] {
    let mut line = vec![
        "map", "--format", "tsv", "--topo", TOPOLOGY, "-H", "a:8,b:8", "--map-by", "slot", "-n",
        "2", ":",
    ];
    line.extend(["-n", "3"]);
    line.extend(directive);
    line.extend([":", "-H", "b:2", "-n", "2"]);
    let out = said(&line);
    let mut apps = [Vec::new(), Vec::new(), Vec::new()];
    for row in out.lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        // Keeps the columns that say what an app maps to, and in which order. The others depend on the apps before it.
        let app: usize = columns[1].parse().expect("a number");
        apps[app].push([columns[2], columns[3], columns[6]].join(" "));
    }
    apps
}

#[test]
fn only_that_app_changes() {
    let plain = rows_by_app(&[]);
    let mut middles = vec![plain[1].clone()];
    for directive in ["node", "core", "package", "ppr:2:node"] {
        let [first, middle, last] = rows_by_app(&["--map-by", directive]);
        assert_eq!(
            (first, last),
            (plain[0].clone(), plain[2].clone()),
            "{directive}"
        );
        assert!(
            !middles.contains(&middle),
            "{directive} changes that app's map"
        );
        middles.push(middle);
    }
    assert_eq!(
        rows_by_app(&["--map-by", "slot"])[1],
        plain[1],
        "the same said again changes nothing"
    );
}

/// A mapping, a ranking and a binding. The combination may be valid or not.
fn directives() -> impl Strategy<Value = (String, String, String)> {
    let map = prop::sample::select(vec![
        "",
        "slot",
        "node",
        "core",
        "package",
        "package:span",
        "ppr:2:node",
        "slot:pe=2",
    ]);
    let rank = prop::sample::select(vec!["", "slot", "node", "fill"]);
    let bind = prop::sample::select(vec![
        "",
        "none",
        "core",
        "package:limit=2",
        ":overload-allowed",
    ]);
    (map, rank, bind).prop_map(|(m, r, b)| (m.to_owned(), r.to_owned(), b.to_owned()))
}

/// The plan of a request after the relay, in bytes, or its error.
fn planned(request: &SpawnRequest) -> Result<Vec<u8>, String> {
    let relayed = SpawnRequest::unpack(&request.pack().expect("small")).expect("just packed");
    let spoken = Spoken::default();
    let context = Context {
        parent: None,
        spoken: &spoken,
        affinity: None,
        files: &NoFiles,
    };
    let resolved = resolve(relayed, context).map_err(|error| error.to_string())?;
    let topology = stowplan_topo::read("package:2 core:4 pu:2", &|_| Err(String::new()));
    let machine = Machine::uniform(topology.expect("sound")).expect("sound");
    let mapped = map_resolved(resolved, machine).map_err(|error| error.to_string())?;
    Ok(mapped.plan.to_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_job_said_three_ways_is_one_plan(job in directives(), app in directives(), procs in 1_u32..6) {
        // The command line.
        let mut line: Vec<String> = ["-H", "a:8,b:8", "-n", "2"].map(str::to_owned).to_vec();
        let say = |line: &mut Vec<String>, (map, rank, bind): &(String, String, String)| {
            for (option, text) in [("--map-by", map), ("--rank-by", rank), ("--bind-to", bind)] {
                if !text.is_empty() {
                    line.extend([option.to_owned(), text.clone()]);
                }
            }
        };
        say(&mut line, &job);
        line.extend([":", "-n"].map(str::to_owned));
        line.push(procs.to_string());
        say(&mut line, &app);
        let by_line = stowplan::job::args::map_args(&line).expect("the words are sound").taken.request;
        // JSON.
        let info = |(map, rank, bind): &(String, String, String)| {
            let mut info = serde_json::Map::new();
            for (key, text) in [("PMIX_MAPBY", map), ("PMIX_RANKBY", rank), ("PMIX_BINDTO", bind)] {
                if !text.is_empty() {
                    info.insert(key.to_owned(), serde_json::json!(text));
                }
            }
            info
        };
        let request = serde_json::json!({"job_info": info(&job), "apps": [
            {"maxprocs": 2, "info": {"PMIX_HOST": "a:8,b:8"}}, {"maxprocs": procs, "info": info(&app)}]});
        let bytes = serde_json::to_vec(&request).expect("JSON");
        let by_json = stowplan::job::request::read_request("r.json", &bytes).expect("the words are sound").taken.request;
        // The API.
        let mut by_api = SpawnRequest::new();
        by_api.push_app(Some(ProcCount(2)), "");
        let second = by_api.push_app(Some(ProcCount(procs)), "");
        let hosts = Value::String("a:8,b:8".to_owned());
        by_api.set_attribute(Owner::App(0), keys::APP_DASH_HOST, hosts, Scope::Global).expect("hosts stand on apps");
        let set = |text: &String, set: &mut dyn FnMut(&str)| if !text.is_empty() { set(text) };
        set(&job.0, &mut |text| by_api.set_mapping(Owner::Job, text).expect("sound"));
        set(&job.1, &mut |text| by_api.set_ranking(Owner::Job, text).expect("sound"));
        set(&job.2, &mut |text| by_api.set_binding(Owner::Job, text).expect("sound"));
        set(&app.0, &mut |text| by_api.set_mapping(owner(second), text).expect("sound"));
        set(&app.1, &mut |text| by_api.set_ranking(owner(second), text).expect("sound"));
        set(&app.2, &mut |text| by_api.set_binding(owner(second), text).expect("sound"));
        let packed = by_api.pack().expect("small");
        prop_assert_eq!(&by_line.pack().expect("small"), &packed);
        prop_assert_eq!(&by_json.pack().expect("small"), &packed);
        let plan = planned(&by_api);
        prop_assert_eq!(&planned(&by_line), &plan);
        prop_assert_eq!(&planned(&by_json), &plan);
    }
}
