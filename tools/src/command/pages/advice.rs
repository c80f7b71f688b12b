//! Pages of the subcommands that count, advise and answer many requests.

use super::{Page, PageOption, row};

const NETWORK_LEVELS: PageOption = row(
    "network-levels",
    "WORDS",
    "what the levels of the network are called, from the lowest up",
);
const DISTANCES: PageOption = row(
    "distances",
    "D:D:…",
    "costs within a node, then by the level at which nodes meet, from the lowest: gives J",
);

/// The page of `score`.
pub(super) const SCORE: Page = Page {
    words: "score",
    synopsis: "--pattern P [options] PLAN | --pattern P [options] -- [options and apps as for map]",
    about: "Counts what leaves each node, package and cache for a communication pattern",
    options: &[
        row(
            "pattern",
            "[APP=]P",
            "halo:GRID ring pairs alltoall[:G] transpose:RxC tree:K file:F between:A,B:block|all; several add up",
        ),
        row(
            "format",
            "F",
            "text, json or tsv; html or svg draw ranks and the edges that leave nodes [default: text]",
        ),
        row(
            "network",
            "NET",
            "also count what leaves switches and groups above the nodes: a file, words, builtin:NAME HOSTS",
        ),
        NETWORK_LEVELS,
        DISTANCES,
    ],
    examples: &[(
        "stowplan score --pattern halo:50x48 -- --topo 'package:2 core:24 pu:1' -H 'n[0-49]:48' -n 2400 --map-by slot",
        "how many neighbours of a stencil are on another node",
    )],
};

/// The page of `advise`.
pub(super) const ADVISE: Page = Page {
    words: "advise",
    synopsis: "--pattern P [options] -- [options and apps as for map]",
    about: "Tries policies and orders of ranks for a communication pattern, the best first",
    options: &[
        row(
            "pattern",
            "[APP=]P",
            "who talks to whom, as for score; several add up",
        ),
        row(
            "format",
            "F",
            "json, or text for people; html or svg draw the candidates [default: text]",
        ),
        row(
            "order",
            "FILE",
            "write the order of ranks of an answer, as MPICH_RANK_ORDER",
        ),
        row("answer", "K", "of this answer [default: 1]"),
        row(
            "network",
            "NET",
            "also look at switches and groups above the nodes: a file, words, builtin:NAME HOSTS",
        ),
        NETWORK_LEVELS,
        DISTANCES,
        row(
            "by",
            "WHAT",
            "what is to be least: sum, pair, J, or a level [default: the sum, of those that leave nodes no more]",
        ),
    ],
    examples: &[(
        "stowplan advise --pattern halo:50x48 --order order.txt -- --topo 'package:2 core:24 pu:1' -H 'n[0-49]:48' -n 2400 --map-by slot",
        "the best order of ranks for a stencil, to be given to MPICH or to --rank-order file:order.txt",
    )],
};

/// The page of `batch`.
pub(super) const BATCH: Page = Page {
    words: "batch",
    synopsis: "[options of map]",
    about: "Answers many requests: a line of JSON in, a line of JSON out, in order, on all cores",
    options: &[],
    examples: &[(
        "echo '{\"id\":1,\"words\":[\"-n\",\"8\",\"--map-by\",\"node\"]}' | stowplan batch --topo 'core:4 pu:1' -H 'n[0-1]:4'",
        "the options stand before the words of each line",
    )],
};

/// The page of `page`.
pub(super) const PAGE: Page = Page {
    words: "page",
    synopsis: "[--port P] [--open] [--listen ADDR]",
    about: "Serves a page on which one plays with lines, and answers over HTTP: its address is the first line",
    options: &[
        row("port", "P", "the port, 0 for a free one [default: 8642]"),
        row("open", "", "show it in the browser"),
        row(
            "listen",
            "ADDR",
            "another address than 127.0.0.1: with a token in the URL",
        ),
    ],
    examples: &[],
};

/// The page of `threads`.
pub(super) const THREADS: Page = Page {
    words: "threads",
    synopsis: "--topo T --cpus LIST [-x NAME=VALUE]... [options]",
    about: "Where OpenMP puts the threads of a process that has these cpus, by the rules of each runtime",
    options: &[
        row("topo", "T", "the topology of the node"),
        row(
            "cpus",
            "LIST",
            "the process's cpus, by OS number: what taskset -p says",
        ),
        row(
            "allowed",
            "LIST",
            "the cpus that the kernel lets it have [default: all]",
        ),
        row("omp", "R", "whose rules: gnu, llvm or intel, with @VERSION"),
        row(
            "levels",
            "N",
            "parallel regions one inside the other: 1 or 2",
        ),
        row("env", "NAME=VALUE", "a variable; -x NAME=VALUE wins"),
        row("env-file", "FILE", "variables, a line each"),
        row("format", "F", "text, tsv, ndjson or json"),
    ],
    examples: &[(
        "stowplan threads --topo builtin:frontier --cpus 1-7,65-71 -x OMP_NUM_THREADS=7 -x OMP_PROC_BIND=true",
        "gnu and llvm differ",
    )],
};
