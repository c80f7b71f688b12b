//! Text -> map: finds the form, and reads the PMI vector and the raw list of task ids. `json.rs` reads JSON.

use super::append::Appender;
use super::blocks::{Block, JobNode};
use super::cursor::{Cursor, Number, is_white, named};
use super::error::{Field, MapPlace, TaskMapError};
use super::json;
use super::map::TaskMap;
use crate::count::Rank;
use crate::limit::TASKMAP_TASKS_MAX;
use std::ops::Range;

impl TaskMap {
    /// Reads a map of any form: JSON array or object, PMI vector, raw task ids; the first character tells which.
    ///
    /// # Errors
    /// The classes of errors "Plans, sessions, task maps, output" from `taskmap-syntax` to `taskmap-gap`, each with a byte offset or the task.
    ///
    /// Cost: time and memory in proportion to the length of the text. Source: taskmap "Reading".
    pub fn read(text: &[u8]) -> Result<Self, TaskMapError> {
        let last = text.iter().rposition(|&byte| !is_white(byte));
        let end = last.map_or(0, |last| last + 1);
        let mut cursor = Cursor {
            text: &text[..end],
            at: 0,
        };
        cursor.skip_white();
        match cursor.peek() {
            None => Ok(Self::unknown()),
            Some(b'{' | b'[') => json::read(cursor),
            Some(b'(') => pmi(cursor),
            Some(_) => raw(cursor),
        }
    }
}

/// Reads `(vector,(nodeid,nnodes,ppn),…)`.
fn pmi(mut cursor: Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    cursor.expect(b'(', "`(`")?;
    cursor.skip_white();
    if !cursor.rest().starts_with(b"vector") {
        return Err(cursor.syntax("`vector`"));
    }
    cursor.at += b"vector".len();
    cursor.expect(b',', "`,` and the blocks")?;
    loop {
        cursor.skip_white();
        let at = MapPlace::Byte(cursor.at);
        cursor.expect(b'(', "a block, `(nodeid,nnodes,ppn)`")?;
        let first = pmi_number(&mut cursor)?.as_field(Field::NodeId)?;
        cursor.expect(b',', "`,` and nnodes")?;
        let nodes = pmi_number(&mut cursor)?.as_field(Field::Nnodes)?;
        cursor.expect(b',', "`,` and ppn")?;
        let ppn = pmi_number(&mut cursor)?.as_field(Field::Ppn)?;
        cursor.expect(b')', "`)` after the three numbers of a block")?;
        appender.block(Block::ramp(first, nodes, ppn), at)?;
        cursor.skip_white();
        if cursor.take(b',') {
            cursor.skip_white();
            if cursor.peek() != Some(b')') {
                continue;
            }
        }
        cursor.expect(b')', "`,` and another block, or `)`")?;
        cursor.end()?;
        return Ok(appender.finish());
    }
}

fn pmi_number<'a>(cursor: &mut Cursor<'a>) -> Result<Number<'a>, TaskMapError> {
    cursor.skip_white();
    cursor.integer("a number")
}

/// A range of tasks, and the node that names it.
#[derive(Clone, Debug)]
struct Named {
    tasks: Range<u32>,
    node: u32,
}

/// Reads node 0's task ids, `;`, node 1's, and so on.
///
/// The ranges of each node ascend, so there is one sorted piece per node. The stable sort finds and merges these
/// pieces.
fn raw(mut cursor: Cursor<'_>) -> Result<TaskMap, TaskMapError> {
    let mut all = Vec::new();
    let (mut node, mut next) = (0, 0);
    loop {
        let tasks = raw_range(&mut cursor, next)?;
        next = tasks.end;
        all.push(Named { tasks, node });
        if cursor.take(b',') {
            continue;
        }
        if !cursor.take(b';') {
            break;
        }
        (node, next) = (node.saturating_add(1), 0);
    }
    if cursor.peek().is_some() {
        return Err(cursor.syntax("a task id, `-`, `,` or `;`"));
    }
    all.sort_by_key(|named| named.tasks.start);
    join(&all)
}

/// One task id, or a range of them, none below `least`.
fn raw_range(cursor: &mut Cursor<'_>, least: u32) -> Result<Range<u32>, TaskMapError> {
    let at = cursor.at;
    let start = raw_number(cursor)?;
    if start < least {
        let found = "one that is not above those before it";
        return Err(named("a larger task id", found, at));
    }
    if !cursor.take(b'-') {
        return Ok(start..start + 1);
    }
    let at = cursor.at;
    let last = raw_number(cursor)?;
    if last <= start {
        let found = "one that is not above its start";
        return Err(named("a larger end of the range", found, at));
    }
    Ok(start..last + 1)
}

fn raw_number(cursor: &mut Cursor<'_>) -> Result<u32, TaskMapError> {
    let number = cursor.natural("a task id")?;
    let number = number.without_zeros("a task id")?;
    number.at_most("task id", TASKMAP_TASKS_MAX - 1)
}

/// Ranges in the order of their starts -> the map, when each task is in exactly one.
fn join(all: &[Named]) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    let mut next = 0;
    for (at, Named { tasks, node }) in all.iter().enumerate() {
        let (task, node) = (Rank(tasks.start), JobNode(*node));
        if tasks.start > next {
            return Err(TaskMapError::Gap {
                task: Rank(next),
                next: task,
                node,
            });
        }
        if tasks.start < next {
            let mut earlier = all[..at].iter().rev();
            let first = earlier.find(|earlier| earlier.tasks.end > tasks.start);
            return Err(TaskMapError::Overlap {
                task,
                first: JobNode(first.map_or(0, |first| first.node)),
                second: node,
            });
        }
        appender.run(node.0, tasks.end - tasks.start, MapPlace::Block(at))?;
        next = tasks.end;
    }
    Ok(appender.finish())
}
