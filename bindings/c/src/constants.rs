//! The constants of the header. `tests/it/declarations.rs` compares both.

/// As the app of a policy: the policy is the job's.
pub const STOW_JOB: u32 = 0xFFFF_FFFF;
/// As a process count: as many processes as policy and slots give.
pub const STOW_COUNT: u32 = 0xFFFF_FFFF;
/// The node of a proc from a slice.
pub const STOW_NONE: u32 = 0xFFFF_FFFF;

/// The app of each rank.
pub const STOW_COLUMN_APP: u32 = 0;
/// The rank of each process in its app.
pub const STOW_COLUMN_APP_RANK: u32 = 1;
/// The number of each process's node.
pub const STOW_COLUMN_NODE: u32 = 2;
/// The number of each process among the job's processes on its node.
pub const STOW_COLUMN_LOCAL_RANK: u32 = 3;
/// The number of each process among all processes on its node.
pub const STOW_COLUMN_NODE_RANK: u32 = 4;
/// The kind of the object that each process was mapped to.
pub const STOW_COLUMN_OBJECT_KIND: u32 = 5;
/// The number of that object on the node.
pub const STOW_COLUMN_OBJECT: u32 = 6;
/// The id of each process's cpu set.
pub const STOW_COLUMN_CPUSET: u32 = 7;

/// The id of each process's set of GPUs.
pub const STOW_COLUMN_GPUS: u32 = 8;

/// A component places the app.
pub const STOW_ANSWER_TAKE: u32 = 0;
/// The next component is asked.
pub const STOW_ANSWER_PASS: u32 = 1;
/// Nobody may place the app.
pub const STOW_ANSWER_REFUSE: u32 = 2;

/// Jobs may start on the node.
pub const STOW_STANDING_UP: u32 = 0;
/// The node failed.
pub const STOW_STANDING_DOWN: u32 = 1;
/// No job starts on the node any more.
pub const STOW_STANDING_DRAINED: u32 = 2;

/// No object.
pub const STOW_OBJECT_NONE: u32 = 0;
/// The whole node.
pub const STOW_OBJECT_MACHINE: u32 = 1;
/// A package.
pub const STOW_OBJECT_PACKAGE: u32 = 2;
/// A die.
pub const STOW_OBJECT_DIE: u32 = 3;
/// A NUMA node.
pub const STOW_OBJECT_NUMA: u32 = 4;
/// A level-5 cache.
pub const STOW_OBJECT_L5CACHE: u32 = 5;
/// A level-4 cache.
pub const STOW_OBJECT_L4CACHE: u32 = 6;
/// A level-3 cache.
pub const STOW_OBJECT_L3CACHE: u32 = 7;
/// A level-2 cache.
pub const STOW_OBJECT_L2CACHE: u32 = 8;
/// A level-1 cache.
pub const STOW_OBJECT_L1CACHE: u32 = 9;
/// A core.
pub const STOW_OBJECT_CORE: u32 = 10;
/// A hardware thread.
pub const STOW_OBJECT_HWTHREAD: u32 = 11;
/// A GPU.
pub const STOW_OBJECT_GPU: u32 = 12;
/// A device that has a name: a network card, a block device.
pub const STOW_OBJECT_DEVICE: u32 = 13;

/// The JSON array of blocks of a task map.
pub const STOW_TASKMAP_MAP: u32 = 0;
/// The array with its version.
pub const STOW_TASKMAP_WRAPPED: u32 = 1;
/// The vector of PMI-1.
pub const STOW_TASKMAP_PMI: u32 = 2;
/// Task ids by node, with ranges.
pub const STOW_TASKMAP_RAW: u32 = 3;
/// Task ids by node, one by one.
pub const STOW_TASKMAP_DERANGED: u32 = 4;
/// A line for each task.
pub const STOW_TASKMAP_MULTILINE: u32 = 5;
