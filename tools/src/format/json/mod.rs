//! Compact JSON: node classes, patterns and runs, never one object per rank. Schema: `docs/plan.schema.json`.

// Apps, with the origin of each policy word.
mod app;
// Which GPUs each process is given.
mod gpus;
// Which network cards each process is mapped to.
mod nics;
// Numbers patterns and cpu sets in the order of first use.
mod numbered;
// Where threads go.
mod threads;

use super::{Told, hosts};
use app::AppView;
use gpus::GivenView;
use nics::NicsView;
use numbered::{Numbered, PatternView};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use std::collections::HashMap;
use std::io::{self, Write};
use stowplan::answers::json_text;
use stowplan::job::line::By;
use stowplan::job::line::launched::{Launched, PRTE_VERSION};
use stowplan::launchers::line::Launcher;
use stowplan_engine::id::Id as _;
use stowplan_engine::plan::bytes::Remark;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::table::apps::AppId;
use stowplan_engine::table::cpusets::list_form;
use stowplan_engine::table::pusets::PuSetId;
use stowplan_engine::table::states::StateId;
use stowplan_engine::table::topologies::TopologyId;
use threads::ThreadsView;

/// The version of the layout.
pub const VERSION: u32 = 1;

/// Writes a plan as one line of JSON.
///
/// # Errors
/// When `out` refuses a write.
///
/// Cost and size: the runs, states, patterns and listed runs of the plan.
pub fn write(told: &Told<'_>, out: &mut dyn Write) -> io::Result<()> {
    let numbered = Numbered::new(told.plan);
    let mut out = io::BufWriter::with_capacity(64 << 10, out);
    json_text::write(&mut out, &document(told, &numbered))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// The document, in the order of the data: the machine, the request, the result.
#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    launcher: LauncherView<'a>,
    ranks: u32,
    nodes: Nodes<'a>,
    topologies: Vec<TopologyView<'a>>,
    states: Vec<StateView>,
    classes: Vec<ClassView>,
    apps: Vec<AppView<'a>>,
    patterns: Vec<PatternView<'a>>,
    cpusets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpus: Option<GivenView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nics: Option<NicsView<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Vec<ThreadsView>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads_more: Option<usize>,
    notes: Vec<NoteView<'a>>,
}

/// Whose rules placed the job, their version, and how that is known.
#[derive(Serialize)]
struct LauncherView<'a> {
    name: &'static str,
    version: &'a str,
    by: &'static str,
}

impl<'a> LauncherView<'a> {
    fn new(launched: Option<&'a Launched>) -> Self {
        // Our own words are prterun's.
        let (name, version, by) = launched.map_or(
            (Launcher::Prte.word(), PRTE_VERSION, By::Word.word()),
            |own| {
                (
                    own.line.launcher.word(),
                    own.version.as_str(),
                    own.line.by.word(),
                )
            },
        );
        Self { name, version, by }
    }
}

fn document<'a>(told: &'a Told<'a>, numbered: &'a Numbered) -> Document<'a> {
    let plan = told.plan;
    let world = plan.world();
    let topologies = used(told);
    let mut states = Vec::new();
    let mut rows = HashMap::new();
    let classes = world.before.iter().map(|(nodes, id)| {
        let row = *rows.entry(id).or_insert_with(|| {
            states.push(StateView::new(told, id, &topologies));
            states.len() - 1
        });
        ClassView {
            first: nodes.first,
            count: nodes.count,
            state: row,
        }
    });
    let classes = classes.collect();
    let apps = (0..plan.apps().len()).map(|row| AppView {
        told,
        numbered,
        app: AppId::from_row(row),
    });
    let sets = numbered.cpusets().iter();
    let (threads, more) = threads::view(plan, &topologies).unzip();
    Document {
        version: VERSION,
        launcher: LauncherView::new(told.sources.launched.as_ref()),
        ranks: plan.ranks(),
        nodes: Nodes { told },
        topologies: topologies
            .iter()
            .map(|&id| TopologyView { told, id })
            .collect(),
        states,
        classes,
        apps: apps.collect(),
        patterns: numbered.views(plan.patterns()),
        cpusets: sets.map(|&set| list_form(world.cpusets.get(set))).collect(),
        gpus: gpus::view(plan),
        nics: nics::view(plan),
        threads,
        threads_more: more.filter(|&more| more > 0),
        notes: told.notes.iter().map(NoteView::new).collect(),
    }
}

/// The topologies of the nodes, in the order of their first nodes. A saved plan keeps these.
fn used(told: &Told<'_>) -> Vec<TopologyId> {
    let world = told.plan.world();
    let mut used = Vec::new();
    let states = world.before.iter().map(|(_, state)| state);
    for topology in states.map(|state| world.states.get(state).topology) {
        if !used.contains(&topology) {
            used.push(topology);
        }
    }
    used
}

/// The pool: how many nodes there are, which one is local, and their names.
struct Nodes<'a> {
    told: &'a Told<'a>,
}

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let world = self.told.plan.world();
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("count", &world.names.len())?;
        map.serialize_entry("local", &world.local.map(stowplan_engine::id::Id::row))?;
        map.serialize_entry("names", &NodeNames { told: self.told })?;
        map.end()
    }
}

/// The names, as host list ranges in node order.
struct NodeNames<'a> {
    told: &'a Told<'a>,
}

impl Serialize for NodeNames<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = &self.told.plan.world().names;
        let folds = hosts::folds(names, hosts::all(names));
        serializer.collect_seq(folds.map(|fold| (fold.to_string(), fold.count)))
    }
}

/// A topology: its source, its objects of each kind, and its PUs.
struct TopologyView<'a> {
    told: &'a Told<'a>,
    id: TopologyId,
}

impl Serialize for TopologyView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let topologies = &self.told.plan.world().topologies;
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("source", &self.told.sources.of(self.id))?;
        map.serialize_entry("objects", &Objects { view: self })?;
        let pus = topologies.pus_os(self.id).iter().copied().collect();
        map.serialize_entry("pus", &list_form(&pus))?;
        map.end()
    }
}

/// The number of objects of each kind that the topology has.
struct Objects<'a> {
    view: &'a TopologyView<'a>,
}

impl Serialize for Objects<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let topologies = &self.view.told.plan.world().topologies;
        let kinds = ObjKind::ALL
            .into_iter()
            .filter(|&kind| kind != ObjKind::Machine);
        let kinds = kinds.chain([ObjKind::Gpu]);
        let counts = kinds.map(|kind| (kind.word(), topologies.count(self.view.id, kind)));
        serializer.collect_map(counts.filter(|&(_, count)| count > 0))
    }
}

/// The state of a node before the job.
#[derive(Serialize)]
struct StateView {
    topology: usize,
    slots: u32,
    max_slots: Option<u32>,
    used: u32,
    /// OS numbers, list form.
    allowed: String,
}

impl StateView {
    fn new(told: &Told<'_>, id: StateId, topologies: &[TopologyId]) -> Self {
        let state = told.plan.world().states.get(id);
        let mut known = topologies.iter();
        Self {
            topology: known
                .position(|&known| known == state.topology)
                .unwrap_or(topologies.len()),
            slots: state.slots,
            max_slots: state.max_slots,
            used: state.used,
            allowed: os_list(told, state.topology, state.allowed),
        }
    }
}

/// Neighbouring nodes in the same state.
#[derive(Serialize)]
struct ClassView {
    first: u32,
    count: u32,
    state: usize,
}

/// A note, as printed on standard error.
#[derive(Serialize)]
struct NoteView<'a> {
    note: &'a str,
    app: Option<u32>,
    nodes: &'a str,
    count: u64,
    ranks: &'a str,
    class: &'a str,
    text: &'a str,
}

impl<'a> NoteView<'a> {
    fn new(told: &'a Remark) -> Self {
        let facts = &told.facts;
        Self {
            note: &told.class,
            app: facts.app,
            nodes: &facts.nodes,
            count: facts.count,
            ranks: &facts.ranks,
            class: &told.class,
            text: &told.text,
        }
    }
}

/// A set of logical PUs of a topology, by OS number.
fn os_list(told: &Told<'_>, topology: TopologyId, set: PuSetId) -> String {
    let world = told.plan.world();
    let os = world.topologies.pus_os(topology);
    list_form(
        &world
            .pusets
            .get(set)
            .iter_ones()
            .map(|logical| os[logical])
            .collect(),
    )
}
