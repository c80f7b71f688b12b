//! `--format json` matches the committed schema, and agrees with the rows.

use crate::console::{MadeUp, root, stowplan, words};
use serde_json::Value;
use std::fs;

fn schema() -> jsonschema::Validator {
    let text =
        fs::read_to_string(root().join("docs/plan.schema.json")).expect("the schema is committed");
    let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    jsonschema::validator_for(&schema).expect("the schema can be used")
}

fn json(command: &str, files: &MadeUp) -> Value {
    let said = stowplan(&words(&format!("map --format json {command}")), files);
    assert_eq!(said.status, 0, "{command}: {}", said.err);
    assert!(
        said.out.ends_with("}\n") && said.out.lines().count() == 1,
        "one line"
    );
    serde_json::from_str(&said.out).expect("JSON")
}

#[test]
fn plans_keep_to_the_schema() {
    let schema = schema();
    let mut files = MadeUp::default();
    files
        .files
        .insert("seq".to_owned(), b"a 0\nb 1\na 2-3\n".to_vec());
    for command in [
        "--topo 'package:2 core:4 pu:1' -H a:4,b:4 -n 6",
        "--topo 'package:2 core:4 pu:2' -H a:4,b:4,c:* --head b -n 3 --map-by node:pe=2:hwtcpus one : -n 1 --map-by slot:nolocal two",
        "--topo 'package:2 core:4 pu:1' -H a:4,b:4 --map-by seq:file=seq",
        "--topo builtin:frontier -H a:16,b:4 -n 20 --map-by gpu:oversubscribe",
        "--topo builtin:elcap -H a:9 -n 9 --map-by mpibind",
        "--topo 'package:2 core:2 pu:1' --devices nic=package:2 -H a:4,b:4 -n 2 --map-by device=nic:ndev=2 : -n 1 --map-by device=nic1",
        "--topo builtin:perlmutter-gpu -H a:5,b:3 -n 8 --map-by slot --bind-to none --gpus-per-rank 3",
        "--topo 'package:2 core:4 pu:1' -H a:4,b:4 --map-by ppr:2:package --bind-to core:overload-allowed:limit=2",
        "--topo 'package:2 core:4 pu:1' -H a:2 -n 2000000000 --map-by slot:oversubscribe",
        "--topo 'package:2 numa:2 l3:1 core:2 pu:2' -H 'n[000-127]:8' --map-by package:span --rank-by span",
    ] {
        let plan = json(command, &files);
        let faults: Vec<String> = schema
            .iter_errors(&plan)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(
            faults.is_empty(),
            "{command}\n{plan}\n{}",
            faults.join("\n")
        );
    }
}

#[test]
fn a_million_ranks_are_a_page_of_json() {
    let command = "--topo 'package:2 numa:1 l3:4 core:8 pu:2' -H 'n[0-16383]:64' --map-by core";
    let plan = json(command, &MadeUp::default());
    assert_eq!(plan["ranks"], 1_048_576);
    assert_eq!(
        plan["apps"][0]["policy"]["bind"]["origin"]["rule"],
        "bind-as-mapped"
    );
    assert!(
        plan.to_string().len() < 4_096,
        "classes and runs, never ranks"
    );
}
