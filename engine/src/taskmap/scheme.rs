//! Another map of the same job: Flux's schemes `block`, `cyclic`, `manual` and `hostfile` (taskmap "Schemes").

use super::append::Appender;
use super::blocks::{Block, JobNode};
use super::error::{MapPlace, TaskMapError};
use super::forms::Limits;
use super::hostlist::HostNames;
use super::map::{NodeStretch, TaskMap};
use crate::count::ProcCount;
use crate::limit::HOST_ENTRIES_MAX;
use std::collections::HashMap;

/// The value of `--scheme`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme<'a> {
    /// No change.
    Block,
    /// Round by round, with this many tasks at each visit of a node.
    Cyclic(u32),
    /// The map that this text says.
    Manual(&'a str),
    /// The hosts that the file of this name lists, one task per entry.
    Hostfile(&'a str),
}

impl<'a> Scheme<'a> {
    /// Reads `SCHEME[:VALUE]`.
    ///
    /// # Errors
    /// `taskmap-scheme`.
    /// ```
    /// use stowplan_engine::taskmap::Scheme;
    /// assert_eq!(Scheme::read("cyclic:2")?, Scheme::Cyclic(2));
    /// assert_eq!(Scheme::read("cyclic:0").unwrap_err().class(), "taskmap-scheme");
    /// # Ok::<(), stowplan_engine::taskmap::TaskMapError>(())
    /// ```
    pub fn read(text: &'a str) -> Result<Self, TaskMapError> {
        let refused = |why| {
            Err(TaskMapError::Scheme {
                scheme: text.chars().take(64).collect(),
                why,
            })
        };
        let (name, value) = text
            .split_once(':')
            .map_or((text, None), |(name, value)| (name, Some(value)));
        match (name, value) {
            ("block", None | Some("")) => Ok(Self::Block),
            ("block", Some(_)) => refused("block takes no value"),
            ("cyclic", None | Some("")) => Ok(Self::Cyclic(1)),
            ("cyclic", Some(value)) => {
                if value.bytes().any(|byte| !byte.is_ascii_digit())
                    || value.bytes().all(|byte| byte == b'0')
                {
                    return refused("cyclic takes a whole number from 1");
                }
                // A number too large for `u32` gives a node all its tasks in one visit.
                Ok(Self::Cyclic(value.parse().unwrap_or(u32::MAX)))
            }
            ("manual", Some(map)) => Ok(Self::Manual(map)),
            ("manual", None) => refused("manual needs a map, `manual:MAP`"),
            ("hostfile", Some(file)) => Ok(Self::Hostfile(file)),
            ("hostfile", None) => refused("hostfile needs a file, `hostfile:FILE`"),
            _ => refused("the schemes are block, cyclic[:N], manual:MAP and hostfile:FILE"),
        }
    }
}

/// Appends blocks, up to the allowed number.
struct Writer {
    appender: Appender,
    blocks: u64,
    asked: &'static str,
    limits: Limits,
}

impl Writer {
    fn new(asked: &'static str, limits: Limits) -> Self {
        Self {
            appender: Appender::new(),
            blocks: 0,
            asked,
            limits,
        }
    }

    fn block(&mut self, block: Block) -> Result<(), TaskMapError> {
        self.blocks += 1;
        self.limits.allow(self.asked, self.blocks, "blocks")?;
        let at = MapPlace::Block(self.appender.blocks());
        self.appender.block(block, at)
    }

    /// Appends `count` rounds of these blocks. If the round is one block without repeat, this adds a single block.
    fn rounds(&mut self, round: &[Block], count: u32) -> Result<(), TaskMapError> {
        if let (&[only], 1..) = (round, count)
            && only.repeat == 1
        {
            return self.block(Block {
                repeat: count,
                ..only
            });
        }
        let mut blocks = (0..count).flat_map(|_| round);
        blocks.try_for_each(|&block| self.block(block))
    }
}

impl TaskMap {
    /// The map with the same counts, dealt out round by round. Each visit gives a node `width` tasks, or all that it
    /// still lacks if there are fewer.
    ///
    /// # Errors
    /// `taskmap-unknown`; `taskmap-too-large` when the map takes more pieces than `limits.items`.
    ///
    /// Cost: O(blocks log blocks + pieces): a repeated round over one interval of nodes is one piece.
    /// Source: taskmap "Schemes".
    pub fn cyclic(&self, width: u32, limits: Limits) -> Result<Self, TaskMapError> {
        self.known("the cyclic scheme")?;
        let width = width.max(1);
        let mut waiting = self.counts();
        waiting.retain(|stretch| stretch.count.0 > 0);
        // A round in which each node that still lacks tasks gets `width`.
        let mut round: Vec<Block> = Vec::new();
        for stretch in &waiting {
            let visit = visit(stretch, width);
            match round.last_mut() {
                Some(last) if last.end() == visit.first => last.nodes += visit.nodes,
                Some(_) | None => round.push(visit),
            }
        }
        // Ascending by full visits, and by node among equals: the sort is stable.
        waiting.sort_by_key(|stretch| stretch.count.0 / width);
        let mut writer = Writer::new("the cyclic scheme", limits);
        let mut dealt = 0;
        for done in waiting.chunk_by(|a, b| a.count.0 / width == b.count.0 / width) {
            let full = done[0].count.0 / width;
            writer.rounds(&round, full - dealt)?;
            dealt = full;
            round = without(&round, done);
            let rest = done.iter().filter(|stretch| stretch.count.0 % width > 0);
            let rest = rest.map(|stretch| visit(stretch, stretch.count.0 % width));
            let mut last: Vec<Block> = rest.collect();
            if !last.is_empty() {
                last.extend(&round);
                last.sort_by_key(|visit| visit.first);
                writer.rounds(&last, 1)?;
                dealt += 1;
            }
        }
        Ok(writer.appender.finish())
    }

    /// The other map, if it passes [`TaskMap::check`].
    ///
    /// # Errors
    /// `taskmap-unknown`, `taskmap-mismatch`.
    pub fn manual(&self, other: Self) -> Result<Self, TaskMapError> {
        self.check(&other).map(|()| other)
    }

    /// The map that places one task on the host of each entry of `file`, and starts again behind the last entry.
    ///
    /// `file`: the bytes of a host file, with a host list of RFC 29 on each line. `hosts`: the job's host list; the node number of a host is
    /// its first position in that list.
    ///
    /// # Errors
    /// `taskmap-unknown`, `bad-hostlist`, `bad-hostfile`, `taskmap-host`, `taskmap-mismatch`, `taskmap-too-large`.
    ///
    /// Cost: O(hosts + entries + blocks written). Source: taskmap "Schemes".
    pub fn hostfile(&self, file: &[u8], hosts: &str, limits: Limits) -> Result<Self, TaskMapError> {
        let tasks = self.task_count()?.0;
        let mut job = HostNames::default();
        job.append(hosts.as_bytes())
            .map_err(|fault| TaskMapError::Hostlist {
                text: hosts.chars().take(64).collect(),
                at: fault.at,
                why: fault.why,
            })?;
        let entries = entries(file, &job)?;
        let period = tasks.min(number(entries.len()));
        let used = &entries[..period as usize];
        let mut seen = vec![false; job.len()];
        used.iter().for_each(|&node| seen[node as usize] = true);
        if let Some(out) = seen.iter().position(|&seen| !seen) {
            return Err(TaskMapError::NodeLeftOut {
                node: JobNode(number(out)),
                nodes: number(seen.len()),
                entries: entries.len(),
                tasks,
            });
        }
        let one_each = |nodes: &[u32]| {
            let runs = nodes.iter().map(|&node| (JobNode(node), ProcCount(1)));
            Self::from_runs(runs)
        };
        let rest = &used[..(tasks % period) as usize];
        let mut writer = Writer::new("the hostfile scheme", limits);
        writer.rounds(&one_each(used)?.flux.0, tasks / period)?;
        writer.rounds(&one_each(rest)?.flux.0, 1)?;
        self.manual(writer.appender.finish())
    }
}

/// A number of hosts.
fn number(hosts: usize) -> u32 {
    u32::try_from(hosts).expect("limit.rs keeps host lists below 2^32 names")
}

/// The node number of each host in a file, entry by entry.
fn entries(file: &[u8], job: &HostNames) -> Result<Vec<u32>, TaskMapError> {
    let mut places: HashMap<&str, u32> = HashMap::with_capacity(job.len());
    for (at, name) in job.iter().enumerate() {
        places.entry(name).or_insert(number(at));
    }
    let mut entries = Vec::new();
    let mut line = 0;
    for text in file.split(|&byte| byte == b'\n') {
        line += 1;
        let refused = |why| TaskMapError::Hostfile { line, why };
        let mut names = HostNames::default();
        names.append(text).map_err(|fault| refused(fault.why))?;
        for name in names.iter() {
            let unknown = || TaskMapError::Host {
                host: name.to_owned(),
                line,
                hosts: job.len(),
            };
            entries.push(*places.get(name).ok_or_else(unknown)?);
        }
        if entries.len() > HOST_ENTRIES_MAX {
            return Err(refused("more hosts than fit"));
        }
    }
    if entries.is_empty() {
        let why = "there is no host in the file";
        return Err(TaskMapError::Hostfile { line, why });
    }
    Ok(entries)
}

/// One visit of these nodes, which gives each node `ppn` tasks.
fn visit(stretch: &NodeStretch, ppn: u32) -> Block {
    let nodes = &stretch.nodes;
    Block::ramp(nodes.start, nodes.end - nodes.start, ppn)
}

/// The round without the nodes of `done`. Each stretch of `done` lies inside one block of the round.
fn without(round: &[Block], done: &[NodeStretch]) -> Vec<Block> {
    let mut left = Vec::with_capacity(round.len() + done.len());
    let mut done = done.iter().map(|stretch| &stretch.nodes).peekable();
    for block in round {
        let mut first = block.first;
        while let Some(out) = done.next_if(|out| out.start < block.end()) {
            left.push(Block::ramp(first, out.start - first, block.ppn));
            first = out.end;
        }
        left.push(Block::ramp(first, block.end() - first, block.ppn));
    }
    left.retain(|block| block.nodes > 0);
    left
}
