//! The final state as JSON: written, and read back.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::io::{self, BufWriter, Write};
use stowplan::answers::json_text;
use stowplan::answers::session_json::{beginning, keys};
use stowplan_session::{Config, Dump, Rows, State};

/// A line at the end: `final`, and other keys before and after it in alphabetical order.
#[derive(Debug, Serialize)]
pub struct FinalLine<'s> {
    /// The expected final state, if it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<&'s serde_json::Map<String, Json>>,
    /// The state.
    #[serde(rename = "final")]
    pub last: Rows<'s>,
    /// The scenario; a journal has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scenario: Option<&'s str>,
}

/// Bytes that are gathered before they are written.
const BLOCK: usize = 1 << 16;

impl FinalLine<'_> {
    /// Writes the line. Memory: a row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BLOCK, out);
        json_text::write(&mut out, self)?;
        out.write_all(b"\n")?;
        out.flush()
    }
}

type Read<T> = Result<T, String>;

/// The state in the last line `{"final": …}`.
///
/// # Errors
/// What is wrong, and on which line.
pub fn last_final(text: &[u8], config: Config) -> Read<State> {
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    for (at, line) in lines.iter().enumerate().rev() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let wrong = |what: String| format!("line {}: {what}", at + 1);
        let json = beginning::json(line).map_err(|error| wrong(error.to_string()))?;
        if let Some(last) = json.get("final") {
            return from_json(last, config).map_err(wrong);
        }
    }
    Err("no journal, and no line with a \"final\" state".to_owned())
}

/// A state from its dump.
///
/// # Errors
/// What is wrong: a key that is missing, unknown or of another type, a name that does not exist, a broken invariant.
pub fn from_json(last: &Json, config: Config) -> Read<State> {
    keys::judge_state(last).map_err(|fault| fault.to_string())?;
    let dump = Dump {
        allocations: table(last, "allocations")?,
        dvm: field(last, "dvm")?,
        namespaces: table(last, "namespaces")?,
        next_request: field(last, "next_request")?,
        next_session_id: field(last, "next_session_id")?,
        nodes: table(last, "nodes")?,
        pending: table(last, "pending")?,
        scheduler: field(last, "scheduler")?,
    };
    State::from_dump(config, &dump).map_err(|error| error.to_string())
}

fn field<T: DeserializeOwned>(last: &Json, key: &str) -> Read<T> {
    T::deserialize(&last[key]).map_err(|error| format!("{key:?}: {error}"))
}

fn table<T: DeserializeOwned>(last: &Json, key: &str) -> Read<Vec<T>> {
    let rows = last[key].as_array();
    let rows = rows.ok_or_else(|| format!("{key:?} is no list"))?;
    let row =
        |(at, row)| T::deserialize(row).map_err(|error| format!("row {at} of {key}: {error}"));
    rows.iter().enumerate().map(row).collect()
}
