//! One reader for files, pipes and standard input, with a limit on the bytes.

use std::io::{self, Read};

/// The bytes of a piece, if the total is unknown.
const STEP: usize = 1 << 20;

/// Why something was not read to its end.
#[derive(Debug)]
pub enum Unread {
    /// It has more bytes than allowed.
    TooLong,
    /// The system refused; this is its reason.
    Io(io::Error),
}

/// Reads everything, at most `limit` bytes. `expected`: how many bytes are likely, 0 if unknown. Memory: the bytes; if more
/// come than expected, the same again while the pieces are joined.
///
/// # Errors
/// [`Unread`].
pub fn bounded(mut from: impl Read, limit: usize, expected: usize) -> Result<Vec<u8>, Unread> {
    let mut pieces: Vec<Vec<u8>> = Vec::new();
    let mut step = expected.min(limit) + 1;
    let mut had = 0;
    loop {
        let more = step.min(limit + 1 - had);
        let mut piece = with_room(more)?;
        let read = from.by_ref().take(more as u64).read_to_end(&mut piece);
        let read = read.map_err(Unread::Io)?;
        had += read;
        if had > limit {
            return Err(Unread::TooLong);
        }
        pieces.push(piece);
        if read < more {
            return joined(pieces, had);
        }
        step = STEP;
    }
}

fn with_room(bytes: usize) -> Result<Vec<u8>, Unread> {
    let mut room = Vec::new();
    room.try_reserve_exact(bytes)
        .map_err(|error| Unread::Io(io::Error::other(error)))?;
    Ok(room)
}

fn joined(mut pieces: Vec<Vec<u8>>, bytes: usize) -> Result<Vec<u8>, Unread> {
    if let [_] = pieces.as_slice() {
        return Ok(pieces.swap_remove(0));
    }
    let mut whole = with_room(bytes)?;
    for piece in pieces {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}
