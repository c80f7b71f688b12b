//! The words of PALS' mpiexec. Source: `lines/pals/spec.md` 2.

use crate::launchers::line::table::{Row, Values};

/// What a word means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Means {
    /// `-n`.
    Ranks,
    /// `-ppn`.
    PerNode,
    /// `--hosts`.
    Hosts,
    /// `--hostfile`.
    HostFile,
    /// `-d`.
    Depth,
    /// `--cpu-bind`.
    CpuBind,
    /// `--gpu-bind`.
    GpuBind,
    /// `-configfile`.
    ConfigFile,
    /// It places nothing.
    Harmless,
    /// It places nothing, and may stand in each part of a line.
    HarmlessOfPart,
}

/// The words.
pub(super) const WORDS: &[Row<Means>] = {
    use Means::{
        ConfigFile, CpuBind, Depth, GpuBind, Harmless, HarmlessOfPart, HostFile, Hosts, PerNode,
        Ranks,
    };
    use Values::{One, Two, Zero};
    &[
        ("n", One, Ranks),
        ("np", One, Ranks),
        ("ppn", One, PerNode),
        ("hosts", One, Hosts),
        ("host", One, Hosts),
        ("hostlist", One, Hosts),
        ("f", One, HostFile),
        ("hostfile", One, HostFile),
        ("d", One, Depth),
        ("depth", One, Depth),
        ("cpu-bind", One, CpuBind),
        ("gpu-bind", One, GpuBind),
        ("configfile", One, ConfigFile),
        ("genvall", Zero, Harmless),
        ("envall", Zero, Harmless),
        ("envnone", Zero, Harmless),
        ("l", Zero, Harmless),
        ("label", Zero, Harmless),
        ("line-buffer", Zero, Harmless),
        ("no-line-buffer", Zero, Harmless),
        ("transfer", Zero, Harmless),
        ("no-transfer", Zero, Harmless),
        ("exclusive", Zero, Harmless),
        ("shared", Zero, Harmless),
        ("abort-on-failure", Zero, Harmless),
        ("no-abort-on-failure", Zero, Harmless),
        ("spindle", Zero, Harmless),
        ("no-vni", Zero, Harmless),
        ("verbose", Zero, Harmless),
        ("envlist", One, Harmless),
        // Public lines have it, as MPICH's mpiexec does.
        ("genv", Two, Harmless),
        ("env", Two, Harmless),
        ("wdir", One, HarmlessOfPart),
        ("umask", One, HarmlessOfPart),
        ("path", One, Harmless),
        ("soft", One, Harmless),
        ("arch", One, Harmless),
        ("file", One, Harmless),
        ("procinfo-file", One, Harmless),
        ("include-tasks", One, Harmless),
        ("exclude-tasks", One, Harmless),
        ("pmi", One, Harmless),
        ("rlimits", One, Harmless),
        ("mem-bind", One, Harmless),
    ]
};
