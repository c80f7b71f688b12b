//! The words of the labelled corpus: every refusal that follows from words and files alone, and no others.

use crate::console::skipped;
use serde_json::Value;
use std::collections::HashMap;
use std::path::PathBuf;
use stowplan::job::args::map_args;
use stowplan_engine::error::MapError;
use stowplan_engine::stage::resolve::{Context, Files, Resolved, resolve};

/// Classes for which words, or files by themselves, are refused.
const OF_WORDS: [&str; 20] = [
    "bad-option",
    "bad-value",
    "bad-directive",
    "bad-qualifier",
    "contradicting-qualifiers",
    "app-forbidden-qualifier",
    "conflicting-inheritance",
    "bind-above-map",
    "rank-needs-object",
    "pe-exceeds-object",
    "bad-hostlist",
    "bad-hostfile",
    "bad-seqfile",
    "bad-rankfile",
    "bad-affinityfile",
    "duplicate-rank",
    "job-too-large",
    "bad-request",
    "bad-attribute",
    "component-version",
];

/// The folder with the reference corpus: `STOWPLAN_SHARED`, else `../shared` beside the workspace.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder =
        std::env::var_os("STOWPLAN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    Some(folder.join(file)).filter(|path| path.exists())
}

/// The files of a case.
pub(crate) struct Given(HashMap<String, String>);

impl Given {
    pub(crate) fn of(case: &Value) -> Self {
        let mut files: HashMap<String, String> = HashMap::new();
        for (name, text) in case["files"].as_object().into_iter().flatten() {
            files.insert(
                name.clone(),
                text.as_str().expect("a file is text").to_owned(),
            );
        }
        if let Some(text) = case["hostfile"].as_str() {
            files.insert("hostfile".to_owned(), text.to_owned());
        }
        Self(files)
    }
}

impl Files for Given {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0
            .get(path)
            .map(|text| text.clone().into_bytes())
            .ok_or_else(|| "No such file".to_owned())
    }
}

fn words_alone(argv: &[String], files: &Given) -> Result<Resolved, MapError> {
    let relayed = map_args(argv)?.taken.relay()?;
    let context = Context {
        parent: None,
        spoken: &relayed.spoken,
        affinity: None,
        files,
    };
    resolve(relayed.request, context)
}

#[test]
fn the_corpus_is_refused_for_its_words_where_and_only_where_it_must_be() {
    let Some(path) = shared("corpus/placement.jsonl") else {
        skipped("the reference corpus");
        return;
    };
    let text = std::fs::read_to_string(path).expect("the corpus is readable");
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a case is JSON");
        let argv: Vec<String> = case["argv"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect();
        let expected = case["expect"]["error"].as_str().or_else(|| {
            let as_reference = case["expect"] == "as-reference";
            case["result"]["error"].as_str().filter(|_| as_reference)
        });
        let coreless = ["nocores", "onepu"].contains(&case["topology"].as_str().unwrap());
        let got = match words_alone(&argv, &Given::of(&case)) {
            Err(error) => Some(error.class()),
            Ok(resolved) => resolved
                .by_cores
                .and_then(|by| {
                    if coreless {
                        by.without_cores
                    } else {
                        Some(by.with_cores)
                    }
                })
                .map(|error| error.class()),
        };
        let ours = expected.filter(|class| OF_WORDS.contains(class));
        // Errors that depend on a topology or on the pool are found when the job is placed.
        let placed = [
            "pe-exceeds-object",
            "bad-hostfile",
            "bad-seqfile",
            "bad-rankfile",
            "bad-hostlist",
        ];
        let later = got.is_none() && ours.is_some_and(|class| placed.contains(&class));
        // The corpus is older than the words of devices.
        let by_device = argv.iter().any(|word| word.starts_with("device="));
        if got != ours && !later && !by_device {
            wrong.push(format!(
                "{}: {got:?}, not {expected:?}: {argv:?}",
                case["id"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} cases:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(20)].join("\n")
    );
}
