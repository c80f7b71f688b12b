//! Descriptions of the subcommands: the words that call each one, its options, and examples to paste. A test runs every
//! example.

// Pages of score, advise and batch.
mod advice;
// Exit statuses, formats.
mod behind;
// Values of options.
pub mod topics;

pub use behind::{EXAMPLES_ALL, FORMATS, STATUS};

/// A subcommand, or a subcommand of one.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The words that call it: `session run`.
    pub words: &'static str,
    /// The words after them.
    pub synopsis: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its options. `map` has a table of its own, which `spawn` and `check` take options from.
    pub options: &'static [PageOption],
    /// What one would type, and what for.
    pub examples: &'static [(&'static str, &'static str)],
}

/// An option of a subcommand other than `map`.
#[derive(Clone, Copy, Debug)]
pub struct PageOption {
    /// The name without dashes.
    pub name: &'static str,
    /// The name of its value; empty if it takes none.
    pub value: &'static str,
    /// What it does.
    pub help: &'static str,
}

pub(super) const fn row(name: &'static str, value: &'static str, help: &'static str) -> PageOption {
    PageOption { name, value, help }
}

const FORMAT: PageOption = row("format", "F", "json, or text for people [default: json]");
const CHECK: PageOption = row("check", "", "check all invariants after every event");

/// The page of `map`.
pub const MAP: Page = Page {
    words: "map",
    synopsis: "[options] [program [args...]] [: [options] [program [args...]]]...",
    about: "Places a job and shows it",
    options: &[],
    examples: &[
        (
            "stowplan map --topo builtin:elcap -H 'e[00001-11136]:96' --map-by numa ./solver",
            "every core of a large machine, ranks dealt over NUMA domains",
        ),
        (
            "stowplan map --topo 'package:2 core:4 pu:2' -H a:8,b:8 -n 2 --map-by node ./io : -n 12 --map-by core ./solver",
            "two apps, each with a policy of its own",
        ),
        (
            "stowplan map --topo builtin:frontier -H n1:8,n2:8 --map-by ppr:1:l3cache --bind-to l3cache --format tsv ./app",
            "one process for each L3, as a table of ranks and cpus",
        ),
        (
            "stowplan map --topo 'core:8 pu:1' -H a:8,b:8 -n 16 --save job.plan ./app",
            "keep the plan, to judge or broadcast it",
        ),
    ],
};

/// The other subcommands, in the order of the help text.
pub const PAGES: &[Page] = &[
    Page {
        words: "show",
        synopsis: "PLAN [--format F] [-o FILE] [--node HOSTS] [--ranks LIST] [--app LIST] [--onto -H LIST|--here]",
        about: "Shows a saved plan again, whole or in parts",
        options: &[
            row(
                "format",
                "F",
                "as for map: text map tsv ndjson json html svg taskmap pmi raw",
            ),
            row(
                "o",
                "FILE",
                "write there instead of standard output, all or nothing",
            ),
            row("node", "HOSTS", "only the ranks on these nodes: n3,m[0-2]"),
            row("ranks", "LIST", "only these ranks: 37,40-45"),
            row("app", "LIST", "only the ranks of these apps: 1"),
            behind::TO_HOSTS,
        ],
        examples: &[
            ("stowplan show job.plan", "the page that map wrote"),
            (
                "stowplan show job.plan --node b --format tsv",
                "who is on node b",
            ),
            (
                "stowplan show job.plan --ranks 3,8-9 --format ndjson",
                "some ranks, for a program",
            ),
        ],
    },
    behind::ONTO,
    Page {
        words: "explain",
        synopsis: "RANK[,RANK...] (PLAN | -- job...), or --node N, --cpus LIST in place of ranks",
        about: "Why a rank is where it is, and what would move it; for a refused job, what would fit",
        options: &[
            row("node", "HOSTS", "the ranks on these nodes"),
            row(
                "cpus",
                "LIST",
                "the ranks bound to one of these cpus (OS numbers)",
            ),
            row(
                "format",
                "F",
                "text, or json: a line a rank [default: text]",
            ),
            row(
                "o",
                "FILE",
                "write there instead of standard output, all or nothing",
            ),
        ],
        examples: &[
            ("stowplan explain 3 job.plan", "why is rank 3 there"),
            (
                "stowplan explain --node b --cpus 2 job.plan",
                "who is bound to cpu 2 of node b, and why",
            ),
            (
                "stowplan explain 0 -- --topo 'core:8 pu:1' -H a,b -n 16 ./app",
                "why the job is refused, and the nearest jobs that are not",
            ),
        ],
    },
    Page {
        words: "diff",
        synopsis: "PLAN PLAN | PLAN -- job... | -- job... -- job...",
        about: "What moved between two plans or jobs: status 0 nothing, 1 something, 2 an error",
        options: &[
            row("format", "F", "text json tsv html svg [default: text]"),
            row(
                "o",
                "FILE",
                "write there instead of standard output, all or nothing",
            ),
        ],
        examples: &[(
            "stowplan diff job.plan job.plan --format json",
            "whether they are the same, and the word that moved what is not",
        )],
    },
    Page {
        words: "check",
        synopsis: "PLAN [-- options and apps as for map] | PLAN --live FILE [--format text|json]",
        about: "Judges a saved plan again; with a job, also that it answers that job; with lines of probe, whether it runs as planned",
        options: &[
            row(
                "live",
                "FILE",
                "lines of probe, in any order, - for standard input: exit 1 where they differ",
            ),
            row("format", "F", "with --live: text or json [default: text]"),
            behind::TO_HOSTS,
        ],
        examples: &[
            (
                "stowplan check job.plan",
                "every promise of the plan, from its bytes alone",
            ),
            (
                "stowplan check job.plan -- --topo 'core:8 pu:1' -H a:8,b:8 -n 16 ./app",
                "and that it is the plan of this job",
            ),
        ],
    },
    Page {
        words: "export",
        synopsis: "[DIALECT] PLAN | [DIALECT] [options and apps as for map]",
        about: "Says a plan in a launcher's words, as a script; without a dialect, which launchers can",
        options: behind::EXPORT,
        examples: &[
            (
                "stowplan export srun job.plan",
                "dialects: srun prterun hydra intel flux pals jsrun rank-order hostfile rankfile",
            ),
            (
                "stowplan export job.plan",
                "which of them can say this plan, and why not",
            ),
            (
                "stowplan export hydra --topo 'core:8 pu:1' -H a:8,b:8 -n 16 --map-by node ./app > run.sh",
                "a job that was not saved",
            ),
        ],
    },
    Page {
        words: "exec",
        synopsis: "PLAN [options] [-- program [args...]]",
        about: "Started by any launcher, binds this process as the plan says and becomes the program, by default that of the plan",
        options: &[
            row(
                "strict",
                "",
                "refuse where the launcher gave fewer cpus, or counts other ranks",
            ),
            row(
                "omp",
                "",
                "set OMP_NUM_THREADS, OMP_PLACES and OMP_PROC_BIND",
            ),
            row(
                "gpus",
                "",
                "set the variable that shows the GPUs which the plan gives",
            ),
            row(
                "gpu-env",
                "NAME",
                "the variable, where their make does not tell it",
            ),
            row("nics", "", "set NCCL_IB_HCA and UCX_NET_DEVICES"),
            behind::TO_HOSTS,
        ],
        examples: &[],
    },
    Page {
        words: "probe",
        synopsis: "",
        about: "Says in one line what this process really got: rank, host, cpus, devices, where each was read",
        options: &[],
        examples: &[(
            "stowplan probe",
            "under a launcher: srun stowplan probe | sort -n",
        )],
    },
    advice::SCORE,
    advice::ADVISE,
    advice::BATCH,
    advice::PAGE,
    Page {
        words: "spawn",
        synopsis: "REQUEST.json [job options]",
        about: "Places a programmatic spawn request as map places a command line",
        options: &[],
        examples: &[
            (
                "stowplan spawn request.json --topo 'package:2 core:4 pu:1'",
                "docs/request.schema.json describes the file",
            ),
            (
                "stowplan spawn request.json --topo 'package:2 core:4 pu:1' --show-attributes",
                "what the job and each app carry behind the relay",
            ),
        ],
    },
    Page {
        words: "taskmap",
        synopsis: "[options] [MAP]",
        about: "Reads a task map in any form; writes it, or answers questions about it",
        options: &[
            row(
                "to",
                "FORM",
                "write it as map, wrapped, pmi, raw, deranged or multiline [default: map]",
            ),
            row("nodeid", "TASK", "the node of this task"),
            row("taskids", "NODE", "the tasks of this node"),
            row("ntasks", "NODE", "how many tasks this node has"),
            row(
                "check",
                "MAP",
                "nothing when both maps say the same, an error otherwise",
            ),
            row("explain", "", "nodes, tasks, blocks, lengths, as JSON"),
            row("describe", "", "the same for people"),
            row(
                "scheme",
                "S[:VALUE]",
                "deal the tasks anew first: block, cyclic, manual, hostfile",
            ),
            row("hosts", "HOSTLIST", "the job's hosts, for hostfile"),
            row(
                "encoder",
                "E",
                "best, or flux for the blocks that Flux would write [default: best]",
            ),
            row("max-items", "N", "refuse a longer answer"),
            row("max-chars", "N", "refuse a longer answer"),
        ],
        examples: &[
            (
                "stowplan taskmap --describe '[[0,16384,64,1]]'",
                "a million tasks at a glance",
            ),
            (
                "stowplan taskmap --nodeid 1000000 '[[0,16384,64,1]]'",
                "where one of them is",
            ),
            (
                "stowplan taskmap --to pmi '[[0,4,2,1],[4,2,3,1]]'",
                "as PMI_process_mapping",
            ),
        ],
    },
    Page {
        words: "session",
        synopsis: "run|replay|show|serve ...",
        about: "Sessions and reservations: scenarios, journals, a launcher's channel",
        options: &[],
        examples: &[],
    },
    Page {
        words: "session run",
        synopsis: "SCENARIO.json [options]",
        about: "Runs scenarios: a line of JSON for each step, then the final state",
        options: &[
            row(
                "journal",
                "FILE",
                "write what happens to a journal, ahead of each answer",
            ),
            CHECK,
            row("only", "NAME", "run this scenario alone"),
            row(
                "snapshot-every",
                "N",
                "a snapshot of the state after N events",
            ),
            row(
                "sync",
                "WHEN",
                "each, or none: leave it to the system [default: each]",
            ),
            FORMAT,
        ],
        examples: &[
            (
                "stowplan session run scenario.json --check",
                "what each step answers",
            ),
            (
                "stowplan session run scenario.json --journal dvm.journal",
                "and keep it, to be looked at below",
            ),
        ],
    },
    Page {
        words: "session replay",
        synopsis: "JOURNAL [options]",
        about: "The state that a journal leads to: who holds which nodes, since which event, and what would end it",
        options: &[
            CHECK,
            row(
                "verify",
                "",
                "compare every snapshot with the events before it",
            ),
            row(
                "salvage",
                "",
                "go on behind damage in the middle, at the next snapshot",
            ),
            FORMAT,
        ],
        examples: &[(
            "stowplan session replay dvm.journal --format text",
            "who holds what",
        )],
    },
    Page {
        words: "session show",
        synopsis: "JOURNAL [options]",
        about: "What is in a journal, frame by frame: every event with its answer, every snapshot",
        options: &[FORMAT],
        examples: &[
            (
                "stowplan session show dvm.journal --format text",
                "what happened",
            ),
            (
                "stowplan map --session dvm.journal --topo 'core:4 pu:1' -n 2 ./app",
                "a job on what may be used",
            ),
        ],
    },
    Page {
        words: "session serve",
        synopsis: "--journal FILE [options]",
        about: "A launcher's channel: one event a line in, one answer a line out, on disk before it is said",
        options: &[
            row("journal", "FILE", "the journal to go on with, or to begin"),
            CHECK,
        ],
        examples: &[(
            "stowplan session serve --journal dvm.journal < events.jsonl",
            "go on where the journal ends: the first line is {}, an event on each other",
        )],
    },
    advice::THREADS,
    Page {
        words: "topo",
        synopsis: "show T [--format text|tsv] | list",
        about: "Shows a topology, or lists the named machines",
        options: &[],
        examples: &[],
    },
    Page {
        words: "topo show",
        synopsis: "T [--format text|tsv|json] [--devices KIND=WHERE]",
        about: "A topology as it is understood: a file of hwloc, a synthetic string, builtin:NAME",
        options: &[
            row(
                "devices",
                "KIND=WHERE",
                "devices near objects, as for map: gpu=numa:2; may be repeated",
            ),
            row(
                "format",
                "F",
                "text, or tsv: an object a line [default: text]",
            ),
        ],
        examples: &[
            (
                "stowplan topo show builtin:frontier",
                "the tree of a named machine, folded",
            ),
            (
                "stowplan topo show 'package:2 numa:2 core:8 pu:2' --format tsv",
                "each object of a synthetic one",
            ),
        ],
    },
    Page {
        words: "topo list",
        synopsis: "",
        about: "The named machines, their nodes and shape",
        options: &[],
        examples: &[],
    },
    Page {
        words: "completions",
        synopsis: "SHELL",
        about: "Prints completions for bash, zsh, fish, elvish or powershell",
        options: &[],
        examples: &[("stowplan completions bash", "to be sourced by the shell")],
    },
    Page {
        words: "man",
        synopsis: "[SUBCOMMAND]",
        about: "Prints the manual page, or that of a subcommand",
        options: &[],
        examples: &[("stowplan man map", "to be read with man -l -")],
    },
    Page {
        words: "help",
        synopsis: "[SUBCOMMAND | OPTION]",
        about: "Prints this, the help of a subcommand, or the values of an option",
        options: &[],
        examples: &[
            ("stowplan help session run", "as session run --help"),
            (
                "stowplan help map-by",
                "every policy and qualifier; also rank-by bind-to topo host hostfile rankfile seq format",
            ),
        ],
    },
];

impl Page {
    /// The last word that calls it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.words.rsplit(' ').next().unwrap_or(self.words)
    }

    /// The pages of its own subcommands.
    pub fn inner(&self) -> impl Iterator<Item = &'static Self> {
        let words = self.words;
        PAGES.iter().filter(move |page| {
            page.words
                .strip_suffix(page.name())
                .is_some_and(|outer| outer.trim_end() == words && outer != words)
        })
    }

    /// Whether it is called by one word.
    #[must_use]
    pub fn is_outer(&self) -> bool {
        !self.words.contains(' ')
    }
}
