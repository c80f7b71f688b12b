//! `-rankmap`. Source: `lines/hydra/spec.md` 5.

use super::refusal::fails;
use crate::launchers::line::LineRefused;

/// The most ranks that a map is written out for.
const RANKS_MAX: usize = 1 << 24;

/// The node of each of `ranks` ranks, as a place in the node list of `nodes` nodes.
///
/// # Errors
/// `launch-fails` for broken text, a number beyond the list, and a map that cannot go on; `job-too-large`.
///
/// Cost: the ranks, and the bytes of the text.
pub(crate) fn nodes_of(text: &str, ranks: u32, nodes: usize) -> Result<Vec<u32>, LineRefused> {
    let ranks = usize::try_from(ranks).unwrap_or(usize::MAX);
    if ranks > RANKS_MAX {
        return Err(LineRefused::new(
            "job-too-large",
            format!(
                "-rankmap: {ranks} ranks are more than the {RANKS_MAX} that a map is written out for"
            ),
        ));
    }
    // MPICH puts around a map what it lacks, and reads on from behind the word.
    let around = format!("{},{text})", &VECTOR[..VECTOR.len() - 1]);
    let map = if text.starts_with(VECTOR) {
        text
    } else {
        &around
    };
    let read = Reader {
        bytes: map.as_bytes(),
        at: VECTOR.len() - 1,
        nodes,
        ranks,
        found: Vec::new(),
        again: None,
        behind: 0,
        left: None,
        at_last_turn: None,
    };
    read.map().map_err(|stop| {
        fails(&match stop {
            Stop::Broken => format!("-rankmap {text}: the map is broken"),
            Stop::NoSuchNode(node) => {
                format!("-rankmap {text}: it names node {node}, and the list has {nodes}")
            }
            Stop::Ends(rank) => {
                format!("-rankmap {text}: it ends before rank {rank} and cannot go on")
            }
        })
    })
}

/// How a map begins that has all that MPICH puts around one.
const VECTOR: &str = "(vector,";

/// Why a map gives no node to a rank.
enum Stop {
    Broken,
    NoSuchNode(i64),
    /// The first rank without a node.
    Ends(usize),
}

/// Reads a map as MPICH does, with one place to go back to: a second bracket, or one within another, goes its own ways.
struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
    nodes: usize,
    ranks: usize,
    found: Vec<u32>,
    /// Where it goes back to: behind the last `[`, else the first number or block that is node 0.
    again: Option<usize>,
    /// Behind the count of the bracket.
    behind: usize,
    /// Turns of the bracket that are left; `None`: the next count is read. It is set once, and then runs below 0 and is read anew.
    left: Option<i32>,
    /// How many ranks had a node when it last went back.
    at_last_turn: Option<usize>,
}

impl Reader<'_> {
    fn map(mut self) -> Result<Vec<u32>, Stop> {
        let mut comma = true;
        while self.found.len() < self.ranks {
            let Some(byte) = self.peek() else {
                return Err(Stop::Ends(self.found.len()));
            };
            comma = match (comma, byte) {
                (true, b']') => self.count()?,
                (true, b')') => self.begin_again()?,
                (true, _) => {
                    self.expect(b',')?;
                    false
                }
                (false, b'[') => {
                    self.at += 1;
                    self.again = Some(self.at);
                    false
                }
                (false, b'(') => self.block()?,
                (false, _) => self.node()?,
            };
        }
        Ok(self.found)
    }

    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(|byte| is_space(*byte)) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8) -> Result<(), Stop> {
        if self.peek() != Some(byte) {
            return Err(Stop::Broken);
        }
        self.at += 1;
        Ok(())
    }

    /// `]xK`: goes back, or on behind it. Whether a comma must follow.
    fn count(&mut self) -> Result<bool, Stop> {
        let again = self.again.ok_or(Stop::Broken)?;
        let digit = self.bytes.get(self.at + 2).is_some_and(u8::is_ascii_digit);
        if self.bytes.get(self.at + 1) != Some(&b'x') || !digit {
            return Err(Stop::Broken);
        }
        self.at += 2;
        let left = match self.left {
            Some(left) => left,
            None => {
                let read = self.number();
                self.behind = self.at;
                i32::try_from(read).unwrap_or(i32::MAX)
            }
        };
        let idle = self.at_last_turn == Some(self.found.len());
        // What places no rank in a turn places none in all others.
        let left = if idle && left > 1 {
            0
        } else {
            left.wrapping_sub(1)
        };
        // A count of -1 is one that is not read yet: so every bracket but the first has a turn more.
        self.left = (left != -1).then_some(left);
        if left == 0 {
            self.at = self.behind;
            return Ok(true);
        }
        if idle {
            return Err(Stop::Ends(self.found.len()));
        }
        self.at_last_turn = Some(self.found.len());
        self.at = again;
        Ok(false)
    }

    /// The end of a map that is too short.
    fn begin_again(&mut self) -> Result<bool, Stop> {
        let idle = self.at_last_turn == Some(self.found.len());
        match self.again {
            Some(again) if !idle => {
                self.at_last_turn = Some(self.found.len());
                self.at = again;
                Ok(false)
            }
            Some(_) | None => Err(Stop::Ends(self.found.len())),
        }
    }

    /// `(F,N,K)`
    fn block(&mut self) -> Result<bool, Stop> {
        let start = self.at;
        self.at += 1;
        let first = self.number();
        self.expect(b',')?;
        let nodes = self.number();
        self.expect(b',')?;
        let each = self.number();
        self.expect(b')')?;
        self.begins_at(first, start);
        let each = usize::try_from(each).unwrap_or(0);
        if each == 0 {
            return Ok(true);
        }
        for node in first..first.saturating_add(nodes) {
            let left = self.ranks - self.found.len();
            if left == 0 {
                break;
            }
            self.place(node, each.min(left))?;
        }
        Ok(true)
    }

    fn node(&mut self) -> Result<bool, Stop> {
        let start = self.at;
        let node = self.number();
        self.begins_at(node, start);
        self.place(node, 1)?;
        Ok(true)
    }

    /// The first that is node 0 is where a map begins again, unless a bracket was there before.
    fn begins_at(&mut self, node: i64, start: usize) {
        if node == 0 && self.again.is_none() {
            self.again = Some(start);
        }
    }

    fn place(&mut self, node: i64, ranks: usize) -> Result<(), Stop> {
        let known = u32::try_from(node)
            .ok()
            .filter(|&known| (known as usize) < self.nodes);
        let known = known.ok_or(Stop::NoSuchNode(node))?;
        self.found.extend(std::iter::repeat_n(known, ranks));
        Ok(())
    }

    /// A number as C's `strtol` reads it: `0x10`, `010`, `-3`; without a digit 0, and nothing is read.
    fn number(&mut self) -> i64 {
        let start = self.at;
        self.peek();
        let sign = match self.bytes.get(self.at) {
            Some(b'-') => -1,
            Some(_) | None => 1,
        };
        if matches!(self.bytes.get(self.at), Some(b'-' | b'+')) {
            self.at += 1;
        }
        let (skipped, radix) = match &self.bytes[self.at..] {
            [b'0', b'x' | b'X', next, ..] if next.is_ascii_hexdigit() => (2, 16),
            [b'0', ..] => (0, 8),
            _ => (0, 10),
        };
        self.at += skipped;
        let digits = self.at;
        let mut number = 0_i64;
        while let Some(digit) = self
            .bytes
            .get(self.at)
            .and_then(|byte| char::from(*byte).to_digit(radix))
        {
            let next = number * i64::from(radix) + i64::from(digit);
            number = next.min(i64::from(i32::MAX));
            self.at += 1;
        }
        if self.at == digits {
            self.at = start;
        }
        sign * number
    }
}

/// What C's `isspace` takes.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
