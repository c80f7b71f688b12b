//! A job in bytes: the request as it is relayed, and the files that go with it.
//!
//! ```text
//! seal      of "STOWJOB" (`engine/src/spawn/seal.rs`)
//! payload   number(1 where inferred slots are PUs, else 0) maybe(task map) maybe(LSF's file)
//!           number(0: no parent, 1: a job, 2: a tool) [packed parent] packed request
//!           number(files) { text(name) text(contents) }
//!           and, if there are any or words follow, number(parameters) { text(key) text(value) }, options of nodes and orders too
//!           and, where the job is a launcher's own line, number(words) { text(word) }: all of them, ours first
//!           and, where another job says something about threads, number(0), no words, and what it says (`thread_words`)
//! ```
//! A packed request is its length followed by its bytes. `maybe` is the number 0, or the number 1 followed by the text.

use crate::job::args::{JobArgs, MapArgs};
use crate::job::beyond::{options, put};
use crate::job::draft::{Draft, Job};
use crate::job::error::JobError;
use crate::job::files::GivenFiles;
use crate::job::our_words::of_another;
use stowplan_engine::error::SpecError;
use stowplan_engine::policy::CpuMode;
use stowplan_engine::spawn::inherit::{Parent, ParentKind};
use stowplan_engine::spawn::seal::{SEAL_BYTES, Sealed};
use stowplan_engine::spawn::wire::{RequestReader, RequestWriter, WireError};
use stowplan_engine::spawn::{Intake, SpawnRequest};

const SEALED: Sealed = Sealed {
    magic: b"STOWJOB",
    foreign: "this is no job",
    most: (u32::MAX as usize, "the job is beyond 4 GiB"),
};

impl Job {
    /// The job in bytes. Same job, same bytes.
    ///
    /// # Errors
    /// `bad-request` when the request has more than 64 MiB, or the whole more than 4 GiB.
    ///
    /// Cost: linear in the job.
    pub fn to_bytes(&self) -> Result<Vec<u8>, JobError> {
        let MapArgs { job, taken, parent } = &self.asked;
        let mut out = RequestWriter::default();
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
        let parameters = job.parameters.iter();
        let parameters = parameters.map(|(key, value)| (&**key, &**value));
        let beyond = line.is_none().then(|| options(job));
        let parameters: Vec<(&str, &str)> =
            parameters.chain(beyond.into_iter().flatten()).collect();
        let about_threads = line.is_none() && says_something(job);
        if !parameters.is_empty() || line.is_some() || about_threads {
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
        if about_threads {
            out.number(0);
            thread_words(&mut out, job);
        }
        SEALED.seal(&out.bytes).map_err(wire)
    }
}

impl Draft {
    /// Reads what [`Job::to_bytes`] wrote.
    ///
    /// # Errors
    /// `bad-request`, with the byte, when the bytes are foreign, cut, damaged or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, JobError> {
        let payload = SEALED.open(bytes).map_err(wire)?;
        let mut from = RequestReader::new(payload, SEAL_BYTES);
        read(&mut from, payload)
    }
}

fn read(from: &mut RequestReader<'_>, payload: &[u8]) -> Result<Draft, JobError> {
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
    let apps = request.apps().len() as u64;
    let mut files = GivenFiles::default();
    let mut last: Option<&str> = None;
    for _ in 0..from.count().map_err(wire)? {
        let name = from.text().map_err(wire)?;
        let text = from.text().map_err(wire)?;
        if last.is_some_and(|last| last >= name) {
            return Err(wire(
                from.fail("files are in the order of their names, each once"),
            ));
        }
        last = Some(name);
        files.give(name, text);
    }
    let mut counted = false;
    if !from.is_done() {
        for _ in 0..from.count().map_err(wire)? {
            let key = from.text().map_err(wire)?.to_owned();
            let value = from.text().map_err(wire)?.to_owned();
            counted = true;
            if !put(&mut args, &key, &value) {
                args.parameters.push((key, value));
            }
        }
        if from.is_done() && !counted {
            return Err(wire(from.fail("no parameters are left out, not counted")));
        }
    }
    if !from.is_done() {
        let count = from.count().map_err(wire)?;
        if count > 0 {
            return read_line(from, count, files);
        }
        read_thread_words(from, &mut args, apps).map_err(wire)?;
    }
    let mut draft = Draft::of_parts(Intake::again(request), args, parent);
    draft.give_all(files);
    Ok(draft)
}

/// Reads the words of a launcher's line, behind everything else.
fn read_line(
    from: &mut RequestReader<'_>,
    count: usize,
    files: GivenFiles,
) -> Result<Draft, JobError> {
    let mut words = Vec::new();
    for _ in 0..count {
        words.push(from.text().map_err(wire)?.to_owned());
    }
    if !from.is_done() {
        return Err(wire(from.fail("something follows the job")));
    }
    let mut draft = Draft::from_words(&words)?;
    draft.give_all(files);
    Ok(draft)
}

/// Whether a job says something about threads, or sets variables that may.
fn says_something(job: &JobArgs) -> bool {
    let silent = job.exported.is_empty() && job.env.is_empty() && job.env_files.is_empty();
    !silent || job.env_here || job.omp.is_some() || job.levels.is_some()
}

/// Writes variables of apps and of the job, files of variables, whose rules, how many levels.
fn thread_words(out: &mut RequestWriter, job: &JobArgs) {
    out.number(job.exported.len() as u64);
    for (app, text) in &job.exported {
        out.number(u64::from(*app));
        out.text(text);
    }
    out.number(job.env.len() as u64);
    for (name, value) in &job.env {
        out.text(name);
        out.text(value);
    }
    out.number(job.env_files.len() as u64);
    job.env_files.iter().for_each(|path| out.text(path));
    out.number(u64::from(job.env_here));
    maybe(out, job.omp.as_deref());
    out.number(job.levels.map_or(0, u64::from));
}

/// Reads what [`thread_words`] wrote, of a job with this many apps.
fn read_thread_words(
    from: &mut RequestReader<'_>,
    job: &mut JobArgs,
    apps: u64,
) -> Result<(), WireError> {
    for _ in 0..from.count()? {
        let app = from.number(apps.saturating_sub(1))?;
        let app = u32::try_from(app).unwrap_or(u32::MAX);
        job.exported.push((app, from.text()?.to_owned()));
    }
    for _ in 0..from.count()? {
        let name = from.text()?.to_owned();
        job.env.push((name, from.text()?.to_owned()));
    }
    job.env_files = from.texts()?;
    job.env_here = from.number(1)? == 1;
    if from.number(1)? == 1 {
        job.omp = Some(from.text()?.to_owned());
    }
    let levels = from.number(u64::from(u32::MAX))?;
    job.levels = u32::try_from(levels).ok().filter(|&levels| levels > 0);
    if !says_something(job) {
        return Err(from.fail("what is said about threads is not left out, and says nothing"));
    }
    if !from.is_done() {
        return Err(from.fail("something follows the job"));
    }
    Ok(())
}

fn maybe(out: &mut RequestWriter, text: Option<&str>) {
    out.number(u64::from(text.is_some()));
    if let Some(text) = text {
        out.text(text);
    }
}

fn read_maybe(from: &mut RequestReader<'_>) -> Result<Option<String>, JobError> {
    match from.number(1).map_err(wire)? {
        0 => Ok(None),
        _ => Ok(Some(from.text().map_err(wire)?.to_owned())),
    }
}

fn request(out: &mut RequestWriter, request: &SpawnRequest) -> Result<(), JobError> {
    let packed = request.pack()?;
    out.number(packed.len() as u64);
    out.bytes.extend(packed);
    Ok(())
}

fn read_request(from: &mut RequestReader<'_>, payload: &[u8]) -> Result<SpawnRequest, JobError> {
    let length = from.count().map_err(wire)?;
    let start = payload.len() - from.left();
    let packed = from.bytes(length).map_err(wire)?;
    SpawnRequest::unpack(packed).map_err(|mut error| {
        if let SpecError::BadPackedRequest { offset, .. } = &mut error {
            *offset += (SEAL_BYTES + start) as u64;
        }
        error.into()
    })
}

fn wire(error: WireError) -> JobError {
    SpecError::from(error).into()
}
