//! Reads a state back from a final-state line.

use super::fields::{Places, Read, maybe, names, number, place, rows, text, truth, word};
use super::state_view::WANTED;
use super::uses_read;
use serde_json::Value as Json;
use stowplan_answers::session_json::{beginning, keys};
use stowplan_session::{
    AllocImage, Config, Dvm, Image, Inheritance, Name, NodeImage, NodeOrigin, NsImage,
    PendingImage, SpaceKind, State, UsesImage,
};

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
    keys::judge_state(last)?;
    let image = image(last)?;
    State::from_image(config, &image).map_err(|error| error.to_string())
}

fn process(json: &Json, key: &str, spaces: &Places) -> Read<(u32, u32)> {
    let said = text(json, key)?;
    let parts = said
        .split_once(':')
        .and_then(|(ns, rank)| Some((ns, rank.parse().ok()?)));
    let (ns, rank) = parts.ok_or_else(|| format!("{key:?} is no process"))?;
    Ok((spaces.find(ns)?, rank))
}

fn inheritance(json: &Json, key: &str) -> Read<Inheritance> {
    Inheritance::named(text(json, key)?).ok_or_else(|| format!("{key:?} is no disposition"))
}

fn image(last: &Json) -> Read<Image> {
    let allocs = Places::of(rows(last, "allocations")?, "id")?;
    let spaces = Places::of(rows(last, "namespaces")?, "name")?;
    let nodes = Places::of(rows(last, "nodes")?, "name")?;
    let mut image = Image {
        dvm: word(last, "dvm", &[("up", Dvm::Up), ("down", Dvm::Down)])?,
        next_request: number(last, "next_request")?,
        next_session_id: number(last, "next_session_id")?,
        next_node: place(rows(last, "nodes")?.len())?,
        scheduler: maybe(last, "scheduler", text)?
            .map(|name| spaces.find(name))
            .transpose()?,
        nodes: Vec::new(),
        allocations: Vec::new(),
        namespaces: Vec::new(),
        pending: Vec::new(),
        pasts: 0,
        last_is_present: false,
        sets: Vec::new(),
    };
    for (at, row) in rows(last, "nodes")?.iter().enumerate() {
        image.nodes.push(NodeImage {
            id: place(at)?,
            name: Name::new(text(row, "name")?),
            origin: word(
                row,
                "origin",
                &[
                    ("startup", NodeOrigin::Startup),
                    ("granted", NodeOrigin::Granted),
                ],
            )?,
            up: word(row, "state", &[("up", true), ("down", false)])?,
            alloc: maybe(row, "alloc", text)?
                .map(|id| allocs.find(id))
                .transpose()?,
            pasts: Vec::new(),
        });
    }
    for row in rows(last, "allocations")? {
        image.allocations.push(alloc(row, &spaces)?);
    }
    let (uses, sets) = uses_read::of(rows(last, "namespaces")?, &spaces, &nodes)?;
    image.sets = sets;
    for (row, uses) in rows(last, "namespaces")?.iter().zip(uses) {
        let row = namespace(row, &allocs, &spaces, uses)?;
        image.namespaces.push(row);
    }
    for row in rows(last, "pending")? {
        image.pending.push(pending(row, &spaces)?);
    }
    Ok(image)
}

fn alloc(row: &Json, spaces: &Places) -> Read<AllocImage> {
    let mut roots: Vec<u32> = Vec::new();
    for root in names(row, "roots")? {
        roots.push(spaces.find(root.as_str())?);
    }
    Ok(AllocImage {
        id: Name::new(text(row, "id")?),
        session_id: number(row, "session_id")?,
        owner: Name::new(text(row, "owner")?),
        owner_live: truth(row, "owner_live")?,
        shared: truth(row, "shared")?,
        inheritance: inheritance(row, "inheritance")?,
        warn_timeout: maybe(row, "warn_timeout", number)?,
        requestor: maybe(row, "requestor", |row, key| process(row, key, spaces))?,
        req_ns: maybe(row, "req_ns", text)?
            .map(|ns| spaces.find(ns))
            .transpose()?,
        req_id: maybe(row, "req_id", text)?.map(Name::new),
        lent: names(row, "lent")?,
        roots,
    })
}

fn namespace(
    row: &Json,
    allocs: &Places,
    spaces: &Places,
    uses: Option<UsesImage>,
) -> Read<NsImage> {
    let mut sessions = Vec::new();
    for id in names(row, "sessions")? {
        sessions.push(if id.as_bytes().is_empty() {
            None
        } else {
            Some(allocs.find(id.as_str())?)
        });
    }
    let kinds = [
        ("job", SpaceKind::Job),
        ("tool", SpaceKind::Tool),
        ("scheduler", SpaceKind::Scheduler),
    ];
    Ok(NsImage {
        name: Name::new(text(row, "name")?),
        kind: word(row, "kind", &kinds)?,
        parent: maybe(row, "parent", text)?
            .map(|name| spaces.find(name))
            .transpose()?,
        live: truth(row, "live")?,
        sessions,
        uses,
    })
}

fn pending(row: &Json, spaces: &Places) -> Read<PendingImage> {
    let wanted = word(row, "directive", &WANTED)?;
    let session: Option<u32> = maybe(row, "session_id", number)?;
    Ok(PendingImage {
        request: number(row, "request")?,
        from: process(row, "from", spaces)?,
        wanted,
        record: maybe(row, "alloc_id", text)?.map(Name::new).zip(session),
        req_id: maybe(row, "req_id", text)?.map(Name::new),
        owner: Name::new(text(row, "owner")?),
        target: maybe(row, "target", text)?.map(Name::new),
        target_gone: truth(row, "target_gone")?,
        shared: truth(row, "shared")?,
        inheritance: maybe(row, "inheritance", inheritance)?,
        warn_timeout: maybe(row, "warn_timeout", number)?,
    })
}
