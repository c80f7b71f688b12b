//! `session show`: what is in a journal, frame by frame.

use super::args::{Format, Show};
use super::{Failure, Verdict, event_json, person, state_json};
use crate::journal_file;
use serde_json::{Value as Json, json};
use std::io::Write;
use std::path::Path;
use stowplan_engine::count::counted;
use stowplan_engine::session::{
    Config, FEATURES, Frame, Frames, Payload, ReplayError, State, Tail, payload, scan,
};

pub(super) fn run(wanted: &Show, out: &mut dyn Write) -> Result<Verdict, Failure> {
    let path = &wanted.journal;
    let bytes = journal_file::read(Path::new(path)).map_err(|error| Failure::file(path, &error))?;
    let found = scan(&bytes);
    let failed = |error: &ReplayError| Failure::replay(path, error);
    let tail = match found.tail {
        Tail::Foreign => return Err(failed(&ReplayError::Foreign)),
        Tail::Damaged { offset } => return Err(failed(&ReplayError::Damaged { offset })),
        Tail::Clean => "clean",
        Tail::Torn => "torn",
    };
    // All frames are read before the first is shown: an unreadable one is an error, and then nothing is shown.
    let mut config = Config::default();
    let mut lines = Vec::new();
    for frame in Frames::new(&bytes, &found) {
        let payload = payload_json(&frame, &mut config).map_err(|error| failed(&error))?;
        lines.push(json!({"offset": frame.offset, "seq": frame.seq, "kind": frame.kind.name(), "payload": payload}));
    }
    let end = if found.frames == 0 { 0 } else { found.end };
    lines.push(json!({"tail": tail, "discarded_bytes": bytes.len() - end}));
    for line in lines {
        match wanted.format {
            Format::Json => writeln!(out, "{line}")?,
            Format::Text => writeln!(out, "{}", text(&line))?,
        }
    }
    Ok(Verdict::Met)
}

fn payload_json(frame: &Frame<'_>, config: &mut Config) -> Result<Json, ReplayError> {
    Ok(match payload(frame)? {
        Payload::Open(said, initial) => {
            *config = said;
            json!({"config": config_json(&said), "initial": {
                "nodes": initial.nodes, "tools": initial.tools, "scheduler": initial.scheduler,
            }})
        }
        Payload::Event(event, status) => {
            json!({"event": event_json::to_json(&event), "status": status.name()})
        }
        Payload::Snapshot(events, image) => {
            let offset = frame.offset;
            let state = State::from_image(*config, &image);
            let state = state.map_err(|error| ReplayError::Snapshot { offset, error })?;
            json!({"events": events, "state": state_json::to_json(&state)})
        }
    })
}

fn config_json(config: &Config) -> Json {
    let available: Vec<&str> = FEATURES
        .iter()
        .filter(|row| config.available.has(row.1))
        .map(|row| row.0)
        .collect();
    let limits = &config.limits;
    json!({
        "available": available,
        "limits": {
            "max_nodes": limits.max_nodes,
            "max_allocations": limits.max_allocations,
            "max_pending": limits.max_pending,
            "max_namespaces": limits.max_namespaces,
            "max_targets": limits.max_targets,
            "max_name": limits.max_name,
        },
        "next_session_id": config.next_session_id,
    })
}

fn text(line: &Json) -> String {
    if let Some(tail) = line["tail"].as_str() {
        return format!(
            "tail {tail}, {} discarded",
            counted(line["discarded_bytes"].as_u64().unwrap_or(0), "byte")
        );
    }
    let payload = &line["payload"];
    let told = match line["kind"].as_str() {
        Some("event") => format!(
            "{} -> {}",
            payload["event"],
            payload["status"].as_str().unwrap_or_default()
        ),
        Some("snapshot") => format!(
            "the state after {}",
            counted(payload["events"].as_u64().unwrap_or(0), "event")
        ),
        Some(_) | None => payload.to_string(),
    };
    let (offset, seq) = (line["offset"].to_string(), line["seq"].to_string());
    let kind = line["kind"].as_str().unwrap_or_default();
    format!("{offset:>10}  #{seq:<8} {kind:<8} {}", person::plain(&told))
}
