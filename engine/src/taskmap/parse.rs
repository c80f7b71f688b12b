//! Text -> map: which form it is, the PMI vector, and the raw list of task ids. JSON has a file of its own.

use super::append::Appender;
use super::blocks::Block;
use super::cursor::{Cursor, Number, Sign, is_white};
use super::error::{Field, FoundText, MapPlace, TaskMapError};
use super::job_node::JobNode;
use super::json;
use super::map::TaskMap;
use crate::count::Rank;
use crate::limit::TASKMAP_TASKS_MAX;

/// Reads a map of any form. Source: taskmap "Reading".
pub(super) fn read(text: &[u8]) -> Result<TaskMap, TaskMapError> {
    let end = text
        .iter()
        .rposition(|&byte| !is_white(byte))
        .map_or(0, |last| last + 1);
    let mut cursor = Cursor {
        text: &text[..end],
        at: 0,
    };
    cursor.skip_white();
    match cursor.peek() {
        None => Ok(TaskMap::unknown()),
        Some(b'{' | b'[') => json::read(cursor),
        Some(b'(') => pmi(cursor),
        Some(_) => raw(cursor),
    }
}

/// Reads `(vector,(nodeid,nnodes,ppn),…)`.
fn pmi(mut cursor: Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    cursor.expect(b'(', "`(`")?;
    cursor.skip_white();
    if !cursor.text[cursor.at..].starts_with(b"vector") {
        return Err(cursor.syntax("`vector`"));
    }
    cursor.at += b"vector".len();
    cursor.expect(b',', "`,` and the blocks")?;
    loop {
        cursor.skip_white();
        let at = cursor.at;
        cursor.expect(b'(', "a block, `(nodeid,nnodes,ppn)`")?;
        let first = pmi_number(&mut cursor, Field::NodeId)?;
        cursor.expect(b',', "`,` and nnodes")?;
        let nodes = pmi_number(&mut cursor, Field::Nnodes)?;
        cursor.expect(b',', "`,` and ppn")?;
        let ppn = pmi_number(&mut cursor, Field::Ppn)?;
        cursor.expect(b')', "`)` after the three numbers of a block")?;
        appender.block(
            Block {
                first,
                nodes,
                ppn,
                repeat: 1,
            },
            MapPlace::Byte(at),
        )?;
        cursor.skip_white();
        if cursor.take(b',').is_some() {
            cursor.skip_white();
            if cursor.peek() != Some(b')') {
                continue;
            }
        }
        cursor.expect(b')', "`,` and another block, or `)`")?;
        break;
    }
    cursor.skip_white();
    cursor
        .peek()
        .map_or(Ok(()), |_| Err(cursor.syntax("the end")))?;
    Ok(appender.finish())
}

fn pmi_number(cursor: &mut Cursor<'_>, field: Field) -> Result<u32, TaskMapError> {
    cursor.skip_white();
    let at = cursor.at;
    let sign = cursor.take(b'-').map_or(Sign::None, |()| Sign::Minus);
    let digits = cursor.digits();
    if digits.is_empty() {
        return Err(cursor.syntax("a number"));
    }
    Number { sign, digits, at }.as_field(field)
}

/// Tasks that one node names in one go.
#[derive(Clone, Copy, Debug)]
struct Named {
    start: u32,
    end: u32,
    node: u32,
}

/// Reads node 0's task ids, `;`, node 1's, and so on.
///
/// Each node's ranges ascend, so that they are as many sorted pieces; the stable sort finds and merges those.
fn raw(mut cursor: Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let mut named = Vec::new();
    let (mut node, mut next) = (0, 0);
    loop {
        let range = raw_range(&mut cursor, next)?;
        next = range.end;
        named.push(Named {
            start: range.start,
            end: range.end,
            node,
        });
        if cursor.take(b',').is_some() {
            continue;
        }
        if cursor.take(b';').is_none() {
            break;
        }
        (node, next) = (node.saturating_add(1), 0);
    }
    cursor
        .peek()
        .map_or(Ok(()), |_| Err(cursor.syntax("a task id, `-`, `,` or `;`")))?;
    if !named.is_sorted_by_key(|range| range.start) {
        named.sort_by_key(|range| range.start);
    }
    join(&named)
}

/// One task id, or a range of them, none below `least`.
fn raw_range(cursor: &mut Cursor<'_>, least: u32) -> Result<std::ops::Range<u32>, TaskMapError> {
    let at = cursor.at;
    let start = raw_number(cursor)?;
    if start < least {
        let found = FoundText::Named("one that is not above those before it");
        return Err(TaskMapError::Syntax {
            expected: "a larger task id",
            found,
            at,
        });
    }
    if cursor.take(b'-').is_none() {
        return Ok(start..start + 1);
    }
    let at = cursor.at;
    let last = raw_number(cursor)?;
    if last <= start {
        let found = FoundText::Named("one that is not above its start");
        return Err(TaskMapError::Syntax {
            expected: "a larger end of the range",
            found,
            at,
        });
    }
    Ok(start..last + 1)
}

fn raw_number(cursor: &mut Cursor<'_>) -> Result<u32, TaskMapError> {
    let at = cursor.at;
    let digits = cursor.digits();
    if digits.is_empty() {
        return Err(cursor.syntax("a task id"));
    }
    if digits[0] == b'0' && digits.len() > 1 {
        let found = FoundText::Named("a leading zero");
        return Err(TaskMapError::Syntax {
            expected: "a task id",
            found,
            at,
        });
    }
    Number {
        sign: Sign::None,
        digits,
        at,
    }
    .at_most("task id", TASKMAP_TASKS_MAX - 1)
}

/// Ranges in the order of their starts -> the map, when each task is in exactly one.
fn join(named: &[Named]) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    let mut next = 0;
    for (at, range) in named.iter().enumerate() {
        if range.start > next {
            let (task, next, node) = (Rank(next), Rank(range.start), JobNode(range.node));
            return Err(TaskMapError::Gap { task, next, node });
        }
        if range.start < next {
            let task = Rank(range.start);
            let mut earlier = named[..at].iter().rev();
            let first = earlier
                .find(|earlier| earlier.end > range.start)
                .map_or(0, |earlier| earlier.node);
            return Err(TaskMapError::Overlap {
                task,
                first: JobNode(first),
                second: JobNode(range.node),
            });
        }
        appender.run(range.node, range.end - range.start, MapPlace::Block(at))?;
        next = range.end;
    }
    Ok(appender.finish())
}
