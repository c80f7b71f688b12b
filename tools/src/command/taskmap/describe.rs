//! A task map in words and as a picture, for people.

use super::{Size, Sizes};
use std::fmt::Write as _;
use std::ops::Range;
use stowplan_engine::taskmap::{Block, Blocks, TaskMap, TaskMapError};

/// The most blocks that are described one by one.
const BLOCKS_SHOWN: usize = 24;
/// The most rows of the picture: a row is a node, or as many nodes as needed.
const ROWS: u32 = 16;
/// The most columns of the picture: a column is a task, or as many tasks as needed.
const COLUMNS: u32 = 64;
/// The most characters of a PMI-1 value.
const PMI_CHARS: u64 = 1024;

/// The map for people: totals, a line per block, a picture, and the size in each spelling.
///
/// Cost: O(blocks), times the rows of the picture.
pub(super) fn describe(map: &TaskMap) -> Result<String, TaskMapError> {
    if map.is_unknown() {
        return Ok("The mapping is unknown: no nodes, no tasks.\n".to_owned());
    }
    let (nodes, tasks) = (map.node_count()?, map.task_count()?.0);
    let blocks = map.fewest_blocks();
    let mut text = format!(
        "{} on {}, {}\n\n",
        many(tasks, "task"),
        many(nodes, "node"),
        many(blocks.len(), "block")
    );
    blocks_in_words(&blocks, &mut text);
    picture(map.flux_blocks(), nodes, tasks, &mut text);
    sizes(Sizes::of(map)?, &mut text);
    Ok(text)
}

fn many(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn span(numbers: &Range<u32>, what: &str) -> String {
    match numbers.end - numbers.start {
        1 => format!("{what} {}", numbers.start),
        _ => format!("{what}s {} to {}", numbers.start, numbers.end - 1),
    }
}

fn blocks_in_words(blocks: &Blocks, text: &mut String) {
    let mut start = 0;
    for Block {
        first,
        nodes,
        ppn,
        repeat,
    } in blocks.iter().take(BLOCKS_SHOWN)
    {
        let end = start + nodes * ppn * repeat;
        let block = format!("[{first},{nodes},{ppn},{repeat}]");
        let (here, tasks) = (
            span(&(first..first + nodes), "node"),
            span(&(start..end), "task"),
        );
        let each = match (nodes, repeat) {
            (1, _) => many(ppn * repeat, "task"),
            (_, 1) => format!("{} each, node after node", many(ppn, "task")),
            (_, _) => format!("{} each in turn, {repeat} rounds", many(ppn, "task")),
        };
        writeln!(text, "{block:<20} {tasks} on {here}: {each}").expect("a string takes all");
        start = end;
    }
    if blocks.len() > BLOCKS_SHOWN {
        writeln!(
            text,
            "… and {}",
            many(blocks.len() - BLOCKS_SHOWN, "more block")
        )
        .expect("a string takes all");
    }
}

/// Splits `0..all` into at most `most` equal parts; the last may be shorter.
fn parts(all: u32, most: u32) -> impl Iterator<Item = Range<u32>> + Clone {
    let each = all.div_ceil(most);
    (0..all.div_ceil(each)).map(move |at| at * each..(at + 1).saturating_mul(each).min(all))
}

/// Draws nodes downwards and tasks to the right. `#`: all these tasks are on these nodes, `+`: some, `.`: none.
fn picture(blocks: &Blocks, nodes: u32, tasks: u32, text: &mut String) {
    let rows = parts(nodes, ROWS);
    let label = |row: &Range<u32>| match row.len() {
        1 => row.start.to_string(),
        _ => format!("{}-{}", row.start, row.end - 1),
    };
    let wide = rows
        .clone()
        .map(|row| label(&row).len())
        .max()
        .unwrap_or(0)
        .max("node".len());
    let column = tasks.div_ceil(COLUMNS);
    writeln!(text, "\n{:>wide$}  tasks, {column} a column", "node").expect("a string takes all");
    for row in rows {
        write!(text, "{:>wide$}  ", label(&row)).expect("a string takes all");
        for (cell, on) in parts(tasks, COLUMNS).zip(row_counts(blocks, &row, tasks)) {
            text.push(match on {
                0 => '.',
                on if on == cell.end - cell.start => '#',
                _ => '+',
            });
        }
        text.push('\n');
    }
}

/// For each column, how many of its tasks are on the nodes of a row. One walk over blocks and columns together.
fn row_counts(blocks: &Blocks, row: &Range<u32>, tasks: u32) -> Vec<u32> {
    let mut cells = parts(tasks, COLUMNS).peekable();
    let (mut start, mut on, mut counted) = (0, 0, 0);
    let mut counts = Vec::new();
    for block in blocks.iter() {
        let end = start + block.nodes * block.ppn * block.repeat;
        while let Some(cell) = cells.next_if(|cell| cell.end <= end) {
            let upto = on + tasks_on(block, row, cell.end - start);
            counts.push(upto - counted);
            counted = upto;
        }
        on += tasks_on(block, row, end - start);
        start = end;
    }
    counts
}

/// How many of the first `first` tasks of a block are on the nodes of a row.
fn tasks_on(block: Block, row: &Range<u32>, first: u32) -> u32 {
    let Block {
        first: from,
        nodes,
        ppn,
        ..
    } = block;
    let within = |node: u32| node.clamp(from, from + nodes) - from;
    let (start, end) = (within(row.start) * ppn, within(row.end) * ppn);
    let period = nodes * ppn;
    (first / period) * (end - start) + (first % period).clamp(start, end) - start
}

fn sizes(sizes: Sizes, text: &mut String) {
    let fits = if sizes.pmi.chars <= PMI_CHARS {
        "fits a PMI-1 value"
    } else {
        "too long for a PMI-1 value"
    };
    writeln!(text, "\n{:<9}{:>11}{:>12}", "", "blocks", "characters").expect("a string takes all");
    for (name, Size { blocks, chars }, note) in [
        ("map", sizes.map, ""),
        ("by Flux", sizes.flux, ""),
        ("PMI", sizes.pmi, fits),
    ] {
        let line = format!("{name:<9}{blocks:>11}{chars:>12}  {note}");
        writeln!(text, "{}", line.trim_end()).expect("a string takes all");
    }
}
