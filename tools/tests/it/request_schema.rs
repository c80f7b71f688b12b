//! The JSON Schema of spawn requests: requests that we accept match it, and malformed requests do not.

use crate::console::{root, shared, skipped};
use serde_json::{Value, json};
use stowplan::job::request::read_request;

fn schema() -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("docs/request.schema.json"))
        .expect("the schema is there");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::validator_for(&schema).expect("the schema is a schema")
}

#[test]
fn our_example_fits_the_schema() {
    let request = json!({
        "version": 1,
        "job_info": {"PMIX_MAPBY": "node", "PRTE_JOB_INHERIT": false},
        "apps": [
            {"cmd": "./ocean", "argv": ["-v"], "env": ["A=1"], "cwd": "/data", "maxprocs": 4,
             "info": {"PMIX_HOST": "a:4,b:4", "PMIX_MAPBY": "slot:nolocal", "site.tag": 7}},
            null,
            {"info": {"PMIX_MAPBY": "ppr:1:node",
                      "PMIX_BINDTO": {"value": "core:limit=2", "type": "string", "scope": "global"}}}],
        "parent": {"job_info": {"PMIX_MAPBY": "package:inherit"}, "tool": false},
    });
    assert!(schema().is_valid(&request));
    read_request("r.json", request.to_string().as_bytes()).expect("we read it too");
}

#[test]
fn what_is_no_request_does_not_fit() {
    let schema = schema();
    for request in [
        json!([]),
        json!({}),
        json!({"apps": []}),
        json!({"apps": [null]}),
        json!({"apps": [{}], "hosts": "a"}),
        json!({"apps": [{"np": 2}]}),
        json!({"apps": [{"maxprocs": "2"}]}),
        json!({"apps": [{"maxprocs": 0}]}),
        json!({"apps": [{}], "version": 2}),
        json!({"apps": [{"info": {"PMIX_MAPBY": 5}}]}),
        json!({"apps": [{"info": {"PMIX_NO_PROCS_ON_HEAD": 1}}]}),
        json!({"apps": [{"info": {"PRTE_APP_MAPBY": 9}}]}),
        json!({"apps": [{"info": {"PRTE_JOB_FILE": "x"}}]}),
        json!({"job_info": {"PMIX_HOST": "a"}, "apps": [{}]}),
        json!({"apps": [{"info": {"PMIX_MAPBY": {"value": "slot", "scope": "everywhere"}}}]}),
    ] {
        assert!(!schema.is_valid(&request), "{request}");
        assert!(
            read_request("r.json", request.to_string().as_bytes()).is_err(),
            "{request}"
        );
    }
}

#[test]
fn the_labelled_requests_fit_where_they_are_read() {
    let Ok(text) = std::fs::read_to_string(shared("spawn-cases.json")) else {
        skipped("the labelled spawn requests");
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&text).expect("the cases are JSON");
    let schema = schema();
    for case in cases.iter().filter(|case| case["request"].is_object()) {
        let request = &case["request"];
        let read = read_request("r.json", request.to_string().as_bytes());
        if read.is_ok() {
            assert!(schema.is_valid(request), "{}: {request}", case["name"]);
        }
        if matches!(case["expect"]["error"].as_str(), Some("bad-request")) {
            assert!(!schema.is_valid(request), "{}: {request}", case["name"]);
        }
    }
}
