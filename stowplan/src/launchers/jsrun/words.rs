//! The words of jsrun. Source: `lines/jsrun/spec.md` 2.

use crate::launchers::line::table::{Row, Values};

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Means {
    /// `-n`: resource sets.
    Sets,
    /// `-r`.
    SetsPerHost,
    /// `-a`.
    TasksPerSet,
    /// `-p`.
    Tasks,
    /// `-c`.
    Cores,
    /// `-g`.
    Gpus,
    /// `-b`.
    Bind,
    /// `-d`.
    Distribution,
    /// `-l`.
    Latency,
    /// `-U`: a file of resources, rank by rank.
    Resources,
    /// What it does is not known here.
    Unknown,
    /// It places nothing.
    Harmless,
}

/// The words.
pub(super) const WORDS: &[Row<Means>] = {
    use Means::{
        Bind, Cores, Distribution, Gpus, Harmless, Latency, Resources, Sets, SetsPerHost, Tasks,
        TasksPerSet, Unknown,
    };
    use Values::{One, Zero};
    &[
        ("n", One, Sets),
        ("nrs", One, Sets),
        ("r", One, SetsPerHost),
        ("rs_per_host", One, SetsPerHost),
        ("a", One, TasksPerSet),
        ("tasks_per_rs", One, TasksPerSet),
        ("p", One, Tasks),
        ("np", One, Tasks),
        ("c", One, Cores),
        ("cpu_per_rs", One, Cores),
        ("g", One, Gpus),
        ("gpu_per_rs", One, Gpus),
        ("b", One, Bind),
        ("bind", One, Bind),
        ("d", One, Distribution),
        ("launch_distribution", One, Distribution),
        ("l", One, Latency),
        ("latency_priority", One, Latency),
        ("U", One, Resources),
        ("erf_input", One, Resources),
        ("K", One, Unknown),
        ("rs_per_socket", One, Unknown),
        ("S", One, Unknown),
        ("m", One, Unknown),
        ("E", One, Harmless),
        ("D", One, Harmless),
        ("smpiargs", One, Harmless),
        ("X", One, Harmless),
        ("o", One, Harmless),
        ("e", One, Harmless),
        ("t", One, Harmless),
        ("k", One, Harmless),
        ("I", Zero, Harmless),
        ("immediate", Zero, Harmless),
    ]
};
