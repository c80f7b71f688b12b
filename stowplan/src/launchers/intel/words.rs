//! Intel MPI's words. Source: `lines/intel/spec.md` 2.

use super::version::Version;
use crate::launchers::line::named::{self, Again, Setting, word};

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
    /// Places nothing, and sets what may be set once.
    Sets(Setting),
    /// Places nothing, however often it is there.
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
    word(&["genvall", "genvnone", "envall", "envnone", "prepend-timestamp", "print-rank-map", "silent-abort", "enable-x", "disable-x", "tune",
           "aps", "mps", "gdb", "disable-hostname-propagation", "prot", "info", "ordered-output", "pmi-aggregate", "pmi-noaggregate"],
         0, Does::Harmless),
    word(&["genvlist", "envlist", "gtool", "gtoolfile", "tmpdir", "demux", "pmi-connect"], 1, Does::Harmless),
    sets(0, &["l", "prepend-rank"], "l"),
    sets(1, &["prepend-pattern"], "l"),
    sets(0, &["verbose", "v", "debug"], "verbose"),
    sets(0, &["disable-auto-cleanup", "enable-auto-cleanup"], "auto-cleanup"),
    sets(0, &["print-all-exitcodes"], "print-all-exitcodes"),
    sets(0, &["trace"], "trace"),
    sets(0, &["check_mpi"], "check_mpi"),
    sets(1, &["outfile-pattern"], "outfile-pattern"),
    sets(1, &["errfile-pattern"], "errfile-pattern"),
    sets(1, &["usize"], "usize"),
    sets(1, &["iface"], "iface"),
    sets(1, &["rmk"], "rmk"),
    sets(1, &["launcher", "bootstrap"], "launcher"),
    sets(1, &["launcher-exec", "bootstrap-exec"], "launcher-exec"),
    sets(1, &["nameserver"], "nameserver"),
    sets(1, &["localhost"], "localhost"),
    sets(1, &["branch-count"], "branch-count"),
    sets(1, &["s"], "s"),
    word(&["wdir"], 1, Does::Sets(Setting { name: "wdir", says: "", again: Again::RefusedOfProgram })),
    word(&["h", "help", "version", "V"], 0, Does::Ends),
];

/// A row of a word that sets what may be set once.
const fn sets(values: usize, names: &'static [&'static str], name: &'static str) -> Word {
    let setting = Setting {
        name,
        says: "",
        again: Again::Refused,
    };
    word(names, values, Does::Sets(setting))
}

/// The word with this name, given without dashes; `None`: this version does not know it.
pub(crate) fn find(name: &str, version: Version) -> Option<&'static Word> {
    named::find(WORDS, name).filter(|word| word.does != Does::Void || version.takes_bind_to())
}

/// The nearest word to one that is unknown.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    named::near(WORDS, name)
}
