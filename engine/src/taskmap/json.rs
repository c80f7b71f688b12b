//! RFC 34 JSON -> map: the array of blocks, alone or with its version. It follows RFC 8259, with a limit on nesting.

use super::append::Appender;
use super::blocks::Block;
use super::cursor::{Cursor, Number, named};
use super::error::{Field, MapPlace, TaskMapError};
use super::map::TaskMap;
use crate::limit::TASKMAP_DEPTH_MAX;
use std::collections::BTreeSet;

/// Reads a map whose first byte is `[` or `{`.
pub(super) fn read(mut cursor: Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let map = if cursor.peek() == Some(b'{') {
        wrapped(&mut cursor)?
    } else {
        blocks(&mut cursor)?
    };
    cursor.end()?;
    Ok(map)
}

/// Steps over an array or object, brackets included; `each` reads an element or a member. `more` says what may follow
/// one.
fn list<'a>(
    cursor: &mut Cursor<'a>,
    close: u8,
    more: &'static str,
    mut each: impl FnMut(&mut Cursor<'a>) -> Result<(), TaskMapError>,
) -> Result<(), TaskMapError> {
    cursor.at += 1;
    cursor.skip_white();
    if cursor.take(close) {
        return Ok(());
    }
    loop {
        cursor.skip_white();
        each(cursor)?;
        cursor.skip_white();
        if !cursor.take(b',') {
            return cursor.expect(close, more);
        }
    }
}

/// Reads a key, and steps over its colon.
fn key(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<String, TaskMapError> {
    if cursor.peek() != Some(b'"') {
        return Err(cursor.syntax(expected));
    }
    let key = string(cursor)?;
    cursor.expect(b':', "`:` and the value of the key")?;
    cursor.skip_white();
    Ok(key)
}

/// Reads `{"version":1,"map":…}`, which may have other keys.
fn wrapped(cursor: &mut Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let start = cursor.at;
    let (mut map, mut version) = (None, None);
    let mut keys = BTreeSet::new();
    list(cursor, b'}', "`,` or `}`", |cursor| {
        let at = cursor.at;
        let first = keys.is_empty();
        let key = key(cursor, if first { "a key or `}`" } else { "a key" })?;
        if keys.contains(&key) {
            return Err(named("each key once", "a key for the second time", at));
        }
        match key.as_str() {
            "version" => version = Some(read_version(cursor)?),
            "map" => map = Some(blocks(cursor)?),
            _ => skip(cursor, 2)?,
        }
        keys.insert(key);
        Ok(())
    })?;
    let missing = |key| wrong(key, "an object without it", start);
    version.ok_or_else(|| missing("the key `version`"))?;
    map.ok_or_else(|| missing("the key `map`"))
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<(), TaskMapError> {
    let number = integer(cursor, "the version, an integer")?;
    if number.value() == Some(1) {
        return Ok(());
    }
    Err(TaskMapError::Version {
        found: number.shown(),
        at: number.at,
    })
}

/// Reads `[[nodeid,nnodes,ppn,repeat],…]`.
fn blocks(cursor: &mut Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    if cursor.peek() != Some(b'[') {
        return Err(other_value(cursor, "an array of blocks"));
    }
    list(cursor, b']', "`,` and another block, or `]`", |cursor| {
        let at = MapPlace::Byte(cursor.at);
        appender.block(block(cursor)?, at)
    })?;
    Ok(appender.finish())
}

fn block(cursor: &mut Cursor<'_>) -> Result<Block, TaskMapError> {
    const BLOCK: &str = "a block, `[nodeid,nnodes,ppn,repeat]`";
    let start = cursor.at;
    if !cursor.take(b'[') {
        return Err(other_value(cursor, BLOCK));
    }
    let field = |cursor: &mut Cursor<'_>, field| {
        cursor.skip_white();
        if cursor.peek() == Some(b']') {
            return Err(wrong(BLOCK, "fewer than four integers", start));
        }
        if field != Field::NodeId {
            cursor.expect(b',', "`,` and the next integer of the block")?;
            cursor.skip_white();
        }
        integer(cursor, "an integer")?.as_field(field)
    };
    let block = Block {
        first: field(cursor, Field::NodeId)?,
        nodes: field(cursor, Field::Nnodes)?,
        ppn: field(cursor, Field::Ppn)?,
        repeat: field(cursor, Field::Repeat)?,
    };
    cursor.skip_white();
    if cursor.peek() == Some(b',') {
        return Err(wrong(BLOCK, "more than four values", start));
    }
    cursor.expect(b']', "`]` after the four integers of a block")?;
    Ok(block)
}

/// Reads a number without fraction or exponent.
fn integer<'a>(
    cursor: &mut Cursor<'a>,
    expected: &'static str,
) -> Result<Number<'a>, TaskMapError> {
    if !matches!(cursor.peek(), Some(b'-' | b'0'..=b'9')) {
        return Err(other_value(cursor, expected));
    }
    let at = cursor.at;
    let found = "a number with a fraction or an exponent";
    number(cursor)?.ok_or_else(|| wrong(expected, found, at))
}

/// Steps over a number. Returns it if it is written as an integer.
fn number<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Number<'a>>, TaskMapError> {
    let number = cursor.integer("a digit")?.without_zeros("a number")?;
    let end = cursor.at;
    if cursor.take(b'.') {
        cursor.natural("a digit")?;
    }
    if cursor.take(b'e') || cursor.take(b'E') {
        let _sign = cursor.take(b'+') || cursor.take(b'-');
        cursor.natural("a digit")?;
    }
    // `0x1` is no number, so it has no value to judge.
    if !matches!(
        cursor.peek(),
        None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n')
    ) {
        return Err(cursor.syntax("the end of the number"));
    }
    Ok((cursor.at == end).then_some(number))
}

/// The error for valid JSON of another shape than the expected one.
fn wrong(expected: &'static str, found: &'static str, at: usize) -> TaskMapError {
    TaskMapError::Type {
        expected,
        found,
        at,
    }
}

/// The error for a value of another kind than the expected one, or for none at all.
fn other_value(cursor: &Cursor<'_>, expected: &'static str) -> TaskMapError {
    let rest = cursor.rest();
    let found = match rest.first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b'-' | b'0'..=b'9') => "a number",
        Some(_) if rest.starts_with(b"true") || rest.starts_with(b"false") => "a truth value",
        Some(_) if rest.starts_with(b"null") => "null",
        Some(_) | None => return cursor.syntax(expected),
    };
    wrong(expected, found, cursor.at)
}

/// Steps over any value. `depth`: how deep it is nested, itself counted.
fn skip(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), TaskMapError> {
    const MORE: &str = "`,` or the closing bracket";
    if depth > TASKMAP_DEPTH_MAX {
        let found = "one that is nested deeper";
        return Err(named("a value at most 8 deep", found, cursor.at));
    }
    match cursor.peek() {
        Some(b'{') => list(cursor, b'}', MORE, |cursor| {
            key(cursor, "a key")?;
            skip(cursor, depth + 1)
        }),
        Some(b'[') => list(cursor, b']', MORE, |cursor| skip(cursor, depth + 1)),
        Some(b'"') => string(cursor).map(drop),
        Some(b'-' | b'0'..=b'9') => number(cursor).map(drop),
        Some(_) | None => {
            let mut words = ["true", "false", "null"].into_iter();
            let word = words.find(|word| cursor.rest().starts_with(word.as_bytes()));
            cursor.at += word.ok_or_else(|| cursor.syntax("a value"))?.len();
            Ok(())
        }
    }
}

/// Reads a string, from its opening quote to its closing one.
fn string(cursor: &mut Cursor<'_>) -> Result<String, TaskMapError> {
    let mut read = String::new();
    cursor.at += 1;
    loop {
        let rest = cursor.rest();
        let plain = rest
            .iter()
            .position(|&byte| matches!(byte, b'"' | b'\\' | ..0x20))
            .unwrap_or(rest.len());
        match std::str::from_utf8(&rest[..plain]) {
            Ok(text) => read.push_str(text),
            Err(error) => {
                cursor.at += error.valid_up_to();
                return Err(cursor.syntax("UTF-8"));
            }
        }
        cursor.at += plain;
        if cursor.take(b'"') {
            return Ok(read);
        }
        if !cursor.take(b'\\') {
            return Err(cursor.syntax("the rest of a string"));
        }
        read.push(escape(cursor)?);
    }
}

/// Reads what follows a backslash.
fn escape(cursor: &mut Cursor<'_>) -> Result<char, TaskMapError> {
    let plain = match cursor.peek() {
        Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(cursor),
        Some(_) | None => return Err(cursor.syntax("an escape of JSON")),
    };
    cursor.at += 1;
    Ok(plain)
}

/// Reads `uXXXX`, or two of them that are one character.
fn unicode(cursor: &mut Cursor<'_>) -> Result<char, TaskMapError> {
    let start = cursor.at;
    let first = utf16(cursor)?;
    let mut second = None;
    if (0xd800..0xdc00).contains(&first) && cursor.rest().starts_with(b"\\u") {
        cursor.at += 1;
        second = Some(utf16(cursor)?);
    }
    match char::decode_utf16([first].into_iter().chain(second)).next() {
        Some(Ok(read)) => Ok(read),
        Some(Err(_)) | None => Err(named("a character", "half of a pair", start)),
    }
}

/// Reads `u` and four hexadecimal digits.
fn utf16(cursor: &mut Cursor<'_>) -> Result<u16, TaskMapError> {
    let mut unit: u32 = 0;
    for _ in 0..4 {
        cursor.at += 1;
        let digit = cursor.peek().and_then(|byte| char::from(byte).to_digit(16));
        unit = unit * 16 + digit.ok_or_else(|| cursor.syntax("four hexadecimal digits"))?;
    }
    cursor.at += 1;
    Ok(u16::try_from(unit).expect("four hexadecimal digits are 16 bits"))
}
