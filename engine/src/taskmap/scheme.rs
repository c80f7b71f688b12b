//! Another map of the same job: Flux's schemes `block`, `cyclic`, `manual` and `hostfile` (taskmap "Schemes").

use super::append::Appender;
use super::blocks::Block;
use super::error::{MapPlace, TaskMapError};
use super::forms::Limits;
use super::hostlist::HostNames;
use super::job_node::JobNode;
use super::map::{NodeStretch, TaskMap};
use std::collections::HashMap;
use std::ops::Range;

/// What `--scheme` says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme<'a> {
    /// No change.
    Block,
    /// Round after round, so many tasks at each visit of a node.
    Cyclic(u32),
    /// The map of this text.
    Manual(&'a str),
    /// The hosts of the file of this name, one task per entry.
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
                // More tasks at a visit than any node can have is all of them.
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

/// Appends blocks, of which there must not be more than were allowed.
struct Writer {
    appender: Appender,
    blocks: u64,
    asked: &'static str,
    most: u64,
}

impl Writer {
    fn block(&mut self, first: u32, nodes: u32, ppn: u32, repeat: u32) -> Result<(), TaskMapError> {
        self.blocks += 1;
        if self.blocks > self.most {
            let (asked, items, most) = (self.asked, self.blocks, self.most);
            return Err(TaskMapError::TooLarge {
                asked,
                items,
                unit: "blocks",
                most,
            });
        }
        self.appender.block(
            Block {
                first,
                nodes,
                ppn,
                repeat,
            },
            MapPlace::Block(self.appender.blocks()),
        )
    }
}

impl TaskMap {
    /// The same counts, dealt out round after round: each visit gives a node `width` tasks, or what it still lacks.
    ///
    /// # Errors
    /// `taskmap-unknown`; `taskmap-too-large` when that takes more pieces than `limits.items`.
    ///
    /// Cost: O(blocks log blocks + pieces): a round that is one interval of nodes, repeated, is one piece.
    /// Source: taskmap "Schemes".
    pub fn cyclic(&self, width: u32, limits: Limits) -> Result<Self, TaskMapError> {
        self.known("the cyclic scheme")?;
        let width = width.max(1);
        let mut waiting: Vec<NodeStretch> = self
            .counts()
            .into_iter()
            .filter(|stretch| stretch.count.0 > 0)
            .collect();
        let mut active: Vec<Range<u32>> = Vec::new();
        for Range { start, end } in waiting.iter().map(|stretch| stretch.nodes.clone()) {
            match active.last_mut() {
                Some(last) if last.end == start => last.end = end,
                Some(_) | None => active.push(start..end),
            }
        }
        // Ascending by full visits, and by node among equals: the sort is stable.
        waiting.sort_by_key(|stretch| stretch.count.0 / width);
        let mut writer = Writer {
            appender: Appender::new(),
            blocks: 0,
            asked: "the cyclic scheme",
            most: limits.items,
        };
        let mut round = 0;
        for done in waiting.chunk_by(|a, b| a.count.0 / width == b.count.0 / width) {
            let full = done[0].count.0 / width;
            rounds(&active, width, full - round, &mut writer)?;
            round = full;
            active = without(&active, done);
            if done.iter().any(|stretch| stretch.count.0 % width > 0) {
                last_visits(&active, done, width, &mut writer)?;
                round += 1;
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

    /// The nodes of the hosts that `file` lists, one task per entry, round and round.
    ///
    /// `file`: the bytes of a host file, a host list of RFC 29 a line. `hosts`: the job's host list; a host's number is its
    /// first place there.
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
        let period = tasks.min(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        let used = &entries[..period as usize];
        let mut seen = vec![false; job.len()];
        used.iter().for_each(|&node| seen[node as usize] = true);
        if let Some(out) = seen.iter().position(|&seen| !seen) {
            let size = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
            let (node, nodes) = (JobNode(size(out)), size(seen.len()));
            return Err(TaskMapError::NodeLeftOut {
                node,
                nodes,
                entries: entries.len(),
                tasks,
            });
        }
        let mut writer = Writer {
            appender: Appender::new(),
            blocks: 0,
            asked: "the hostfile scheme",
            most: limits.items,
        };
        let once = run_blocks(used)?;
        match once.flux_blocks().get(0) {
            Some(only) if once.flux_blocks().len() == 1 && only.repeat == 1 => {
                writer.block(only.first, only.nodes, only.ppn, tasks / period)?;
            }
            Some(_) | None => {
                for _ in 0..tasks / period {
                    for Block {
                        first,
                        nodes,
                        ppn,
                        repeat,
                    } in once.flux_blocks().iter()
                    {
                        writer.block(first, nodes, ppn, repeat)?;
                    }
                }
            }
        }
        for Block {
            first,
            nodes,
            ppn,
            repeat,
        } in run_blocks(&used[..(tasks % period) as usize])?
            .flux_blocks()
            .iter()
        {
            writer.block(first, nodes, ppn, repeat)?;
        }
        self.manual(writer.appender.finish())
    }
}

fn run_blocks(nodes: &[u32]) -> Result<TaskMap, TaskMapError> {
    let mut appender = Appender::new();
    for (at, &node) in nodes.iter().enumerate() {
        appender.run(node, 1, MapPlace::Block(at))?;
    }
    Ok(appender.finish())
}

/// The job's number of each host of a file, entry by entry.
fn entries(file: &[u8], job: &HostNames) -> Result<Vec<u32>, TaskMapError> {
    let mut places: HashMap<&str, u32> = HashMap::with_capacity(job.len());
    for (at, name) in job.iter().enumerate() {
        let at = u32::try_from(at).expect("limit.rs keeps host lists below 2^32 names");
        places.entry(name).or_insert(at);
    }
    let mut entries = Vec::new();
    let mut line = 0;
    for text in file.split(|&byte| byte == b'\n') {
        line += 1;
        let mut names = HostNames::default();
        names.append(text).map_err(|fault| TaskMapError::Hostfile {
            line,
            why: fault.why,
        })?;
        for name in names.iter() {
            let unknown = || TaskMapError::Host {
                host: name.to_owned(),
                line,
                hosts: job.len(),
            };
            entries.push(*places.get(name).ok_or_else(unknown)?);
        }
        if entries.len() > crate::limit::HOST_ENTRIES_MAX {
            return Err(TaskMapError::Hostfile {
                line,
                why: "more hosts than fit",
            });
        }
    }
    if entries.is_empty() {
        return Err(TaskMapError::Hostfile {
            line,
            why: "there is no host in the file",
        });
    }
    Ok(entries)
}

/// So many rounds over these intervals of nodes.
fn rounds(
    active: &[Range<u32>],
    width: u32,
    count: u32,
    writer: &mut Writer,
) -> Result<(), TaskMapError> {
    if let ([only], 1..) = (active, count) {
        return writer.block(only.start, only.end - only.start, width, count);
    }
    if active.is_empty() {
        return Ok(());
    }
    for _ in 0..count {
        for nodes in active {
            writer.block(nodes.start, nodes.end - nodes.start, width, 1)?;
        }
    }
    Ok(())
}

/// The round in which the nodes of `done` get their last tasks, fewer than `width`, and those of `active` all.
fn last_visits(
    active: &[Range<u32>],
    done: &[NodeStretch],
    width: u32,
    writer: &mut Writer,
) -> Result<(), TaskMapError> {
    let full = active.iter().map(|nodes| (nodes.clone(), width));
    let last = done
        .iter()
        .map(|stretch| (stretch.nodes.clone(), stretch.count.0 % width));
    let mut visits: Vec<(Range<u32>, u32)> =
        full.chain(last.filter(|&(_, count)| count > 0)).collect();
    visits.sort_by_key(|(nodes, _)| nodes.start);
    for (nodes, count) in visits {
        writer.block(nodes.start, nodes.end - nodes.start, count, 1)?;
    }
    Ok(())
}

/// The intervals without the nodes of `done`, each of which lies inside one of them.
fn without(active: &[Range<u32>], done: &[NodeStretch]) -> Vec<Range<u32>> {
    let mut left = Vec::with_capacity(active.len() + done.len());
    let mut done = done.iter().map(|stretch| stretch.nodes.clone()).peekable();
    for nodes in active {
        let mut start = nodes.start;
        while let Some(out) = done.next_if(|out| out.start < nodes.end) {
            left.push(start..out.start);
            start = out.end;
        }
        left.push(start..nodes.end);
    }
    left.retain(|nodes| !nodes.is_empty());
    left
}
