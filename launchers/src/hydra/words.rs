//! Hydra's words. Source: `lines/hydra/spec.md` 2.

use super::version::{RankMaps, Version};
use crate::line::LineRefused;
use crate::line::named::{self, word};

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
    /// `-l`: harmless, but refused when given twice.
    Label,
    /// `-genv`, `-env`: one word or two.
    Variable,
    /// Places nothing.
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
    word(&["l"], 0, Does::Label),
    word(&["genv", "env"], 1, Does::Variable),
    word(&["genvall", "genvnone", "envall", "envnone", "prepend-rank", "enable-x", "disable-x", "debug", "v", "verbose", "print-all-exitcodes",
           "hybrid-hosts", "pmi-port", "disable-auto-cleanup", "enable-auto-cleanup", "disable-hostname-propagation",
           "enable-hostname-propagation", "report-bindings"], 0, Does::Harmless),
    word(&["wdir", "iface", "prepend-pattern", "outfile-pattern", "outfile", "errfile-pattern", "errfile", "output-from", "launcher",
           "launcher-exec", "bootstrap", "bootstrap-exec", "rmk", "topolib", "demux", "usize", "localhost", "nameserver", "memory-alloc-kinds",
           "genvlist", "envlist", "membind", "profile"], 1, Does::Harmless),
    word(&["h", "help", "info", "version"], 0, Does::Ends),
];

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
        _ => false,
    };
    named::find(WORDS, &lower)
        .filter(|_| !lacks)
        .ok_or_else(|| {
            if INTELS.contains(&name) {
                return of_intel(given);
            }
            let near = named::near(WORDS, &lower);
            let mut refused = LineRefused::new(
                "bad-option",
                format!("{given} is no option of this mpiexec"),
            );
            refused
                .help
                .extend(near.map(|near| format!("did you mean -{near}?")));
            refused
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
    let mut refused = LineRefused::new(
        "ambiguous-launcher",
        format!("{given} is no option of MPICH's mpiexec since 3.4, but one of Intel MPI's"),
    );
    refused
        .help
        .push("say whose line it is: --as intel".to_owned());
    refused
}
