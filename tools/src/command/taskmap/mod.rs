//! `stowplan taskmap`: reads a task map in any form; writes it, answers a question about it, or describes it.

// Reads the command line.
mod args;
// The map in words.
mod describe;

use super::given::Given;
use super::subcommand::{Behind, Nothing, Once, One, Subcommand, own, subcommand};
use crate::bounded::{Unread, bounded};
use crate::format::taskmap::write_line;
use crate::report::{Refused, told};
use crate::{Console, output};
use args::{Question, Wanted, wanted};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Read};
use stowplan::answers::json_text;
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::taskmap::{Encoder, Form, Limits, MapText, Scheme, TaskMap, TaskMapError};

#[rustfmt::skip]
pub(crate) const COMMAND: Subcommand = Subcommand {
    options: &[
        own(&["to"], One, "FORM", Once, "write it as map, wrapped, pmi, raw, deranged or multiline [default: map]"),
        own(&["nodeid"], One, "TASK", Once, "the node of this task"),
        own(&["taskids"], One, "NODE", Once, "the tasks of this node"),
        own(&["ntasks"], One, "NODE", Once, "how many tasks this node has"),
        own(&["check"], One, "MAP", Once, "nothing when both maps say the same, an error otherwise"),
        own(&["explain"], Nothing, "", Once, "nodes, tasks, blocks, lengths, as JSON"),
        own(&["describe"], Nothing, "", Once, "the same for people"),
        own(&["scheme"], One, "S[:VALUE]", Once, "deal the tasks anew first: block, cyclic, manual, hostfile"),
        own(&["hosts"], One, "HOSTLIST", Once, "the job's hosts, for hostfile"),
        own(&["encoder"], One, "E", Once, "best, or flux for the blocks that Flux would write [default: best]"),
        own(&["max-items"], One, "N", Once, "refuse a longer answer"),
        own(&["max-chars"], One, "N", Once, "refuse a longer answer"),
    ],
    behind: Behind::Words,
    examples: &[
        ("stowplan taskmap --describe '[[0,16384,64,1]]'", "a million tasks at a glance"),
        ("stowplan taskmap --nodeid 1000000 '[[0,16384,64,1]]'", "where one of them is"),
        ("stowplan taskmap --to pmi '[[0,4,2,1],[4,2,3,1]]'", "as PMI_process_mapping"),
    ],
    ..subcommand("taskmap", "[options] [MAP]", "Reads a task map in any form; writes it, or answers questions about it", |args, console| {
        run(args, &mut io::stdin().lock(), console)
    })
};

/// Answers the words after `taskmap`. `stdin` is read to its end if they contain no map. Source: taskmap "Task maps".
///
/// # Errors
/// Those of the words and of the maps, with nothing written; `output`.
pub fn run(
    args: &[String],
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<u8, Refused> {
    let wanted = wanted(&Given::read(&COMMAND, args)?)?;
    let map = match wanted.map {
        Some(text) => TaskMap::read(text.as_bytes())?,
        None => TaskMap::read(&read_all(stdin)?)?,
    };
    let map = apply_scheme(map, &wanted, console.files)?;
    let say = |text: &str, console: &mut Console<'_>| {
        output::give(None, console.out, |out| out.write_all(text.as_bytes()))
    };
    let line = |text: &MapText<'_>, console: &mut Console<'_>| {
        output::give(None, console.out, |out| write_line(text, out))
    };
    match wanted.question {
        Question::Form(form) => line(&map.text(form, wanted.encoder, wanted.limits)?, console),
        Question::TasksOf(node) => line(&map.tasks_text(node, wanted.limits)?, console),
        Question::NodeOf(task) => say(&format!("{}\n", map.node_of(task)?.0), console),
        Question::CountOf(node) => say(&format!("{}\n", map.count_of(node)?), console),
        Question::Check(other) => Ok(map.check(&TaskMap::read(other.as_bytes())?)?),
        Question::Explain => say(&explain(&map)?, console),
        Question::Describe => say(&describe::describe(&map)?, console),
    }?;
    Ok(0)
}

fn read_all(stdin: &mut dyn Read) -> Result<Vec<u8>, Refused> {
    bounded(stdin, TEXT_BYTES_MAX, 0).map_err(|error| match error {
        Unread::Io(error) => told(
            "taskmap-syntax",
            format!("standard input cannot be read: {error}"),
        ),
        Unread::TooLong => told(
            "job-too-large",
            format!("the task map on standard input has more than {TEXT_BYTES_MAX} bytes"),
        ),
    })
}

fn apply_scheme(map: TaskMap, wanted: &Wanted<'_>, files: &dyn Files) -> Result<TaskMap, Refused> {
    Ok(match wanted.scheme {
        None | Some(Scheme::Block) => map,
        Some(Scheme::Cyclic(width)) => map.cyclic(width, wanted.limits)?,
        Some(Scheme::Manual(other)) => map.manual(TaskMap::read(other.as_bytes())?)?,
        Some(Scheme::Hostfile(file)) => {
            let bytes = files.read(file).map_err(|reason| {
                told(
                    "bad-hostfile",
                    format!("host file `{file}` cannot be read: {reason}"),
                )
            })?;
            map.hostfile(&bytes, wanted.hosts.unwrap_or_default(), wanted.limits)?
        }
    })
}

/// The number of blocks and characters of one spelling of a map.
#[derive(Clone, Copy, Debug)]
struct Size {
    blocks: u64,
    chars: u64,
}

/// The size of a map in each spelling that people compare.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    map: Size,
    flux: Size,
    pmi: Size,
}

impl Sizes {
    fn of(map: &TaskMap) -> Result<Self, TaskMapError> {
        // Counting is arithmetic; nothing is written.
        let all = Limits {
            items: u64::MAX,
            chars: None,
        };
        let size = |form, encoder| {
            let text = map.text(form, encoder, all)?;
            Ok::<_, TaskMapError>(Size {
                blocks: text.blocks().unwrap_or(0),
                chars: text.chars(),
            })
        };
        Ok(Self {
            map: size(Form::Map, Encoder::Best)?,
            flux: size(Form::Map, Encoder::Flux)?,
            pmi: size(Form::Pmi, Encoder::Best)?,
        })
    }
}

/// The answer to `--explain`.
#[derive(Serialize)]
struct Explained {
    known: bool,
    nodes: u32,
    tasks: u32,
    blocks: u64,
    flux_blocks: u64,
    pmi_blocks: u64,
    map_chars: u64,
    pmi_chars: u64,
    /// Nodes without a task.
    holes: u64,
    /// How many nodes have so many tasks.
    counts: BTreeMap<u32, u64>,
}

/// One JSON object on one line. Source: taskmap "Task maps".
fn explain(map: &TaskMap) -> Result<String, TaskMapError> {
    let Sizes {
        map: best,
        flux,
        pmi,
    } = Sizes::of(map)?;
    let (nodes, tasks) = if map.is_unknown() {
        (0, 0)
    } else {
        (map.node_count()?, map.task_count()?.0)
    };
    let mut counts = BTreeMap::<u32, u64>::new();
    for stretch in map.counts() {
        *counts.entry(stretch.count.0).or_default() +=
            u64::from(stretch.nodes.end - stretch.nodes.start);
    }
    let explained = Explained {
        known: !map.is_unknown(),
        nodes,
        tasks,
        blocks: best.blocks,
        flux_blocks: flux.blocks,
        pmi_blocks: pmi.blocks,
        map_chars: best.chars,
        pmi_chars: pmi.chars,
        holes: counts.remove(&0).unwrap_or(0),
        counts,
    };
    Ok(json_text::text(&explained) + "\n")
}
