//! `stowplan taskmap`: reads a task map in any form; writes it, answers a question about it, or describes it.

// Reads the command line.
mod args;
// The map in words.
mod describe;

use crate::bounded::{Unread, bounded};
use crate::report;
use args::{Question, Wanted};
use std::fmt;
use std::io::{self, Read, Write};
use stowplan_engine::limit::TEXT_BYTES_MAX;
use stowplan_engine::stage::resolve::Files;
use stowplan_engine::taskmap::{Encoder, Form, Limits, Scheme, TaskMap, TaskMapError};
use stowplan_job::error::one_line;

/// What went wrong: a class of `errors.md` and a sentence; or the reader of our answer has gone away.
#[derive(Debug)]
enum Refused {
    Told {
        class: &'static str,
        sentence: String,
    },
    Unread(io::Error),
}

impl From<TaskMapError> for Refused {
    fn from(error: TaskMapError) -> Self {
        Self::Told {
            class: error.class(),
            sentence: error.to_string(),
        }
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Unread(error)
    }
}

/// Runs the subcommand with the arguments after `taskmap`. Returns the exit status: 0, or 2 with nothing on `out`.
///
/// `stdin` is read to its end if the arguments contain no map. Source: taskmap "Task maps".
pub fn run(
    args: &[String],
    stdin: &mut dyn Read,
    files: &dyn Files,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> u8 {
    let (status, told) = match answer(args, stdin, files, out).and_then(|()| Ok(out.flush()?)) {
        Ok(()) => return 0,
        Err(Refused::Unread(error)) => return report::Refused::unwritten(error).print(err),
        Err(Refused::Told { class, sentence }) => (2, format!("error[{class}]: {sentence}")),
    };
    // The worst that can happen to a message is that nobody reads it.
    let _ = writeln!(err, "{}", one_line(&told));
    status
}

fn answer(
    args: &[String],
    stdin: &mut dyn Read,
    files: &dyn Files,
    out: &mut dyn Write,
) -> Result<(), Refused> {
    let wanted = args::read(args)?;
    let map = match wanted.map {
        Some(text) => TaskMap::read(text.as_bytes())?,
        None => TaskMap::read(&read_all(stdin)?)?,
    };
    let map = apply_scheme(map, &wanted, files)?;
    match wanted.question {
        Question::Form(form) => write_line(&map.text(form, wanted.encoder, wanted.limits)?, out)?,
        Question::NodeOf(task) => writeln!(out, "{}", map.node_of(task)?.0)?,
        Question::TasksOf(node) => write_line(&map.tasks_text(node, wanted.limits)?, out)?,
        Question::CountOf(node) => writeln!(out, "{}", map.count_of(node)?)?,
        Question::Check(other) => map.check(&TaskMap::read(other.as_bytes())?)?,
        Question::Explain => out.write_all(explain(&map)?.as_bytes())?,
        Question::Describe => out.write_all(describe::describe(&map)?.as_bytes())?,
    }
    Ok(())
}

fn read_all(stdin: &mut dyn Read) -> Result<Vec<u8>, Refused> {
    let told = |class, sentence| Refused::Told { class, sentence };
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
            let bytes = files.read(file).map_err(|reason| Refused::Told {
                class: "bad-hostfile",
                sentence: format!("host file `{file}` cannot be read: {reason}"),
            })?;
            map.hostfile(&bytes, wanted.hosts.unwrap_or_default(), wanted.limits)?
        }
    })
}

/// Writes a text piece by piece, then a newline.
fn write_line(
    text: &stowplan_engine::taskmap::MapText<'_>,
    out: &mut dyn Write,
) -> Result<(), Refused> {
    let mut sink = Sink { out, error: None };
    let written = text.write_to(&mut sink);
    match (written, sink.error) {
        (_, Some(error)) => Err(Refused::Unread(error)),
        (Ok(()) | Err(fmt::Error), None) => Ok(writeln!(out)?),
    }
}

/// Passes text of the engine, which knows no files, to a file. Keeps the error of the file.
struct Sink<'a> {
    out: &'a mut dyn Write,
    error: Option<io::Error>,
}

impl fmt::Write for Sink<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
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
    let mut counts = std::collections::BTreeMap::<u32, u64>::new();
    for stretch in map.counts() {
        *counts.entry(stretch.count.0).or_default() +=
            u64::from(stretch.nodes.end - stretch.nodes.start);
    }
    let holes = counts.remove(&0).unwrap_or(0);
    let counts: Vec<String> = counts
        .iter()
        .map(|(tasks, nodes)| format!("\"{tasks}\":{nodes}"))
        .collect();
    Ok(format!(
        "{{\"known\":{},\"nodes\":{nodes},\"tasks\":{tasks},\"blocks\":{},\"flux_blocks\":{},\"pmi_blocks\":{},\
         \"map_chars\":{},\"pmi_chars\":{},\"holes\":{holes},\"counts\":{{{}}}}}\n",
        !map.is_unknown(),
        best.blocks,
        flux.blocks,
        pmi.blocks,
        best.chars,
        pmi.chars,
        counts.join(",")
    ))
}
