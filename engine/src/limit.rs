//! Every bound, and how the bounds relate. A number beyond a bound is an error that names the bound, never an
//! allocation.

/// Processes of a job, over all its apps.
pub const RANKS_MAX: u32 = u32::MAX - 1;
/// Nodes of a job.
pub const NODES_MAX: u32 = u32::MAX - 1;
/// Apps of a job, holes counted.
pub const APPS_MAX: u32 = 1 << 24;
/// PUs of one topology, and the largest OS number plus one.
pub const PUS_MAX: u32 = 1 << 20;
/// Objects of one topology, and of all topologies of a job.
pub const OBJECTS_MAX: u32 = 1 << 22;
/// GPUs of one topology, and the largest visible number plus one.
pub const GPUS_MAX: u32 = 1 << 10;
/// Entries of one bracket list in a host list.
pub const HOST_ENTRIES_MAX: usize = 1 << 24;
/// Names that brackets may expand to, over all entries of a host list. The last bracket of an entry stays a range and
/// does not count.
pub const HOST_PRODUCT_MAX: usize = 1 << 16;
/// Stretches of nodes that the lines of one hostfile touch, summed over its lines.
pub const HOSTFILE_PARTS_MAX: u64 = 1 << 28;
/// Entries of one sequence that come from host ranges. A file may have as many entries as it has lines.
pub const SEQUENCE_NODES_MAX: u64 = 1 << 22;
/// Bytes of one input text: XML, hostfile, rankfile, sequence file, plan, request.
pub const TEXT_BYTES_MAX: usize = 1 << 28;
/// Bytes of a batch script.
pub const SCRIPT_BYTES_MAX: usize = 4 << 20;
/// How deep quotes, substitutions and blocks of a batch script may stand in one another.
pub const SCRIPT_DEPTH_MAX: usize = 64;
/// Bytes of a variable or of a word of a batch script.
pub const SCRIPT_WORD_BYTES_MAX: usize = 128 << 10;
/// Bytes of a packed request.
pub const REQUEST_BYTES_MAX: usize = 64 << 20;
/// Runs of one pattern: the different processes of one app on one node, before the pattern repeats.
pub const PATTERN_RUNS_MAX: usize = 1 << 22;
/// Largest node number of a task map: Flux keeps them in C `int`s (taskmap "What a block is").
pub const TASKMAP_NODE_MAX: u32 = i32::MAX.cast_unsigned() - 1;
/// Tasks of a task map, and nodes of one (taskmap "What a block is").
pub const TASKMAP_TASKS_MAX: u32 = i32::MAX.cast_unsigned();
/// How deep a JSON value may be nested around and in a task map (taskmap "What a block is").
pub const TASKMAP_DEPTH_MAX: u32 = 8;
/// Blocks, ranges or tasks of one written task map, unless the user sets another limit (taskmap "What a block is").
pub const TASKMAP_ITEMS_DEFAULT: u64 = 1 << 24;
/// Inner cuts of one run that the encoder of task maps keeps (taskmap "How the fewest blocks are found").
pub const TASKMAP_CUTS_MAX: usize = 64;
/// Bytes that all sets of PUs in one saved plan may take in memory.
pub const PLAN_SET_BYTES_MAX: u64 = 1 << 28;
/// Bytes of memory that these sets may take however few bytes they have in the plan.
pub const PLAN_SET_BYTES_FREE: u64 = 1 << 24;
/// Bytes of memory that each byte of the sets in the plan grants on top of that.
pub const PLAN_SET_BYTES_GRANTED: u64 = 1 << 10;
/// Bytes that all sets of nodes in one session snapshot may take in memory.
pub const SET_BYTES_MAX: u64 = 1 << 30;
/// Values of all tables in one saved plan: four bytes each, told in as little as a 128th of a byte.
pub const PLAN_VALUES_MAX: usize = 1 << 27;
/// Of these: values that a plan may have however few bytes it has. A value takes up to 16 bytes once it is read.
pub const PLAN_VALUES_FREE: usize = 1 << 24;
/// Values that each byte of the plan grants on top of that.
pub const PLAN_VALUES_GRANTED: usize = 4;
/// Sets of cpus that the processes of one saved plan are bound to.
pub const PLAN_CPUSETS_MAX: usize = 1 << 24;
/// Bytes of one journal frame's payload.
pub const FRAME_BYTES_MAX: usize = 64 << 20;

const _: () = assert!(NODES_MAX <= RANKS_MAX, "one process on each node must fit");
const _: () = assert!(PUS_MAX <= OBJECTS_MAX, "each PU is an object");
const _: () = assert!(
    TASKMAP_NODE_MAX < TASKMAP_TASKS_MAX,
    "one task on each node must fit"
);
const _: () = assert!(TASKMAP_TASKS_MAX <= RANKS_MAX, "each task is a rank");
