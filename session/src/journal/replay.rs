//! From journal bytes back to a state.
//!
//! The file, and its last frame that was cut off, are handled by `JournalFile` of the library.

use super::first_frame::{LAYOUT, Open};
use super::frame::{Frame, Frames, JournalFrame, Tail, scan};
use crate::apply::apply;
use crate::config::Config;
use crate::effects::Effects;
use crate::event::Event;
use crate::image::Image;
use crate::judge::judge;
use crate::rebuild::ImageError;
use crate::state::{Initial, InitialError, State};
use crate::status::Status;

/// How a journal is read back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// From the last snapshot.
    Fast,
    /// From the beginning, comparing at each snapshot.
    Verify,
}

/// What was read back.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The state.
    pub state: State,
    /// What the DVM began with.
    pub initial: Initial,
    /// How many events the state contains, including those inside a snapshot.
    pub events: u64,
    /// The number of the next frame; 0 when even the open frame is missing.
    pub next_seq: u64,
    /// Where the whole frames end. A torn tail is cut off here before anything is appended.
    pub end: usize,
    /// How the bytes end.
    pub tail: Tail,
    /// Bytes after `end`.
    pub discarded: usize,
}

/// Why bytes are no journal of ours.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Another magic or version.
    #[error(
        "no journal of ours, or of another version: it does not begin with STOWJRN and version 1"
    )]
    Foreign,
    /// A bad frame with a whole one after it.
    #[error("damaged at byte {offset}: whole frames follow a bad one")]
    Damaged {
        /// Where the bad frame begins.
        offset: usize,
    },
    /// A frame is whole, but its payload is not ours.
    #[error("the frame at byte {offset} cannot be read")]
    Unreadable {
        /// Where it begins.
        offset: usize,
    },
    /// The open frame holds no valid DVM.
    #[error("the open frame: {0}")]
    Initial(#[from] InitialError),
    /// A snapshot holds no valid state.
    #[error("the snapshot at byte {offset}: {error}")]
    Snapshot {
        /// Where it begins.
        offset: usize,
        /// Why.
        error: ImageError,
    },
    /// An event is judged differently than when it was written: our fault.
    #[error("event frame {seq} at byte {offset} was answered {then}, and is now answered {now}", then = .then.name(), now = .now.name())]
    Disagrees {
        /// Where it begins.
        offset: usize,
        /// Its number.
        seq: u64,
        /// The status in the journal.
        then: Status,
        /// The status now.
        now: Status,
    },
    /// A snapshot differs from the events before it: our fault.
    #[error("the snapshot at byte {offset} differs from the events before it")]
    SnapshotDiffers {
        /// Where it begins.
        offset: usize,
    },
}

impl ReplayError {
    /// The error class (`errors.md`): `internal` when the error is our fault, and not that of the bytes.
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Disagrees { .. } | Self::SnapshotDiffers { .. } => "internal",
            Self::Foreign
            | Self::Damaged { .. }
            | Self::Unreadable { .. }
            | Self::Initial(_)
            | Self::Snapshot { .. } => "journal",
        }
    }
}

impl Frame<'_> {
    fn unreadable(&self) -> ReplayError {
        let offset = self.offset;
        ReplayError::Unreadable { offset }
    }
}

/// No real journal has had so many events.
const EVENTS_END: u64 = 1 << 63;

/// What a frame holds.
#[derive(Debug)]
pub enum Payload<'b> {
    /// What the DVM began with.
    Open(Config, Initial),
    /// An event and its status.
    Event(Event<'b>, Status),
    /// How many events the state contains, and the state.
    Snapshot(u64, Box<Image>),
}

/// Reads a frame's payload.
///
/// # Errors
/// `Unreadable` when it is not ours.
pub fn payload<'b>(frame: &Frame<'b>) -> Result<Payload<'b>, ReplayError> {
    let read = match frame.kind {
        JournalFrame::Open => whole::<Open>(frame.payload)
            .filter(|open| open.layout == LAYOUT)
            .map(|open| Payload::Open(open.config, open.initial)),
        JournalFrame::Event => {
            whole(frame.payload).map(|(event, status)| Payload::Event(event, status))
        }
        JournalFrame::Snapshot => {
            whole(frame.payload).map(|(events, image)| Payload::Snapshot(events, Box::new(image)))
        }
    };
    read.ok_or_else(|| frame.unreadable())
}

/// A value that takes all of the bytes.
fn whole<'b, T: serde::Deserialize<'b>>(bytes: &'b [u8]) -> Option<T> {
    postcard::take_from_bytes(bytes)
        .ok()
        .filter(|(_, rest)| rest.is_empty())
        .map(|(value, _)| value)
}

/// Rebuilds the state of the longest prefix of whole frames. An incomplete open frame gives the empty DVM.
///
/// `watch` sees every event that is replayed, with its status and effects and the state after it. It may refuse with an
/// error of its own. The caller handles damage in the middle, which `tail` reports.
///
/// # Errors
/// [`ReplayError`].
///
/// Cost: one pass of checksums, then the events after the last snapshot, or all of them under [`Mode::Verify`].
pub fn recover<E: From<ReplayError>>(
    bytes: &[u8],
    mode: Mode,
    mut watch: impl FnMut(&Event<'_>, (Status, &Effects), &State) -> Result<(), E>,
) -> Result<Recovered, E> {
    let scan = scan(bytes);
    if scan.tail == Tail::Foreign {
        return Err(ReplayError::Foreign.into());
    }
    let mut frames = Frames::new(bytes, &scan);
    let (config, initial) = opened(frames.next())?;
    let mut state = State::new(config, &initial).map_err(ReplayError::from)?;
    let mut events = 0;
    if let (Mode::Fast, Some(offset)) = (mode, scan.last_snapshot) {
        frames = Frames::from_offset(bytes, &scan, offset);
    }
    let mut fresh = true;
    for frame in frames {
        match payload(&frame)? {
            Payload::Open(..) | Payload::Snapshot(EVENTS_END.., _) => {
                return Err(frame.unreadable().into());
            }
            Payload::Snapshot(contained, image)
                if fresh && (mode == Mode::Fast || contained > 0) =>
            {
                // The replay starts here: after compaction, or in fast mode.
                let offset = frame.offset;
                let read = State::from_image(config, *image);
                state = read.map_err(|error| ReplayError::Snapshot { offset, error })?;
                events = contained;
            }
            Payload::Snapshot(contained, image) => {
                if contained != events || *image != state.image() {
                    return Err(ReplayError::SnapshotDiffers {
                        offset: frame.offset,
                    }
                    .into());
                }
            }
            Payload::Event(event, then) => {
                let judged = judge(&state, &event);
                let now = judged.status();
                if now != then {
                    let (offset, seq) = (frame.offset, frame.seq);
                    return Err(ReplayError::Disagrees {
                        offset,
                        seq,
                        then,
                        now,
                    }
                    .into());
                }
                events += 1;
                watch(&event, (now, &apply(&mut state, judged)), &state)?;
            }
        }
        fresh = false;
    }
    // Without an open frame the journal starts over, including the magic.
    let end = if scan.frames == 0 { 0 } else { scan.end };
    Ok(Recovered {
        state,
        initial,
        events,
        next_seq: scan.frames,
        end,
        tail: scan.tail,
        discarded: bytes.len() - end,
    })
}

/// The state of a journal, from its last snapshot.
///
/// # Errors
/// [`ReplayError`], also for a journal that is damaged in the middle: who goes on from there loses what follows the damage.
///
/// Cost: that of [`recover`].
pub fn restore(bytes: &[u8]) -> Result<Recovered, ReplayError> {
    let found = recover::<ReplayError>(bytes, Mode::Fast, |_, _, _| Ok(()))?;
    match found.tail {
        Tail::Damaged { offset } => Err(ReplayError::Damaged { offset }),
        Tail::Clean | Tail::Torn | Tail::Foreign => Ok(found),
    }
}

/// What the first frame says; without one, the empty DVM.
fn opened(first: Option<Frame<'_>>) -> Result<(Config, Initial), ReplayError> {
    let Some(frame) = first else {
        return Ok((Config::default(), Initial::default()));
    };
    match payload(&frame)? {
        Payload::Open(config, initial) => Ok((config, initial)),
        Payload::Event(..) | Payload::Snapshot(..) => Err(frame.unreadable()),
    }
}
