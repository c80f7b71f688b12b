//! Map -> text: the forms of taskmap "Writing". A text is counted before it is written, and never held in memory.

use super::blocks::{Block, Blocks, JobNode, digits};
use super::error::TaskMapError;
use super::map::TaskMap;
use crate::limit::TASKMAP_ITEMS_DEFAULT;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

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

impl Form {
    fn word(self) -> &'static str {
        let mut words = FORM_WORDS.iter();
        words
            .find(|&&(_, form)| form == self)
            .map_or("", |(word, _)| word)
    }
}

/// Which of the encodings of a map is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Encoder {
    /// Flux's, unless strictly fewer blocks are enough.
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
    /// Blocks, ranges or tasks, whichever the answer consists of.
    pub items: u64,
    /// Characters of the text, without the newline behind it. `None`: no limit.
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

impl Limits {
    /// No limits.
    pub(super) const NONE: Self = Self {
        items: u64::MAX,
        chars: None,
    };

    /// Refuses an answer of too many items.
    pub(super) fn allow(
        self,
        asked: &'static str,
        items: u64,
        unit: &'static str,
    ) -> Result<(), TaskMapError> {
        let most = self.items;
        if items <= most {
            return Ok(());
        }
        Err(TaskMapError::TooLarge {
            asked,
            items,
            unit,
            most,
        })
    }
}

/// A text that can be written: all limits and errors have been checked. Made by [`TaskMap::text`].
#[derive(Clone, Debug)]
pub struct MapText<'a> {
    map: &'a TaskMap,
    asked: Asked,
    /// The encoding that forms made of blocks write.
    blocks: Cow<'a, Blocks>,
    /// For the forms that go node by node: the numbers of Flux's blocks, ordered by first node, then by number.
    order: Vec<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Asked {
    Form(Form),
    TasksOf(JobNode),
}

/// The map in the JSON form of RFC 34 with its version, in the encoding with the fewest blocks.
///
/// ```
/// use stowplan_engine::taskmap::TaskMap;
/// let map = TaskMap::read(b"[[0,2,4,1]]").unwrap();
/// assert_eq!(map.to_string(), r#"{"version":1,"map":[[0,2,4,1]]}"#);
/// ```
impl fmt::Display for TaskMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MapText {
            map: self,
            asked: Asked::Form(Form::Wrapped),
            blocks: Cow::Owned(self.fewest_blocks()),
            order: Vec::new(),
        }
        .fmt(f)
    }
}

impl TaskMap {
    /// The map as a text of this form.
    ///
    /// # Errors
    /// `taskmap-too-large` (counted on Flux's encoding), then `taskmap-empty-node`, then `taskmap-too-long`.
    ///
    /// Cost: that of the encoder; for `raw` and `deranged`, that of sorting the blocks. Writing costs in proportion to
    /// the text. The text is written twice when characters are limited. Source: taskmap "Writing".
    pub fn text(
        &self,
        form: Form,
        encoder: Encoder,
        limits: Limits,
    ) -> Result<MapText<'_>, TaskMapError> {
        self.limit_items(form, limits)?;
        let order = match form {
            Form::Raw | Form::Deranged => self.blocks_by_node(form)?,
            Form::Map | Form::Wrapped | Form::Pmi | Form::Multiline => Vec::new(),
        };
        let blocks = match (form, encoder) {
            (Form::Map | Form::Wrapped, Encoder::Best) => Cow::Owned(self.fewest_blocks()),
            (Form::Pmi, Encoder::Best) => Cow::Owned(self.fewest_pmi_blocks()),
            (_, Encoder::Best | Encoder::Flux) => Cow::Borrowed(&self.flux),
        };
        let text = MapText {
            map: self,
            asked: Asked::Form(form),
            blocks,
            order,
        };
        text.within(form.word(), limits)
    }

    /// The tasks of a node, `0-3,8`.
    ///
    /// # Errors
    /// As [`TaskMap::tasks_of`]; then `taskmap-too-large`, `taskmap-too-long`.
    ///
    /// Cost: O(blocks); writing costs O(blocks + ranges).
    pub fn tasks_text(&self, node: JobNode, limits: Limits) -> Result<MapText<'_>, TaskMapError> {
        let repeats = self.blocks_of(node)?.map(|block| u64::from(block.repeat));
        limits.allow("taskids", repeats.sum(), "ranges")?;
        let text = MapText {
            map: self,
            asked: Asked::TasksOf(node),
            blocks: Cow::Borrowed(&self.flux),
            order: Vec::new(),
        };
        text.within("taskids", limits)
    }

    /// The numbers of Flux's blocks, ordered by first node, if each node has a task.
    fn blocks_by_node(&self, form: Form) -> Result<Vec<usize>, TaskMapError> {
        let mut order: Vec<usize> = (0..self.flux.len()).collect();
        order.sort_by_key(|&at| self.flux.0[at].first);
        let mut covered = 0;
        for block in order.iter().map(|&at| self.flux.0[at]) {
            if block.first > covered {
                break;
            }
            covered = covered.max(block.end());
        }
        if covered == self.nodes {
            return Ok(order);
        }
        Err(TaskMapError::EmptyNode {
            node: JobNode(covered),
            form: form.word(),
            nodes: self.nodes,
        })
    }

    fn limit_items(&self, form: Form, limits: Limits) -> Result<(), TaskMapError> {
        let allow = |items, unit| limits.allow(form.word(), items, unit);
        match form {
            Form::Map | Form::Wrapped => Ok(()),
            Form::Pmi => allow(self.flux.repeats(), "blocks"),
            Form::Raw => {
                allow(u64::from(self.nodes), "nodes")?;
                let ranges = |block: Block| u64::from(block.nodes) * u64::from(block.repeat);
                allow(self.flux.iter().map(ranges).sum(), "ranges")
            }
            Form::Deranged | Form::Multiline => {
                let tasks = self.task_count().map_or(0, |tasks| tasks.0);
                allow(u64::from(tasks), "tasks")
            }
        }
    }
}

impl MapText<'_> {
    /// Writes the text, a piece at a time.
    ///
    /// # Errors
    /// Only the errors of `out`.
    pub fn write_to(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        let mut pieces = Pieces {
            ready: Vec::with_capacity(PIECE + 64),
            out,
        };
        let out = &mut pieces;
        match self.asked {
            Asked::Form(Form::Map) => array(&self.blocks, out)?,
            Asked::Form(Form::Wrapped) => wrapped(&self.blocks, out)?,
            Asked::Form(Form::Pmi) => pmi(&self.blocks, out)?,
            Asked::Form(form @ (Form::Raw | Form::Deranged)) => self.by_node(form, out)?,
            Asked::Form(Form::Multiline) => multiline(self.map, out)?,
            Asked::TasksOf(node) => ranges(self.map.tasks_of(node).into_iter().flatten(), out)?,
        }
        pieces.flush()
    }

    /// Writes the tasks of each node in turn. The blocks that a node is in are kept in task order. Each of them gives at least one range, so
    /// keeping them costs no more than writing.
    fn by_node(&self, form: Form, out: &mut Pieces<'_>) -> fmt::Result {
        let map = self.map;
        let mut coming = self.order.iter().copied().peekable();
        let mut here: Vec<usize> = Vec::new();
        for node in 0..map.nodes {
            if node > 0 {
                out.word(";");
            }
            here.retain(|&at| map.flux.0[at].has(node));
            while let Some(at) = coming.next_if(|&at| map.flux.0[at].first == node) {
                here.push(at);
            }
            // Two ascending pieces, which the stable sort merges in one pass.
            here.sort();
            let tasks = here.iter().flat_map(|&at| {
                let repeats = 0..map.flux.0[at].repeat;
                repeats.map(move |repeat| map.tasks_in(at, node, repeat))
            });
            if form == Form::Deranged {
                ranges(tasks.flatten().map(|task| task..task + 1), out)?;
            } else {
                ranges(tasks, out)?;
            }
        }
        Ok(())
    }

    /// Characters of the text. Cost: O(blocks) for the three forms made of blocks, else that of writing.
    #[must_use]
    pub fn chars(&self) -> u64 {
        match self.asked {
            Asked::Form(Form::Map) => array_chars(&self.blocks),
            Asked::Form(Form::Wrapped) => array_chars(&self.blocks) + 20,
            Asked::Form(Form::Pmi) => pmi_chars(&self.blocks),
            Asked::Form(Form::Raw | Form::Deranged | Form::Multiline) | Asked::TasksOf(_) => {
                let mut counter = Counter(0);
                self.write_to(&mut counter).expect("counting cannot fail");
                counter.0
            }
        }
    }

    /// Blocks of the text, for the forms made of blocks: in PMI each repeat is one. Cost: O(blocks).
    #[must_use]
    pub fn blocks(&self) -> Option<u64> {
        match self.asked {
            Asked::Form(Form::Map | Form::Wrapped) => Some(self.blocks.len() as u64),
            Asked::Form(Form::Pmi) => Some(self.blocks.repeats()),
            Asked::Form(Form::Raw | Form::Deranged | Form::Multiline) | Asked::TasksOf(_) => None,
        }
    }

    /// The text, if it has no more characters than are allowed.
    fn within(self, asked: &'static str, limits: Limits) -> Result<Self, TaskMapError> {
        match limits.chars.map(|most| (self.chars(), most)) {
            Some((chars, most)) if chars > most => {
                Err(TaskMapError::TooLong { asked, chars, most })
            }
            Some(_) | None => Ok(self),
        }
    }
}

impl fmt::Display for MapText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
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

/// Bytes that are written at once.
const PIECE: usize = 1 << 15;

/// Collects words and numbers and writes many at a time: writing them one by one takes three times as long.
struct Pieces<'a> {
    ready: Vec<u8>,
    out: &'a mut dyn fmt::Write,
}

impl Pieces<'_> {
    fn word(&mut self, word: &str) {
        self.ready.extend_from_slice(word.as_bytes());
    }

    fn number(&mut self, number: u32) -> fmt::Result {
        let (mut digits, mut at, mut rest) = ([b'0'; 10], 10, number);
        while at == 10 || rest > 0 {
            at -= 1;
            digits[at] += u8::try_from(rest % 10).expect("a digit is below ten");
            rest /= 10;
        }
        self.ready.extend_from_slice(&digits[at..]);
        if self.ready.len() < PIECE {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> fmt::Result {
        let ready = std::str::from_utf8(&self.ready).expect("words and digits are UTF-8");
        self.out.write_str(ready)?;
        self.ready.clear();
        Ok(())
    }
}

/// Writes rows of numbers, separated by commas. The three texts open the first row, separate two rows, and close the
/// last row.
fn rows<const N: usize>(
    rows: impl Iterator<Item = [u32; N]>,
    [open, between, close]: [&str; 3],
    out: &mut Pieces<'_>,
) -> fmt::Result {
    let mut before = open;
    for row in rows {
        for number in row {
            out.word(before);
            out.number(number)?;
            before = ",";
        }
        before = between;
    }
    out.word(close);
    Ok(())
}

fn array(blocks: &Blocks, out: &mut Pieces<'_>) -> fmt::Result {
    if blocks.is_empty() {
        out.word("[]");
        return Ok(());
    }
    rows(blocks.iter().map(Block::numbers), ["[[", "],[", "]]"], out)
}

/// Characters of [`array`]: the last block has no comma, and there are two brackets.
fn array_chars(blocks: &Blocks) -> u64 {
    let chars: u64 = blocks.iter().map(|block| u64::from(block.chars())).sum();
    chars.max(1) + 1
}

fn wrapped(blocks: &Blocks, out: &mut Pieces<'_>) -> fmt::Result {
    out.word("{\"version\":1,\"map\":");
    array(blocks, out)?;
    out.word("}");
    Ok(())
}

fn pmi(blocks: &Blocks, out: &mut Pieces<'_>) -> fmt::Result {
    if blocks.is_empty() {
        return Ok(());
    }
    let once = |block: Block| [block.first, block.nodes, block.ppn];
    let all = blocks
        .iter()
        .flat_map(|block| (0..block.repeat).map(move |_| once(block)));
    rows(all, ["(vector,(", "),(", "))"], out)
}

/// Characters of [`pmi`]: those of the array without the repeat and its comma.
fn pmi_chars(blocks: &Blocks) -> u64 {
    if blocks.is_empty() {
        return 0;
    }
    let once = |block: Block| block.chars() - digits(block.repeat) - 1;
    let chars = |block: Block| u64::from(block.repeat) * u64::from(once(block));
    blocks.iter().map(chars).sum::<u64>() + "(vector)".len() as u64
}

fn ranges(all: impl Iterator<Item = Range<u32>>, out: &mut Pieces<'_>) -> fmt::Result {
    let mut comma = "";
    for tasks in all {
        out.word(comma);
        out.number(tasks.start)?;
        if tasks.len() > 1 {
            out.word("-");
            out.number(tasks.end - 1)?;
        }
        comma = ",";
    }
    Ok(())
}

fn multiline(map: &TaskMap, out: &mut Pieces<'_>) -> fmt::Result {
    let nodes = map
        .runs()
        .flat_map(|(node, count)| (0..count.0).map(move |_| node.0));
    for (task, node) in (0..).zip(nodes) {
        if task > 0 {
            out.word("\n");
        }
        out.number(task)?;
        out.word(": ");
        out.number(node)?;
    }
    Ok(())
}
