//! `session serve`: a launcher's channel. It reads events, one per line, and sends answers after their frames are synced.

use super::args::Serve;
use super::{Failure, Verdict, state_json};
use serde_json::{Value as Json, json};
use std::io::{BufRead, Write};
use std::path::Path;
use stowplan::answers::journal_file::{JOURNAL_BYTES_MAX, JournalFile};
use stowplan::answers::json_text;
use stowplan::answers::session_json::malformed::Fault;
use stowplan::answers::session_json::outcome_json::CANDIDATES_NAMED;
use stowplan::answers::session_json::{beginning, channel, event_json, keys};
use stowplan_engine::limit::FRAME_BYTES_MAX as LINE_BYTES_MAX;
use stowplan_session::{Initial, Journal, JournalError, State, Tail, check_step, restore, scan};

/// A journal is compacted once it has more bytes than this, and more than four times those that its last compaction left. Near
/// the most bytes that can be read again, twice those are enough.
const COMPACT_BYTES: u64 = 64 << 20;

/// A DVM in service.
struct Served<'w> {
    wanted: &'w Serve,
    state: State,
    journal: Journal<JournalFile>,
    /// What the DVM began with.
    initial: Initial,
    /// The journal is compacted when it has more bytes than this.
    compact_from: u64,
    /// Steps answered by this process.
    steps: usize,
    /// The number of the current line, from 1. The first line says what the DVM begins with.
    line: usize,
}

pub(super) fn run(
    wanted: &Serve,
    stdin: &mut dyn BufRead,
    out: &mut dyn Write,
) -> Result<Verdict, Failure> {
    let mut lines = Lines::default();
    let first = loop {
        if let Some(line) = lines.next() {
            break Some(line);
        }
        if !lines.fill(stdin)? {
            break lines.last();
        }
    };
    let none = || Failure::Scenario("standard input, line 1: there is none".to_owned());
    let first = first.ok_or_else(none)?;
    let mut served = open(wanted, &first)?;
    loop {
        let mut answers = String::new();
        while let Some(line) = lines.next() {
            served.answer(&line, &mut answers)?;
        }
        served.release(&answers, out)?;
        served = served.compacted()?;
        if !lines.fill(stdin)? {
            break;
        }
    }
    let mut answers = String::new();
    if let Some(line) = lines.last() {
        served.answer(&line, &mut answers)?;
    }
    served.release(&answers, out)?;
    let last = state_json::FinalLine {
        expected: None,
        last: served.state.short_rows(CANDIDATES_NAMED),
        scenario: Some(""),
    };
    last.write(out)?;
    Ok(Verdict::Met)
}

/// The JSON of a line, or what is wrong with it.
fn json_of(line: &[u8]) -> Result<Json, String> {
    if line.len() > LINE_BYTES_MAX {
        return Err(format!("a line of more than {LINE_BYTES_MAX} bytes"));
    }
    beginning::json(line).map_err(|error| error.to_string())
}

/// Begins a journal, or continues the one that exists.
fn open<'w>(wanted: &'w Serve, first: &[u8]) -> Result<Served<'w>, Failure> {
    let place = |what: &str| Failure::Scenario(format!("standard input, line 1: {what}"));
    let said = json_of(first).map_err(|what| place(&what))?;
    let Json::Object(said) = said else {
        return Err(Failure::Scenario(
            "standard input, line 1: no JSON object".to_owned(),
        ));
    };
    let wrong = |fault: Fault| place(&fault.to_string());
    keys::judge(&said, beginning::FIRST_KEYS).map_err(wrong)?;
    let path = &wanted.journal;
    let (config, initial) = beginning::beginning(&said).map_err(wrong)?;
    let (mut file, bytes) =
        JournalFile::open(Path::new(path)).map_err(|error| Failure::file(path, &error))?;
    let found = scan(&bytes);
    let (state, journal, initial) = if found.frames == 0 && found.tail == Tail::Torn {
        file.cut(0).map_err(|error| Failure::file(path, &error))?;
        let state =
            State::new(config, &initial).map_err(|error| Failure::Scenario(error.to_string()))?;
        let journal = Journal::begin(file, &config, &initial)
            .map_err(|error| Failure::unwritten(path, &error))?;
        (state, journal, initial)
    } else {
        let recovered = restore(&bytes).map_err(|error| Failure::replay(path, &error))?;
        if !said.is_empty() {
            return Err(Failure::Journal(format!(
                "{path}: is there already, and goes on with {{}} alone"
            )));
        }
        file.cut(recovered.end)
            .map_err(|error| Failure::file(path, &error))?;
        let journal = Journal::resume(file, &recovered);
        (recovered.state, journal, recovered.initial)
    };
    let served = Served {
        wanted,
        state,
        journal,
        initial,
        compact_from: COMPACT_BYTES,
        steps: 0,
        line: 1,
    };
    served.compacted()
}

impl Served<'_> {
    /// Compacts a long journal: a new file with an open frame and one snapshot replaces it.
    fn compacted(mut self) -> Result<Self, Failure> {
        if self.journal.store().bytes() <= self.compact_from {
            return Ok(self);
        }
        let (initial, events) = (&self.initial, self.journal.events());
        let Ok(compact) = Journal::compact(Vec::new(), initial, &self.state, events) else {
            // A state that is too large for a frame cannot be compacted. The journal then grows up to the limit for reading it.
            self.compact_from = u64::MAX;
            return Ok(self);
        };
        let (path, compact) = (&self.wanted.journal, compact.into_store());
        let file = self.journal.into_store().replace(&compact);
        let file = file.map_err(|error| Failure::file(path, &error))?;
        let again = restore(&compact);
        let again = again.map_err(|error| Failure::Internal(format!("{path}: {error}")))?;
        self.journal = Journal::resume(file, &again);
        self.state = again.state;
        let left = compact.len() as u64;
        let near = (JOURNAL_BYTES_MAX / 2).max(2 * left);
        self.compact_from = COMPACT_BYTES.max(4 * left).min(near);
        Ok(self)
    }

    /// Judges and applies one line; the answer is sent after the commit.
    fn answer(&mut self, line: &[u8], answers: &mut String) -> Result<(), Failure> {
        self.line += 1;
        let told = match json_of(line).map(|json| self.step(&json)) {
            Ok(told) => told?,
            Err(what) => self.refused(&what),
        };
        answers.push_str(&json_text::text(&told));
        answers.push('\n');
        Ok(())
    }

    fn step(&mut self, json: &Json) -> Result<Json, Failure> {
        let event = match event_json::event(json) {
            Ok(event) => event,
            Err(error) => return Ok(self.refused(&error.to_string())),
        };
        let before = self.wanted.check.then(|| self.state.clone());
        let (status, effects) = match self.journal.submit(&mut self.state, &event) {
            Ok(outcome) => outcome,
            Err(error @ JournalError::TooLarge { .. }) => {
                return Ok(self.refused(&error.to_string()));
            }
            Err(error @ (JournalError::Store(_) | JournalError::Failed)) => {
                return Err(Failure::unwritten(&self.wanted.journal, &error));
            }
        };
        self.steps += 1;
        if let Some(before) = before {
            let place = format!("{}, step {}", self.wanted.journal, self.steps);
            check_step(&before, &event, status, &effects, &self.state)
                .map_err(|error| Failure::broken(&error, &place))?;
        }
        let mut answer = channel::answer(&self.state, &event, self.steps, (status, &effects));
        answer.insert("line".to_owned(), json!(self.line));
        Ok(Json::Object(answer))
    }

    /// The answer to a line that is not an event.
    fn refused(&self, what: &str) -> Json {
        json!({"error": what, "line": self.line})
    }

    /// Syncs the journal, then sends the answers.
    fn release(&mut self, answers: &str, out: &mut dyn Write) -> Result<(), Failure> {
        if answers.is_empty() {
            return Ok(());
        }
        let commit = self.journal.commit();
        commit.map_err(|error| Failure::unwritten(&self.wanted.journal, &error))?;
        out.write_all(answers.as_bytes())?;
        Ok(out.flush()?)
    }
}

/// The lines of the input. All lines that have arrived are judged together and synced once.
#[derive(Default)]
struct Lines {
    bytes: Vec<u8>,
    /// The start of the next line.
    at: usize,
    /// There is no newline before this byte.
    searched: usize,
}

impl Lines {
    /// Reads the available bytes, at least one; false at the end of the input.
    fn fill(&mut self, stdin: &mut dyn BufRead) -> Result<bool, Failure> {
        self.bytes.drain(..self.at);
        self.searched -= self.at;
        self.at = 0;
        let unread = |error| Failure::Scenario(format!("standard input cannot be read: {error}"));
        let chunk = loop {
            match stdin.fill_buf() {
                Ok(chunk) => break chunk,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unread(error)),
            }
        };
        let read = chunk.len();
        // No more bytes of a line are kept once it is too long; it is answered when its end arrives.
        let skipped = if self.bytes.len() > LINE_BYTES_MAX {
            let end = chunk.iter().position(|&byte| byte == b'\n');
            end.unwrap_or(read)
        } else {
            0
        };
        self.bytes.extend_from_slice(&chunk[skipped..]);
        stdin.consume(read);
        Ok(read > 0)
    }

    /// The next whole line.
    fn next(&mut self) -> Option<Vec<u8>> {
        let found = self.bytes[self.searched..]
            .iter()
            .position(|&byte| byte == b'\n');
        let Some(more) = found else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + more;
        let line = self.bytes[self.at..end].to_vec();
        self.at = end + 1;
        self.searched = self.at;
        Some(line)
    }

    /// The bytes after the last newline, at the end of the input.
    fn last(&mut self) -> Option<Vec<u8>> {
        let rest = self.bytes.split_off(self.at);
        self.searched = self.at;
        (!rest.is_empty()).then_some(rest)
    }
}
