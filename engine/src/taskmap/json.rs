//! JSON -> map: the array of blocks, alone or wrapped with its version. Per RFC 8259, and no deeper than it must be.

use super::append::Appender;
use super::blocks::Block;
use super::cursor::{Cursor, Number, Sign};
use super::error::{Field, FoundText, MapPlace, TaskMapError};
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
    cursor.skip_white();
    cursor
        .peek()
        .map_or(Ok(map), |_| Err(cursor.syntax("the end")))
}

/// `{"version":1,"map":…}`, with other keys among them.
fn wrapped(cursor: &mut Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let start = cursor.at;
    let (mut map, mut version) = (None, None);
    let mut keys = BTreeSet::new();
    cursor.expect(b'{', "`{`")?;
    let mut close = "a key or `}`";
    loop {
        cursor.skip_white();
        if keys.is_empty() && cursor.take(b'}').is_some() {
            break;
        }
        let at = cursor.at;
        if cursor.peek() != Some(b'"') {
            return Err(cursor.syntax(close));
        }
        let key = string(cursor)?;
        cursor.expect(b':', "`:` and the value of the key")?;
        cursor.skip_white();
        let known = (key == "version", key == "map");
        if !keys.insert(key) {
            let found = FoundText::Named("a key for the second time");
            return Err(TaskMapError::Syntax {
                expected: "each key once",
                found,
                at,
            });
        }
        match known {
            (true, _) => version = Some(read_version(cursor)?),
            (_, true) => map = Some(blocks(cursor)?),
            (false, false) => skip(cursor, 2)?,
        }
        cursor.skip_white();
        if cursor.take(b',').is_none() {
            cursor.expect(b'}', "`,` or `}`")?;
            break;
        }
        close = "a key";
    }
    let missing = |expected| TaskMapError::Type {
        expected,
        found: "an object without it",
        at: start,
    };
    version.ok_or_else(|| missing("the key `version`"))?;
    map.ok_or_else(|| missing("the key `map`"))
}

fn read_version(cursor: &mut Cursor<'_>) -> Result<(), TaskMapError> {
    let number = integer(cursor, "the version, an integer")?;
    if number.sign == Sign::None && number.magnitude() == Some(1) {
        return Ok(());
    }
    Err(TaskMapError::Version {
        found: number.shown(),
        at: number.at,
    })
}

/// `[[nodeid,nnodes,ppn,repeat],…]`.
fn blocks(cursor: &mut Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    const MAP: &str = "an array of blocks";
    let mut appender = Appender::new();
    if cursor.take(b'[').is_none() {
        return Err(other_value(cursor, MAP));
    }
    cursor.skip_white();
    if cursor.take(b']').is_some() {
        return Ok(appender.finish());
    }
    loop {
        cursor.skip_white();
        let at = cursor.at;
        let block = block(cursor)?;
        appender.block(block, MapPlace::Byte(at))?;
        cursor.skip_white();
        if cursor.take(b',').is_none() {
            cursor.expect(b']', "`,` and another block, or `]`")?;
            return Ok(appender.finish());
        }
    }
}

fn block(cursor: &mut Cursor<'_>) -> Result<Block, TaskMapError> {
    const BLOCK: &str = "a block, `[nodeid,nnodes,ppn,repeat]`";
    let start = cursor.at;
    if cursor.take(b'[').is_none() {
        return Err(other_value(cursor, BLOCK));
    }
    let mut values = [0; 4];
    for (place, field) in [Field::NodeId, Field::Nnodes, Field::Ppn, Field::Repeat]
        .into_iter()
        .enumerate()
    {
        cursor.skip_white();
        if cursor.peek() == Some(b']') {
            return Err(TaskMapError::Type {
                expected: BLOCK,
                found: "fewer than four integers",
                at: start,
            });
        }
        if place > 0 {
            cursor.expect(b',', "`,` and the next integer of the block")?;
            cursor.skip_white();
        }
        values[place] = integer(cursor, "an integer")?.as_field(field)?;
    }
    cursor.skip_white();
    if cursor.peek() == Some(b',') {
        return Err(TaskMapError::Type {
            expected: BLOCK,
            found: "more than four values",
            at: start,
        });
    }
    cursor.expect(b']', "`]` after the four integers of a block")?;
    let [first, nodes, ppn, repeat] = values;
    Ok(Block {
        first,
        nodes,
        ppn,
        repeat,
    })
}

/// A number without fraction or exponent.
fn integer<'a>(
    cursor: &mut Cursor<'a>,
    expected: &'static str,
) -> Result<Number<'a>, TaskMapError> {
    if !matches!(cursor.peek(), Some(b'-' | b'0'..=b'9')) {
        return Err(other_value(cursor, expected));
    }
    let at = cursor.at;
    match number(cursor)? {
        Some(number) => Ok(number),
        None => Err(TaskMapError::Type {
            expected,
            found: "a number with a fraction or an exponent",
            at,
        }),
    }
}

/// Steps over a number; gives it when it is written as an integer.
fn number<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Number<'a>>, TaskMapError> {
    let at = cursor.at;
    let sign = cursor.take(b'-').map_or(Sign::None, |()| Sign::Minus);
    let digits = cursor.digits();
    if digits.is_empty() {
        return Err(cursor.syntax("a digit"));
    }
    if digits[0] == b'0' && digits.len() > 1 {
        return Err(TaskMapError::Syntax {
            expected: "a number",
            found: FoundText::Named("a leading zero"),
            at,
        });
    }
    let end = cursor.at;
    if cursor.take(b'.').is_some() && cursor.digits().is_empty() {
        return Err(cursor.syntax("a digit"));
    }
    if cursor.take(b'e').or_else(|| cursor.take(b'E')).is_some() {
        let _sign = cursor.take(b'+').or_else(|| cursor.take(b'-'));
        if cursor.digits().is_empty() {
            return Err(cursor.syntax("a digit"));
        }
    }
    // `0x1` is no number, and so has no value that could be judged.
    if !matches!(
        cursor.peek(),
        None | Some(b',' | b']' | b'}' | b' ' | b'\t' | b'\r' | b'\n')
    ) {
        return Err(cursor.syntax("the end of the number"));
    }
    Ok((cursor.at == end).then_some(Number { sign, digits, at }))
}

/// The error for a value of another kind than the expected one, or for none at all.
fn other_value(cursor: &Cursor<'_>, expected: &'static str) -> TaskMapError {
    let rest = &cursor.text[cursor.at..];
    let found = match rest.first() {
        Some(b'{') => "an object",
        Some(b'[') => "an array",
        Some(b'"') => "a string",
        Some(b'-' | b'0'..=b'9') => "a number",
        Some(_) if rest.starts_with(b"true") || rest.starts_with(b"false") => "a truth value",
        Some(_) if rest.starts_with(b"null") => "null",
        Some(_) | None => return cursor.syntax(expected),
    };
    TaskMapError::Type {
        expected,
        found,
        at: cursor.at,
    }
}

/// Steps over any value. `depth`: how many values it is in, itself counted.
fn skip(cursor: &mut Cursor<'_>, depth: u32) -> Result<(), TaskMapError> {
    if depth > TASKMAP_DEPTH_MAX {
        let found = FoundText::Named("one that is nested deeper");
        return Err(TaskMapError::Syntax {
            expected: "a value at most 8 deep",
            found,
            at: cursor.at,
        });
    }
    match cursor.peek() {
        Some(b'{') => skip_all(cursor, depth, b'}'),
        Some(b'[') => skip_all(cursor, depth, b']'),
        Some(b'"') => string(cursor).map(drop),
        Some(b'-' | b'0'..=b'9') => number(cursor).map(drop),
        Some(_) | None => {
            let rest = &cursor.text[cursor.at..];
            let word = [&b"true"[..], b"false", b"null"]
                .into_iter()
                .find(|&word| rest.starts_with(word));
            cursor.at += word.ok_or_else(|| cursor.syntax("a value"))?.len();
            Ok(())
        }
    }
}

/// Steps over the members of an object or the elements of an array.
fn skip_all(cursor: &mut Cursor<'_>, depth: u32, close: u8) -> Result<(), TaskMapError> {
    cursor.at += 1;
    cursor.skip_white();
    if cursor.take(close).is_some() {
        return Ok(());
    }
    loop {
        cursor.skip_white();
        if close == b'}' {
            if cursor.peek() != Some(b'"') {
                return Err(cursor.syntax("a key"));
            }
            string(cursor)?;
            cursor.expect(b':', "`:` and the value of the key")?;
            cursor.skip_white();
        }
        skip(cursor, depth + 1)?;
        cursor.skip_white();
        if cursor.take(b',').is_none() {
            return cursor.expect(close, "`,` or the closing bracket");
        }
    }
}

/// Reads a string, from its opening quote to behind its closing one.
fn string(cursor: &mut Cursor<'_>) -> Result<String, TaskMapError> {
    let mut read = String::new();
    cursor.at += 1;
    loop {
        let rest = &cursor.text[cursor.at..];
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
        match cursor.peek() {
            Some(b'"') => {
                cursor.at += 1;
                return Ok(read);
            }
            Some(b'\\') => read.push(escape(cursor)?),
            Some(_) | None => return Err(cursor.syntax("the rest of a string")),
        }
    }
}

/// Reads what follows a backslash.
fn escape(cursor: &mut Cursor<'_>) -> Result<char, TaskMapError> {
    cursor.at += 1;
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
    let high = hex(cursor)?;
    let code = match high {
        0xd800..0xdc00 if cursor.text[cursor.at..].starts_with(b"\\u") => {
            cursor.at += 1;
            let low = hex(cursor)?;
            match low {
                0xdc00..0xe000 => 0x10000 + (high - 0xd800) * 0x400 + (low - 0xdc00),
                _ => high,
            }
        }
        _ => high,
    };
    let half = TaskMapError::Syntax {
        expected: "a character",
        found: FoundText::Named("half of a pair"),
        at: start,
    };
    char::from_u32(code).ok_or(half)
}

/// Reads `u` and four hexadecimal digits.
fn hex(cursor: &mut Cursor<'_>) -> Result<u32, TaskMapError> {
    let mut code = 0;
    for _ in 0..4 {
        cursor.at += 1;
        let digit = cursor.peek().and_then(|byte| char::from(byte).to_digit(16));
        code = code * 16 + digit.ok_or_else(|| cursor.syntax("four hexadecimal digits"))?;
    }
    cursor.at += 1;
    Ok(code)
}
