//! The sections after the options of a manual page: exit statuses and formats.

use super::{Page, PageOption, row};

/// `--onto` of subcommands that read a plan.
pub(super) const TO_HOSTS: PageOption = row(
    "onto",
    "HOSTS",
    "carry the plan onto these hosts first; or --onto with -H LIST, --hostfile F, --here, --topo T behind it",
);

/// Options of `export`.
pub(super) const EXPORT: &[PageOption] = &[
    row(
        "format",
        "F",
        "text or json, of the list of dialects [default: text]",
    ),
    row(
        "for",
        "READER",
        "who reads a hostfile (prte ompi ompi4 hydra intel slurm flux pals pbs) or a rankfile (prte ompi ompi4)",
    ),
    row(
        "dir",
        "D",
        "write the script and its files into this directory, and print its path",
    ),
    TO_HOSTS,
];

/// The page of `onto`.
pub(super) const ONTO: Page = Page {
    words: "onto",
    synopsis: "PLAN -H LIST|--hostfile F|--here [--topo T]... [--save NEW] [--format F] [-o FILE]",
    about: "Carries a saved plan onto the hosts that were granted, in order: node i is host i",
    options: &[
        row("host", "LIST", "the hosts, as for map; or hostfile, here"),
        row("hostfile", "FILE", "the hosts from a file"),
        row("topo", "T", "their topology, as for map; may be repeated"),
        row("save", "NEW", "save the plan on these hosts"),
        row("format", "F", "as for map, of the plan on these hosts"),
        row(
            "o",
            "FILE",
            "write there instead of standard output, all or nothing",
        ),
    ],
    examples: &[
        (
            "stowplan onto job.plan -H g7,g12 --save granted.plan",
            "a plan that was made before its nodes were known",
        ),
        (
            "stowplan show job.plan --onto -H g7,g12 --format tsv",
            "the same, without a new file",
        ),
    ],
};

/// Exit statuses of most subcommands.
pub const STATUS: &[(&str, &str)] = &[
    (
        "0",
        "the answer is on standard output; notes are on standard error",
    ),
    (
        "1",
        "standard output cannot be written: error[output] says why",
    ),
    (
        "2",
        "refused: nothing on standard output, error[CLASS] on standard error; docs/errors.md has the classes",
    ),
    ("130", "interrupted"),
];

const DIFF: &[(&str, &str)] = &[
    ("0", "the same"),
    ("1", "something moved"),
    (
        "2",
        "refused: nothing on standard output, error[CLASS] on standard error",
    ),
];

const CHECK: &[(&str, &str)] = &[
    (
        "0",
        "the plan is sound; with a job, it answers that job; with --live, the job runs as planned",
    ),
    ("1", "it is not, and what is wrong is said"),
    (
        "2",
        "refused: nothing on standard output, error[CLASS] on standard error",
    ),
];

const EXEC: &[(&str, &str)] = &[
    ("the program's", "it was started"),
    (
        "2",
        "refused before the program: error[CLASS] on standard error",
    ),
];

const SESSION: &[(&str, &str)] = &[
    ("0", "done, and every expectation of a scenario met"),
    ("1", "done, and some expectation not met"),
    (
        "2",
        "a scenario, a journal or words that are refused: nothing on standard output",
    ),
    ("70", "an invariant is broken: a fault of ours"),
];

/// Formats of plans.
pub const FORMATS: &[(&str, &str)] = &[
    (
        "text",
        "for people: at most 24 lines, or a line a rank up to 32 ranks",
    ),
    ("map", "the layout of prterun's --display map"),
    (
        "tsv",
        "a line a rank: rank app app_rank node local_rank node_rank object cpus",
    ),
    ("ndjson", "an object a rank, with the same keys"),
    ("json", "compact, by runs: docs/plan.schema.json"),
    ("html svg", "a picture"),
    ("taskmap", "the task map of RFC 34"),
    ("pmi", "PMI_process_mapping"),
    ("raw", "the node of each rank"),
];

/// Examples of the whole command.
pub const EXAMPLES_ALL: &[(&str, &str)] = &[
    (
        "stowplan map --topo 'package:2 core:4 pu:2' -H a:8,b:8 --map-by numa ./x",
        "where each rank goes",
    ),
    (
        "stowplan explain 3 job.plan",
        "why rank 3 of a saved plan is there",
    ),
    ("stowplan help map-by", "every policy and qualifier"),
];

impl Page {
    /// Its exit statuses.
    #[must_use]
    pub fn status(&self) -> &'static [(&'static str, &'static str)] {
        match self.words.split(' ').next() {
            Some("diff") => DIFF,
            Some("check") => CHECK,
            Some("exec") => EXEC,
            Some("session") => SESSION,
            Some(_) | None => STATUS,
        }
    }
}
