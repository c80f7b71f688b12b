//! Lines and what the real programs did with them: part of the answers is here, all of them are in the shared folder.

use roaring::RoaringBitmap;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stowplan::job::args::map_args;
use stowplan::job::outside::FilesAlone;
use stowplan::job::place::place;
use stowplan::launchers::cpus::read_list;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::Plan;
use stowplan_engine::stage::resolve::Files;

/// The files of a record, and topologies from a folder.
struct Given<'r> {
    record: &'r Value,
    topologies: &'r Path,
}

impl Files for Given<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if path == "granted" {
            return Ok(self.record["granted"].to_string().into_bytes());
        }
        if let Some(text) = self.record["files"][path].as_str() {
            return Ok(text.as_bytes().to_vec());
        }
        let file = self.topologies.join(path);
        std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
    }
}

/// Our words and the line.
fn words(record: &Value) -> Vec<String> {
    let topology = format!("{}.xml", record["topo"].as_str().unwrap());
    let mut words = vec!["--topo".to_owned(), topology];
    for (name, value) in record["env"].as_object().into_iter().flatten() {
        words.extend([
            "--env".to_owned(),
            format!("{name}={}", value.as_str().unwrap()),
        ]);
    }
    if let Some(site) = record["site"].as_str() {
        words.extend(["--site".to_owned(), site.to_owned()]);
    }
    if record["granted"].is_object() {
        words.extend(["--granted".to_owned(), "granted".to_owned()]);
    }
    let line = record["line"].as_array().unwrap().iter();
    words.extend(line.map(|word| word.as_str().unwrap().to_owned()));
    words
}

/// What is wrong with the answer to a record.
fn wrong(record: &Value, topologies: &Path) -> Option<String> {
    let given = Given { record, topologies };
    let asked = match map_args(&words(record)) {
        Ok(asked) => asked,
        Err(error) => return Some(format!("our words: {error}")),
    };
    let refused = record["refuse"].as_str();
    match place(asked, &FilesAlone(&given)) {
        Err(error) => {
            let class = error.class();
            let is_unsure = record["unsure"].is_string() && class == "not-modelled";
            let agrees = refused.is_some_and(|classes| classes.split('|').any(|own| own == class));
            (!is_unsure && !agrees).then(|| format!("refused as {class}: {error}"))
        }
        Ok(_) if refused.is_some() => Some(format!("placed, it is {}", record["refuse"])),
        Ok(placement) => {
            let rows = record["rows"].as_array().unwrap();
            different(&placement.mapped.plan, rows)
        }
    }
}

fn set(text: &str) -> Option<RoaringBitmap> {
    (text != "-").then(|| read_list(text, u32::MAX).unwrap())
}

/// The first rank that is elsewhere.
fn different(plan: &Plan, rows: &[Value]) -> Option<String> {
    if plan.ranks() as usize != rows.len() {
        return Some(format!("{} ranks, it started {}", plan.ranks(), rows.len()));
    }
    let mut locals: BTreeMap<String, u32> = BTreeMap::new();
    for (rank, row) in (0..).zip(rows) {
        let fields: Vec<&str> = row.as_str().unwrap().split(' ').collect();
        let place = plan.place(Rank(rank)).unwrap();
        let node = plan.world().names.name(place.node);
        let local = locals.entry(node.clone()).or_insert(0);
        let cpus = place.cpus.map(|id| plan.world().cpusets.get(id).clone());
        let seen = plan.given_gpus_on(place.node);
        let gpus: RoaringBitmap = { seen.of(place.node, place.local_rank).iter() }
            .copied()
            .collect();
        let same = node == fields[0]
            && local.to_string() == fields[1]
            && (fields[2] == "?" || cpus == set(fields[2]))
            && { fields.get(4) }
                .is_none_or(|text| *text == "?" || gpus == set(text).unwrap_or_default());
        if !same {
            return Some(format!(
                "rank {rank} on {node}, local {local}, cpus {cpus:?}, GPUs {gpus:?}; it was {row}"
            ));
        }
        *local += 1;
    }
    None
}

/// Places every line of a file of answers.
fn check(answers: &Path, topologies: &Path) {
    let text = std::fs::read_to_string(answers).unwrap();
    let mut count = 0;
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        if let Some(why) = wrong(&record, topologies) {
            panic!("{}: {why}\n{:?}", record["id"], words(&record).join(" "));
        }
        count += 1;
    }
    assert!(count > 0, "{} is empty", answers.display());
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn flux_lines_are_placed_as_flux_did() {
    let own = root().join("stowplan/tests/answers/flux.jsonl");
    check(&own, &root().join("cases/machines"));
    let shared = std::env::var_os("STOWPLAN_SHARED");
    let shared = shared.map_or_else(|| root().join("../shared"), PathBuf::from);
    let all = shared.join("lines/flux/answers.jsonl");
    if all.exists() {
        check(&all, &shared.join("corpus/topo"));
    } else {
        println!("skipped: no answers of Flux; STOWPLAN_SHARED names their folder");
    }
}
