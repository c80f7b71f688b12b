//! The expected answers of LLNL's mpibind, if the shared folder has them.

use crate::console::{MadeUp, root, stowplan};
use serde_json::Value;
use std::path::PathBuf;

/// The folder with data that is shared but not committed.
fn shared() -> PathBuf {
    std::env::var_os("STOWPLAN_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from)
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn every_vector_holds() {
    let folder = shared().join("mpibind");
    let Ok(file) = std::fs::read_to_string(folder.join("vectors.json")) else {
        println!("skipped: no mpibind/vectors.json in {}", folder.display());
        return;
    };
    let file: Value = serde_json::from_str(&file).unwrap();
    let vectors = file["vectors"].as_array().unwrap();
    assert!(!vectors.is_empty());
    for vector in vectors {
        let machine = folder.join(format!("{}.xml", vector["machine"].as_str().unwrap()));
        let mut args = vec!["map".to_owned(), "--topo".to_owned()];
        args.push(machine.display().to_string());
        args.extend(vector["argv"].as_array().unwrap().iter().map(text));
        args.extend(["--columns".to_owned(), "rank,threads,cpus,gpus".to_owned()]);
        let said = stowplan(&args, &MadeUp::default());
        let rows = vector["want"].as_array().unwrap().iter().enumerate();
        let wanted: String = rows
            .map(|(rank, row)| {
                let cells: Vec<String> = row.as_array().unwrap().iter().map(text).collect();
                format!("{rank}\t{}\n", cells.join("\t"))
            })
            .collect();
        let wanted = format!("#rank\tthreads\tcpus\tgpus\n{wanted}");
        assert_eq!(said.out, wanted, "{}: {}", vector["name"], said.err);
    }
}
