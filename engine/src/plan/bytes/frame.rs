//! Sealed frames: what is around the bytes of a plan.
//!
//! Other sealed bytes: requests and jobs (`spawn/seal.rs`), journals (`session/src/journal/frame.rs`).

use super::edition::{Edition, FrameKind};

/// What every sealed frame starts with.
pub(super) const MAGIC: &[u8; 7] = b"stowpln";
/// Bytes that a frame adds to its content: magic, kind, version and length before it, the checksum behind it.
const FRAME_BYTES: usize = MAGIC.len() + 2 + 8 + 4;

/// The bytes are no plan. Class `bad-plan`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {offset}: expected {expected}")]
pub struct BadPlan {
    /// The offset of the byte, from 0.
    pub offset: u64,
    /// What was expected there.
    pub expected: &'static str,
}

impl BadPlan {
    /// The stable class.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        "bad-plan"
    }
}

/// Seals bytes: magic, kind, version and length before them, and behind them a checksum over everything before it.
pub(super) fn seal(bytes: &[u8], kind: FrameKind, edition: Edition) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(bytes.len() + FRAME_BYTES);
    sealed.extend_from_slice(MAGIC);
    sealed.push(kind as u8);
    sealed.push(edition as u8);
    sealed.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    sealed.extend_from_slice(bytes);
    let sum = crc32fast::hash(&sealed);
    sealed.extend_from_slice(&sum.to_le_bytes());
    sealed
}

/// The bytes that a frame of this kind holds, their offset in it, and the version.
pub(super) fn open(bytes: &[u8], kind: FrameKind) -> Result<(&[u8], usize, Edition), BadPlan> {
    let bad = |offset: usize, expected| BadPlan {
        offset: offset as u64,
        expected,
    };
    let all = bytes.len();
    let same = bytes.iter().zip(MAGIC).take_while(|(a, b)| a == b).count();
    if same < MAGIC.len() {
        return Err(bad(same, "a saved plan (\"stowpln\")"));
    }
    if bytes.get(same) != Some(&(kind as u8)) {
        return Err(bad(same, kind.words()));
    }
    let edition = Edition::of(bytes.get(same + 1).copied());
    let edition = edition.ok_or_else(|| bad(same + 1, "version 1 to 4"))?;
    let length = bytes[same + 2..].split_first_chunk();
    let (length, behind) = length.ok_or_else(|| bad(all, "the length"))?;
    let length = u64::from_le_bytes(*length);
    let sealed = behind.split_last_chunk();
    let (held, sum) = sealed
        .filter(|(held, _)| held.len() as u64 == length)
        .ok_or_else(|| bad(all, "as many bytes as the length says"))?;
    let end = all - sum.len();
    if u32::from_le_bytes(*sum) != crc32fast::hash(&bytes[..end]) {
        return Err(bad(end, "the checksum of what comes before it"));
    }
    Ok((held, end - held.len(), edition))
}
