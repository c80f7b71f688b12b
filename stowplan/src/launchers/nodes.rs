//! The nodes of a plan that have ranks: numbered from 0 in the order of the job's nodes, with their names.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::ops::Range;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::Plan;
use stowplan_engine::table::names::{Names, NodeId, NodeRange};
use stowplan_engine::taskmap::{Block, JobNode, Limits, TaskMap};

/// The nodes of a plan that have ranks.
#[derive(Clone, Debug)]
pub struct RankNodes<'p> {
    /// Nodes with ranks, by the job's numbers: ascending ranges with gaps between them.
    ranges: Vec<NodeRange>,
    /// The number of nodes before each range. Shape `[ranges]`.
    before: Vec<u32>,
    len: u32,
    /// Their names, in node order.
    pieces: Vec<Piece<'p>>,
}

/// Neighbouring nodes whose names differ only in their number. The number rises by one and has the same number of digits in
/// each name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece<'p> {
    first: u32,
    count: u32,
    prefix: &'p str,
    number: u64,
    digits: u8,
    suffix: &'p str,
    /// What was written of them beyond their names.
    written: Written<'p>,
}

/// What was written of nodes beyond their names. Each part may be empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Written<'p> {
    /// What follows the first label, with its dot.
    domain: &'p str,
    /// The user to log in as.
    pub user: &'p str,
    /// The port to log in at.
    pub port: &'p str,
}

impl Piece<'_> {
    /// The name of a node as it was written.
    fn name(&self, ahead: u32) -> String {
        let mut name = self.prefix.to_owned();
        if self.digits > 0 {
            let (number, width) = (self.number + u64::from(ahead), usize::from(self.digits));
            write!(name, "{number:0width$}{}", self.suffix).expect("a String takes it");
        }
        name + self.written.domain
    }
}

impl<'p> RankNodes<'p> {
    /// The nodes with ranks of a plan. Cost: a sort of the placed runs, and the ranges of names.
    #[must_use]
    pub fn of(plan: &'p Plan) -> Self {
        let ranges = plan.nodes_with_processes();
        let mut len = 0;
        let before = ranges.iter().map(|nodes| {
            len += nodes.count;
            len - nodes.count
        });
        let before = before.collect();
        let pieces = pieces(&plan.world().names, &ranges);
        Self {
            ranges,
            before,
            len,
            pieces,
        }
    }

    /// The number of nodes.
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.len
    }
    /// Whether there are no nodes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// The number of a node that has ranks, from its number in the job.
    #[must_use]
    pub fn number(&self, node: u32) -> u32 {
        let at = self.ranges.partition_point(|range| range.first <= node);
        let at = at.saturating_sub(1);
        self.before[at] + (node - self.ranges[at].first)
    }
    /// The node of the job that has this number.
    #[must_use]
    pub fn node(&self, number: u32) -> NodeId {
        let at = self.before.partition_point(|&before| before <= number) - 1;
        NodeId::from_row((self.ranges[at].first + (number - self.before[at])) as usize)
    }
    /// The name of a node as it was written, by its number.
    #[must_use]
    pub fn name(&self, number: u32) -> String {
        let at = self.pieces.partition_point(|piece| piece.first <= number) - 1;
        self.pieces[at].name(number - self.pieces[at].first)
    }

    /// What was written of a node beyond its name, by its number.
    #[must_use]
    pub fn written(&self, number: u32) -> Written<'p> {
        let at = self.pieces.partition_point(|piece| piece.first <= number) - 1;
        self.pieces[at].written
    }

    /// The first node of which a user or a port was written, for launchers that have no words for them.
    #[must_use]
    pub fn first_login(&self) -> Option<u32> {
        let mut pieces = self.pieces.iter();
        let said = pieces.find(|piece| {
            let Written { user, port, .. } = piece.written;
            !user.is_empty() || !port.is_empty()
        });
        said.map(|piece| piece.first)
    }

    /// The first name with characters that host names do not have. Such a name could make a list ambiguous.
    #[must_use]
    pub fn odd_name(&self) -> Option<String> {
        let odd = self.pieces.iter().find(|piece| {
            let nameless = piece.digits == 0 && piece.prefix.is_empty();
            let login = !is_plain(piece.written.user) || piece.written.user.starts_with('-');
            nameless
                || login
                || piece.prefix.starts_with('-')
                || !is_plain(piece.prefix)
                || !is_plain(piece.suffix)
                || !is_plain(piece.written.domain)
        });
        odd.map(|piece| piece.name(0))
    }

    /// A name that two of the nodes have. Cost: a sort of the ranges of names.
    #[must_use]
    pub fn name_twice(&self) -> Option<String> {
        let mut sorted: Vec<&Piece<'_>> = self.pieces.iter().collect();
        let group = |piece: &Piece<'p>| {
            (
                piece.prefix,
                piece.suffix,
                piece.digits,
                piece.written.domain,
            )
        };
        sorted.sort_by_key(|piece| (group(piece), piece.number));
        let again = sorted.windows(2).find(|two| {
            let end = two[0].number + u64::from(two[0].count);
            group(two[0]) == group(two[1]) && two[1].number < end
        });
        again.map(|two| two[1].name(0))
    }

    /// Whether the names ascend in natural order: `n9` before `n10`. Cost: the ranges of names.
    #[must_use]
    pub fn ascend_by_name(&self) -> bool {
        self.pieces.windows(2).all(|two| {
            let last = two[0].name(two[0].count - 1);
            natural(&last, &two[1].name(0)) == Ordering::Less
        })
    }

    /// The position of each node when nodes are sorted by name; `None`: they already are. Shape `[nodes]`. Cost: a sort of the
    /// names.
    #[must_use]
    pub fn places_by_name(&self) -> Option<Vec<u32>> {
        if self.ascend_by_name() {
            return None;
        }
        let names: Vec<String> = (0..self.len).map(|number| self.name(number)).collect();
        let mut order: Vec<u32> = (0..self.len).collect();
        order.sort_by(|&a, &b| natural(&names[a as usize], &names[b as usize]));
        let mut places = vec![0; names.len()];
        for (place, &number) in (0..).zip(&order) {
            places[number as usize] = place;
        }
        Some(places)
    }

    /// The node of each rank, with nodes numbered as here; `None` if this takes more blocks than a task map may have.
    #[must_use]
    pub fn task_map(&self, plan: &Plan) -> Option<TaskMap> {
        let map = plan.task_map(Limits::default()).ok()?;
        let whole = |nodes: &NodeRange| nodes.first == 0;
        if self.ranges.len() == 1 && self.ranges.iter().all(whole) {
            return Some(map);
        }
        let blocks = map.flux_blocks().iter().map(|block| Block {
            first: self.number(block.first),
            ..block
        });
        TaskMap::from_blocks(blocks).ok()
    }

    /// A task map with nodes numbered by name. Cost: none if the nodes are in name order, else the runs of the map.
    #[must_use]
    pub fn by_name(&self, map: TaskMap) -> Option<TaskMap> {
        let Some(places) = self.places_by_name() else {
            return Some(map);
        };
        let runs = map.runs();
        let moved = runs.map(|(node, count)| (JobNode(places[node.0 as usize]), count));
        TaskMap::from_runs(moved).ok()
    }

    /// Names of nodes with ranges in brackets, `n[0-3,7],login`. Names that do not end in a number are written one by one.
    #[must_use]
    pub fn folded(&self, numbers: &[Range<u32>]) -> String {
        let mut text = String::new();
        let mut open: Option<Bracket<'_>> = None;
        for piece in numbers
            .iter()
            .flat_map(|numbers| self.pieces_of(numbers.clone()))
        {
            if let Some(bracket) = &mut open
                && bracket.takes(&piece)
            {
                bracket.add(&piece);
                continue;
            }
            flush(&mut text, open.take());
            if piece.digits > 0 && piece.suffix.is_empty() && piece.written.domain.is_empty() {
                open = Some(Bracket::new(&piece));
            } else {
                for ahead in 0..piece.count {
                    separate(&mut text);
                    text += &piece.name(ahead);
                }
            }
        }
        flush(&mut text, open);
        text
    }

    /// The pieces of some neighbouring nodes, cut to these nodes.
    fn pieces_of(&self, numbers: Range<u32>) -> impl Iterator<Item = Piece<'p>> + '_ {
        let at = self
            .pieces
            .partition_point(|piece| piece.first + piece.count <= numbers.start);
        let within = self.pieces[at..]
            .iter()
            .take_while(move |piece| piece.first < numbers.end);
        within.map(move |piece| {
            let start = piece.first.max(numbers.start);
            let end = (piece.first + piece.count).min(numbers.end);
            Piece {
                first: start,
                count: end - start,
                number: piece.number + u64::from(start - piece.first),
                ..*piece
            }
        })
    }
}

/// Numbers written with one bracket.
struct Bracket<'p> {
    prefix: &'p str,
    /// First number, last number, and the least number of digits written.
    ranges: Vec<(u64, u64, usize)>,
}

fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |log| log as usize + 1)
}

impl<'p> Bracket<'p> {
    fn new(piece: &Piece<'p>) -> Self {
        let mut own = Self {
            prefix: piece.prefix,
            ranges: Vec::new(),
        };
        own.add(piece);
        own
    }
    fn takes(&self, piece: &Piece<'_>) -> bool {
        let ends = piece.suffix.is_empty() && piece.written.domain.is_empty();
        piece.digits > 0 && ends && piece.prefix == self.prefix
    }
    fn add(&mut self, piece: &Piece<'_>) {
        let (first, width) = (piece.number, usize::from(piece.digits));
        let last = first + u64::from(piece.count - 1);
        match self.ranges.last_mut() {
            // A range continues if the next number has the width that the range gives it: `[8-12]`, `[08-12]`.
            Some((_, end, written))
                if *end + 1 == first && digits(first).max(*written) == width =>
            {
                *end = last;
            }
            Some(_) | None => self.ranges.push((first, last, width)),
        }
    }
}

fn separate(text: &mut String) {
    if !text.is_empty() {
        text.push(',');
    }
}

fn flush(text: &mut String, bracket: Option<Bracket<'_>>) {
    let Some(Bracket { prefix, ranges }) = bracket else {
        return;
    };
    separate(text);
    let each = ranges.iter().map(|&(first, last, width)| {
        if first == last {
            format!("{first:0width$}")
        } else {
            format!("{first:0width$}-{last:0width$}")
        }
    });
    let each: Vec<String> = each.collect();
    let alone = ranges.len() == 1 && ranges[0].0 == ranges[0].1;
    let written = if alone {
        write!(text, "{prefix}{}", each[0])
    } else {
        write!(text, "{prefix}[{}]", each.join(","))
    };
    written.expect("a String takes it");
}

fn pieces<'p>(names: &'p Names, ranges: &[NodeRange]) -> Vec<Piece<'p>> {
    let mut pieces = Vec::new();
    let mut first = 0;
    for nodes in ranges {
        let mut node = nodes.first;
        while node < nodes.end() {
            let id = NodeId::from_row(node as usize);
            let stretch = names.around(id);
            let end = stretch.nodes.end().min(names.written_until(id));
            let count = end.min(nodes.end()) - node;
            let mut written = written(names, id);
            // A hostfile keeps the user apart; a list of hosts has it in the name.
            let prefix = match stretch.prefix.split_once('@') {
                Some((user, host)) if written.user.is_empty() && is_plain(user) => {
                    written.user = user;
                    host
                }
                Some(_) | None => stretch.prefix,
            };
            pieces.push(Piece {
                first,
                count,
                prefix,
                number: stretch.number + u64::from(node - stretch.nodes.first),
                digits: stretch.digits,
                suffix: stretch.suffix,
                written,
            });
            first += count;
            node += count;
        }
    }
    pieces
}

fn written(names: &Names, node: NodeId) -> Written<'_> {
    let said = names.written(node);
    said.map_or_else(Written::default, |said| Written {
        domain: &said.domain,
        user: &said.user,
        port: &said.port,
    })
}

/// Whether a text has only characters that names of hosts and users have.
fn is_plain(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// Compares names in natural order: numbers in them by value, numbers with leading zeros digit by digit.
#[must_use]
pub fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (left, rest_a) = number(a);
            let (right, rest_b) = number(b);
            let padded = *x == b'0' || *y == b'0';
            let order = if padded {
                left.cmp(right)
            } else {
                left.len().cmp(&right.len()).then(left.cmp(right))
            };
            if order != Ordering::Equal {
                return order;
            }
            (a, b) = (rest_a, rest_b);
        } else if x != y {
            return x.cmp(y);
        } else {
            (a, b) = (&a[1..], &b[1..]);
        }
    }
    a.len().cmp(&b.len())
}

fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    text.split_at(end.unwrap_or(text.len()))
}
