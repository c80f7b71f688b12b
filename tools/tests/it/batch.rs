//! One request for each input line, one answer for each output line.

use crate::console::on_console;
use serde_json::{Value, json};
use stowplan_cli::command::batch;

fn answers(args: &[&str], input: &[u8]) -> (u8, Vec<Value>) {
    let args: Vec<String> = args.iter().map(|word| (*word).to_owned()).collect();
    let (mut out, mut err, mut input) = (Vec::new(), Vec::new(), input);
    let status = on_console(&mut out, &mut err, |console| {
        batch::run(&args, &mut input, console)
    });
    let lines = String::from_utf8(out).unwrap();
    let read = |line: &str| serde_json::from_str(line).unwrap();
    (status, lines.lines().map(read).collect())
}

const MACHINE: [&str; 4] = ["--topo", "core:4 pu:1", "-H", "n[0-1]:4"];

#[test]
fn an_unknown_key_is_answered_with_the_nearest() {
    let input =
        b"{\"id\":1,\"wurds\":[]}\n{\"id\":2,\"words\":[],\"reqest\":{}}\n{\"id\":3,\"zzzzzz\":1}";
    let (status, found) = answers(&MACHINE, input);
    assert_eq!(status, 0);
    let message = |line: &Value| line["error"]["message"].as_str().unwrap().to_owned();
    let messages: Vec<String> = found.iter().map(message).collect();
    assert!(
        messages[0].ends_with("did you mean words?"),
        "{}",
        messages[0]
    );
    assert!(
        messages[1].ends_with("did you mean request?"),
        "{}",
        messages[1]
    );
    assert!(!messages[2].contains("did you mean"), "{}", messages[2]);
    assert_eq!(found[1]["id"], 2);
}

#[test]
fn threads_of_a_line_are_those_that_map_prints() {
    let threads =
        "\"-x\",\"OMP_NUM_THREADS=2\",\"-x\",\"OMP_PLACES=cores\",\"--map-by\",\"slot:pe=2\"";
    let line =
        |id: u32, more: &str| format!("{{\"id\":{id},\"words\":[\"-n\",\"2\",{threads}{more}]}}\n");
    let input = [
        line(1, ",\"--columns\",\"rank,thread,cpus\",\"--omp\",\"gnu\""),
        line(2, ",\"--format\",\"json\""),
        line(3, ",\"-x\",\"OMP_NUM_THREADS=none\""),
    ];
    let (status, found) = answers(&MACHINE, input.concat().as_bytes());
    assert_eq!(status, 0);
    assert_eq!(
        found[0]["text"], "#rank\tthread\tcpus\n0\t0\t0\n0\t1\t1\n1\t0\t2\n1\t1\t3\n",
        "{}",
        found[0]
    );
    let threads = &found[1]["plan"]["threads"];
    assert_eq!(
        (&threads[0]["number"], &threads[0]["mask"]),
        (&json!(2), &json!("0-1")),
        "{}",
        found[1]
    );
    assert_eq!(found[2]["error"]["class"], "bad-value", "{}", found[2]);
}

#[test]
fn networks_of_lines_order_nodes_as_map_does() {
    let net = |text: &str| ["--network", text].map(str::to_owned).to_vec();
    let job = ["-n", "8", "--map-by", "slot", "--node-order", "network"];
    let job = [&job[..], &["--columns", "rank,node"]].concat();
    let job: Vec<String> = job.into_iter().map(str::to_owned).collect();
    let networks = [
        "tree group:2 node:1 n1,n0",
        "tree group:2 node:1 n0,n1",
        "torus 2 n1,n0",
        "tree group:2 node:1 n0",
    ];
    let words = networks.map(|text| [net(text), job.clone()].concat());
    let lines = words
        .clone()
        .map(|words| json!({"words": words}).to_string());
    let (status, found) = answers(&MACHINE, lines.join("\n").as_bytes());
    assert_eq!((status, found.len()), (0, 4));
    for (words, found) in words.iter().zip(&found[..3]) {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let machine = MACHINE.map(str::to_owned).to_vec();
        let single = [vec!["map".to_owned()], machine, words.clone()].concat();
        assert_eq!(stowplan_cli::run(&single, &mut out, &mut err), 0);
        assert_eq!(found["text"], json!(String::from_utf8(out).unwrap()));
    }
    assert_ne!(
        found[0]["text"], found[1]["text"],
        "the order is the network's"
    );
    let refused = &found[3]["error"];
    assert_eq!(refused["class"], "bad-network", "{refused}");
    let message = refused["message"].as_str().unwrap();
    assert!(message.starts_with("n1: "), "{message}");

    // A network beside `batch` is that of all lines.
    let beside = [&MACHINE[..], &["--network", networks[0]]].concat();
    let line = json!({"words": job}).to_string();
    let (_, all) = answers(&beside, line.as_bytes());
    assert_eq!(all[0]["text"], found[0]["text"]);
}

#[test]
fn broken_lines_are_answered_and_the_run_goes_on() {
    let input = b"{\"id\":1,\"words\":[\"-n\",\"8\",\"--format\",\"raw\"]}\n\n\
        [1]\n\
        {\"id\":{\"a\":[1]},\"words\":[\"-n\",\"99\"]}\n\
        {\"id\":3,\"wurds\":[]}\n\
        {\"id\":4,\"words\":[\n\
        {\"id\":5,\"words\":[\"-o\",\"x\"]}\n\
        {\"id\":6,\"words\":[\"--save\",\"x\"]}\n\
        {\"id\":7,\"words\":[\"-\"]}\n\
        \xff\n\
        {\"words\":[\"-n\",\"2\",\"--format\",\"raw\"]}";
    let (status, found) = answers(&MACHINE, input);
    assert_eq!(status, 0);
    let classes: Vec<&str> = found
        .iter()
        .map(|line| line["error"]["class"].as_str().unwrap_or("-"))
        .collect();
    let bad = "bad-request";
    assert_eq!(
        classes,
        [
            "-",
            bad,
            "not-enough-slots",
            bad,
            bad,
            bad,
            bad,
            bad,
            bad,
            "-"
        ]
    );
    let numbers: Vec<u64> = found
        .iter()
        .filter_map(|line| line["line"].as_u64())
        .collect();
    assert_eq!(numbers, [1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    let ids: Vec<&Value> = found.iter().map(|line| &line["id"]).collect();
    assert_eq!(*ids[1], Value::Null);
    assert_eq!(*ids[2], json!({"a": [1]}));
    assert_eq!([ids[3], ids[4], ids[5]], [&json!(3), &json!(4), &json!(5)]);
    assert_eq!(
        found[0],
        json!({"id": 1, "line": 1, "ok": true, "text": "0-3;4-7\n"})
    );
    assert_eq!(found[9]["text"], json!("0-1\n"));
}

#[test]
fn a_plan_is_what_a_single_run_writes() {
    let request = json!({"apps": [{"cmd": "a", "maxprocs": 3, "info": [{"key": "PMIX_HOST", "value": "a:2,b:2"}]}]});
    let lines = [
        json!({"id": "words", "words": ["-H", "a:2,b:2", "-n", "3", "--map-by", "node"]}),
        json!({"id": "request", "request": request, "words": ["--threads", "1"]}),
    ];
    let input = lines.map(|line| line.to_string()).join("\n");
    let (_, found) = answers(&MACHINE[..2], input.as_bytes());
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let single = [
        "map",
        "--topo",
        "core:4 pu:1",
        "-H",
        "a:2,b:2",
        "-n",
        "3",
        "--map-by",
        "node",
        "--format",
        "json",
    ];
    stowplan_cli::run(&single.map(str::to_owned), &mut out, &mut err);
    let single: Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(found[0]["plan"], single);
    assert_eq!(found[1]["id"], json!("request"));
}

#[test]
fn thousands_of_lines_are_answered_in_order() {
    let mut input = String::new();
    for number in 0..3000 {
        let procs = number % 9;
        input +=
            &format!("{{\"id\":{number},\"words\":[\"-n\",\"{procs}\",\"--format\",\"pmi\"]}}\n");
    }
    let (_, found) = answers(&MACHINE, input.as_bytes());
    assert_eq!(found.len(), 3000);
    for (number, line) in found.iter().enumerate() {
        assert_eq!(line["id"], json!(number));
        assert_eq!(line["ok"], json!(number % 9 != 0));
    }
}
