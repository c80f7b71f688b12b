//! The journal: every event with its status, written ahead, so that a DVM that was killed continues where it was.
//!
//! ```text
//! file   = "STOWJRN" version frame*
//! frame  = len:u32 crc:u32 seq:u64 kind:u8 payload      little-endian; crc over len, seq, kind, payload
//! kind 0 = open      (layout, config, initial)            always the first, and only the first
//! kind 1 = event     (event, status)
//! kind 2 = snapshot  (events so far, image)               an accelerator only
//! ```
//! The payload is postcard. The journal writes to a [`Store`]; the program that embeds it handles files.

mod first_frame;
mod frame;
mod replay;

pub use frame::{Frame, Frames, JournalFrame as FrameKind, MAGIC, Scan, Tail, scan};
pub use replay::{Mode, Payload, Recovered, ReplayError, payload, recover, restore};

use super::apply::apply;
use super::config::Config;
use super::effects::Effects;
use super::event::Event;
use super::image::Image;
use super::judge::judge;
use super::state::{Initial, State};
use super::status::Status;
use first_frame::{LAYOUT, Open};
use serde::Serialize;
use stowplan_engine::limit::FRAME_BYTES_MAX;

/// Where journal bytes go.
pub trait Store {
    /// Why bytes were not stored.
    type Error: std::error::Error;
    /// Appends bytes. A failure may leave some of them in the store: a torn tail.
    ///
    /// # Errors
    /// When not all bytes were taken.
    fn append(&mut self, bytes: &[u8]) -> Result<(), Self::Error>;
    /// Returns when all bytes appended are safe from a crash.
    ///
    /// # Errors
    /// When they may not be safe.
    fn sync(&mut self) -> Result<(), Self::Error>;
}

/// A store in memory: for tests, and to build the bytes of a new file.
impl Store for Vec<u8> {
    type Error = std::convert::Infallible;
    fn append(&mut self, bytes: &[u8]) -> Result<(), Self::Error> {
        self.extend_from_slice(bytes);
        Ok(())
    }
    fn sync(&mut self) -> Result<(), Self::Error> {
        Ok(())
    }
}

/// Why an event was not recorded.
#[derive(Debug, thiserror::Error)]
pub enum JournalError<E: std::error::Error> {
    /// The store failed. The journal takes nothing more, so the bytes on disk end in a torn tail at worst.
    #[error("the journal cannot be written: {0}")]
    Store(E),
    /// An earlier write failed.
    #[error("the journal failed before and takes nothing more")]
    Failed,
    /// The frame would be larger than a frame may be.
    #[error("a journal frame of {bytes} bytes, at most {FRAME_BYTES_MAX} are allowed")]
    TooLarge {
        /// Bytes of its payload.
        bytes: usize,
    },
}

/// The writing end of a journal.
///
/// Events are judged, framed and applied one by one with [`Journal::submit`]; [`Journal::commit`] writes the frames and
/// syncs them, many at once. **An answer may leave only after the commit of its event.**
#[derive(Debug)]
pub struct Journal<S> {
    store: S,
    /// Frames that the store does not have yet.
    buffer: Vec<u8>,
    next_seq: u64,
    events: u64,
    failed: bool,
}

impl<S: Store> Journal<S> {
    /// Begins a journal: magic and open frame, committed.
    ///
    /// # Errors
    /// When the store fails, or the initial state is larger than a frame.
    pub fn begin(
        store: S,
        config: &Config,
        initial: &Initial,
    ) -> Result<Self, JournalError<S::Error>> {
        let mut journal = Self::opened(store, config, initial, 0)?;
        journal.commit()?;
        Ok(journal)
    }

    /// Begins a journal that continues from a state, as compaction leaves it: open frame and snapshot, committed.
    ///
    /// # Errors
    /// When the store fails, or the state is larger than a frame.
    pub fn compact(
        store: S,
        initial: &Initial,
        state: &State,
        events: u64,
    ) -> Result<Self, JournalError<S::Error>> {
        let mut journal = Self::opened(store, state.config(), initial, events)?;
        journal.snapshot(state)?;
        journal.commit()?;
        Ok(journal)
    }

    /// Magic and open frame, not committed.
    fn opened(
        store: S,
        config: &Config,
        initial: &Initial,
        events: u64,
    ) -> Result<Self, JournalError<S::Error>> {
        let mut journal = Self {
            store,
            buffer: MAGIC.to_vec(),
            next_seq: 0,
            events,
            failed: false,
        };
        let open = Open {
            layout: LAYOUT,
            config: *config,
            initial: initial.clone(),
        };
        journal.push(FrameKind::Open, &open)?;
        Ok(journal)
    }

    /// Continues a journal whose bytes were recovered and whose torn tail was cut off.
    #[must_use]
    pub fn resume(store: S, recovered: &Recovered) -> Self {
        Self {
            store,
            buffer: Vec::new(),
            next_seq: recovered.next_seq,
            events: recovered.events,
            failed: false,
        }
    }

    /// Judges an event, frames it and applies it. The answer must wait for [`Journal::commit`].
    ///
    /// # Errors
    /// When the journal failed before, or the event is larger than a frame. Then nothing was changed.
    pub fn submit(
        &mut self,
        state: &mut State,
        event: &Event<'_>,
    ) -> Result<(Status, Effects), JournalError<S::Error>> {
        if self.failed {
            return Err(JournalError::Failed);
        }
        let judged = judge(state, event);
        let status = judged.status();
        self.push(FrameKind::Event, &(event, status))?;
        self.events += 1;
        Ok((status, apply(state, judged)))
    }

    /// One event, safe before it is answered: [`Journal::submit`], then [`Journal::commit`]. Cost: a sync for each event.
    ///
    /// # Errors
    /// As these two. After a failed commit the state is ahead of the disk, and the journal takes nothing more.
    pub fn record(
        &mut self,
        state: &mut State,
        event: &Event<'_>,
    ) -> Result<(Status, Effects), JournalError<S::Error>> {
        let outcome = self.submit(state, event)?;
        self.commit()?;
        Ok(outcome)
    }

    /// Frames the whole state, so that a replay may start here.
    ///
    /// # Errors
    /// When the state is larger than a frame. Then nothing was changed.
    pub fn snapshot(&mut self, state: &State) -> Result<(), JournalError<S::Error>> {
        let image: Image = state.image();
        self.push(FrameKind::Snapshot, &(self.events, image))
    }

    /// Writes all frames and syncs them. After that, the answers to all events submitted so far may leave.
    ///
    /// # Errors
    /// When the store fails. Then the journal takes nothing more, and no answer since the last commit may leave.
    pub fn commit(&mut self) -> Result<(), JournalError<S::Error>> {
        self.flush()?;
        self.store.sync().map_err(|error| self.fail(error))
    }

    /// Writes all frames without a sync: for callers that can afford to lose them.
    ///
    /// # Errors
    /// As [`Journal::commit`].
    pub fn flush(&mut self) -> Result<(), JournalError<S::Error>> {
        if self.failed {
            return Err(JournalError::Failed);
        }
        if !self.buffer.is_empty() {
            let appended = self.store.append(&self.buffer);
            appended.map_err(|error| self.fail(error))?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Bytes that wait for a commit.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.buffer.len()
    }
    /// Events submitted in the journal's life.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }
    /// The store, to look at.
    #[must_use]
    pub fn store(&self) -> &S {
        &self.store
    }
    /// The store. Frames that wait for a commit are dropped.
    pub fn into_store(self) -> S {
        self.store
    }

    fn fail(&mut self, error: S::Error) -> JournalError<S::Error> {
        self.failed = true;
        JournalError::Store(error)
    }

    fn push<T: Serialize>(
        &mut self,
        kind: FrameKind,
        payload: &T,
    ) -> Result<(), JournalError<S::Error>> {
        let start = self.buffer.len();
        match frame::push(&mut self.buffer, self.next_seq, kind, payload) {
            Ok(()) => {
                self.next_seq += 1;
                Ok(())
            }
            Err(bytes) => {
                self.buffer.truncate(start);
                Err(JournalError::TooLarge { bytes })
            }
        }
    }
}
