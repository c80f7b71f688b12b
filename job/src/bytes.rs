//! A job in bytes: the request as it is relayed, and the files that go with it.
//!
//! ```text
//! 8 bytes   "STOWJOB", then the version, 1
//! u32       length of the payload, little-endian
//! u32       CRC-32 of the payload
//! payload   number(1 where inferred slots are PUs, else 0) maybe(task map) maybe(LSF's file)
//!           number(0: no parent, 1: a job, 2: a tool) [packed parent] packed request
//!           number(files) { text(name) text(contents) }
//!           and, if there are any or words follow, number(parameters) { text(key) text(value) }
//!           and, where the job is a launcher's own line, number(words) { text(word) }: all of them, ours first
//! ```
//! A packed request is its length followed by its bytes. `maybe` is the number 0, or the number 1 followed by the text.

use crate::args::{JobArgs, MapArgs};
use crate::draft::{Draft, Job};
use crate::error::JobError;
use crate::files::GivenFiles;
use crate::our_words::of_another;
use stowplan_engine::error::SpecError;
use stowplan_engine::policy::CpuMode;
use stowplan_engine::spawn::inherit::{Parent, ParentKind};
use stowplan_engine::spawn::wire::{Reader, WireError, Writer};
use stowplan_engine::spawn::{Intake, SpawnRequest};

const MAGIC: &[u8; 8] = b"STOWJOB\x01";
const HEADER: usize = 16;

impl Job {
    /// The job in bytes. Same job, same bytes.
    ///
    /// # Errors
    /// `bad-request` when the request has more than 64 MiB, or the whole more than 4 GiB.
    ///
    /// Cost: linear in the job.
    pub fn to_bytes(&self) -> Result<Vec<u8>, JobError> {
        let MapArgs { job, taken, parent } = &self.asked;
        let mut out = Writer::default();
        out.number(u64::from(job.slots_by == CpuMode::Hwthread));
        maybe(&mut out, job.taskmap.as_deref());
        maybe(&mut out, job.lsf_affinity.as_deref());
        match parent {
            None => out.number(0),
            Some(parent) => {
                out.number(match parent.kind {
                    ParentKind::Job => 1,
                    ParentKind::Tool => 2,
                });
                request(&mut out, &parent.job)?;
            }
        }
        request(&mut out, &taken.request)?;
        out.number(self.files.iter().len() as u64);
        for (name, text) in self.files.iter() {
            out.text(name);
            out.text(text);
        }
        let line = of_another(job);
        let parameters = &job.parameters;
        if !parameters.is_empty() || line.is_some() {
            out.number(parameters.len() as u64);
            for (key, value) in parameters {
                out.text(key);
                out.text(value);
            }
        }
        if let Some(line) = line {
            let command = line.command.split(' ').map(str::to_owned);
            let ours = job.our_hosts.iter().cloned();
            let words: Vec<String> = ours
                .chain(command)
                .chain(line.words.iter().cloned())
                .collect();
            out.number(words.len() as u64);
            words.iter().for_each(|word| out.text(word));
        }
        let payload = out.bytes;
        let Ok(length) = u32::try_from(payload.len()) else {
            return Err(bad(payload.len(), "the job is beyond 4 GiB"));
        };
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(MAGIC);
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(&payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }
}

impl Draft {
    /// Reads what [`Job::to_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-request`, with the byte, when the bytes are foreign, cut, damaged or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JobError> {
        let header = bytes
            .get(..HEADER)
            .ok_or_else(|| bad(bytes.len(), "the header is cut"))?;
        if header[..7] != MAGIC[..7] {
            return Err(bad(0, "this is no job"));
        }
        if header[7] != MAGIC[7] {
            return Err(bad(7, "the version is not 1"));
        }
        let word = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let payload = &bytes[HEADER..];
        if payload.len() != word(8) as usize {
            return Err(bad(8, "the length is not that of the payload"));
        }
        if crc32fast::hash(payload) != word(12) {
            return Err(bad(12, "the checksum is not that of the payload"));
        }
        let mut from = Reader::new(payload, HEADER);
        read(&mut from, payload)
    }
}

fn read(from: &mut Reader<'_>, payload: &[u8]) -> Result<Draft, JobError> {
    let mut args = JobArgs::default();
    if from.number(1).map_err(wire)? == 1 {
        args.slots_by = CpuMode::Hwthread;
    }
    args.taskmap = read_maybe(from)?;
    args.lsf_affinity = read_maybe(from)?;
    let parent = match from.number(2).map_err(wire)? {
        0 => None,
        kind => Some(Parent {
            job: read_request(from, payload)?,
            kind: if kind == 1 {
                ParentKind::Job
            } else {
                ParentKind::Tool
            },
        }),
    };
    let request = read_request(from, payload)?;
    let mut files = GivenFiles::default();
    let mut last: Option<&str> = None;
    for _ in 0..from.count().map_err(wire)? {
        let name = from.text().map_err(wire)?;
        let text = from.text().map_err(wire)?;
        if last.is_some_and(|last| last >= name) {
            return Err(wire(from.fail("files stand by name, each once")));
        }
        last = Some(name);
        files.give(name, text);
    }
    if !from.is_done() {
        for _ in 0..from.count().map_err(wire)? {
            let key = from.text().map_err(wire)?.to_owned();
            let value = from.text().map_err(wire)?.to_owned();
            args.parameters.push((key, value));
        }
        if from.is_done() && args.parameters.is_empty() {
            return Err(wire(from.fail("no parameters are left out, not counted")));
        }
    }
    if !from.is_done() {
        return read_line(from, files);
    }
    let mut draft = Draft::of_parts(Intake::again(request), args, parent);
    draft.give_all(files);
    Ok(draft)
}

/// Reads the words of a launcher's line, behind everything else.
fn read_line(from: &mut Reader<'_>, files: GivenFiles) -> Result<Draft, JobError> {
    let mut words = Vec::new();
    for _ in 0..from.count().map_err(wire)? {
        words.push(from.text().map_err(wire)?.to_owned());
    }
    if !from.is_done() {
        return Err(wire(from.fail("something stands behind the job")));
    }
    let mut draft = Draft::from_words(&words)?;
    draft.give_all(files);
    Ok(draft)
}

fn maybe(out: &mut Writer, text: Option<&str>) {
    out.number(u64::from(text.is_some()));
    if let Some(text) = text {
        out.text(text);
    }
}

fn read_maybe(from: &mut Reader<'_>) -> Result<Option<String>, JobError> {
    match from.number(1).map_err(wire)? {
        0 => Ok(None),
        _ => Ok(Some(from.text().map_err(wire)?.to_owned())),
    }
}

fn request(out: &mut Writer, request: &SpawnRequest) -> Result<(), JobError> {
    let packed = request.pack()?;
    out.number(packed.len() as u64);
    out.bytes.extend(packed);
    Ok(())
}

fn read_request(from: &mut Reader<'_>, payload: &[u8]) -> Result<SpawnRequest, JobError> {
    let length = from.count().map_err(wire)?;
    let start = payload.len() - from.left();
    let packed = from.bytes(length).map_err(wire)?;
    SpawnRequest::unpack(packed).map_err(|mut error| {
        if let SpecError::BadPackedRequest { offset, .. } = &mut error {
            *offset += (HEADER + start) as u64;
        }
        error.into()
    })
}

fn wire(error: WireError) -> JobError {
    bad(error.offset, error.fault)
}

fn bad(offset: usize, fault: &'static str) -> JobError {
    let offset = offset as u64;
    SpecError::BadPackedRequest { offset, fault }.into()
}
