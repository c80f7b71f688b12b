//! `session show`: the content of a journal, frame by frame.

use super::args::Format;
use super::{Failure, Verdict, person};
use crate::stdin;
use serde::{Serialize, Serializer};
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::Path;
use stowplan::answers::json_text;
use stowplan::answers::session_json::event_json;
use stowplan::answers::session_json::outcome_json::CANDIDATES_NAMED;
use stowplan_engine::count::counted;
use stowplan_session::{
    Config, FEATURES, Frame, Frames, Payload, ReplayError, State, Tail, payload, scan,
};

pub(super) fn run(path: &str, format: Format, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let bytes = stdin::journal(Path::new(path)).map_err(|error| Failure::file(path, &error))?;
    let found = scan(&bytes);
    let failed = |error: &ReplayError| Failure::replay(path, error);
    let tail = match found.tail {
        Tail::Foreign => return Err(failed(&ReplayError::Foreign)),
        Tail::Damaged { offset } => return Err(failed(&ReplayError::Damaged { offset })),
        Tail::Clean => "clean",
        Tail::Torn => "torn",
    };
    // All frames are read before the first is shown: if one cannot be read, that is an error, and nothing is shown.
    for shown in [false, true] {
        let mut config = Config::default();
        for frame in Frames::new(&bytes, &found) {
            let told = read(&frame, &mut config).map_err(|error| failed(&error))?;
            match format {
                _ if !shown => {}
                Format::Json => {
                    let line = Line {
                        kind: frame.kind.name(),
                        offset: frame.offset,
                        payload: &told,
                        seq: frame.seq,
                    };
                    json_text::write(&mut *out, &line)?;
                    writeln!(out)?;
                }
                Format::Text => writeln!(out, "{}", text(&frame, &told))?,
            }
        }
    }
    let end = if found.frames == 0 { 0 } else { found.end };
    let discarded = bytes.len() - end;
    match format {
        Format::Json => {
            writeln!(
                out,
                "{}",
                json!({"tail": tail, "discarded_bytes": discarded})
            )?;
        }
        Format::Text => {
            let discarded = counted(discarded as u64, "byte");
            writeln!(out, "tail {tail}, {discarded} discarded")?;
        }
    }
    Ok(Verdict::Met)
}

/// A frame as a line. Keys ascend.
#[derive(Serialize)]
struct Line<'f> {
    kind: &'static str,
    offset: usize,
    payload: &'f Told,
    seq: u64,
}

/// The content of a frame.
#[derive(Serialize)]
#[serde(untagged)]
enum Told {
    Open(Json),
    Event {
        event: Json,
        status: &'static str,
    },
    Snapshot {
        events: u64,
        #[serde(serialize_with = "short")]
        state: Box<State>,
    },
}

fn short<S: Serializer>(state: &State, to: S) -> Result<S::Ok, S::Error> {
    state.short_rows(CANDIDATES_NAMED).serialize(to)
}

fn read(frame: &Frame<'_>, config: &mut Config) -> Result<Told, ReplayError> {
    Ok(match payload(frame)? {
        Payload::Open(said, initial) => {
            *config = said;
            Told::Open(json!({"config": config_json(&said), "initial": {
                "nodes": initial.nodes, "tools": initial.tools, "scheduler": initial.scheduler,
            }}))
        }
        Payload::Event(event, status) => Told::Event {
            event: event_json::to_json(&event),
            status: status.name(),
        },
        Payload::Snapshot(events, image) => {
            let offset = frame.offset;
            let state = State::from_image(*config, *image);
            let state = state.map_err(|error| ReplayError::Snapshot { offset, error })?;
            let state = Box::new(state);
            Told::Snapshot { events, state }
        }
    })
}

fn config_json(config: &Config) -> Json {
    let available: Vec<&str> = FEATURES
        .iter()
        .filter(|row| config.available.has(row.1))
        .map(|row| row.0)
        .collect();
    json!({
        "available": available,
        "limits": config.limits,
        "next_session_id": config.next_session_id,
    })
}

fn text(frame: &Frame<'_>, told: &Told) -> String {
    let told = match told {
        Told::Open(json) => json.to_string(),
        Told::Event { event, status } => format!("{event} -> {status}"),
        Told::Snapshot { events, .. } => format!("the state after {}", counted(*events, "event")),
    };
    let (offset, seq, kind) = (frame.offset, frame.seq, frame.kind.name());
    format!("{offset:>10}  #{seq:<8} {kind:<8} {}", person::plain(&told))
}
