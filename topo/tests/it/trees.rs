//! Compares recorded `/sys` trees with the listings that libhwloc 2.9 made of them, and this machine with lstopo.
//!
//! A tree is a file of lines: a path, a tab, and the contents, in which `; ` stands for a line end. lstopo made the listings with
//! the tree as its `HWLOC_FSROOT`, and our reader of XML read them.

use crate::objects::{Line, assert_same, files, of_draft, of_text, say, workspace};
use std::collections::HashMap;
use std::process::Command;

/// A recorded tree: contents by path.
fn tree(text: &str) -> HashMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &str| {
        let (path, contents) = line.split_once('\t').expect("a path, a tab, contents");
        (path.to_owned(), contents.replace("; ", "\n") + "\n")
    };
    lines.map(entry).collect()
}

fn listed(tree: &HashMap<String, String>) -> Vec<Line> {
    let draft = stowplan_topo::sys::parse(&|path| tree.get(path).cloned());
    of_draft(draft.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn recorded_trees_are_read_as_libhwloc_reads_them() {
    let trees = files(&workspace("topo/tests/data/sys"), ".tree");
    assert!(trees.len() >= 7, "{} trees", trees.len());
    for path in trees {
        let name = path.to_string_lossy();
        let ours = listed(&tree(&std::fs::read_to_string(&path).unwrap()));
        let listing = name.replace(".tree", ".objects.tsv");
        if std::env::var_os("UPDATE").is_some() {
            let lines: Vec<String> = ours.iter().map(|line| line.join("\t") + "\n").collect();
            std::fs::write(&listing, lines.concat()).unwrap();
        }
        let theirs = of_text(&std::fs::read_to_string(&listing).unwrap());
        assert_same(&name, &ours, &theirs, "the listing");
    }
}

#[test]
fn a_tree_that_is_cut_anywhere_is_read_or_refused() {
    for path in files(&workspace("topo/tests/data/sys"), ".tree") {
        let whole = tree(&std::fs::read_to_string(&path).unwrap());
        let mut paths: Vec<&String> = whole.keys().collect();
        paths.sort();
        for (at, missing) in paths.iter().enumerate().step_by(7) {
            for broken in [None, Some(""), Some("x"), Some("9-1"), Some("0-4294967295")] {
                let file = |path: &str| match (path == *missing, broken) {
                    (true, broken) => broken.map(str::to_owned),
                    // The tree ends here.
                    (false, None) => paths[..at]
                        .iter()
                        .find(|known| **known == path)
                        .map(|_| whole[path].clone()),
                    (false, Some(_)) => whole.get(path).cloned(),
                };
                if let Ok(draft) = stowplan_topo::sys::parse(&file) {
                    let (mut topologies, mut cpusets) = Default::default();
                    let topologies: &mut stowplan_engine::table::topologies::Topologies =
                        &mut topologies;
                    // The draft is sound, or the engine's own rules refuse it.
                    let _ = topologies.add(draft, &mut cpusets);
                }
            }
        }
    }
}

#[test]
fn this_machine_is_read_as_lstopo_reads_it() {
    let live = stowplan_topo::sys::parse(&|path| std::fs::read_to_string(path).ok());
    let Ok(ours) = live else {
        return say("this machine against lstopo skipped: it has no readable /sys");
    };
    // lstopo reports what this process may use, not everything the machine has. So do we.
    let answer = Command::new("lstopo-no-graphics")
        .args(["--of", "xml", "--no-io", "--restrict", "binding"])
        .output();
    let Ok(answer) = answer.as_ref().map(|answer| &answer.stdout) else {
        return say("this machine against lstopo skipped: lstopo-no-graphics is not installed");
    };
    let theirs = of_draft(stowplan_topo::xml::parse(answer).unwrap());
    assert_same("this machine", &of_draft(ours), &theirs, "lstopo");
}
