//! `stowplan topo`.

/// Runs `stowplan topo` with these words. Returns the exit status and the text on both streams.
fn topo(words: &[&str]) -> (u8, String, String) {
    let words = ["topo"].iter().chain(words);
    let args: Vec<String> = words.map(|word| (*word).to_owned()).collect();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = stowplan_cli::run(&args, &mut out, &mut err);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status, text(out), text(err))
}

#[test]
fn equal_subtrees_are_one_line() {
    let (status, out, _) = topo(&[
        "show",
        "package:2 [numa] l3:2 core:4 pu:2(indexes=2*16:1*2)",
    ]);
    let tree: Vec<&str> = out.lines().skip(1).take(5).collect();
    assert_eq!(status, 0);
    assert_eq!(
        tree,
        [
            "2 x package L#0-1 P#0-1 + numa L#0-1 P#0-1",
            "  2 x l3cache L#0-3",
            "    4 x core L#0-15 P#0-15",
            "      2 x hwthread L#0-31 P#0-31",
            "for example core L#0 is P#0,16, core L#1 is P#1,17, core L#2 is P#2,18",
        ]
    );
}

#[test]
fn a_machine_says_what_its_site_keeps() {
    let (_, out, _) = topo(&["show", "builtin:frontier"]);
    assert!(out.contains("56 cores"), "{out}");
    assert!(out.contains("the site keeps core L#0,8,16,24"), "{out}");
    let (_, list, _) = topo(&["list"]);
    assert_eq!(
        list.lines().count(),
        1 + stowplan_topo::builtin::MACHINES.len()
    );
}

#[test]
fn tsv_has_a_line_for_each_object() {
    let (_, out, _) = topo(&["show", "package:2 pu:2", "--format", "tsv"]);
    let lines = [
        "#kind\tlogical\tos\tcpus",
        "machine\t0\t0\t0-3",
        "package\t0\t0\t0-1",
    ];
    assert_eq!(out.lines().take(3).collect::<Vec<_>>(), lines);
    let (_, same, _) = topo(&["show", "--format=tsv", "package:2 pu:2"]);
    assert_eq!(out, same);
}

#[test]
fn numbers_that_are_passed_over_are_noted() {
    let (status, _, err) = topo(&["show", "package:2 core:3 pu:2(indexes=5*2:7*2)"]);
    assert_eq!(status, 0);
    assert!(
        err.starts_with("note[no-effect]: indexes=5*2:7*2 "),
        "{err}"
    );
}

#[test]
fn what_cannot_be_shown_leaves_the_answer_empty() {
    for (words, start) in [
        (
            &["show", "missing.xml"][..],
            "error[bad-topology]: topology file missing.xml: ",
        ),
        (&["show", "package:2 foo:1"], "error[bad-topology]: "),
        (&["show", "builtin:frontir"], "error[bad-topology]: "),
        (&["show"], "error[bad-option]: "),
        (&["show", "pu:1", "--format", "xml"], "error[bad-value]: "),
        (&["show", "pu:1", "--format"], "error[bad-option]: "),
        (&["lst"], "error[bad-option]: "),
        (&[], "error[bad-option]: "),
    ] {
        let (status, out, err) = topo(words);
        assert_eq!((status, out.as_str()), (2, ""), "{words:?}");
        assert!(err.starts_with(start), "{words:?}: {err}");
    }
}
