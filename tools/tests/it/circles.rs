//! Imports: no files import each other in a circle, the folders of the stages import in the order of their `mod` lines, and those of
//! the library from the ones below them.

use crate::console::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A module by its path from the root of the crate.
type Module = Vec<String>;

/// The code of each module, without comments and strings.
fn modules(folder: &Path, at: &[String], found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
        let mut module = at.to_vec();
        if path.is_dir() {
            module.push(stem);
            modules(&path, &module, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            if !matches!(&*stem, "mod" | "lib") {
                module.push(stem);
            }
            found.insert(module, code(&fs::read_to_string(&path).unwrap()));
        }
    }
}

fn code(text: &str) -> String {
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    // `pub(in crate::plan)` imports nothing from `plan`.
    lines
        .collect::<Vec<_>>()
        .join("\n")
        .replace("pub(in crate::", "pub(in ")
}

/// The paths of a `use` tree: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(prefix: &[String], tree: &str, found: &mut Vec<Module>) {
    let segments = |text: &str| -> Vec<String> {
        let names = text.split("::").map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let Some(open) = tree.find('{') else {
        let plain = tree.split(" as ").next().unwrap_or_default();
        let mut path = prefix.to_vec();
        path.extend(segments(plain));
        found.push(path);
        return;
    };
    let mut head = prefix.to_vec();
    head.extend(segments(&tree[..open]));
    let inner = &tree[open + 1..tree.rfind('}').unwrap_or(tree.len())];
    let (mut depth, mut from) = (0, 0);
    for (at, sign) in inner.char_indices() {
        match sign {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                paths(&head, &inner[from..at], found);
                from = at + 1;
            }
            _ => {}
        }
    }
    if !inner[from..].trim().is_empty() {
        paths(&head, &inner[from..], found);
    }
}

/// The modules that a module names: by `use`, and in its code as `crate::a::b`, `super::a`, or as `a::b` for its own. Public `use`
/// lines come second: they re-export, so the module itself does not need them.
fn named(module: &[String], text: &str, known: &BTreeMap<Module, String>) -> [Vec<Module>; 2] {
    let (mut asked, mut handed_on, mut rest) = (Vec::new(), Vec::new(), String::new());
    for statement in text.split_inclusive(';') {
        let start = statement.rfind("\nuse ").or_else(|| {
            statement
                .rfind("use ")
                .filter(|_| statement.contains("pub"))
        });
        let is_use = start.filter(|&at| !statement[at..].contains('=') && statement.ends_with(';'));
        let Some(at) = is_use else {
            rest.push_str(statement);
            continue;
        };
        let tree = statement[at..].trim().trim_start_matches("use ");
        let public = statement[..at].trim_end().ends_with([')', 'b'])
            && statement[..at]
                .lines()
                .next_back()
                .is_some_and(|line| line.trim_start().starts_with("pub"));
        let into = if public { &mut handed_on } else { &mut asked };
        paths(&[], tree.trim_end_matches(';'), into);
    }
    let word = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    for path in rest
        .split(|sign: char| !word(sign))
        .filter(|path| path.contains("::"))
    {
        let names: Module = path.split("::").map(str::to_owned).collect();
        let mut child = module.to_vec();
        child.push(names[0].clone());
        if matches!(&*names[0], "crate" | "super") || known.contains_key(&child) {
            asked.push(names);
        }
    }
    [asked, handed_on]
}

/// The module that a path in another module means, and the rest of the path.
fn resolve<'p>(
    from: &[String],
    path: &'p [String],
    known: &BTreeMap<Module, String>,
) -> Option<(Module, &'p [String])> {
    let (mut at, mut rest) = (from.to_vec(), path);
    match rest.first().map(String::as_str)? {
        "crate" => (at, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                at.pop();
                rest = &rest[1..];
            }
        }
        _ => {}
    }
    let start = at.len();
    while let Some(name) = rest.first() {
        at.push(name.clone());
        if !known.contains_key(&at) {
            at.pop();
            break;
        }
        rest = &rest[1..];
    }
    let outside = at.len() == start && !matches!(&*path[0], "crate" | "self" | "super");
    (!outside).then_some((at, rest))
}

/// Which modules each module of a crate needs.
fn imports(source: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let mut known = BTreeMap::new();
    modules(&root().join(source), &[], &mut known);
    assert!(known.len() > 5, "the crate is where it was");
    let uses: BTreeMap<Module, [Vec<Module>; 2]> = known
        .iter()
        .map(|(module, text)| (module.clone(), named(module, text, &known)))
        .collect();
    let mut handed: BTreeMap<(Module, String), Module> = BTreeMap::new();
    for (module, [_, public]) in &uses {
        for path in public {
            if let Some((target, rest)) = resolve(module, path, &known) {
                let name = rest.first().or(target.last()).cloned().unwrap_or_default();
                handed.insert((module.clone(), name), target);
            }
        }
    }
    let mut graph = BTreeMap::new();
    for (module, [asked, _]) in &uses {
        let mut needs = BTreeSet::new();
        for path in asked {
            let Some((mut target, rest)) = resolve(module, path, &known) else {
                continue;
            };
            if let Some(name) = rest.first() {
                while let Some(next) = handed.get(&(target.clone(), name.clone())) {
                    target = next.clone();
                }
            }
            if target != *module {
                needs.insert(target);
            }
        }
        graph.insert(module.clone(), needs);
    }
    graph
}

/// Everything that a module needs, directly or through others.
fn reached(graph: &BTreeMap<Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&Module> = graph[from].iter().collect();
    while let Some(module) = open.pop() {
        if seen.insert(module.clone()) {
            open.extend(graph.get(module).into_iter().flatten());
        }
    }
    seen
}

/// The modules of a graph that need themselves through others.
fn circles(graph: &BTreeMap<Module, BTreeSet<Module>>) -> String {
    let circles: Vec<String> = graph
        .keys()
        .filter(|module| reached(graph, module).contains(*module))
        .map(|module| module.join("/"))
        .collect();
    circles.join(", ")
}

#[test]
fn no_files_stand_in_a_circle() {
    for (source, least) in [("engine/src", 500), ("session/src", 80), ("judge/src", 20)] {
        let graph = imports(source);
        let edges: usize = graph.values().map(BTreeSet::len).sum();
        assert!(edges > least, "imports are found: {edges}");
        let circles = circles(&graph);
        assert!(circles.is_empty(), "{source}, in a circle: {circles}");
    }
}

/// In the other crates the files of a folder may use what their `mod.rs` defines for all of them.
#[test]
fn no_files_beside_each_other_stand_in_a_circle() {
    let crates = [
        "topo",
        "stowplan",
        "tools",
        "bench",
        "scale-tests",
        "bindings/c",
        "bindings/python",
    ];
    for name in crates {
        let mut graph = imports(&format!("{name}/src"));
        for (module, needs) in &mut graph {
            needs.retain(|other| !module.starts_with(other));
        }
        let circles = circles(&graph);
        assert!(circles.is_empty(), "{name}, in a circle: {circles}");
    }
}

#[test]
fn the_stages_import_upwards_only() {
    let graph = imports("engine/src");
    let order = fs::read_to_string(root().join("engine/src/stage/mod.rs")).unwrap();
    let order: Vec<&str> = order
        .lines()
        .filter_map(|line| line.split_once("mod ")?.1.strip_suffix(';'))
        .collect();
    assert!(order.len() > 5, "the folders of the stages");
    let place = |module: &Module| {
        let folder = module.get(1).filter(|_| module[0] == "stage")?;
        order.iter().position(|known| known == folder)
    };
    let mut faults = Vec::new();
    for (module, needs) in graph.iter().filter(|(module, _)| !module.is_empty()) {
        for other in needs.iter().filter(|other| !other.is_empty()) {
            if let (Some(own), Some(its)) = (place(module), place(other))
                && its > own
            {
                faults.push(format!("{} imports {}", module.join("/"), other.join("/")));
            }
        }
    }
    assert!(faults.is_empty(), "downwards: {}", faults.join(", "));
}

/// The folders below the library's public interface, and which of the others each may use.
const BELOW: [(&str, &[&str]); 4] = [
    ("launchers", &[]),
    ("score", &[]),
    ("job", &["launchers", "score"]),
    ("answers", &["launchers", "score", "job"]),
];

#[test]
fn what_is_promised_is_above_what_is_not() {
    let graph = imports("stowplan/src");
    let mut faults = Vec::new();
    for (folder, may) in BELOW {
        let own = graph
            .iter()
            .filter(|(module, _)| module.first().is_some_and(|first| first == folder));
        let mut edges = 0;
        for (module, needs) in own {
            edges += needs.len();
            let strange = needs.iter().filter(|other| {
                let first = other.first().map_or("lib", String::as_str);
                first != folder && !may.contains(&first)
            });
            faults.extend(
                strange.map(|other| format!("{} imports {}", module.join("/"), other.join("/"))),
            );
        }
        assert!(edges > 50, "{folder}: imports are found: {edges}");
    }
    assert!(faults.is_empty(), "upwards: {}", faults.join(", "));
}

#[test]
fn no_two_public_types_of_the_engine_have_one_name() {
    let mut known = BTreeMap::new();
    modules(&root().join("engine/src"), &[], &mut known);
    let mut homes: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (module, text) in &known {
        for line in text.lines().map(str::trim_start) {
            let mut words = line.split(|sign: char| !(sign.is_alphanumeric() || sign == '_'));
            let (public, kind, name) = (words.next(), words.next(), words.next());
            let is_type = matches!(kind, Some("struct" | "enum" | "trait" | "type"));
            // `pub(crate)` has nothing after its bracket.
            if let (Some("pub"), true, Some(name)) = (public, is_type, name)
                && line.starts_with("pub ")
            {
                homes.entry(name).or_default().push(module.join("/"));
            }
        }
    }
    assert!(homes.len() > 150, "types are found: {}", homes.len());
    // `type Error` is no type of ours: a trait or a module requires this name.
    let faults: Vec<String> = homes
        .iter()
        .filter(|(name, homes)| homes.len() > 1 && **name != "Error")
        .map(|(name, homes)| format!("{name}: {}", homes.join(", ")))
        .collect();
    assert!(
        faults.is_empty(),
        "one name, two types: {}",
        faults.join("; ")
    );
}
