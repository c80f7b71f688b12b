//! What `stowplan help` says about the values of an option: a line for each word.

/// An option's values.
#[derive(Clone, Copy, Debug)]
pub struct Topic {
    /// The names of the option, without dashes.
    pub names: &'static [&'static str],
    /// How it is written.
    pub usage: &'static str,
    /// What it decides.
    pub about: &'static str,
    /// Its words, and what each does. An empty word continues the one before; a word with an empty text is a heading.
    pub words: &'static [(&'static str, &'static str)],
    /// Where more is said.
    pub more: &'static str,
}

#[rustfmt::skip]
const MAP_BY: Topic = Topic {
    names: &["map-by", "mapby"],
    usage: "--map-by POLICY[:QUALIFIER]...",
    about: "Where processes go. A word may be shortened while it is unique.",
    words: &[
        ("Policies:", ""),
        ("slot", "the slots of a node, then the next node"),
        ("node", "one process on each node in turn"),
        ("core hwthread", "one process on each core or thread, node by node"),
        ("l1cache l2cache l3cache", "on each cache"),
        ("numa", "on each NUMA node"),
        ("package", "on each package; socket is the same"),
        ("gpu", "on the cores near each GPU"),
        ("device=gpu", "one process on each GPU in the order of PCI addresses; qualifiers shared interleave[=LEVEL] ndev=N"),
        ("ppr:N:OBJECT", "N on each object: node package numa l3cache l2cache l1cache core hwthread gpu"),
        ("pe-list=LIST", "on these cpus of each node: pe-list=0,2,4-7"),
        ("mpibind", "dealt over memory by LLNL's rule, with threads and GPUs; qualifiers threads=N greedy=0|1 gpu=0|1 smt=N"),
        ("dist:DEVICE", "nearest to a device first: dist:gpu0"),
        ("seq:file=FILE", "a node for each process, in the order of a file; without a file that of the hosts"),
        ("rankfile:file=FILE", "node and cpus of each rank from a file"),
        ("Qualifiers:", ""),
        ("pe=N", "N cpus for each process"),
        ("span", "over the objects of all nodes as of one"),
        ("oversubscribe", "more processes than slots, within max_slots"),
        ("nooversubscribe", "not so: the default"),
        ("nolocal", "not on the node of the launcher"),
        ("hwtcpus", "a cpu is a hardware thread"),
        ("corecpus", "a cpu is a core: the default where there are cores"),
        ("ordered", "process i gets cpu i of the pe-list"),
        ("inherit noinherit", "whether a spawned job takes policies over from its parent"),
        ("file=FILE", "the file of seq or rankfile; - is standard input"),
    ],
    more: "docs/policies.md has an example for each",
};

#[rustfmt::skip]
const RANK_BY: Topic = Topic {
    names: &["rank-by", "rankby"],
    usage: "--rank-by POLICY",
    about: "In which order processes get ranks. Absent: as they were mapped.",
    words: &[
        ("slot", "node by node, in the order in which they were placed there"),
        ("node", "one of each node in turn"),
        ("fill", "object by object, each to its end; for maps by objects"),
        ("span", "one of each object in turn, over all nodes; for maps by objects"),
    ],
    more: "docs/policies.md has an example for each",
};

#[rustfmt::skip]
const BIND_TO: Topic = Topic {
    names: &["bind-to", "bindto"],
    usage: "--bind-to OBJECT[:QUALIFIER]...",
    about: "What each process is bound to. Absent: what it is mapped by; core for one or two ranks by slot or node, numa for more.",
    words: &[
        ("Objects:", ""),
        ("none", "nothing: all cpus of its node"),
        ("hwthread core", "a hardware thread, a core"),
        ("l1cache l2cache l3cache", "the cpus of a cache"),
        ("numa", "those of a NUMA node"),
        ("package", "those of a package; socket is the same"),
        ("Qualifiers:", ""),
        ("overload-allowed", "processes may share cpus"),
        ("no-overload", "they may not: the default"),
        ("if-supported", "who finds no cpus is left unbound"),
        ("limit=N", "at most N processes on an object"),
        ("report", "accepted: --format tsv shows every binding"),
    ],
    more: "docs/policies.md has an example for each",
};

#[rustfmt::skip]
const TOPO: Topic = Topic {
    names: &["topo"],
    usage: "--topo [NODES=]T",
    about: "The topology of all nodes, or of the nodes of a host list. Absent: this machine, for its own node alone.",
    words: &[
        ("FILE", "hwloc XML: lstopo --of xml > node.xml; - is standard input"),
        ("'package:2 core:4 pu:2'", "a synthetic description, from the outside in"),
        ("builtin:NAME", "a named machine: stowplan topo list"),
        ("here", "this machine"),
        ("gpu[1-2]=T", "for these nodes alone; may be repeated"),
    ],
    more: "stowplan topo show T shows how one is understood; docs/topologies.md",
};

#[rustfmt::skip]
const HOST: Topic = Topic {
    names: &["host", "H", "hosts"],
    usage: "--host ENTRY[,ENTRY]...",
    about: "Nodes with slots, in this order.",
    words: &[
        ("a", "one slot on node a; a,a is two"),
        ("a:4", "four slots"),
        ("a:*", "as many as it has cores"),
        ("n[000-127]:8", "128 nodes with eight slots each"),
        ("+n3", "node number 3 of the job, from 0"),
        ("+e:2", "two nodes that are still empty; +e all of them"),
    ],
    more: "docs/semantics.md 1",
};

#[rustfmt::skip]
const HOSTFILE: Topic = Topic {
    names: &["hostfile", "machinefile"],
    usage: "--hostfile FILE",
    about: "Nodes with slots, a line each; - is standard input. After # comes a comment.",
    words: &[
        ("a slots=4", "four slots; absent: as many as it has cores, or as often as it is named"),
        ("a slots=4 max_slots=6", "six at most under oversubscribe"),
        ("n[0-127] slots=8", "128 nodes"),
        ("^b", "not this node"),
    ],
    more: "docs/policies.md, Files",
};

const RANKFILE: Topic = Topic {
    names: &["rankfile"],
    usage: "--map-by rankfile:file=FILE",
    about: "Node and cpus of each rank, a line each; - is standard input.",
    words: &[
        ("rank 0=a slot=0", "on core 0 of node a"),
        ("rank 1=a slot=0:2-3", "on cores 2 and 3 of package 0"),
        ("rank 2=+n1 slot=4", "on node number 1 of the job"),
    ],
    more: "docs/policies.md, Files",
};

const SEQ: Topic = Topic {
    names: &["seq"],
    usage: "--map-by seq:file=FILE",
    about: "The node of each process, a line each, in the order of ranks; - is standard input.",
    words: &[
        ("a", "this process is on node a"),
        ("a 0-1", "on cpus 0 and 1 of it"),
    ],
    more: "docs/policies.md, Files",
};

const FORMAT: Topic = Topic {
    names: &["format"],
    usage: "--format F",
    about: "How a plan is written.",
    words: super::manual::FORMATS,
    more: "docs/plan.md",
};

/// All of them.
pub const TOPICS: &[Topic] = &[
    MAP_BY, RANK_BY, BIND_TO, TOPO, HOST, HOSTFILE, RANKFILE, SEQ, FORMAT,
];

/// The options whose values have a page, by their first names.
pub fn words() -> impl Iterator<Item = &'static str> {
    TOPICS
        .iter()
        .filter_map(|topic| topic.names.first().copied())
}

impl Topic {
    /// The topic of an option, with dashes or without.
    #[must_use]
    pub fn of(word: &str) -> Option<&'static Self> {
        let bare = word.trim_start_matches('-');
        TOPICS.iter().find(|topic| topic.names.contains(&bare))
    }

    /// Lines for a screen.
    #[must_use]
    pub fn page(&self) -> String {
        let wide = self
            .words
            .iter()
            .filter(|row| !row.1.is_empty())
            .map(|row| row.0.len());
        let wide = wide.max().unwrap_or(0);
        let mut text = format!("{}\n{}\n\n", self.usage, self.about);
        for (word, what) in self.words {
            text += &match *what {
                "" => format!("{word}\n"),
                what => format!("  {word:wide$}  {what}\n"),
            };
        }
        text + &format!("\nMore: {}\n", self.more)
    }
}
