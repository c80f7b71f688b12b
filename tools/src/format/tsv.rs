//! A line per rank, in rank order, with the eight columns that are promised. Lines are streamed; memory does not grow with the number of
//! ranks. More columns are named in `stowplan/src/job/columns.rs`; these, and the same lines of some ranks, are written by `columns.rs`.

use super::digits;
use super::node_names::NodeNames;
use super::watch::Watch;
use std::io::{self, Write};
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::{PlacedRun, Plan, RankOrder};
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::cpusets::{CpusetId, Cpusets, list_form};
use stowplan_engine::table::patterns::Place;

/// The first line. Source: the command-line contract, "tsv".
pub const HEADER: &str = "#rank\tapp\tapp_rank\tnode\tlocal_rank\tnode_rank\tobject\tcpus\n";

/// Bytes that are gathered before they are written.
const BLOCK: usize = 64 << 10;
/// The most processes of a node for which line ends are kept.
const KEPT_ENDS: u32 = 1 << 12;

/// Writes a plan.
///
/// # Errors
/// When `out` refuses a write, or `watch` ends the output.
///
/// Cost: copying and a few divisions per rank. Memory: a block, the texts of the cpu sets, the line ends of one node.
pub fn write(plan: &Plan, out: &mut dyn Write, watch: &mut dyn Watch) -> io::Result<()> {
    let mut rows = Rows {
        buf: Vec::with_capacity(BLOCK + (BLOCK >> 2)),
        names: NodeNames::new(&plan.world().names),
        ends: LineEnds::new(&plan.world().cpusets),
    };
    rows.buf.extend_from_slice(HEADER.as_bytes());
    let mut name = Vec::new();
    let mut here = (u32::MAX, u32::MAX, u32::MAX);
    let mut app_text = Vec::new();
    // The rank that the app's own rank 0 would have, were none of another app before it.
    let mut base = 0;
    for (rank, at) in plan.rows() {
        let app = u32::try_from(at.app.row()).expect("limit.rs counts apps in u32");
        let runs = plan.app(at.app).runs();
        let run = &runs[at.run as usize];
        if (app, at.run) != (here.0, here.1) {
            rows.ends.enter(run, plan.app(at.app).order(), plan);
            app_text.clear();
            app_text.push(b'\t');
            digits::push(&mut app_text, plan.resolved_apps().number(at.app));
            app_text.push(b'\t');
            let own = plan.app(at.app);
            base = own.base().0 - own.first_app_rank();
        }
        if (app, at.run, at.node) != here {
            name.clear();
            name.push(b'\t');
            rows.names.push(&mut name, run.nodes.first + at.node);
            here = (app, at.run, at.node);
        }
        digits::push(&mut rows.buf, rank.0);
        rows.buf.extend_from_slice(&app_text);
        digits::push(&mut rows.buf, rank.0 - base);
        rows.buf.extend_from_slice(&name);
        rows.ends.push(&mut rows.buf, at.local, run, plan);
        if rows.buf.len() >= BLOCK {
            out.write_all(&rows.buf)?;
            rows.buf.clear();
            watch.at(rank.0, plan.ranks())?;
        }
    }
    out.write_all(&rows.buf)
}

struct Rows<'p> {
    buf: Vec<u8>,
    names: NodeNames<'p>,
    ends: LineEnds<'p>,
}

/// The ends of lines: local rank, node rank, object and cpus. They depend only on the run and the process within it.
struct LineEnds<'p> {
    cpusets: &'p Cpusets,
    /// List forms made so far. Shape `[cpusets]`.
    lists: Vec<Option<Box<str>>>,
    /// The run that the kept ends belong to.
    made_for: Option<PlacedRun>,
    /// The kept ends of the current run, one after the other; empty if none are kept.
    kept: Vec<u8>,
    /// The end of each kept text in `kept`. Shape `[processes]`.
    bounds: Vec<usize>,
}

impl<'p> LineEnds<'p> {
    fn new(cpusets: &'p Cpusets) -> Self {
        Self {
            cpusets,
            lists: vec![None; cpusets.len()],
            made_for: None,
            kept: Vec::new(),
            bounds: Vec::new(),
        }
    }

    /// Prepares for a run. Runs that differ only in their nodes share their line ends.
    fn enter(&mut self, run: &PlacedRun, order: &RankOrder, plan: &Plan) {
        let key = |run: &PlacedRun| {
            (
                run.procs,
                run.pattern,
                run.kind,
                run.own_before,
                run.used_before,
            )
        };
        if self.made_for.as_ref().map(key) == Some(key(run)) {
            return;
        }
        self.made_for = Some(*run);
        self.bounds.clear();
        let mut kept = std::mem::take(&mut self.kept);
        kept.clear();
        // Keep line ends only node by node. Round by round, the run changes before kept ends are used often enough.
        let node_by_node = match order {
            RankOrder::Slot | RankOrder::Fill => true,
            RankOrder::Node | RankOrder::Span | RankOrder::Listed(_) => false,
        };
        if node_by_node && run.procs <= KEPT_ENDS && run.nodes.count > 1 {
            for local in 0..run.procs {
                self.write(&mut kept, local, run, plan);
                self.bounds.push(kept.len());
            }
        }
        self.kept = kept;
    }

    fn push(&mut self, buf: &mut Vec<u8>, local: u32, run: &PlacedRun, plan: &Plan) {
        let at = local as usize;
        match self.bounds.get(at) {
            Some(&end) => {
                let start = at.checked_sub(1).map_or(0, |before| self.bounds[before]);
                buf.extend_from_slice(&self.kept[start..end]);
            }
            None => self.write(buf, local, run, plan),
        }
    }

    fn write(&mut self, buf: &mut Vec<u8>, local: u32, run: &PlacedRun, plan: &Plan) {
        let Place { object, cpus } = plan.patterns().get(run.pattern).place(local);
        for number in [run.own_before + local, run.used_before + local] {
            buf.push(b'\t');
            digits::push(buf, number);
        }
        buf.push(b'\t');
        push_object(buf, run.kind.zip(object));
        buf.push(b'\t');
        match cpus {
            Some(set) => buf.extend_from_slice(self.list(set).as_bytes()),
            None => buf.push(b'-'),
        }
        buf.push(b'\n');
    }

    fn list(&mut self, set: CpusetId) -> &str {
        self.lists[set.row()]
            .get_or_insert_with(|| list_form(self.cpusets.get(set)).into_boxed_str())
    }
}

fn push_object(buf: &mut Vec<u8>, object: Option<(ObjKind, u32)>) {
    match object {
        Some((kind, logical)) => {
            buf.extend_from_slice(kind.word().as_bytes());
            buf.push(b':');
            digits::push(buf, logical);
        }
        None => buf.push(b'-'),
    }
}
