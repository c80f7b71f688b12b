//! What people who know another launcher type first, and the words that the answer must have.

use crate::console::{MadeUp, stowplan, stowplan_on, words};

/// A command line, and words of its messages.
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
        &["not-enough-slots", "ppr:4:node"],
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
        &["bad-option", "--format", "after --"],
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
fn each_format_says_where_the_topology_came_from() {
    for format in [
        "text", "json", "html", "svg", "tsv", "ndjson", "map", "taskmap", "raw",
    ] {
        for job in ["", "-n 1 --columns rank,cpus "] {
            let here = format!("map --format {format} {job}./x");
            let said = stowplan(&words(&here), &MadeUp::default());
            let both = format!("{}{}", said.out, said.err);
            assert!(said.status == 2 || both.contains("here"), "{here}\n{both}");
        }
    }
    for format in ["text", "json", "html", "svg"] {
        let named = format!("map --format {format} --topo builtin:frontier -n 1 ./x");
        let said = stowplan(&words(&named), &MadeUp::default());
        assert!(
            said.out.contains("builtin:frontier"),
            "{named}\n{}",
            said.out
        );
    }
    let said = stowplan(
        &words("explain 0 -- --topo builtin:frontier -n 1 ./x"),
        &MadeUp::default(),
    );
    assert!(
        said.out.contains("machine  builtin:frontier"),
        "{}",
        said.out
    );
    let asked = stowplan(
        &words("map --topo pu:4 -n 1 --bind-to core --format tsv ./x"),
        &MadeUp::default(),
    );
    assert!(asked.err.is_empty(), "{}", asked.err);
}

#[test]
fn idle_nodes_and_long_sources_are_seen_at_any_width() {
    use stowplan_cli::format::screen::Screen;
    let topo = "package:2 numa:2 l3:2 l2:2 core:2 pu:2(indexes=2*32:32*1)";
    let line = format!("map --topo '{topo}' -H n[0-99]:64 -n 40 --map-by ppr:2:node ./x");
    for columns in [20, 40, 80, 100, 200] {
        let screen = Screen {
            columns,
            ..Screen::page()
        };
        let said = stowplan_on(&words(&line), &MadeUp::default(), screen);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(
            said.out.contains("80 nodes idle"),
            "{columns}\n{}",
            said.out
        );
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

/// What is between back quotes in a cell of a table.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Every option of another launcher on the page, pasted: the answer has our words beside it, or it is a word of ours.
#[test]
fn each_cell_of_coming_from_is_pasted() {
    let page = std::fs::read_to_string(crate::console::root().join("docs/coming-from.md")).unwrap();
    let table = page.split("## If you know srun").nth(1).unwrap();
    let table = table.split("## ").next().unwrap();
    let mut pasted = 0;
    for row in table.lines().filter(|line| line.starts_with("| `-")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [theirs, ours] = cells[..] else {
            panic!("{row}")
        };
        let wanted: Vec<&str> = spans(ours)
            .into_iter()
            .filter(|span| span.starts_with("--"))
            .collect();
        for option in spans(theirs) {
            if !option.starts_with('-') || option.contains('…') || option.contains("-w ") {
                continue;
            }
            let line = format!("map --topo pu:16 -H a:16 {option} ./x");
            let said = stowplan(&words(&line), &MadeUp::default());
            let helps = said.err.lines().any(|line| line.starts_with("help: "));
            let has = |span: &&str| {
                let mut parts = span.split(' ').map(|word| word.trim_end_matches('…'));
                parts.all(|word| said.err.contains(word))
            };
            let taken = said.status == 0 || option.starts_with("-n ") || option.starts_with("-c ");
            assert!(
                taken || wanted.is_empty() && helps || wanted.iter().any(has),
                "{line}: {}\n{row}",
                said.err
            );
            pasted += 1;
        }
    }
    assert!(pasted > 15, "{pasted} cells");
}

/// Words of other launchers in the places of ours: the help has words that run as they stand there.
#[test]
fn the_help_for_a_foreign_value_runs() {
    let run = |line: &str| stowplan(&words(line), &MadeUp::default());
    let job = "--topo 'package:2 [numa] core:4 pu:1' -H a:8,b:8 -n 4";
    for (typed, ours) in [
        ("--map-by numa:PE=2,span", "--map-by numa:PE=2:span"),
        ("--map-by cyclic", "--map-by node"),
        ("--map-by block", "--map-by slot"),
        ("--map-by threads", "--map-by hwthread"),
        ("--map-by cpu", "--map-by core"),
        ("--rank-by cyclic", "--rank-by node"),
        ("--rank-by block", "--rank-by slot"),
        ("--bind-to threads", "--bind-to hwthread"),
        ("--bind-to cpu", "--bind-to core"),
        ("--bind-to board", "--bind-to none"),
        ("-cc 0,4", "--map-by pe-list=0,4:ordered"),
        ("--bind packed:2", "--map-by :pe=2"),
        ("--rs_per_host 2", "--map-by ppr:2:node"),
        ("--cpu_per_rs 2", "--map-by :pe=2"),
    ] {
        let refused = run(&format!("map {job} {typed} ./x"));
        let helped = refused
            .err
            .lines()
            .any(|line| line.starts_with("help: ") && line.contains(ours));
        assert!(refused.status == 2 && helped, "{typed}: {}", refused.err);
        let placed = run(&format!("map {job} {ours} ./x"));
        assert_eq!(placed.status, 0, "{ours}: {}", placed.err);
    }
}
