//! Frames: how they are written, and how the longest prefix of whole frames is found.

use serde::Serialize;
use stowplan_engine::limit::FRAME_BYTES_MAX;

/// The first bytes of every journal: a word and a version.
pub const MAGIC: &[u8; 8] = b"STOWJRN\x01";
/// Bytes before the payload.
const HEADER: usize = 17;

/// What a frame holds, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JournalFrame {
    /// Config and initial state.
    Open,
    /// An event and its status.
    Event,
    /// The whole state.
    Snapshot,
}

impl JournalFrame {
    /// The word in output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Event => "event",
            Self::Snapshot => "snapshot",
        }
    }
    fn of(byte: u8) -> Option<Self> {
        let all = [Self::Open, Self::Event, Self::Snapshot];
        all.get(usize::from(byte)).copied()
    }
}

/// A whole frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frame<'b> {
    /// Where it begins in the file.
    pub offset: usize,
    /// Its number, from 0.
    pub seq: u64,
    /// What it holds.
    pub kind: JournalFrame,
    /// The payload.
    pub payload: &'b [u8],
}

/// Appends a frame. If the payload is too large, gives its size; then the caller must truncate the buffer.
pub(super) fn push<T: Serialize>(
    buffer: &mut Vec<u8>,
    seq: u64,
    kind: JournalFrame,
    payload: &T,
) -> Result<(), usize> {
    let start = buffer.len();
    buffer.extend_from_slice(&[0; HEADER]);
    let full = std::mem::take(buffer);
    *buffer = postcard::to_extend(payload, full).expect("our own rows always encode");
    let bytes = buffer.len() - start - HEADER;
    let len = u32::try_from(bytes)
        .ok()
        .filter(|_| bytes <= FRAME_BYTES_MAX)
        .ok_or(bytes)?;
    let header = &mut buffer[start..start + HEADER];
    header[0..4].copy_from_slice(&len.to_le_bytes());
    header[8..16].copy_from_slice(&seq.to_le_bytes());
    header[16] = kind as u8;
    let crc = checksum(len, &buffer[start..]);
    buffer[start + 4..start + 8].copy_from_slice(&crc.to_le_bytes());
    Ok(())
}

/// CRC-32 over the length, and over seq, kind and payload of a whole frame.
fn checksum(len: u32, frame: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&len.to_le_bytes());
    hasher.update(&frame[8..]);
    hasher.finalize()
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    let eight = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*eight))
}

/// The frame at an offset, if its header makes sense and all of it is there. The checksum is not verified.
fn outline(bytes: &[u8], offset: usize) -> Option<(Frame<'_>, usize)> {
    let len = u32_at(bytes, offset)? as usize;
    let seq = u64_at(bytes, offset + 8)?;
    let kind = JournalFrame::of(*bytes.get(offset + 16)?)?;
    if len > FRAME_BYTES_MAX {
        return None;
    }
    let end = offset + HEADER + len;
    let payload = bytes.get(offset + HEADER..end)?;
    Some((
        Frame {
            offset,
            seq,
            kind,
            payload,
        },
        end,
    ))
}

/// The frame at an offset and where it ends, if it is whole and undamaged.
fn whole(bytes: &[u8], offset: usize) -> Option<(Frame<'_>, usize)> {
    let (frame, end) = outline(bytes, offset)?;
    let (len, crc) = (u32_at(bytes, offset)?, u32_at(bytes, offset + 4)?);
    (checksum(len, &bytes[offset..end]) == crc).then_some((frame, end))
}

/// How the bytes end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tail {
    /// With a whole frame.
    Clean,
    /// With the beginning of a frame, or with a frame in which sectors are zero: what a crash leaves.
    Torn,
    /// With a bad frame of a kind that a crash does not leave: a later frame is whole, or it is the last frame, complete but
    /// with a wrong checksum.
    Damaged {
        /// Where the bad frame begins.
        offset: usize,
    },
    /// The bytes do not begin as a journal does.
    Foreign,
}

/// What a scan found in some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scan {
    /// Where the last whole frame of the prefix ends; 0 when not even the magic is whole.
    pub end: usize,
    /// Frames in the prefix.
    pub frames: u64,
    /// Where the last snapshot of the prefix begins.
    pub last_snapshot: Option<usize>,
    /// How the bytes continue after the prefix.
    pub tail: Tail,
}

/// Finds the longest prefix of whole frames. Cost: one pass of checksums; when a frame is bad, a bounded search after it.
///
/// ```
/// use stowplan_session::{Tail, scan};
/// assert_eq!(scan(b"STOW").tail, Tail::Torn);
/// assert_eq!(scan(b"stowjrn\x01").tail, Tail::Foreign);
/// ```
#[must_use]
pub fn scan(bytes: &[u8]) -> Scan {
    let mut scan = Scan {
        end: 0,
        frames: 0,
        last_snapshot: None,
        tail: Tail::Torn,
    };
    if bytes.len() < MAGIC.len() {
        if !MAGIC.starts_with(bytes) {
            scan.tail = Tail::Foreign;
        }
        return scan;
    }
    if !bytes.starts_with(MAGIC) {
        scan.tail = Tail::Foreign;
        return scan;
    }
    scan.end = MAGIC.len();
    loop {
        let next = whole(bytes, scan.end).filter(|(frame, _)| {
            let opens = frame.kind == JournalFrame::Open;
            frame.seq == scan.frames && opens == (scan.frames == 0)
        });
        let Some((frame, end)) = next else { break };
        if frame.kind == JournalFrame::Snapshot {
            scan.last_snapshot = Some(frame.offset);
        }
        scan.end = end;
        scan.frames += 1;
    }
    scan.tail = tail(bytes, &scan);
    scan
}

/// What follows the prefix.
fn tail(bytes: &[u8], scan: &Scan) -> Tail {
    // A journal that ends before the first byte of its first frame counts as torn: it has no open frame.
    if scan.end == bytes.len() {
        return if scan.frames == 0 {
            Tail::Torn
        } else {
            Tail::Clean
        };
    }
    if is_flipped(bytes, scan) {
        return Tail::Damaged { offset: scan.end };
    }
    let rest = (bytes.len() - scan.end) as u64;
    // Forged headers could make us checksum the same bytes over and over.
    let mut budget = rest
        .saturating_mul(8)
        .saturating_add(FRAME_BYTES_MAX as u64);
    for offset in scan.end + 1..bytes.len().saturating_sub(HEADER - 1) {
        let Some((frame, _)) = outline(bytes, offset) else {
            continue;
        };
        // A frame has at least 17 bytes, so a number cannot be that far ahead.
        if frame.seq <= scan.frames || frame.seq - scan.frames > rest {
            continue;
        }
        let cost = (frame.payload.len() + HEADER) as u64;
        if budget < cost || whole(bytes, offset).is_some() {
            return Tail::Damaged { offset: scan.end };
        }
        budget -= cost;
    }
    Tail::Torn
}

/// Bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// Whether the last frame was once whole. A crash leaves the beginning of what was written, or zeros in whole sectors that
/// were not written; anything else is damage.
fn is_flipped(bytes: &[u8], scan: &Scan) -> bool {
    let rest = &bytes[scan.end..];
    let Some(header) = rest.get(..HEADER) else {
        return false;
    };
    let fits = |len: u32| len as usize == rest.len() - HEADER;
    let len = u32_at(header, 0).unwrap_or(0);
    if fits(len) {
        return !has_lost_sector(bytes, scan.end);
    }
    // If only one bit of the length is wrong, the rest is a whole frame of the corrected length.
    (0..32).any(|bit| {
        let mended = len ^ (1 << bit);
        fits(mended) && u32_at(header, 4) == Some(checksum(mended, rest))
    })
}

/// Whether a sector after an offset has only zeros.
fn has_lost_sector(bytes: &[u8], from: usize) -> bool {
    let first = SECTOR - from % SECTOR;
    let (first, sectors) = bytes[from..].split_at(first.min(bytes.len() - from));
    let is_lost = |sector: &[u8]| sector.iter().all(|&byte| byte == 0);
    is_lost(first) || sectors.chunks(SECTOR).any(is_lost)
}

/// The frames of a scanned prefix. Checksums are not verified again.
#[derive(Clone, Debug)]
pub struct Frames<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Frames<'b> {
    /// All frames of the scanned prefix.
    #[must_use]
    pub fn new(bytes: &'b [u8], scan: &Scan) -> Self {
        Self {
            bytes: &bytes[..scan.end],
            at: MAGIC.len(),
        }
    }
    /// The frames from an offset on. A frame must begin there.
    #[must_use]
    pub(crate) fn from_offset(bytes: &'b [u8], scan: &Scan, offset: usize) -> Self {
        Self {
            bytes: &bytes[..scan.end],
            at: offset,
        }
    }
}

impl<'b> Iterator for Frames<'b> {
    type Item = Frame<'b>;
    fn next(&mut self) -> Option<Frame<'b>> {
        let (frame, end) = outline(self.bytes, self.at)?;
        self.at = end;
        Some(frame)
    }
}
