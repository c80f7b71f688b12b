//! What somebody who comes from another launcher types first, and the words that the answer must have.

use crate::console::{MadeUp, stowplan, words};

/// A command line, and what its messages say.
const ASKED: &[(&str, &[&str])] = &[
    (
        "map --topo pu:4 -H a --ntasks-per-node=4 ./x",
        &["bad-option", "ppr:4:node"],
    ),
    (
        "map --topo pu:4 -H a --cpus-per-task 8 ./x",
        &["bad-option", ":pe=8"],
    ),
    (
        "map --topo pu:4 -H a --cpu-bind=cores ./x",
        &["bad-option", "--bind-to core"],
    ),
    (
        "map --topo pu:4 -H a -N4 ./x",
        &["bad-option", "ppr:4:node"],
    ),
    (
        "map --topo pu:4 -H a --ppn 2 ./x",
        &["bad-option", "ppr:2:node"],
    ),
    (
        "map --topo pu:4 -H a --depth 2 ./x",
        &["bad-option", ":pe=2"],
    ),
    (
        "map --topo pu:4 -H a -n 64 -c 8 ./x",
        &["bad-option", ":pe=8", "as -n does"],
    ),
    (
        "map -H a,b ./x",
        &[
            "bad-topology",
            "node a",
            "lstopo --of xml > node.xml",
            "--topo builtin:",
        ],
    ),
    (
        "check a.plan b.plan",
        &["bad-option", "stowplan diff a.plan b.plan"],
    ),
    (
        "check a.plan --format tsv",
        &["bad-option", "--format", "behind --"],
    ),
];

#[test]
fn the_first_mistakes_are_answered_with_what_to_type() {
    for (command, needles) in ASKED {
        let said = stowplan(&words(command), &MadeUp::default());
        assert_eq!(said.status, 2, "{command}\n{}", said.err);
        assert!(said.out.is_empty(), "{command}\n{}", said.out);
        for needle in *needles {
            assert!(
                said.err.contains(needle),
                "{command}: {needle} is missing\n{}",
                said.err
            );
        }
    }
}

#[test]
fn a_rankfile_is_no_narrow_default() {
    let mut files = MadeUp::default();
    let text = b"rank 0=a slot=0-3\nrank 1=a slot=4-7\n".to_vec();
    files.files.insert("ranks".to_owned(), text);
    let command =
        "map --topo 'package:2 core:16 pu:1' -H a:2 -n 2 --map-by rankfile:file=ranks ./x";
    let said = stowplan(&words(command), &files);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(!said.err.contains("binding-narrow"), "{}", said.err);
}
