//! What cannot be placed: nodes, slots, objects, cpus. Source: errors "What is given", "Room", "Objects and cpus".
use super::phrases::{Counted, EmptyNodes, FullNodes, Kinds, all_of, are, passed_over};
use crate::count::counted as number;
use crate::devices::Devices;

/// A sound request that these nodes cannot honor.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlaceError {
    /// No component takes the app's policy. This happens only with a launcher's own registry.
    #[error("no mapping component takes app {app}, mapped by {policy}")]
    FailedMap {
        /// The app, from 0.
        app: u32,
        /// Its policy.
        policy: String,
    },
    /// A launcher's own component took the app but cannot place it.
    #[error("component {component} cannot place app {app}: {why}")]
    ResourceBusy {
        /// The app, from 0.
        app: u32,
        /// The component.
        component: String,
        /// The reason, in the component's words.
        why: String,
    },
    /// A launcher's own component looked at the nodes of an app, from 0, and passed: the next one is asked.
    #[error("the component passes on app {0}")]
    TakeNextOption(u32),
    /// More than ids can count, or more than a stated limit.
    #[error("{asked} {what} are asked for, at most {limit} are possible")]
    JobTooLarge {
        /// What is counted.
        what: &'static str,
        /// The number.
        asked: u64,
        /// The bound.
        limit: u64,
    },
    /// A node has no topology.
    #[error("no topology is given for node {node}")]
    NoTopology {
        /// The node.
        node: String,
    },
    /// The cpu list that restricts every node names a cpu that a node lacks.
    #[error("cpu list `{text}` asks for {entry}, node {node} has {what} 0 to {last}")]
    BadCpuList {
        /// The list as written.
        text: String,
        /// The entry.
        entry: String,
        /// The node.
        node: String,
        /// `cores` or `hwthreads`.
        what: &'static str,
        /// The node's last logical number.
        last: u32,
    },
    /// A hostfile contradicts itself.
    #[error("{path}, line {line}: {reason}")]
    BadHostfile {
        /// The file.
        path: String,
        /// The line, from 1.
        line: u32,
        /// What is wrong.
        reason: &'static str,
    },
    /// A selection asks for a node that the pool does not have.
    #[error("app {app} selects `{asked}`, which is none of the job's {}{empty}", number(*.pool, "node"))]
    NoSuchHost {
        /// The app, from 0.
        app: u32,
        /// The name or index as written.
        asked: String,
        /// Nodes of the job.
        pool: u32,
        /// How many nodes were empty, for `+e`.
        empty: EmptyNodes,
    },
    /// A host lies outside the sessions the job may use.
    #[error("host `{host}` is not in the sessions this job may use: {sessions}")]
    NotInSession {
        /// The host.
        host: String,
        /// The sessions.
        sessions: String,
    },
    /// A cluster's node takes no jobs now.
    #[error("{node} is {why}: no job starts there")]
    NodeClosed {
        /// The node.
        node: String,
        /// `down` or `drained`.
        why: &'static str,
    },
    /// Jobs hold so many GPUs of a cluster's node, or of all its nodes that have some, that too few are left for one process.
    #[error("node {node}: other jobs hold {held} of {all} GPUs, {free} free; each process asks for {asked}",
        held = all - free, free = match free { 0 => "none is".to_owned(), 1 => "1 is".to_owned(), more => format!("{more} are") })]
    GpusHeld {
        /// The node, or the first of all.
        node: String,
        /// GPUs that each process asks for.
        asked: u32,
        /// GPUs that no job holds.
        free: u32,
        /// GPUs of the node.
        all: u32,
    },
    /// An app is left without nodes, but not because they are full.
    #[error("app {app} has no node left: {removed}")]
    NoNodes {
        /// The app, from 0.
        app: u32,
        /// What removed the nodes.
        removed: &'static str,
    },
    /// A claim passes max_slots.
    #[error("app {app} claims {} on node {node}, max_slots is {max} and {used} are used", number(*.claim, "slot"))]
    SlotsExceedMax {
        /// The app, from 0.
        app: u32,
        /// The node.
        node: String,
        /// The slots claimed.
        claim: u64,
        /// max_slots.
        max: u32,
        /// Processes there.
        used: u32,
    },
    /// Every node of the app is full before it starts.
    #[error("app {app} finds {} full{}: {}, {used} taken by earlier processes", all_of(*.nodes), full.in_brackets(), number(*.slots, "slot"))]
    NodesFull {
        /// The app, from 0.
        app: u32,
        /// Its nodes.
        nodes: u32,
        /// Their slots.
        slots: u64,
        /// Processes there.
        used: u64,
        /// The names of the full nodes.
        full: FullNodes,
    },
    /// Fewer slots than processes.
    #[error("app {app} asks for {}{counted}, {} left on its {}{full}", number(*.asked, "process"), are(*.left, "slot"), number(*.nodes, "node"))]
    NotEnoughSlots {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u64,
        /// Whether `-n` was given.
        counted: Counted,
        /// Slots left.
        left: u64,
        /// Its nodes.
        nodes: u32,
        /// Its other nodes, which earlier processes fill.
        full: FullNodes,
    },
    /// The node of a file's entry is full.
    #[error("{path}, line {line}: rank {rank} asks for a slot on {node}, which has {} and {}",
        number(*.slots, "slot"), number(*.used, "process"))]
    EntryFull {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// The entry's number.
        rank: u32,
        /// The node.
        node: String,
        /// Its slots, or max_slots.
        slots: u32,
        /// Processes there.
        used: u32,
    },
    /// No `-n` was given, and the policy counts 0 processes.
    #[error("app {app} gives no -n, and its policy counts 0 processes on {} with {}",
        number(*.nodes, "node"), number(*.slots, "slot"))]
    NoProcesses {
        /// The app, from 0.
        app: u32,
        /// Its nodes.
        nodes: u32,
        /// Their slots.
        slots: u64,
    },
    /// Every node is at max_slots.
    #[error("app {app} asks for {}, {placed} reach max_slots on {}",
        number(*.asked, "process"), all_of(*.nodes))]
    OutOfResource {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u32,
        /// How many were placed.
        placed: u64,
        /// Its nodes.
        nodes: u32,
    },
    /// The pattern holds fewer processes than asked for.
    #[error("app {app} asks for {}, {pattern} holds {placed} on its nodes{}{why}{full}",
        number(*.asked, "process"), passed_over(*.skipped))]
    PprTooMany {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u32,
        /// How many were placed.
        placed: u32,
        /// The pattern.
        pattern: String,
        /// Nodes with room for some processes, but not for the pattern.
        skipped: u32,
        /// The app's nodes that earlier processes fill.
        full: FullNodes,
        /// Why the first of the skipped nodes was skipped.
        why: String,
    },
    /// A node has no object of the mapped kind.
    #[error("app {app} maps by {kind}, node {node} has none{there}")]
    ObjectNotFound {
        /// The app, from 0.
        app: u32,
        /// The kind.
        kind: &'static str,
        /// Kinds that the node has.
        there: Kinds,
        /// The node.
        node: String,
    },
    /// A node has no object of the bind target.
    #[error("app {app} binds to {kind}, node {node} has none{inside}{there}")]
    BindTargetNotFound {
        /// The app, from 0.
        app: u32,
        /// The kind.
        kind: &'static str,
        /// Where it was searched, with a leading blank; empty for the whole node.
        inside: &'static str,
        /// Kinds that the node has.
        there: Kinds,
        /// The node.
        node: String,
    },
    /// No process finds its cpus.
    #[error("app {app} binds {target}: no free cpu for it on its {}; {node} has {free} free of {cpus}{why}",
        number(*.nodes, "node"))]
    NoAvailableCpus {
        /// The app, from 0.
        app: u32,
        /// What each process is bound to.
        target: String,
        /// Its nodes.
        nodes: u32,
        /// The node.
        node: String,
        /// Free cpus of that node.
        free: u32,
        /// Cpus of that node.
        cpus: u32,
        /// What of the node its objects leave out, or how the free cpus lie in packages.
        why: String,
    },
    /// Some processes find their cpus, but not all.
    #[error("app {app} asks for {} bound {target}, cpus are found for {placed}; the first full node is {node}{why}",
        number(*.asked, "process"))]
    NotEnoughCpus {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u32,
        /// How many fit.
        placed: u64,
        /// What each process is bound to.
        target: String,
        /// The node.
        node: String,
        /// What of the node its objects leave out, or how its free cpus lie in packages.
        why: String,
    },
    /// LIMIT is reached on every object that fits, though cpus are free.
    #[error(
        "app {app}: limit={limit} is reached on every {kind} of node {node}, though cpus are free"
    )]
    BindLimit {
        /// The app, from 0.
        app: u32,
        /// LIMIT.
        limit: u16,
        /// The target.
        kind: &'static str,
        /// The node.
        node: String,
    },
    /// PE or an unordered list does not fit into one package.
    #[error(
        "app {app}: {asked} does not lie in one package of node {node}, whose packages have {packages} cpus"
    )]
    SpanPackages {
        /// The app, from 0.
        app: u32,
        /// PE or the list.
        asked: String,
        /// The node.
        node: String,
        /// Cpus of each package.
        packages: String,
    },
    /// No object of the mapped kind has PE cpus.
    #[error("app {app}: pe={pe}, the largest {kind} of node {node} has {}", number(*.largest, "cpu"))]
    PeExceedsObject {
        /// The app, from 0.
        app: u32,
        /// PE.
        pe: u16,
        /// The kind.
        kind: &'static str,
        /// Cpus of the largest such object.
        largest: u32,
        /// The node.
        node: String,
    },
    /// A listed cpu does not exist, is not allowed, or is taken.
    #[error("app {app}: cpu {cpu} of the pe-list is {reason} on node {node}, which has {there}")]
    PeListConflict {
        /// The app, from 0.
        app: u32,
        /// The cpu.
        cpu: u32,
        /// `missing`, `not allowed` or `taken`.
        reason: &'static str,
        /// The node.
        node: String,
        /// The node's logical cpus that may be used, in words.
        there: String,
    },
    /// More processes than the listed cpus of all nodes hold.
    #[error("app {app} asks for {}, the list's {} hold {placed} on its {}",
        number(*.asked, "process"), number(*.listed, "cpu"), number(*.nodes, "node"))]
    PeListExhausted {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u32,
        /// How many were placed.
        placed: u64,
        /// Cpus in the list.
        listed: u32,
        /// Its nodes.
        nodes: u32,
    },
    /// A sequence cannot be followed.
    #[error("{path}, line {line}: {reason}")]
    BadSeqfile {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// What is wrong.
        reason: String,
    },
    /// A rankfile cannot be followed.
    #[error("{path}, line {line}: {reason}")]
    BadRankfile {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// What is wrong.
        reason: String,
    },
    /// An affinity file cannot be followed.
    #[error("{path}, line {line}: {reason}")]
    BadAffinityfile {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// What is wrong.
        reason: String,
    },
    /// A rank has no entry.
    #[error("{path} has no entry for rank {rank} of {procs}")]
    RankfileMissingRank {
        /// The file.
        path: String,
        /// The rank.
        rank: u32,
        /// Processes of the app.
        procs: u32,
    },
    /// An entry's node is not in the app's list.
    #[error("{path}, line {line}: {name} is not among the nodes of app {app}")]
    RankfileHost {
        /// The app, from 0.
        app: u32,
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// The node as written.
        name: String,
    },
    /// An entry's node is not in the pool.
    #[error("{path}, line {line}: {name} is not among the job's {}", number(*.pool, "node"))]
    SeqHost {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// The node as written.
        name: String,
        /// Nodes of the job.
        pool: u32,
    },
    /// The file has fewer entries than the app has processes.
    #[error("app {app} asks for {}, {path} has {}",
        number(*.asked, "process"), number(*.entries, "entry"))]
    SeqTooFew {
        /// The app, from 0.
        app: u32,
        /// Processes.
        asked: u32,
        /// Entries.
        entries: u64,
        /// The file.
        path: String,
    },
    /// The cpus of a sequence entry are not all free.
    #[error(
        "{path}, line {line}: rank {rank} asks for cpus {asked} of {node}, which are not all free"
    )]
    SeqCpuTaken {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// The rank.
        rank: u32,
        /// The cpus as written.
        asked: String,
        /// The node.
        node: String,
    },
    /// The cpus of a rankfile entry are not all free.
    #[error("{path}, line {line}: rank {rank} asks for {asked} of {node}, which are not all free")]
    RankfileCpuTaken {
        /// The file.
        path: String,
        /// The line.
        line: u32,
        /// The rank.
        rank: u32,
        /// The cpus as written.
        asked: String,
        /// The node.
        node: String,
    },
    /// A node lacks the device.
    #[error("app {app}: node {node} has no device `{device}`, it has {there}")]
    NoSuchDevice {
        /// The app, from 0.
        app: u32,
        /// The device asked for.
        device: String,
        /// The node.
        node: String,
        /// The devices that the node has.
        there: String,
    },
    /// A node has no GPU, network card or block device.
    #[error("app {app}: node {node} has no {0}; `--devices {node}={1}=numa` states one near each NUMA node", .of.noun(), .of.stated_as())]
    DeviceNotFound {
        /// The app, from 0.
        app: u32,
        /// Which devices it lacks.
        of: Devices,
        /// The node, or the first of several.
        node: String,
    },
    /// A process has fewer devices near it than each process is to get.
    #[error("app {app}: each process shall get {}, near it on node {node}: {near}", number(.asked.0, .asked.1.noun()))]
    NotEnoughDevices {
        /// The app, from 0.
        app: u32,
        /// How many for each process, and of which.
        asked: (u16, Devices),
        /// How many are near it.
        near: u32,
        /// The first such node.
        node: String,
    },
}
