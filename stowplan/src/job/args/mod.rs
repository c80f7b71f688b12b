//! Turns the command line into a spawn request and the options of the job. Decides nothing and reads nothing.

// What counts for nothing beside a launcher's line.
mod beside;
// Words about GPUs.
mod gpus;
// Words about threads.
mod threads;
// The options, one after another.
mod reader;
// Directives of an app.
mod directives;
// Options of the job.
mod job_options;
// Options of the job alone.
mod job_alone;
// Old spellings of directives.
mod old;
// Options of a network.
mod network;
// Options of other launchers.
pub mod foreign;
// Words of other launchers in the values of our options.
pub(crate) mod idiom;

use crate::job::batch::alloc;
use crate::job::error::{all_of, bad_words, value};
use crate::job::line::{self, Cut, LineArgs};
use crate::job::words::CommandLine;
use crate::launchers::line::Launcher;
pub use crate::launchers::line::Refusals;
use crate::score::network::Network;
pub use job_alone::job_args;
pub use network::NodeOrder;
use network::with_network;
use reader::Reader;
use std::sync::Arc;
use stowplan_engine::error::spec::{OptionFault, Owner, Said};
use stowplan_engine::error::{Note, SpecError};
use stowplan_engine::policy::{CpuMode, MapBy};
use stowplan_engine::spawn::argv::normalize_argv;
use stowplan_engine::spawn::attributes::Scope;
use stowplan_engine::spawn::inherit::Parent;
use stowplan_engine::spawn::intake::{DirectiveForm, Intake, Taken};
use stowplan_engine::text::mapping::MapForm;

/// How a plan is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// The layout of prterun's `--display map`.
    Map,
    /// The same, in detail.
    MapDevel,
    /// A line per rank.
    Tsv,
    /// A JSON object per rank, each on its own line.
    Ndjson,
    /// Compact, for programs.
    Json,
    /// A picture for a browser.
    Html,
    /// The drawing alone.
    Svg,
    /// RFC 34.
    Taskmap,
    /// PMI's process mapping.
    Pmi,
    /// A list of nodes by rank.
    Raw,
}

/// Formats by the word of `--format`.
pub const FORMATS: &[(&str, Format)] = &[
    ("text", Format::Text),
    ("map", Format::Map),
    ("tsv", Format::Tsv),
    ("ndjson", Format::Ndjson),
    ("json", Format::Json),
    ("html", Format::Html),
    ("svg", Format::Svg),
    ("taskmap", Format::Taskmap),
    ("pmi", Format::Pmi),
    ("raw", Format::Raw),
];

/// What `--show-attributes` shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Show {
    /// What was set.
    Before,
    /// What came through the relay, promoted and inherited.
    After,
}

/// Which ranks are shown: the ranks that all of these options leave.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// `--node`: only the ranks on these nodes.
    pub node: Option<String>,
    /// `--ranks`: only these ranks.
    pub ranks: Option<String>,
    /// `--app`: only the ranks of these apps.
    pub app: Option<String>,
}

/// How a picture is drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// `--dark`.
    pub dark: bool,
    /// `--size`, as given.
    pub size: Option<String>,
}

/// Where the cpus that may be used are from: a variable or file of an allocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoresFrom {
    /// The variable or file.
    pub source: String,
    /// Who says each list there, in the order of the lists; empty: nothing beside the source is known.
    pub entries: Vec<String>,
}

impl CoresFrom {
    /// The source and the entry of a list.
    #[must_use]
    pub fn entry(&self, at: usize) -> String {
        match self.entries.get(at) {
            Some(entry) => format!("{}, {entry}", self.source),
            None => self.source.clone(),
        }
    }
}

/// The options of the job: everything except policies, process counts and hosts.
#[derive(Clone, Debug)]
pub struct JobArgs {
    /// Topologies: for all nodes, or for the nodes of a host list.
    pub topos: Vec<(Option<String>, String)>,
    /// `--devices`, as given.
    pub devices: Vec<String>,
    /// `--columns`.
    pub columns: Option<Vec<crate::job::columns::Column>>,
    /// The local node.
    pub head: Option<String>,
    /// The cpus that may be used on every node.
    pub default_cpu_list: Option<String>,
    /// The cpus that may be used on some nodes, as `NODES=LIST`. Such a node counts as one that has only these cpus.
    pub cpu_lists: Vec<String>,
    /// What the cpus that may be used are from, if no word says them.
    pub cores_from: Option<CoresFrom>,
    /// `--default-hostfile`: the hostfile of apps if none names any.
    pub default_hostfile: Option<String>,
    /// Parameters of the launcher that place, in the order given.
    pub parameters: Vec<(String, String)>,
    /// What an inferred slot is: `--use-hwthread-cpus` makes it a PU.
    pub slots_by: CpuMode,
    /// `--format`, if given.
    pub format: Option<Format>,
    /// `-o`.
    pub output: Option<String>,
    /// `--save`.
    pub save: Option<String>,
    /// `--quiet-notes`: classes of notes that are left out.
    pub quiet_notes: Vec<String>,
    /// `--strict`.
    pub strict: bool,
    /// `--threads`.
    pub threads: Option<usize>,
    /// `--session`.
    pub session: Option<String>,
    /// `--as`.
    pub as_ns: Option<String>,
    /// `--target`.
    pub targets: Vec<String>,
    /// `--alloc`.
    pub alloc: Option<String>,
    /// `--granted`.
    pub granted: Option<String>,
    /// `-x`, with the app on which it stands, in order.
    pub exported: Vec<(u32, String)>,
    /// `--omp`.
    pub omp: Option<String>,
    /// `--levels`.
    pub levels: Option<u32>,
    /// `--env`, in order.
    pub env: Vec<(String, String)>,
    /// `--env-file`, in order.
    pub env_files: Vec<String>,
    /// `--env-here`.
    pub env_here: bool,
    /// `--site`.
    pub site: Option<String>,
    /// `--script`.
    pub script: Option<String>,
    /// `--line`.
    pub line_number: Option<usize>,
    /// The hosts of our own words, as a hostfile, if a line of prterun's family names hosts too.
    pub allocation: Option<String>,
    /// A launcher's own line, if the job is one.
    pub line: Option<LineArgs>,
    /// What is told of a launcher's own line that is refused.
    pub refusals: Refusals,
    /// Our own words before a line of another launcher: the hosts among them are its allocation.
    pub our_hosts: Vec<String>,
    /// `--rank-order`.
    pub rank_order: Option<String>,
    /// `--network`.
    pub network: Option<String>,
    /// `--network-levels`.
    pub network_levels: Option<String>,
    /// The network, where a caller read it already.
    pub network_read: Option<Arc<Network>>,
    /// `--node-order`.
    pub node_order: NodeOrder,
    /// `--taskmap`.
    pub taskmap: Option<String>,
    /// `--lsf-affinity`.
    pub lsf_affinity: Option<String>,
    /// `--from-env`.
    pub from_env: Option<String>,
    /// `--here`, with the text after its `=`. A caller that has an environment replaces it by the hosts that it finds there.
    pub here: Option<String>,
    /// `--show-attributes`.
    pub show_attributes: Option<Show>,
    /// `--node`, `--ranks`, `--app`.
    pub parts: Parts,
    /// `--dark`, `--size`.
    pub picture: Picture,
}

impl Default for JobArgs {
    fn default() -> Self {
        Self {
            topos: Vec::new(),
            devices: Vec::new(),
            columns: None,
            head: None,
            default_cpu_list: None,
            cpu_lists: Vec::new(),
            cores_from: None,
            default_hostfile: None,
            parameters: Vec::new(),
            slots_by: CpuMode::Core,
            format: None,
            output: None,
            save: None,
            quiet_notes: Vec::new(),
            strict: false,
            threads: None,
            session: None,
            as_ns: None,
            targets: Vec::new(),
            alloc: None,
            granted: None,
            exported: Vec::new(),
            omp: None,
            levels: None,
            env: Vec::new(),
            env_files: Vec::new(),
            env_here: false,
            site: None,
            script: None,
            line_number: None,
            allocation: None,
            line: None,
            refusals: Refusals::Helped,
            our_hosts: Vec::new(),
            rank_order: None,
            network: None,
            network_levels: None,
            network_read: None,
            node_order: NodeOrder::Given,
            taskmap: None,
            lsf_affinity: None,
            from_env: None,
            here: None,
            show_attributes: None,
            parts: Parts::default(),
            picture: Picture::default(),
        }
    }
}

/// A job to map: its options, and its request, not yet relayed.
#[derive(Clone, Debug)]
pub struct MapArgs {
    /// The options of the job.
    pub job: JobArgs,
    /// The request, its words and notes.
    pub taken: Taken,
    /// For a spawn request: the parent that spawned the job.
    pub parent: Option<Parent>,
}

/// Reads the command line of `map`.
///
/// # Errors
/// The first wrong option, word or value, from left to right; then contradictions inside the words of one app.
pub fn map_args(args: &[String]) -> Result<MapArgs, SpecError> {
    read_args(args, Outer::Taken)?.finish()
}

/// Whether a command line may also say what the machine is and where the answer goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outer {
    /// As `map` takes it.
    Taken,
    /// Such options are `bad-option`: a library gets the machine and the job separately.
    Refused,
}

/// A command line that was read, not yet made a request.
#[derive(Clone, Debug)]
pub struct ReadArgs {
    /// The options of the job.
    pub job: JobArgs,
    /// What was said.
    pub intake: Intake,
    /// The notes so far.
    pub notes: Vec<Note>,
}

impl ReadArgs {
    /// Makes the request.
    ///
    /// # Errors
    /// Contradictions inside the words of one app.
    pub fn finish(self) -> Result<MapArgs, SpecError> {
        let mut taken = self.intake.finish()?;
        taken.notes.splice(0..0, self.notes);
        Ok(MapArgs {
            job: self.job,
            taken,
            parent: None,
        })
    }
}

/// Reads the command line of `map` option by option.
///
/// # Errors
/// The first wrong option, word or value, from left to right; a mapping together with a task map.
pub fn read_args(args: &[String], outer: Outer) -> Result<ReadArgs, SpecError> {
    line::refuse_wrappers(args)?;
    let Some(cut) = line::cut(args) else {
        let read = read_own(args, outer)?;
        with_sessions(&read.job, outer)?;
        with_network(&read.job)?;
        beside::refuse_settings_alone(&read.job)?;
        beside::refuse_scripts(&read.job)?;
        return Ok(read);
    };
    line::refuse_job_words(cut)?;
    let mut ours = read_own(cut.ours, outer)?;
    beside::refuse_scripts(&ours.job)?;
    let line = whose(cut, &ours.job)?;
    if let Some(alloc) = ours
        .job
        .alloc
        .clone()
        .filter(|_| line.launcher == Launcher::Prte)
    {
        let (mut words, note) = alloc::with_hosts(&alloc, cut)?;
        words.extend(cut.command.iter().chain(cut.words).cloned());
        let mut read = read_args(&words, outer)?;
        read.notes.extend(note);
        return Ok(read);
    }
    if line.launcher == Launcher::Prte {
        // The words of prterun's family are ours: what stands before and behind its name is one job.
        let mut own = CommandLine::read(cut.ours);
        let allocation = line::allocation::take(&mut own, cut.words);
        let mut words = own.to_words();
        words.extend_from_slice(cut.words);
        ours = read_own(&words, outer)?;
        ours.job.allocation = allocation;
        beside::refuse_settings_beside(&line, &ours.job)?;
    } else {
        beside::refuse_session(&line, &ours.job)?;
        ours.job.our_hosts = cut.ours.to_vec();
    }
    ours.job.line = Some(line);
    Ok(ours)
}

/// Whose line it is, by our words before it. With a session, `--as` names a namespace.
pub(crate) fn whose(cut: Cut<'_>, ours: &JobArgs) -> Result<LineArgs, SpecError> {
    let asked = ours.as_ns.as_deref().filter(|_| ours.session.is_none());
    line::whose(cut, asked, &ours.env)
}

/// Reads words of our own.
pub(crate) fn read_own(args: &[String], outer: Outer) -> Result<ReadArgs, SpecError> {
    let mut renamed = args.to_vec();
    // The personality has no effect on placement; the scan still renames the old spellings.
    normalize_argv(&mut renamed);
    let mut reader = Reader::new(&renamed, args);
    reader.outer = outer;
    reader.segments()?;
    reader.check_columns()?;
    let Reader {
        mut intake,
        job,
        notes,
        ..
    } = reader;
    if let Some(map) = &job.taskmap {
        map_by_taskmap(&mut intake, map)?;
    }
    Ok(ReadArgs { job, intake, notes })
}

/// `--as` and `--target` are allowed only with `--session`, which a library does not take.
fn with_sessions(job: &JobArgs, outer: Outer) -> Result<(), SpecError> {
    let without = OptionFault::Without;
    let (option, fault) = match (&job.session, &job.as_ns, job.targets.as_slice(), outer) {
        (None, Some(_), _, Outer::Taken) => (
            "--as",
            without("--session, or the line of a launcher after it"),
        ),
        (None, Some(_), _, Outer::Refused) => ("--as", without(beside::A_LINE)),
        (None, None, [_, ..], Outer::Taken) => ("--target", without("--session")),
        (None, None, [_, ..], Outer::Refused) => ("--target", OptionFault::Misplaced),
        _ => return Ok(()),
    };
    Err(SpecError::BadOption {
        option: option.to_owned(),
        app: 0,
        fault,
    })
}

/// Refuses Flux's schemes of task maps, with our words.
fn flux_scheme(map: &str) -> Result<(), SpecError> {
    let (scheme, value) = map.split_once(':').unwrap_or((map, ""));
    let help = match scheme {
        "cyclic" => "did you mean --map-by node?".to_owned(),
        "block" => "did you mean --map-by slot?".to_owned(),
        "manual" => format!("did you mean --taskmap {value}?"),
        "hostfile" => format!("did you mean --map-by seq:file={value}?"),
        _ => return Ok(()),
    };
    Err(bad_words(
        "taskmap-syntax",
        format!("--taskmap {map}: {scheme} is a scheme of flux run, a task map is wanted here"),
        vec![help],
    ))
}

/// A task map places processes as seq does. No mapping may be named together with it.
fn map_by_taskmap(intake: &mut Intake, map: &str) -> Result<(), SpecError> {
    let text = value(None, "--taskmap", map);
    flux_scheme(map)?;
    let named = intake.clone().finish()?.spoken.names_a_map();
    if let Some((owner, second)) = named {
        let first = Said {
            word: "--taskmap".to_owned(),
            at: Some(all_of(text)),
        };
        let why = "a task map says where each rank goes";
        return Err(SpecError::ContradictingQualifiers {
            owner,
            first,
            second,
            why,
        });
    }
    let row = intake.text(text);
    let form = DirectiveForm::Map(MapForm::Policy(MapBy::Seq));
    intake.directive(Owner::Job, form, row, Scope::Global)
}
