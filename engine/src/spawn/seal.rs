//! The seal of packed requests and jobs: what they are, their version, length and checksum, before the payload.
//!
//! ```text
//! 8 bytes   what it is, then the version, 1
//! u32       length of the payload, little-endian
//! u32       CRC-32 of the payload
//! ```

use super::wire::WireError;

const VERSION: u8 = 1;
/// Bytes before the payload.
pub const SEAL_BYTES: usize = 16;

/// What is sealed.
#[derive(Clone, Copy, Debug)]
pub struct Sealed {
    /// The first bytes.
    pub magic: &'static [u8; 7],
    /// Why other bytes are refused.
    pub foreign: &'static str,
    /// The most bytes of a payload, and why more are refused.
    pub most: (usize, &'static str),
}

impl Sealed {
    /// The payload behind its seal.
    ///
    /// # Errors
    /// At the end of a payload that is too long.
    ///
    /// Cost: linear in the payload.
    pub fn seal(&self, payload: &[u8]) -> Result<Vec<u8>, WireError> {
        let length = u32::try_from(payload.len()).ok();
        let length = length.filter(|_| payload.len() <= self.most.0);
        let length = length.ok_or(WireError {
            offset: payload.len(),
            fault: self.most.1,
        })?;
        let mut bytes = Vec::with_capacity(SEAL_BYTES + payload.len());
        bytes.extend(self.magic);
        bytes.push(VERSION);
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(payload).to_le_bytes());
        bytes.extend(payload);
        Ok(bytes)
    }

    /// The payload of bytes that are not trusted.
    ///
    /// # Errors
    /// Bytes that are foreign, cut, damaged, too many, or of another version; at that byte.
    ///
    /// Cost: linear in the bytes.
    pub fn open<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], WireError> {
        let at = |offset, fault| WireError { offset, fault };
        let Some((header, payload)) = bytes.split_first_chunk::<SEAL_BYTES>() else {
            return Err(at(bytes.len(), "the header is cut"));
        };
        let [magic @ .., version, l0, l1, l2, l3, c0, c1, c2, c3] = header;
        if magic != self.magic {
            return Err(at(0, self.foreign));
        }
        if *version != VERSION {
            return Err(at(7, "the version is not 1"));
        }
        let length = u32::from_le_bytes([*l0, *l1, *l2, *l3]) as usize;
        if length > self.most.0 {
            return Err(at(8, self.most.1));
        }
        if length > payload.len() {
            return Err(at(bytes.len(), "the payload is cut"));
        }
        if length < payload.len() {
            return Err(at(SEAL_BYTES + length, "bytes follow the payload"));
        }
        if crc32fast::hash(payload) != u32::from_le_bytes([*c0, *c1, *c2, *c3]) {
            return Err(at(12, "the checksum does not fit the payload"));
        }
        Ok(payload)
    }
}
