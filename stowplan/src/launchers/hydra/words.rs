//! Hydra's words. Source: `lines/hydra/spec.md` 2.

use super::version::{RankMaps, Version};
use crate::launchers::line::LineRefused;
use crate::launchers::line::named::{self, Again, Setting, word};

/// What a word does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// `-n`
    Procs,
    /// `-hosts`
    Hosts,
    /// `-f`
    HostFile,
    /// `-ppn`
    PerNode,
    /// `-order-nodes`
    Order,
    /// `-skip-launch-node`
    SkipLaunchNode,
    /// `-rankmap`
    RankMap,
    /// `-bind-to`
    Bind,
    /// `-map-by`
    Map,
    /// `-gpus-per-proc`
    Gpus,
    /// `-gpu-subdevs-per-proc`
    GpuParts,
    /// `-configfile`
    ConfigFile,
    /// `-genv`, `-env`: one word or two.
    Variable,
    /// Places nothing, and sets what may be set once.
    Sets(Setting),
    /// Places nothing, however often it is there.
    Harmless,
    /// Ends without a job.
    Ends,
}

/// A word of Hydra.
pub(crate) type Word = named::Word<Does>;

/// All words, by their first names.
#[rustfmt::skip]
pub(crate) const WORDS: &[Word] = &[
    word(&["n", "np"], 1, Does::Procs),
    word(&["hosts", "host", "hostlist", "machine", "machines", "machinelist"], 1, Does::Hosts),
    word(&["f", "hostfile", "machinefile"], 1, Does::HostFile),
    word(&["ppn"], 1, Does::PerNode),
    word(&["order-nodes"], 1, Does::Order),
    word(&["skip-launch-node"], 0, Does::SkipLaunchNode),
    word(&["rankmap"], 1, Does::RankMap),
    word(&["bind-to", "binding"], 1, Does::Bind),
    word(&["map-by"], 1, Does::Map),
    word(&["gpus-per-proc", "g"], 1, Does::Gpus),
    word(&["gpu-subdevs-per-proc"], 1, Does::GpuParts),
    word(&["configfile"], 1, Does::ConfigFile),
    word(&["genv", "env"], 1, Does::Variable),
    word(&["report-bindings", "hybrid-hosts"], 0, Does::Harmless),
    sets(0, &["genvall", "genvnone"], "genvall", "", Again::Refused),
    sets(1, &["genvlist"], "genvall", "", Again::Refused),
    sets(0, &["envall", "envnone"], "envall", "", Again::RefusedOfProgram),
    sets(1, &["envlist"], "envall", "", Again::RefusedOfProgram),
    sets(1, &["wdir"], "wdir", "", Again::RefusedOfProgram),
    sets(0, &["l", "prepend-rank"], "l", "", Again::Refused),
    sets(1, &["prepend-pattern"], "l", "", Again::Refused),
    sets(1, &["outfile-pattern", "outfile"], "outfile", "", Again::Refused),
    sets(1, &["errfile-pattern", "errfile"], "errfile", "", Again::Refused),
    sets(1, &["launcher", "bootstrap"], "launcher", "", Again::Refused),
    sets(1, &["launcher-exec", "bootstrap-exec"], "launcher-exec", "", Again::Refused),
    sets(1, &["iface"], "iface", "", Again::Refused),
    sets(1, &["rmk"], "rmk", "", Again::Refused),
    sets(1, &["topolib"], "topolib", "", Again::Refused),
    sets(1, &["demux"], "demux", "", Again::Refused),
    sets(1, &["usize"], "usize", "", Again::Refused),
    sets(1, &["localhost"], "localhost", "", Again::Refused),
    sets(1, &["nameserver"], "nameserver", "", Again::Refused),
    sets(1, &["memory-alloc-kinds"], "memory-alloc-kinds", "", Again::Refused),
    sets(1, &["membind"], "membind", "", Again::Refused),
    sets(0, &["pmi-port"], "pmi-port", "", Again::Refused),
    sets(0, &["enable-x"], "enable-x", "yes", Again::IfSame),
    sets(0, &["disable-x"], "enable-x", "no", Again::IfSame),
    sets(0, &["enable-auto-cleanup"], "auto-cleanup", "yes", Again::IfSame),
    sets(0, &["disable-auto-cleanup"], "auto-cleanup", "no", Again::IfSame),
    sets(0, &["enable-hostname-propagation"], "hostname-propagation", "yes", Again::IfSame),
    sets(0, &["disable-hostname-propagation"], "hostname-propagation", "no", Again::IfSame),
    sets(0, &["v", "verbose", "debug"], "verbose", "", Again::IfSame),
    sets(0, &["print-all-exitcodes"], "print-all-exitcodes", "", Again::IfSame),
    sets(0, &["profile"], "profile", "", Again::IfSame),
    sets(1, &["output-from"], "output-from", "", Again::IfSame),
    word(&["h", "help", "info", "version"], 0, Does::Ends),
];

/// A row of a word that sets something.
const fn sets(
    values: usize,
    names: &'static [&'static str],
    name: &'static str,
    says: &'static str,
    again: Again,
) -> Word {
    let setting = Setting { name, says, again };
    word(names, values, Does::Sets(setting))
}

/// The word with this name, given without dashes.
///
/// # Errors
/// `bad-option` with the nearest word.
pub(crate) fn find(
    given: &str,
    name: &str,
    version: Version,
) -> Result<&'static Word, LineRefused> {
    let lower = name.to_ascii_lowercase();
    let lacks = match &*lower {
        "rankmap" => version.rank_map() == RankMaps::Unknown,
        "report-bindings" => !version.reports_bindings(),
        "output-from" => version < Version::V4_0,
        "hybrid-hosts" | "gpu-subdevs-per-proc" => version < Version::V4_1,
        "memory-alloc-kinds" => version < Version::V4_2,
        _ => false,
    };
    named::find(WORDS, &lower)
        .filter(|_| !lacks)
        .ok_or_else(|| {
            if INTELS.contains(&name) {
                return of_intel(given);
            }
            let sentence = format!("{given} is no option of this mpiexec");
            let near = named::near(WORDS, &lower).map(|near| format!("did you mean -{near}?"));
            LineRefused::new("bad-option", sentence).help(near)
        })
}

/// Words that Intel MPI's Hydra has and MPICH's has not, or no more.
const INTELS: &[&str] = &[
    "perhost",
    "grr",
    "rr",
    "hosts-group",
    "print-rank-map",
    "silent-abort",
];

/// A word that says that the line is Intel's, in a line that is read as MPICH's.
fn of_intel(given: &str) -> LineRefused {
    let sentence =
        format!("{given} is no option of MPICH's mpiexec since 3.4, but one of Intel MPI's");
    LineRefused::new("ambiguous-launcher", sentence).help(["say whose line it is: --as intel"])
}
