//! Reads a spawn request in JSON, phase by phase. Source: `per-app` 11.2.

// The members of the request, as the schema has them.
mod members;
// The keys of infos: types, places, scopes.
mod infos;

use crate::job::json::{Json, Kind, position};
use std::cell::Cell;
use stowplan_engine::error::SpecError;
use stowplan_engine::error::at::AtText;
use stowplan_engine::error::spec::Owner;
use stowplan_engine::limit::REQUEST_BYTES_MAX;
use stowplan_engine::spawn::inherit::{Parent, ParentKind};
use stowplan_engine::spawn::intake::{Intake, Taken};
use stowplan_engine::spawn::request::Label;

/// The most processes of one app that a request may ask for.
const MAXPROCS: u32 = 2_147_483_647;

/// A request, not yet relayed, and the parent that spawned it.
#[derive(Clone, Debug)]
pub struct Request {
    /// The request, its words and notes.
    pub taken: Taken,
    /// The parent.
    pub parent: Option<Parent>,
}

/// A request that was read, open to changes.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// What was said.
    pub intake: Intake,
    /// The parent.
    pub parent: Option<Parent>,
}

/// Reads a request.
///
/// # Errors
/// The first error, phase by phase: `bad-request` (no JSON), `bad-request` (members), `bad-attribute` (keys), the words and values,
/// `contradicting-qualifiers` inside one info.
///
/// Cost: a few passes over the text, and memory for what it says.
/// ```
/// use stowplan::job::request::read_request;
/// let request = read_request("r.json", br#"{"apps":[{"maxprocs":2,"info":{"PMIX_MAPBY":"slot"}}]}"#).unwrap();
/// assert_eq!(request.taken.request.apps().len(), 1);
/// assert_eq!(read_request("r.json", b"{").unwrap_err().class(), "bad-request");
/// ```
pub fn read_request(file: &str, bytes: &[u8]) -> Result<Request, SpecError> {
    let ReadRequest { intake, parent } = read_open(file, bytes)?;
    Ok(Request {
        taken: intake.finish()?,
        parent,
    })
}

/// Reads a request and leaves it open to changes. Contradictions inside one info are found only when it is finished.
///
/// # Errors
/// As [`read_request`], except for these contradictions.
pub fn read_open(file: &str, bytes: &[u8]) -> Result<ReadRequest, SpecError> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Err(refused(
            file,
            bytes,
            REQUEST_BYTES_MAX,
            "$",
            "the request is beyond 64 MiB",
        ));
    }
    let root =
        Json::judge(bytes).map_err(|error| refused(file, bytes, error.at, "$", &error.fault))?;
    let source = Source {
        file,
        bytes,
        root,
        marks: marks(bytes),
        told: Cell::new((0, 1, 1)),
    };
    let shape = members::judge(&source)?;
    infos::judge(&source, &shape)?;
    source.take(&shape)
}

fn refused(file: &str, bytes: &[u8], at: usize, path: &str, fault: &str) -> SpecError {
    let (line, column) = position(bytes, at);
    SpecError::BadRequest {
        file: file.to_owned(),
        line,
        column,
        path: path.to_owned(),
        fault: fault.to_owned(),
    }
}

/// The text of a request.
struct Source<'a> {
    file: &'a str,
    bytes: &'a [u8],
    root: Json<'a>,
    /// Line and column of every [`MARK`]th byte.
    marks: Vec<(u32, u32)>,
    /// The last place that was asked for: byte, line, column. Most places are asked for in ascending order, so counting continues
    /// from there.
    told: Cell<(usize, u32, u32)>,
}

/// Bytes from one mark to the next. Members may be in any order, so a place is also found from the mark before it.
const MARK: usize = 1 << 10;

/// Line and column after a byte of sound text. Only the first byte of a character counts.
const fn step((line, column): (u32, u32), byte: &u8) -> (u32, u32) {
    match *byte {
        b'\n' => (line + 1, 1),
        0x80..0xc0 => (line, column),
        _ => (line, column + 1),
    }
}

fn marks(bytes: &[u8]) -> Vec<(u32, u32)> {
    let mut at = (1, 1);
    let mut marks = vec![at];
    for chunk in bytes.chunks(MARK) {
        at = chunk.iter().fold(at, step);
        marks.push(at);
    }
    marks
}

/// Where the parts of a request are.
#[derive(Default)]
struct Shape<'a> {
    job_info: Option<Json<'a>>,
    /// The apps, in order; `None` is a hole.
    apps: Vec<Option<Json<'a>>>,
    parent: Option<ParentShape<'a>>,
}

/// Where the parts of a parent are.
struct ParentShape<'a> {
    job_info: Option<Json<'a>>,
    kind: ParentKind,
}

/// Whose info it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Parent,
    Job,
    App(u32),
}

impl Whose {
    const fn owner(self) -> Owner {
        match self {
            Self::Parent | Self::Job => Owner::Job,
            Self::App(app) => Owner::App(app),
        }
    }
    fn path(self) -> String {
        match self {
            Self::Parent => "$.parent.job_info".to_owned(),
            Self::Job => "$.job_info".to_owned(),
            Self::App(app) => format!("$.apps[{app}].info"),
        }
    }
}

impl<'a> Source<'a> {
    /// `bad-request` at a value.
    fn refuse<T>(&self, at: Json<'_>, path: &str, fault: &str) -> Result<T, SpecError> {
        Err(refused(
            self.file,
            self.bytes,
            at.byte(self.bytes),
            path,
            fault,
        ))
    }

    /// A member of an object, if it is there and not null.
    fn member(&self, object: Json<'a>, name: &str) -> Option<Json<'a>> {
        let mut members = object.members();
        let (_, _, value) = members.find(|(_, member, _)| member == name)?;
        (value.kind() != Kind::Null).then_some(value)
    }

    /// Line and column of a byte. Cost: the distance from the last one asked for, or from a mark.
    fn place(&self, byte: usize) -> (u32, u32) {
        let (last, line, column) = self.told.get();
        let mark = byte / MARK;
        let (from, place) = if last <= byte && last >= mark * MARK {
            (last, (line, column))
        } else {
            (mark * MARK, self.marks[mark])
        };
        let (line, column) = self.bytes[from..byte].iter().fold(place, step);
        self.told.set((byte, line, column));
        (line, column)
    }

    /// A value as a text that has words in it.
    fn text(&self, owner: Owner, key: &str, at: Json<'_>, value: String) -> AtText {
        let (line, column) = self.place(at.byte(self.bytes));
        AtText::Request {
            app: owner.app(),
            file: self.file.to_owned(),
            line,
            column,
            key: key.to_owned(),
            value,
        }
    }

    /// All infos, in the order in which they are judged.
    fn infos(&self, shape: &Shape<'a>) -> Vec<(Whose, Json<'a>)> {
        let parent = shape.parent.as_ref().and_then(|parent| parent.job_info);
        let mut infos: Vec<(Whose, Json<'a>)> =
            parent.map(|at| (Whose::Parent, at)).into_iter().collect();
        infos.extend(shape.job_info.map(|at| (Whose::Job, at)));
        for (row, app) in shape.apps.iter().enumerate() {
            let info = app.and_then(|app| self.member(app, "info"));
            infos.extend(info.map(|at| (Whose::App(u32::try_from(row).unwrap_or(u32::MAX)), at)));
        }
        infos
    }

    /// Phases 4 and 5: words and values, then contradictions inside one info.
    fn take(&self, shape: &Shape<'a>) -> Result<ReadRequest, SpecError> {
        let mut parent = Intake::new();
        if let Some(info) = shape.parent.as_ref().and_then(|parent| parent.job_info) {
            infos::take(self, &mut parent, Whose::Parent, info)?;
        }
        let mut intake = Intake::new();
        if let Some(info) = shape.job_info {
            infos::take(self, &mut intake, Whose::Job, info)?;
        }
        for (row, app) in shape.apps.iter().enumerate() {
            let Some(app) = *app else {
                intake.push_hole();
                continue;
            };
            let id = intake.push_app(self.label(app));
            if let Some(np) = self.member(app, "maxprocs") {
                let owner = Owner::App(u32::try_from(row).unwrap_or(u32::MAX));
                let text = intake.text(self.text(owner, "maxprocs", np, np.raw().to_owned()));
                intake.np(id, text, MAXPROCS)?;
            }
            if let Some(info) = self.member(app, "info") {
                infos::take(
                    self,
                    &mut intake,
                    Whose::App(u32::try_from(row).unwrap_or(u32::MAX)),
                    info,
                )?;
            }
        }
        let parent = match &shape.parent {
            None => None,
            Some(shape) => Some(Parent {
                job: parent.finish()?.relay()?.request,
                kind: shape.kind,
            }),
        };
        Ok(ReadRequest { intake, parent })
    }

    fn label(&self, app: Json<'a>) -> Label {
        let string = |name| self.member(app, name).map(Json::string).unwrap_or_default();
        let strings = |name| {
            let array = self.member(app, name);
            let elements = array.into_iter().flat_map(Json::elements);
            elements.map(Json::string).collect()
        };
        Label {
            cmd: string("cmd"),
            argv: strings("argv"),
            env: strings("env"),
            cwd: string("cwd"),
        }
    }
}
