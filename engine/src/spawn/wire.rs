//! Numbers and texts of packed requests and jobs, in the format of postcard. Bytes that are read are not trusted.

/// Why bytes are refused, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WireError {
    /// The byte.
    pub offset: usize,
    /// What is wrong.
    pub fault: &'static str,
}

/// Writes a payload.
#[derive(Default)]
pub struct RequestWriter {
    /// The bytes so far.
    pub bytes: Vec<u8>,
}

impl RequestWriter {
    /// Writes a number: seven bits per byte, low bits first.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes
                .push(u8::try_from(value & 0x7f).unwrap_or(0) | 0x80);
            value >>= 7;
        }
        self.bytes.push(u8::try_from(value).unwrap_or(0));
    }
    /// Writes a text: its length, then its bytes.
    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend(text.as_bytes());
    }
}

/// Reads a payload. Every number is bounded, so nothing is allocated beyond what the bytes hold.
pub struct RequestReader<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
}

impl<'a> RequestReader<'a> {
    /// A reader of these bytes, which start at byte `base` of the whole.
    #[must_use]
    pub const fn new(bytes: &'a [u8], base: usize) -> Self {
        Self { bytes, at: 0, base }
    }
    /// The error for the current byte.
    #[must_use]
    pub const fn fail(&self, fault: &'static str) -> WireError {
        WireError {
            offset: self.base + self.at,
            fault,
        }
    }
    /// Whether nothing is left.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.at >= self.bytes.len()
    }
    /// How many bytes are left.
    #[must_use]
    pub const fn left(&self) -> usize {
        self.bytes.len() - self.at
    }
    /// Reads a byte.
    ///
    /// # Errors
    /// At the end.
    pub fn byte(&mut self) -> Result<u8, WireError> {
        self.bytes(1).map(|byte| byte[0])
    }
    /// Reads a number up to `max`, in its shortest form.
    ///
    /// # Errors
    /// Beyond `max`, at the end, or when the number is longer than necessary.
    pub fn number(&mut self, max: u64) -> Result<u64, WireError> {
        let start = self.at;
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && bits > 1) || (shift > 0 && byte == 0) {
                self.at = start;
                return Err(self.fail("this is no number"));
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                break;
            }
            shift += 7;
        }
        if value > max {
            self.at = start;
            return Err(self.fail("this number is too large"));
        }
        Ok(value)
    }
    /// Reads a number that fits the type.
    ///
    /// # Errors
    /// As [`RequestReader::number`].
    pub(crate) fn fitting<N: TryFrom<u64>>(&mut self) -> Result<N, WireError> {
        let start = self.at;
        let value = self.number(u64::MAX)?;
        N::try_from(value).map_err(|_| {
            self.at = start;
            self.fail("this number is too large")
        })
    }
    /// Reads a count of items that have at least one byte each.
    ///
    /// # Errors
    /// When fewer bytes are left.
    pub fn count(&mut self) -> Result<usize, WireError> {
        let left = self.left() as u64;
        let count = self.number(left)?;
        usize::try_from(count).map_err(|_| self.fail("this number is too large"))
    }
    /// Reads this many bytes.
    ///
    /// # Errors
    /// When fewer bytes are left.
    pub fn bytes(&mut self, length: usize) -> Result<&'a [u8], WireError> {
        let rest = &self.bytes[self.at..];
        let bytes = rest
            .get(..length)
            .ok_or_else(|| self.fail("the bytes end early"))?;
        self.at += length;
        Ok(bytes)
    }
    /// Reads a text.
    ///
    /// # Errors
    /// When it is truncated or not UTF-8.
    pub fn text(&mut self) -> Result<&'a str, WireError> {
        let length = self.count()?;
        let bytes = self
            .bytes
            .get(self.at..self.at + length)
            .ok_or_else(|| self.fail("this text is cut"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| self.fail("this text is no UTF-8"))?;
        self.at += length;
        Ok(text)
    }
    /// Reads several texts.
    ///
    /// # Errors
    /// As [`RequestReader::text`].
    pub fn texts(&mut self) -> Result<Vec<String>, WireError> {
        let count = self.count()?;
        let mut texts = Vec::new();
        for _ in 0..count {
            texts.push(self.text()?.to_owned());
        }
        Ok(texts)
    }
}
