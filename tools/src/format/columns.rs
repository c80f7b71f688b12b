//! A line per rank with the columns that were asked for, as tsv or JSON. Lines are streamed; memory does not grow with ranks.

use super::digits;
use super::thread_cells::{ThreadCells, ThreadRows};
use super::watch::Watch;
use roaring::RoaringBitmap;
use std::collections::HashMap;
use std::io::{self, Write};
use stowplan::answers::thread_count::ThreadCounts;
use stowplan::job::columns::Column;
use stowplan_engine::count::Rank;
use stowplan_engine::plan::gpus::GivenGpus;
use stowplan_engine::plan::{Plan, ProcPlace};
use stowplan_engine::table::cpusets::{CpusetId, list_form};

/// How lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Cells separated by tabs.
    Tsv,
    /// An object per line.
    Ndjson,
}

/// What is written about a plan.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The columns, in the order of the output.
    pub columns: &'a [Column],
    /// The ranks to write; `None` for all.
    pub some: Option<&'a RoaringBitmap>,
    /// The form of the lines.
    pub form: Form,
    /// The GPUs that processes of the plan are given.
    pub gpus: &'a GivenGpus,
}

/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;

/// Writes the columns of a plan: a row a rank or, with `rows`, a row for each thread of a rank.
///
/// # Errors
/// When `out` refuses a write, or `watch` ends the output.
///
/// Cost: a few searches per rank. Memory: a block, and the distinct texts.
pub fn write(
    plan: &Plan,
    wanted: &Wanted<'_>,
    mut rows: Option<&mut ThreadRows<'_>>,
    out: &mut dyn Write,
    watch: &mut dyn Watch,
) -> io::Result<()> {
    let Wanted {
        columns,
        some,
        form,
        gpus,
    } = *wanted;
    let mut cells = Cells {
        plan,
        gpus,
        lists: HashMap::new(),
        nics: plan.nics().sets().iter().map(|own| own.join(",")).collect(),
        threads: ThreadCounts::default(),
        thread: None,
    };
    let names: Vec<&str> = columns.iter().map(|column| column.word()).collect();
    let mut buf = match form {
        Form::Tsv => format!("#{}\n", names.join("\t")).into_bytes(),
        Form::Ndjson => Vec::new(),
    };
    let ranks: Box<dyn Iterator<Item = u32>> = match some {
        Some(some) => Box::new(some.iter()),
        None => Box::new(0..plan.ranks()),
    };
    for rank in ranks {
        let Some(place) = plan.place(Rank(rank)) else {
            continue;
        };
        match rows.as_deref_mut() {
            None => cells.row(&mut buf, columns, form, &place)?,
            Some(rows) => {
                for thread in rows.of(&place).iter() {
                    cells.thread = Some(thread.clone());
                    cells.row(&mut buf, columns, form, &place)?;
                }
            }
        }
        if buf.len() >= BLOCK {
            out.write_all(&buf)?;
            buf.clear();
            watch.at(rank, plan.ranks())?;
        }
    }
    out.write_all(&buf)
}

/// Writes the cells of lines, and keeps texts for later lines.
struct Cells<'p> {
    plan: &'p Plan,
    gpus: &'p GivenGpus,
    lists: HashMap<CpusetId, String>,
    /// The network cards of each row of the plan's sets. Shape `[sets]`.
    nics: Vec<String>,
    threads: ThreadCounts,
    /// The thread of the row, in rows of threads.
    thread: Option<ThreadCells>,
}

impl Cells<'_> {
    fn row(
        &mut self,
        buf: &mut Vec<u8>,
        columns: &[Column],
        form: Form,
        place: &ProcPlace,
    ) -> io::Result<()> {
        match form {
            Form::Tsv => self.tsv(buf, columns, place),
            Form::Ndjson => self.json(buf, columns, place)?,
        }
        buf.push(b'\n');
        Ok(())
    }

    fn tsv(&mut self, buf: &mut Vec<u8>, columns: &[Column], place: &ProcPlace) {
        for (at, &column) in columns.iter().enumerate() {
            if at > 0 {
                buf.push(b'\t');
            }
            self.push(buf, column, place);
        }
    }

    fn json(&mut self, buf: &mut Vec<u8>, columns: &[Column], place: &ProcPlace) -> io::Result<()> {
        let mut cell = Vec::new();
        for (at, &column) in columns.iter().enumerate() {
            cell.clear();
            self.push(&mut cell, column, place);
            let text = String::from_utf8_lossy(&cell);
            buf.extend_from_slice(if at > 0 { b",\"" } else { b"{\"" });
            buf.extend_from_slice(column.word().as_bytes());
            buf.extend_from_slice(b"\":");
            let words = matches!(
                column,
                Column::Node
                    | Column::Object
                    | Column::Cpus
                    | Column::Gpus
                    | Column::Nics
                    | Column::Thread
                    | Column::Mask
                    | Column::Runtime
            );
            match &*text {
                "-" if column != Column::Node => buf.extend_from_slice(b"null"),
                text if words => serde_json::to_writer(&mut *buf, text)?,
                digits => buf.extend_from_slice(digits.as_bytes()),
            }
        }
        buf.push(b'}');
        Ok(())
    }

    fn push(&mut self, buf: &mut Vec<u8>, column: Column, place: &ProcPlace) {
        let world = self.plan.world();
        match column {
            Column::Rank => digits::push(buf, place.rank.0),
            Column::App => {
                digits::push(buf, self.plan.resolved_apps().number(place.app));
            }
            Column::AppRank => digits::push(buf, place.app_rank),
            Column::Node => buf.extend_from_slice(world.names.name(place.node).as_bytes()),
            Column::LocalRank => digits::push(buf, place.local_rank),
            Column::NodeRank => digits::push(buf, place.node_rank),
            Column::Object => match place.object {
                Some((kind, logical)) => {
                    buf.extend_from_slice(kind.word().as_bytes());
                    buf.push(b':');
                    digits::push(buf, logical);
                }
                None => buf.push(b'-'),
            },
            Column::Thread | Column::Place | Column::Runtime => self.push_thread(buf, column),
            Column::Cpus if self.thread.is_some() => self.push_thread(buf, column),
            Column::Cpus | Column::Mask => match place.cpus {
                Some(set) => {
                    let list = self
                        .lists
                        .entry(set)
                        .or_insert_with(|| list_form(world.cpusets.get(set)));
                    buf.extend_from_slice(list.as_bytes());
                }
                None => buf.push(b'-'),
            },
            Column::Gpus => match self.gpus.of(place.node, place.local_rank) {
                [] => buf.push(b'-'),
                numbers => {
                    let list = list_form(&numbers.iter().copied().collect());
                    buf.extend_from_slice(list.as_bytes());
                }
            },
            Column::Nics => match self.plan.nics().set_of(place) {
                None => buf.push(b'-'),
                Some(set) => buf.extend_from_slice(self.nics[set as usize].as_bytes()),
            },
            Column::Threads => match self.threads.of(self.plan, place) {
                Some(threads) => digits::push(buf, threads),
                None => buf.push(b'-'),
            },
        }
    }

    /// A cell of the thread of the row.
    fn push_thread(&self, buf: &mut Vec<u8>, column: Column) {
        match (&self.thread, column) {
            (Some(own), Column::Thread) => buf.extend_from_slice(own.thread.as_bytes()),
            (Some(own), Column::Cpus) => buf.extend_from_slice(own.cpus.as_bytes()),
            (Some(own), Column::Runtime) => buf.extend_from_slice(own.runtime.as_bytes()),
            (
                Some(ThreadCells {
                    place: Some(place), ..
                }),
                _,
            ) => {
                digits::push(buf, u32::try_from(*place).unwrap_or(u32::MAX));
            }
            (Some(_) | None, _) => buf.push(b'-'),
        }
    }
}
