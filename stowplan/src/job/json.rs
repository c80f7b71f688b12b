//! JSON read in place: the whole text is judged first, then walked without a copy. Every value keeps its position.

/// The most levels of containers inside containers.
pub const DEPTH_MAX: usize = 64;

/// What is wrong with a text, and at which byte.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// The byte.
    pub at: usize,
    /// What is wrong.
    pub fault: &'static str,
}

/// A sound JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    text: &'a str,
}

/// Where a value starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At(pub usize);

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true`.
    True,
    /// `false`.
    False,
    /// A number without fraction or exponent.
    Integer,
    /// Another number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl<'a> Json<'a> {
    /// Judges a text: RFC 8259, UTF-8 without a byte order mark, nothing after the value, at most [`DEPTH_MAX`] levels.
    ///
    /// # Errors
    /// The first byte that is wrong. Cost: one pass, no memory.
    pub fn judge(bytes: &'a [u8]) -> Result<Self, JsonError> {
        let fail = |at, fault| Err(JsonError { at, fault });
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return fail(error.valid_up_to(), "this is no UTF-8"),
        };
        if text.starts_with('\u{feff}') {
            return fail(0, "a byte order mark stands before the value");
        }
        let mut judge = Judge { bytes, at: 0 };
        judge.value(DEPTH_MAX)?;
        judge.space();
        if judge.at < bytes.len() {
            return fail(judge.at, "something stands behind the value");
        }
        Ok(Self { text })
    }

    /// The outermost value.
    #[must_use]
    pub fn root(&self) -> At {
        At(self.skip_space(0))
    }

    /// What a value is.
    #[must_use]
    pub fn kind(&self, at: At) -> Kind {
        match self.text.as_bytes().get(at.0) {
            Some(b't') => Kind::True,
            Some(b'f') => Kind::False,
            Some(b'"') => Kind::String,
            Some(b'[') => Kind::Array,
            Some(b'{') => Kind::Object,
            Some(b'-' | b'0'..=b'9') if self.raw(at).contains(['.', 'e', 'E']) => Kind::Number,
            Some(b'-' | b'0'..=b'9') => Kind::Integer,
            Some(_) | None => Kind::Null,
        }
    }

    /// A value as written.
    #[must_use]
    pub fn raw(&self, at: At) -> &'a str {
        &self.text[at.0..self.end(at.0)]
    }

    /// A value without white space between its parts.
    #[must_use]
    pub fn compact(&self, at: At) -> String {
        let mut inside = false;
        let mut escaped = false;
        let keep = |c: &char| {
            if inside {
                (inside, escaped) = (escaped || *c != '"', !escaped && *c == '\\');
                return true;
            }
            inside = *c == '"';
            !matches!(c, ' ' | '\t' | '\n' | '\r')
        };
        self.raw(at).chars().filter(keep).collect()
    }

    /// The text of a string value, unescaped.
    #[must_use]
    pub fn string(&self, at: At) -> String {
        unescape(self.raw(at))
    }

    /// The elements of an array.
    pub fn elements(&self, at: At) -> impl Iterator<Item = At> + use<'a> {
        let this = *self;
        let mut next = this.first_inside(at);
        std::iter::from_fn(move || {
            let here = next?;
            next = this.behind(this.end(here));
            Some(At(here))
        })
    }

    /// The members of an object: where the name starts, the name, and where the value starts.
    pub fn members(&self, at: At) -> impl Iterator<Item = (At, String, At)> + use<'a> {
        let this = *self;
        let mut next = this.first_inside(at);
        std::iter::from_fn(move || {
            let name = next?;
            let colon = this.skip_space(this.end(name));
            let value = this.skip_space(colon + 1);
            next = this.behind(this.end(value));
            Some((At(name), this.string(At(name)), At(value)))
        })
    }

    fn first_inside(&self, at: At) -> Option<usize> {
        let first = self.skip_space(at.0 + 1);
        let closes = matches!(self.text.as_bytes().get(first), Some(b']' | b'}') | None);
        (!closes).then_some(first)
    }

    /// Where the value after a comma starts, if a comma comes next.
    fn behind(&self, end: usize) -> Option<usize> {
        let comma = self.skip_space(end);
        (self.text.as_bytes().get(comma) == Some(&b',')).then(|| self.skip_space(comma + 1))
    }

    fn skip_space(&self, mut at: usize) -> usize {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        at
    }

    /// One past the last byte of the value at `start`. The text is known to be sound.
    fn end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut at = start;
        let mut depth = 0usize;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => {
                    at += 1;
                    while bytes.get(at).is_some_and(|&byte| byte != b'"') {
                        at += 1 + usize::from(bytes[at] == b'\\');
                    }
                    at += 1;
                    if depth == 0 {
                        return at.min(bytes.len());
                    }
                }
                b'[' | b'{' => {
                    depth += 1;
                    at += 1;
                }
                b']' | b'}' => {
                    if depth <= 1 {
                        return at + usize::from(depth == 1);
                    }
                    depth -= 1;
                    at += 1;
                }
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
                _ => at += 1,
            }
        }
        bytes.len()
    }

    /// Line and column of a byte, from 1, in characters.
    #[must_use]
    pub fn position(&self, byte: usize) -> (u32, u32) {
        position(self.text.as_bytes(), byte)
    }
}

/// Line and column of a byte, from 1, in characters.
#[must_use]
pub fn position(bytes: &[u8], byte: usize) -> (u32, u32) {
    let before = &bytes[..byte.min(bytes.len())];
    let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
    let start = before
        .iter()
        .rposition(|&b| b == b'\n')
        .map_or(0, |newline| newline + 1);
    let column = 1 + String::from_utf8_lossy(&before[start..]).chars().count();
    let clip = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    (clip(line), clip(column))
}

/// The text of a sound string literal.
fn unescape(literal: &str) -> String {
    let inside = literal
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .unwrap_or(literal);
    if !inside.contains('\\') {
        return inside.to_owned();
    }
    let mut text = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let code = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
        rest = rest.get(at + 2..).unwrap_or_default();
        match code {
            b'n' => text.push('\n'),
            b't' => text.push('\t'),
            b'r' => text.push('\r'),
            b'b' => text.push('\u{8}'),
            b'f' => text.push('\u{c}'),
            b'u' => {
                let unit = hex4(rest).unwrap_or(0xfffd);
                rest = rest.get(4..).unwrap_or_default();
                let low = rest
                    .strip_prefix("\\u")
                    .and_then(hex4)
                    .filter(|low| (0xdc00..0xe000).contains(low));
                let mut point = u32::from(unit);
                if let (0xd800..0xdc00, Some(low)) = (unit, low) {
                    point = 0x1_0000 + ((point - 0xd800) << 10) + (u32::from(low) - 0xdc00);
                    rest = rest.get(6..).unwrap_or_default();
                }
                text.push(char::from_u32(point).unwrap_or('\u{fffd}'));
            }
            other => text.push(char::from(other)),
        }
    }
    text.push_str(rest);
    text
}

fn hex4(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    digits
        .bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())?
}

struct Judge<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Judge<'_> {
    fn fail<T>(&self, fault: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at, fault })
    }
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }
    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    /// Judges a value. At most `depth` more levels may open.
    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        self.space();
        match self.peek() {
            None => self.fail("the text ends where a value must stand"),
            Some(b'{' | b'[') if depth == 0 => {
                self.fail("the value is nested more than 64 levels deep")
            }
            Some(b'{') => self.container(b'}', depth),
            Some(b'[') => self.container(b']', depth),
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(_) => {
                let rest = &self.bytes[self.at..];
                let word = ["true", "false", "null"]
                    .into_iter()
                    .find(|word| rest.starts_with(word.as_bytes()));
                match word {
                    Some(word) => {
                        self.at += word.len();
                        Ok(())
                    }
                    None => self.fail("this is no JSON value"),
                }
            }
        }
    }
    fn container(&mut self, close: u8, depth: usize) -> Result<(), JsonError> {
        self.at += 1;
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.space();
            if close == b'}' {
                if self.peek() != Some(b'"') {
                    return self.fail("the name of a member must stand here, in double quotes");
                }
                self.string()?;
                self.space();
                if self.peek() != Some(b':') {
                    return self.fail("a colon must stand here");
                }
                self.at += 1;
            }
            self.value(depth - 1)?;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(byte) if byte == close => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) | None => {
                    return self.fail("a comma or the end of the list must stand here");
                }
            }
        }
    }
    fn string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.fail("the text ends inside a string"),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(0..0x20) => {
                    return self.fail("a control character stands in a string, it must be escaped");
                }
                Some(b'\\') => self.escape()?,
                Some(_) => self.at += 1,
            }
        }
    }
    fn escape(&mut self) -> Result<(), JsonError> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => {
                let unit = self.unit(self.at);
                let low = self.unit(self.at + 6);
                match (unit, low) {
                    (Some(0xd800..0xdc00), Some(0xdc00..0xe000)) => self.at += 12,
                    (Some(0xd800..0xe000), _) => {
                        return self.fail("half of a character pair stands alone");
                    }
                    (Some(_), _) => self.at += 6,
                    (None, _) => return self.fail("four hexadecimal digits must follow"),
                }
                Ok(())
            }
            Some(_) | None => self.fail("this is no escape of JSON"),
        }
    }
    /// The code unit of a `\uXXXX` at this byte.
    fn unit(&self, at: usize) -> Option<u16> {
        let bytes = self
            .bytes
            .get(at..at + 6)
            .filter(|bytes| bytes.starts_with(b"\\u"))?;
        hex4(std::str::from_utf8(&bytes[2..]).ok()?)
    }
    fn number(&mut self) -> Result<(), JsonError> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits()?;
        if leading_zero && digits > 1 {
            return self.fail("a number does not start with 0");
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }
    fn digits(&mut self) -> Result<usize, JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            self.fail("a digit must stand here")
        } else {
            Ok(self.at - start)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_where_they_stand() {
        let text = br#" {"a" : [1, "x\u00e9\ud83d\ude00", {"b":null}] , "c":-2.5} "#;
        let json = Json::judge(text).unwrap();
        let members: Vec<_> = json.members(json.root()).collect();
        assert_eq!(members.len(), 2);
        let elements: Vec<_> = json.elements(members[0].2).collect();
        let kinds: Vec<_> = elements.iter().map(|&at| json.kind(at)).collect();
        assert_eq!(kinds, [Kind::Integer, Kind::String, Kind::Object]);
        assert_eq!(json.string(elements[1]), "x\u{e9}\u{1f600}");
        assert_eq!(
            json.compact(members[0].2),
            r#"[1,"x\u00e9\ud83d\ude00",{"b":null}]"#
        );
        assert_eq!(json.kind(members[1].2), Kind::Number);
        assert_eq!(json.raw(members[1].2), "-2.5");
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_is_wrong() {
        for (text, at) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("01", 2),
            ("\"\\x\"", 1),
            ("[] x", 3),
        ] {
            assert_eq!(Json::judge(text.as_bytes()).unwrap_err().at, at, "{text}");
        }
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(Json::judge(deep(64).as_bytes()).is_ok());
        assert!(Json::judge(deep(65).as_bytes()).is_err());
    }
}
