//! The words of srun, salloc and sbatch: which place, which place nothing, which are not modelled.

use super::rules::{Change, Rules};

/// A word that places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Key {
    Tasks,
    Nodes,
    CpusPerTask,
    TasksPerNode,
    TasksPerCore,
    TasksPerSocket,
    ThreadsPerCore,
    ExtraNodeInfo,
    SocketsPerNode,
    CoresPerSocket,
    Distribution,
    CpuBind,
    Hint,
    Overcommit,
    NodeList,
    Exclude,
    Relative,
    Exact,
    Exclusive,
    Overlap,
    Whole,
    /// It concerns GPUs, or resources that are counted like them.
    OfGpus(GpuKey),
    Constraint,
    CoreSpec,
    Export,
    Memory,
    /// A plug-in of LLNL's that maps and binds.
    Mpibind,
}

/// What a word on GPUs sets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum GpuKey {
    Gpus,
    PerTask,
    PerNode,
    CpusEach,
    TasksEach,
    Bind,
    Gres,
    GresFlags,
    Tres,
}

/// What a word does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Class {
    /// It places.
    Places(Key),
    /// Accepted in silence.
    Harmless,
    /// srun prints something and ends.
    Prints,
    /// Slurm does something that is not known here.
    NotModelled,
}

/// Whether a word has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Takes {
    Nothing,
    /// Only behind `=`, or right behind the letter.
    Maybe,
    Value,
}

/// A word with its spellings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    /// The letter behind one dash.
    pub(super) short: Option<char>,
    /// The spellings behind two dashes; the first one is its name.
    pub(super) long: &'static [&'static str],
    pub(super) takes: Takes,
    pub(super) class: Class,
}

impl Word {
    /// Its name in sentences.
    pub(super) fn name(&self) -> String {
        match (self.long.first(), self.short) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => String::new(),
        }
    }
}

const fn row(
    short: Option<char>,
    long: &'static [&'static str],
    takes: Takes,
    class: Class,
) -> Word {
    Word {
        short,
        long,
        takes,
        class,
    }
}

use Class::{Harmless, NotModelled, Places, Prints};
use Takes::{Maybe, Nothing, Value};

const fn of_gpus(key: GpuKey) -> Class {
    Places(Key::OfGpus(key))
}

/// Words that place.
#[rustfmt::skip]
const PLACING: &[Word] = &[
    row(Some('n'), &["ntasks"], Value, Places(Key::Tasks)),
    row(Some('N'), &["nodes"], Value, Places(Key::Nodes)),
    row(Some('c'), &["cpus-per-task"], Value, Places(Key::CpusPerTask)),
    row(None, &["tres-per-task"], Value, of_gpus(GpuKey::Tres)),
    row(None, &["ntasks-per-node", "tasks-per-node"], Value, Places(Key::TasksPerNode)),
    row(None, &["ntasks-per-core"], Value, Places(Key::TasksPerCore)),
    row(None, &["ntasks-per-socket"], Value, Places(Key::TasksPerSocket)),
    row(None, &["threads-per-core"], Value, Places(Key::ThreadsPerCore)),
    row(Some('B'), &["extra-node-info"], Value, Places(Key::ExtraNodeInfo)),
    row(None, &["sockets-per-node"], Value, Places(Key::SocketsPerNode)),
    row(None, &["cores-per-socket"], Value, Places(Key::CoresPerSocket)),
    row(Some('m'), &["distribution"], Value, Places(Key::Distribution)),
    row(None, &["cpu-bind", "cpu_bind"], Value, Places(Key::CpuBind)),
    row(None, &["hint"], Value, Places(Key::Hint)),
    row(Some('O'), &["overcommit"], Nothing, Places(Key::Overcommit)),
    row(Some('w'), &["nodelist"], Value, Places(Key::NodeList)),
    row(Some('x'), &["exclude"], Value, Places(Key::Exclude)),
    row(Some('r'), &["relative"], Value, Places(Key::Relative)),
    row(None, &["exact"], Nothing, Places(Key::Exact)),
    row(None, &["exclusive"], Maybe, Places(Key::Exclusive)),
    row(None, &["overlap"], Nothing, Places(Key::Overlap)),
    row(None, &["whole"], Nothing, Places(Key::Whole)),
    row(Some('G'), &["gpus"], Value, of_gpus(GpuKey::Gpus)),
    row(None, &["gpus-per-task"], Value, of_gpus(GpuKey::PerTask)),
    row(None, &["gpus-per-node"], Value, of_gpus(GpuKey::PerNode)),
    row(None, &["ntasks-per-gpu", "ntasks-per-tres"], Value, of_gpus(GpuKey::TasksEach)),
    row(None, &["gpu-bind"], Value, of_gpus(GpuKey::Bind)),
    row(None, &["cpus-per-gpu"], Value, of_gpus(GpuKey::CpusEach)),
    row(None, &["gres"], Value, of_gpus(GpuKey::Gres)),
    row(None, &["gres-flags"], Value, of_gpus(GpuKey::GresFlags)),
    row(Some('C'), &["constraint"], Value, Places(Key::Constraint)),
    row(Some('S'), &["core-spec"], Value, Places(Key::CoreSpec)),
    row(None, &["export"], Value, Places(Key::Export)),
    row(None, &["mpibind"], Maybe, Places(Key::Mpibind)),
    row(None, &["mem", "mem-per-cpu", "mem-per-gpu"], Value, Places(Key::Memory)),
];

/// Words with a letter that place nothing.
const HARMLESS_LETTERS: &[Word] = &[
    row(Some('l'), &["label"], Nothing, Harmless),
    row(Some('u'), &["unbuffered"], Nothing, Harmless),
    row(Some('v'), &["verbose"], Nothing, Harmless),
    row(Some('Q'), &["quiet"], Nothing, Harmless),
    row(Some('H'), &["hold"], Nothing, Harmless),
    row(Some('E'), &["preserve-env"], Nothing, Harmless),
    row(Some('X'), &["disable-status"], Nothing, Harmless),
    row(Some('s'), &["oversubscribe", "share"], Nothing, Harmless),
    row(Some('K'), &["kill-on-bad-exit"], Maybe, Harmless),
    row(Some('k'), &["no-kill"], Maybe, Harmless),
    row(Some('I'), &["immediate"], Maybe, Harmless),
    row(Some('A'), &["account"], Value, Harmless),
    row(Some('b'), &["begin"], Value, Harmless),
    row(Some('D'), &["chdir"], Value, Harmless),
    row(Some('M'), &["clusters"], Value, Harmless),
    row(Some('d'), &["dependency"], Value, Harmless),
    row(Some('e'), &["error"], Value, Harmless),
    row(Some('i'), &["input"], Value, Harmless),
    row(Some('J'), &["job-name"], Value, Harmless),
    row(Some('L'), &["licenses"], Value, Harmless),
    row(Some('o'), &["output"], Value, Harmless),
    row(Some('p'), &["partition"], Value, Harmless),
    row(Some('q'), &["qos"], Value, Harmless),
    row(Some('T'), &["threads"], Value, Harmless),
    row(Some('t'), &["time"], Value, Harmless),
    row(Some('W'), &["wait"], Value, Harmless),
];

/// Words without a value that place nothing.
const HARMLESS_PLAIN: &[&str] = &[
    "contiguous",
    "debugger-test",
    "interactive",
    "multi-prog",
    "no-requeue",
    "no-bell",
    "bell",
    "parsable",
    "quit-on-interrupt",
    "reboot",
    "requeue",
    "spread-job",
    "stepmgr",
    "use-min-nodes",
    "async",
    "wait-for-children",
];

/// Words that place nothing and may have a value behind `=`.
const HARMLESS_MAYBE: &[&str] = &[
    "bcast",
    "compress",
    "nice",
    "oom-kill-step",
    "propagate",
    "pty",
    "resv-ports",
    "send-libs",
    "x11",
];

/// Words with a value that place nothing.
const HARMLESS_VALUED: &[&str] = &[
    "acctg-freq",
    "bb",
    "bbf",
    "bcast-exclude",
    "cluster-constraint",
    "comment",
    "container",
    "container-id",
    "container-type",
    "cpu-freq",
    "deadline",
    "delay-boot",
    "epilog",
    "extra",
    "gid",
    "gpu-freq",
    "ignore-signals",
    "jobid",
    "kill-on-invalid-dep",
    "mail-type",
    "mail-user",
    "mcs-label",
    "mem-bind",
    "mincpus",
    "mpi",
    "msg-timeout",
    "network",
    "open-mode",
    "power",
    "prefer",
    "priority",
    "profile",
    "prolog",
    "reservation",
    "signal",
    "slurmd-debug",
    "switches",
    "task-epilog",
    "task-prolog",
    "time-min",
    "tmp",
    "treewidth",
    "uid",
    "wckey",
];

/// Words of plug-ins that many sites have (pyxis, uenv, the container engine of CSCS, resuming jobs): they say what the program sees.
const OF_PLUGINS: &[&str] = &[
    "auto-resume",
    "container-env",
    "container-image",
    "container-mounts",
    "container-name",
    "container-save",
    "container-workdir",
    "edf",
    "environment",
    "ipus",
    "power-cap",
    "uenv",
    "view",
];

/// The same without a value.
const OF_PLUGINS_PLAIN: &[&str] = &[
    "container-entrypoint",
    "container-mount-home",
    "container-readonly",
    "container-remap-root",
    "container-writable",
    "no-container-entrypoint",
    "no-container-mount-home",
    "no-container-remap-root",
];

/// Words that end srun.
const PRINTING: &[Word] = &[
    row(Some('h'), &["help"], Nothing, Prints),
    row(Some('V'), &["version"], Nothing, Prints),
    row(None, &["usage"], Nothing, Prints),
    row(None, &["test-only"], Nothing, Prints),
];

/// Words of which it is not known what they do to a placement.
const UNKNOWN_EFFECT: &[Word] = &[
    row(None, &["gpus-per-socket"], Value, NotModelled),
    row(None, &["accel-bind"], Value, NotModelled),
    row(None, &["tres-bind"], Value, NotModelled),
    row(None, &["het-group", "pack-group"], Value, NotModelled),
    row(None, &["thread-spec"], Value, NotModelled),
    row(Some('Z'), &["no-allocate"], Nothing, NotModelled),
    row(Some('F'), &["nodefile"], Value, NotModelled),
    row(None, &["segment"], Value, NotModelled),
    row(None, &["spread-segments"], Nothing, NotModelled),
    row(None, &["external-launcher"], Maybe, NotModelled),
];

/// Words of salloc and sbatch alone; they say what happens around the job, or which nodes the scheduler may choose.
const OF_JOBS: &[Word] = &[
    row(Some('a'), &["array"], Value, Harmless),
    row(None, &["wrap"], Value, Harmless),
    row(None, &["wait-all-nodes"], Value, Harmless),
    row(None, &["get-user-env"], Maybe, Harmless),
    row(None, &["kill-command"], Maybe, Harmless),
    row(None, &["batch"], Value, Harmless),
    row(None, &["export-file"], Value, Harmless),
    row(None, &["ignore-pbs"], Nothing, Harmless),
    row(None, &["no-shell"], Nothing, Harmless),
];

/// Whose words are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command {
    /// `srun`.
    Step,
    /// `salloc`, `sbatch`.
    Job,
}

/// All words of a command in a version.
pub(super) fn words(command: Command, rules: Rules) -> Vec<Word> {
    let mut all: Vec<Word> = Vec::with_capacity(180);
    if command == Command::Job {
        all.extend(OF_JOBS);
    }
    for table in [PLACING, HARMLESS_LETTERS, PRINTING, UNKNOWN_EFFECT] {
        all.extend(table);
    }
    for (names, takes) in [
        (HARMLESS_PLAIN, Nothing),
        (HARMLESS_MAYBE, Maybe),
        (HARMLESS_VALUED, Value),
        (OF_PLUGINS, Value),
        (OF_PLUGINS_PLAIN, Nothing),
    ] {
        let words = names.iter().map(|name| Word {
            short: None,
            long: std::slice::from_ref(name),
            takes,
            class: Harmless,
        });
        all.extend(words);
    }
    all.retain(|word| rules.has(Change::TresPerTask) || word.class != of_gpus(GpuKey::Tres));
    all
}
