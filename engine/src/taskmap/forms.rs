//! Map -> text: the forms of taskmap "Writing", counted before they are written, and written without being held in memory.

use super::blocks::{Block, Blocks};
use super::error::TaskMapError;
use super::job_node::JobNode;
use super::map::TaskMap;
use crate::limit::TASKMAP_ITEMS_DEFAULT;
use std::borrow::Cow;
use std::fmt;

/// How a map is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The JSON array of blocks.
    Map,
    /// The array with its version.
    Wrapped,
    /// The PMI-1 vector.
    Pmi,
    /// Task ids by node, with ranges.
    Raw,
    /// Task ids by node, one by one.
    Deranged,
    /// A line for each task.
    Multiline,
}

/// Words of `--to`, in the order of the help text. Source: taskmap "Task maps".
pub const FORM_WORDS: &[(&str, Form)] = &[
    ("map", Form::Map),
    ("wrapped", Form::Wrapped),
    ("pmi", Form::Pmi),
    ("raw", Form::Raw),
    ("deranged", Form::Deranged),
    ("multiline", Form::Multiline),
];

/// Which of the encodings of a map is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoder {
    /// Flux's, unless strictly fewer blocks do.
    #[default]
    Best,
    /// Flux's.
    Flux,
}

/// Words of `--encoder`, in the order of the help text. Source: taskmap "Task maps".
pub const ENCODER_WORDS: &[(&str, Encoder)] = &[("best", Encoder::Best), ("flux", Encoder::Flux)];

/// How long an answer may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Blocks, ranges or tasks, whichever the answer is made of.
    pub items: u64,
    /// Characters of the text, without the newline behind it; none: no limit.
    pub chars: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            items: TASKMAP_ITEMS_DEFAULT,
            chars: None,
        }
    }
}

/// A text that is sure to be written: everything that may be refused was. Made by [`TaskMap::text`].
#[derive(Clone, Debug)]
pub struct MapText<'a> {
    map: &'a TaskMap,
    content: Content<'a>,
}

#[derive(Clone, Debug)]
enum Content<'a> {
    Map(Cow<'a, Blocks>),
    Wrapped(Cow<'a, Blocks>),
    Pmi(Cow<'a, Blocks>),
    /// Flux's blocks by first node, then by number.
    Raw(Vec<u32>),
    Deranged(Vec<u32>),
    Multiline,
    TasksOf(JobNode),
}

/// The map as RFC 34 has it, with its version; written in the encoding that has the fewest blocks.
///
/// ```
/// use stowplan_engine::taskmap::TaskMap;
/// let map = TaskMap::read(b"[[0,2,4,1]]").unwrap();
/// assert_eq!(map.to_string(), r#"{"version":1,"map":[[0,2,4,1]]}"#);
/// ```
impl fmt::Display for TaskMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let content = Content::Wrapped(Cow::Owned(self.fewest_blocks()));
        MapText { map: self, content }.fmt(f)
    }
}

impl TaskMap {
    /// The map in a form.
    ///
    /// # Errors
    /// `taskmap-too-large` (counted on Flux's encoding), then `taskmap-empty-node`, then `taskmap-too-long`.
    ///
    /// Cost: that of the encoder; for `raw` and `deranged` a sort of the blocks. Writing costs by what is written; it is
    /// done twice when characters are limited and are not a matter of arithmetic. Source: taskmap "Writing".
    pub fn text(
        &self,
        form: Form,
        encoder: Encoder,
        limits: Limits,
    ) -> Result<MapText<'_>, TaskMapError> {
        self.limit_items(form, limits)?;
        let best = |fewest: fn(&Self) -> Blocks| match encoder {
            Encoder::Best => Cow::Owned(fewest(self)),
            Encoder::Flux => Cow::Borrowed(&self.flux),
        };
        let content = match form {
            Form::Map => Content::Map(best(Self::fewest_blocks)),
            Form::Wrapped => Content::Wrapped(best(Self::fewest_blocks)),
            Form::Pmi => Content::Pmi(best(Self::fewest_pmi_blocks)),
            Form::Raw => Content::Raw(self.blocks_by_node("raw")?),
            Form::Deranged => Content::Deranged(self.blocks_by_node("deranged")?),
            Form::Multiline => Content::Multiline,
        };
        MapText { map: self, content }.within(limits)
    }

    /// The tasks of a node, `0-3,8`.
    ///
    /// # Errors
    /// As [`TaskMap::tasks_of`]; then `taskmap-too-large`, `taskmap-too-long`.
    ///
    /// Cost: O(blocks); writing costs O(blocks + ranges).
    pub fn tasks_text(&self, node: JobNode, limits: Limits) -> Result<MapText<'_>, TaskMapError> {
        let items = self.range_count_of(node)?;
        if items > limits.items {
            return Err(TaskMapError::TooLarge {
                asked: "taskids",
                items,
                unit: "ranges",
                most: limits.items,
            });
        }
        MapText {
            map: self,
            content: Content::TasksOf(node),
        }
        .within(limits)
    }

    fn limit_items(&self, form: Form, limits: Limits) -> Result<(), TaskMapError> {
        let ranges = || {
            self.flux
                .iter()
                .map(|block| u64::from(block.nodes) * u64::from(block.repeat))
                .sum::<u64>()
        };
        let tasks = || u64::from(self.ends.last().copied().unwrap_or(0));
        let (asked, items, unit) = match form {
            Form::Map | Form::Wrapped => return Ok(()),
            Form::Pmi => ("pmi", self.flux.repeats(), "blocks"),
            Form::Raw if u64::from(self.nodes) > limits.items => {
                ("raw", u64::from(self.nodes), "nodes")
            }
            Form::Raw => ("raw", ranges(), "ranges"),
            Form::Deranged => ("deranged", tasks(), "tasks"),
            Form::Multiline => ("multiline", tasks(), "tasks"),
        };
        if items > limits.items {
            return Err(TaskMapError::TooLarge {
                asked,
                items,
                unit,
                most: limits.items,
            });
        }
        Ok(())
    }

    /// Numbers of Flux's blocks, ordered by first node, when each node has a task.
    fn blocks_by_node(&self, form: &'static str) -> Result<Vec<u32>, TaskMapError> {
        let len = u32::try_from(self.flux.len()).expect("a map has no more blocks than tasks");
        let mut order: Vec<u32> = (0..len).collect();
        order.sort_by_key(|&at| self.flux.first[at as usize]);
        let mut covered = 0;
        for block in order.iter().map(|&at| self.flux.at(at as usize)) {
            if block.first > covered {
                break;
            }
            covered = covered.max(block.first + block.nodes);
        }
        if covered < self.nodes {
            return Err(TaskMapError::EmptyNode {
                node: JobNode(covered),
                form,
                nodes: self.nodes,
            });
        }
        Ok(order)
    }
}

impl MapText<'_> {
    /// Writes the text, a piece at a time.
    ///
    /// # Errors
    /// Those of `out` alone.
    pub fn write_to(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut pieces = Pieces {
            ready: Vec::with_capacity(PIECE + 64),
            out,
        };
        match &self.content {
            Content::Map(blocks) => array(blocks, &mut pieces)?,
            Content::Wrapped(blocks) => {
                pieces.word("{\"version\":1,\"map\":");
                array(blocks, &mut pieces)?;
                pieces.word("}");
            }
            Content::Pmi(blocks) => pmi(blocks, &mut pieces)?,
            Content::Raw(order) => by_node(self.map, order, &mut pieces, idset)?,
            Content::Deranged(order) => by_node(self.map, order, &mut pieces, id_list)?,
            Content::Multiline => multiline(self.map, &mut pieces)?,
            Content::TasksOf(node) => {
                let mut comma = "";
                for tasks in self.map.tasks_of(*node).into_iter().flatten() {
                    pieces.word(comma);
                    idset(tasks, &mut pieces)?;
                    comma = ",";
                }
            }
        }
        pieces.flush()
    }

    /// Characters of the text. Cost: O(blocks) for the three forms made of blocks, else that of writing.
    #[must_use]
    pub fn chars(&self) -> u64 {
        match &self.content {
            Content::Map(blocks) => array_chars(blocks),
            Content::Wrapped(blocks) => 20 + array_chars(blocks),
            Content::Pmi(blocks) => pmi_chars(blocks),
            Content::Raw(_) | Content::Deranged(_) | Content::Multiline | Content::TasksOf(_) => {
                let mut counter = Counter(0);
                self.write_to(&mut counter).expect("counting cannot fail");
                counter.0
            }
        }
    }

    /// Blocks of the text, for the forms made of blocks: in PMI each repeat is one. Cost: O(blocks).
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        match &self.content {
            Content::Map(blocks) | Content::Wrapped(blocks) => Some(blocks.len() as u64),
            Content::Pmi(blocks) => Some(blocks.repeats()),
            Content::Raw(_) | Content::Deranged(_) | Content::Multiline | Content::TasksOf(_) => {
                None
            }
        }
    }

    fn within(self, limits: Limits) -> Result<Self, TaskMapError> {
        let Some(most) = limits.chars else {
            return Ok(self);
        };
        let asked = match &self.content {
            Content::Map(_) => "map",
            Content::Wrapped(_) => "wrapped",
            Content::Pmi(_) => "pmi",
            Content::Raw(_) => "raw",
            Content::Deranged(_) => "deranged",
            Content::Multiline => "multiline",
            Content::TasksOf(_) => "taskids",
        };
        let chars = self.chars();
        if chars > most {
            Err(TaskMapError::TooLong { asked, chars, most })
        } else {
            Ok(self)
        }
    }
}

impl fmt::Display for MapText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

/// Bytes that are written at once.
const PIECE: usize = 1 << 15;

/// What is ready to be written.
struct Pieces<'a> {
    ready: Vec<u8>,
    out: &'a mut dyn fmt::Write,
}

impl Pieces<'_> {
    fn word(&mut self, word: &str) {
        self.ready.extend_from_slice(word.as_bytes());
    }

    fn number(&mut self, number: u32) {
        let (mut digits, mut at, mut rest) = ([b'0'; 10], 10, number);
        while at == 10 || rest > 0 {
            at -= 1;
            digits[at] += u8::try_from(rest % 10).expect("a digit is below ten");
            rest /= 10;
        }
        self.ready.extend_from_slice(&digits[at..]);
    }

    /// Writes what is ready, if that is worth it. To be called at least once a number or two.
    fn pause(&mut self) -> fmt::Result {
        if self.ready.len() < PIECE {
            Ok(())
        } else {
            self.flush()
        }
    }

    fn flush(&mut self) -> fmt::Result {
        let ready = std::str::from_utf8(&self.ready).expect("words and digits are UTF-8");
        self.out.write_str(ready)?;
        self.ready.clear();
        Ok(())
    }
}

/// Counts characters, which are bytes in all forms.
struct Counter(u64);

impl fmt::Write for Counter {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len() as u64;
        Ok(())
    }
}

fn array(blocks: &Blocks, pieces: &mut Pieces<'_>) -> fmt::Result {
    let mut before = "[[";
    for Block {
        first,
        nodes,
        ppn,
        repeat,
    } in blocks.iter()
    {
        for number in [first, nodes, ppn, repeat] {
            pieces.word(before);
            pieces.number(number);
            before = ",";
        }
        before = "],[";
        pieces.pause()?;
    }
    pieces.word(if blocks.is_empty() { "[]" } else { "]]" });
    Ok(())
}

fn pmi(blocks: &Blocks, pieces: &mut Pieces<'_>) -> fmt::Result {
    if blocks.is_empty() {
        return Ok(());
    }
    pieces.word("(vector");
    for Block {
        first,
        nodes,
        ppn,
        repeat,
    } in blocks.iter()
    {
        for _ in 0..repeat {
            pieces.word(",(");
            pieces.number(first);
            pieces.word(",");
            pieces.number(nodes);
            pieces.word(",");
            pieces.number(ppn);
            pieces.word(")");
            pieces.pause()?;
        }
    }
    pieces.word(")");
    Ok(())
}

fn digits(number: u32) -> u64 {
    u64::from(number.checked_ilog10().unwrap_or(0)) + 1
}

/// Characters of [`array`]: four numbers a block with six signs, but for the last comma, and the outer brackets.
fn array_chars(blocks: &Blocks) -> u64 {
    let chars = |block: Block| {
        digits(block.first) + digits(block.nodes) + digits(block.ppn) + digits(block.repeat) + 6
    };
    blocks.iter().map(chars).sum::<u64>() + if blocks.is_empty() { 2 } else { 1 }
}

/// Characters of [`pmi`].
fn pmi_chars(blocks: &Blocks) -> u64 {
    let chars = |block: Block| {
        u64::from(block.repeat)
            * (digits(block.first) + digits(block.nodes) + digits(block.ppn) + 5)
    };
    blocks.iter().map(chars).sum::<u64>() + if blocks.is_empty() { 0 } else { 8 }
}

type WriteRange = fn(std::ops::Range<u32>, &mut Pieces<'_>) -> fmt::Result;

fn idset(tasks: std::ops::Range<u32>, pieces: &mut Pieces<'_>) -> fmt::Result {
    pieces.number(tasks.start);
    if tasks.len() > 1 {
        pieces.word("-");
        pieces.number(tasks.end - 1);
    }
    pieces.pause()
}

fn id_list(tasks: std::ops::Range<u32>, pieces: &mut Pieces<'_>) -> fmt::Result {
    pieces.number(tasks.start);
    for task in tasks.start + 1..tasks.end {
        pieces.word(",");
        pieces.number(task);
        pieces.pause()?;
    }
    pieces.pause()
}

/// Node after node, the ranges of its tasks. The blocks that a node is in are kept in task order; each gives a range at
/// least, so that keeping them costs no more than writing.
fn by_node(
    map: &TaskMap,
    order: &[u32],
    pieces: &mut Pieces<'_>,
    write: WriteRange,
) -> fmt::Result {
    let mut here: Vec<u32> = Vec::new();
    let mut coming = order.iter().copied().peekable();
    for node in 0..map.nodes {
        if node > 0 {
            pieces.word(";");
        }
        here.retain(|&at| map.flux.at(at as usize).has(node));
        let kept = here.len();
        while let Some(at) = coming.next_if(|&at| map.flux.first[at as usize] == node) {
            here.push(at);
        }
        if kept > 0 && here.len() > kept {
            // Two ascending pieces, which the stable sort merges in one pass.
            here.sort();
        }
        let mut comma = "";
        for at in here.iter().map(|&at| at as usize) {
            let block = map.flux.at(at);
            let mut start = map.start(at) + (node - block.first) * block.ppn;
            for _ in 0..block.repeat {
                pieces.word(comma);
                write(start..start + block.ppn, pieces)?;
                start += block.period();
                comma = ",";
            }
        }
    }
    Ok(())
}

fn multiline(map: &TaskMap, pieces: &mut Pieces<'_>) -> fmt::Result {
    let mut task = 0;
    for (node, count) in map.runs() {
        for _ in 0..count.0 {
            if task > 0 {
                pieces.word("\n");
            }
            pieces.number(task);
            pieces.word(": ");
            pieces.number(node.0);
            pieces.pause()?;
            task += 1;
        }
    }
    Ok(())
}
