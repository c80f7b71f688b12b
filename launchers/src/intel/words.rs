//! Intel MPI's words. Source: `lines/intel/spec.md` 2.

use super::version::Version;
use crate::line::named::{self, word};

/// What a word does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// `-n`
    Procs,
    /// `-hosts`
    Hosts,
    /// `-hosts-group`
    HostGroups,
    /// `-f`
    HostFile,
    /// `-machinefile`
    MachineFile,
    /// `-host`: of one program.
    Host,
    /// `-ppn`
    PerHost,
    /// `-rr`
    RoundRobin,
    /// `-nolocal`
    NoLocal,
    /// `-genv`
    Variable,
    /// `-env`: of one program.
    OwnVariable,
    /// `-cpu-bind`
    PinDomain,
    /// `-configfile`
    ConfigFile,
    /// `-bind-to`: taken, without any effect.
    Void,
    /// Places nothing.
    Harmless,
    /// Ends without a job.
    Ends,
}

/// A word of Intel MPI.
pub(crate) type Word = named::Word<Does>;

/// All words. Names are in exact case.
#[rustfmt::skip]
pub(crate) const WORDS: &[Word] = &[
    word(&["n", "np"], 1, Does::Procs),
    word(&["hosts"], 1, Does::Hosts),
    word(&["hosts-group"], 1, Does::HostGroups),
    word(&["f", "hostfile"], 1, Does::HostFile),
    word(&["machinefile", "machine"], 1, Does::MachineFile),
    word(&["host"], 1, Does::Host),
    word(&["ppn", "perhost", "grr"], 1, Does::PerHost),
    word(&["rr"], 0, Does::RoundRobin),
    word(&["nolocal"], 0, Does::NoLocal),
    word(&["genv"], 1, Does::Variable),
    word(&["env"], 1, Does::OwnVariable),
    word(&["cpu-bind"], 1, Does::PinDomain),
    word(&["configfile"], 1, Does::ConfigFile),
    word(&["bind-to", "map-by", "binding"], 1, Does::Void),
    word(&["genvall", "genvnone", "envall", "envnone", "l", "prepend-rank", "prepend-timestamp", "print-rank-map", "silent-abort", "enable-x",
           "disable-x", "tune", "aps", "mps", "gdb", "disable-auto-cleanup", "disable-hostname-propagation", "prot", "verbose", "v", "info",
           "print-all-exitcodes"], 0, Does::Harmless),
    word(&["genvlist", "envlist", "prepend-pattern", "outfile-pattern", "errfile-pattern", "usize", "iface", "rmk", "launcher", "launcher-exec",
           "bootstrap", "bootstrap-exec", "wdir", "gtool", "gtoolfile", "nameserver", "localhost", "s"], 1, Does::Harmless),
    word(&["h", "help", "version", "V"], 0, Does::Ends),
];

/// The word with this name, given without dashes; `None`: this version does not know it.
pub(crate) fn find(name: &str, version: Version) -> Option<&'static Word> {
    named::find(WORDS, name).filter(|word| word.does != Does::Void || version.takes_bind_to())
}

/// The nearest word to one that is unknown.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    named::near(WORDS, name)
}
