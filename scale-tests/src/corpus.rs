//! The placement corpus: cases with the answer that they must give. It is read from the shared folder and is never part of this repository.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stowplan::job::args::map_args;
use stowplan_engine::error::MapError;
use stowplan_engine::policy::CpuMode;
use stowplan_engine::stage::resolve::{Context, Files, Resolved, resolve};
use stowplan_reference::machine::Machine;
use stowplan_reference::{World, map, read_machine};

/// The folder with the shared files: `STOWPLAN_SHARED`, else `../shared` beside the workspace. `None` when it has no corpus.
#[must_use]
pub fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let path =
        std::env::var_os("STOWPLAN_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    path.join("corpus/placement.jsonl")
        .is_file()
        .then_some(path)
}

/// The answer that a case must give.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// These rows, as lines of the TSV.
    Rows(Vec<String>),
    /// A refusal of this class.
    Error(String),
}

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its number.
    pub id: u64,
    /// The name of its topology.
    pub topology: String,
    /// The arguments, as typed.
    pub argv: Vec<String>,
    /// Files by name.
    pub files: BTreeMap<String, String>,
    /// The answer.
    pub expected: Expected,
}

impl Files for Case {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = self.files.get(path).ok_or("No such file or directory")?;
        Ok(text.clone().into_bytes())
    }
}

/// The cases of a corpus file. Lines that are not a case are left out.
///
/// # Errors
/// When the file cannot be read.
pub fn cases(file: &Path) -> std::io::Result<Vec<Case>> {
    let text = std::fs::read_to_string(file)?;
    Ok(text.lines().filter_map(case).collect())
}

fn case(line: &str) -> Option<Case> {
    let value: Value = serde_json::from_str(line).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let mut files = BTreeMap::new();
    if let Some(given) = value["files"].as_object() {
        files.extend(
            given
                .iter()
                .filter_map(|(name, content)| Some((name.clone(), text(content)?))),
        );
    }
    if let Some(content) = text(&value["hostfile"]) {
        files.insert("hostfile".to_owned(), content);
    }
    Some(Case {
        id: value["id"].as_u64()?,
        topology: text(&value["topology"])?,
        argv: value["argv"].as_array()?.iter().filter_map(text).collect(),
        files,
        expected: expected(&value)?,
    })
}

fn expected(case: &Value) -> Option<Expected> {
    // In `result` the node comes before the app rank.
    let (answer, columns) = match case["expect"].as_str() {
        Some(_) => (&case["result"], [0, 1, 3, 2, 4, 5, 6, 7]),
        None => (&case["expect"], [0, 1, 2, 3, 4, 5, 6, 7]),
    };
    if let Some(class) = answer["error"].as_str() {
        return Some(Expected::Error(class.to_owned()));
    }
    let row = |row: &Value| {
        let word = |&column: &usize| {
            let value = &row[column];
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let words: Vec<String> = columns.iter().map(word).collect();
        words.join("\t")
    };
    Some(Expected::Rows(
        answer["procs"].as_array()?.iter().map(row).collect(),
    ))
}

impl Case {
    /// Resolves the apps from the arguments.
    ///
    /// # Errors
    /// The class of the refusal.
    pub fn resolved(&self) -> Result<Resolved, String> {
        let class = |error: MapError| error.class().to_owned();
        let args = map_args(&self.argv).map_err(|error| class(error.into()))?;
        let context = Context {
            parent: None,
            spoken: &args.taken.spoken,
            affinity: None,
            files: self,
        };
        resolve(args.taken.request, context).map_err(class)
    }
}

/// The reference's answer to a case.
#[must_use]
pub fn answer(case: &Case, machine: &Machine) -> Expected {
    let resolved = match case.resolved() {
        Ok(resolved) => resolved,
        Err(class) => return Expected::Error(class),
    };
    let world = World {
        machine_of: &|_| Some(machine),
        machines: &[machine],
        local: Some("headnode"),
        cpu_list: None,
        inferred: CpuMode::Core,
    };
    match map(&resolved, world) {
        Ok(rows) => Expected::Rows(rows.iter().map(stowplan_reference::Row::tsv).collect()),
        Err(refusal) => Expected::Error(refusal.class.to_owned()),
    }
}

/// The topologies of a corpus, by name, as the reference reads them.
///
/// # Errors
/// When the folder or a file cannot be read.
pub fn machines(folder: &Path) -> std::io::Result<BTreeMap<String, Machine>> {
    let mut machines = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if let (Some("xml"), Some(name)) =
            (path.extension().and_then(|e| e.to_str()), path.file_stem())
            && let Some(machine) = read_machine(&std::fs::read_to_string(&path)?, &[])
        {
            machines.insert(name.to_string_lossy().into_owned(), machine);
        }
    }
    Ok(machines)
}
