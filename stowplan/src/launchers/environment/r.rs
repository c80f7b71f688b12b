//! R, the resources of an instance or a job of Flux, as JSON. Source: RFC 20.

use crate::launchers::cpus::read_list;
use roaring::RoaringBitmap;
use serde_json::Value;
use stowplan_engine::limit::{NODES_MAX, PUS_MAX};

/// R as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct R {
    /// `execution.nodelist`: host lists.
    pub(crate) hosts: Vec<String>,
    /// `execution.R_lite`.
    pub(crate) entries: Vec<Entry>,
}

/// Ranks that have the same.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    pub(crate) ranks: RoaringBitmap,
    /// By logical number.
    pub(crate) cores: RoaringBitmap,
    /// By visible number.
    pub(crate) gpus: RoaringBitmap,
}

impl R {
    /// Reads R.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn read(text: &[u8]) -> Result<Self, String> {
        Self::of(&json(text)?)
    }

    /// Takes R from JSON, of whatever version.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn of(whole: &Value) -> Result<Self, String> {
        let array = |name: &str| {
            let found = whole["execution"][name].as_array();
            found.ok_or_else(|| format!("execution.{name} must be an array"))
        };
        let hosts = array("nodelist")?.iter().map(|entry| {
            let entry = entry.as_str().map(str::to_owned);
            entry.ok_or("execution.nodelist must hold texts")
        });
        Ok(Self {
            hosts: hosts.collect::<Result<_, _>>()?,
            entries: { array("R_lite")?.iter() }
                .map(Entry::read)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl Entry {
    fn read(entry: &Value) -> Result<Self, String> {
        let set = |value: &Value, most: u32, what: &str| {
            let set = value.as_str().and_then(|text| id_set(text, most));
            set.ok_or_else(|| format!("R_lite has {what} no set of numbers"))
        };
        let children = &entry["children"];
        Ok(Self {
            ranks: set(&entry["rank"], NODES_MAX, "a rank that is")?,
            cores: set(&children["core"], PUS_MAX, "cores that are")?,
            gpus: match children.get("gpu").filter(|gpus| !gpus.is_null()) {
                None => RoaringBitmap::new(),
                Some(gpus) => set(gpus, PUS_MAX, "GPUs that are")?,
            },
        })
    }
}

/// R as JSON.
///
/// # Errors
/// Why it is none, in words.
pub(crate) fn json(text: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(text).map_err(|error| format!("no JSON: {error}"))
}

/// Reads a set such as `0-3,7`, with or without brackets.
fn id_set(text: &str, highest: u32) -> Option<RoaringBitmap> {
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    read_list(inner.unwrap_or(text), highest)
}
