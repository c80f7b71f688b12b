//! Every public item has an example. `cargo test --doc` shows that it runs.

use std::fs;
use std::path::{Path, PathBuf};

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let entries = fs::read_dir(folder).expect("a crate has sources");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .collect();
    paths.sort();
    paths
}

#[test]
fn every_public_item_has_an_example() {
    let mut faults = Vec::new();
    let mut items = 0;
    for path in sources() {
        let text = fs::read_to_string(&path).expect("sources are UTF-8");
        let module = text
            .lines()
            .take_while(|line| line.starts_with("//!"))
            .any(|line| line.contains("```"));
        // Views that only a component or a request hands out: the example of the type shows how one comes by it.
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        if ["asked.rs", "attribute.rs"].contains(&&*file) {
            let types = text.matches("\npub struct ").count() + text.matches("\npub enum ").count();
            let examples = text.matches("\n/// ```\n").count() / 2;
            if examples < types {
                faults.push(format!("{file}: {types} types, {examples} examples"));
            }
            continue;
        }
        let (mut shown, mut hidden) = (false, false);
        for line in text.lines() {
            let line = line.trim_start();
            if line.starts_with("///") {
                shown |= line.contains("```");
                continue;
            }
            hidden |= line.starts_with("#[doc(hidden)]") || line.contains("trait Sealed");
            if line.starts_with("#[")
                || line.starts_with("clippy::")
                || line.starts_with("reason")
                || line == ")]"
            {
                continue;
            }
            let names = [
                "pub fn ",
                "pub const fn ",
                "pub struct ",
                "pub enum ",
                "pub trait ",
            ];
            if names.iter().any(|name| line.starts_with(name)) && !hidden {
                items += 1;
                if !shown {
                    faults.push(format!("{}: {line}", path.display()));
                }
            }
            (shown, hidden) = (false, false);
        }
        let public = ["component.rs", "session.rs", "taskmap.rs", "lib.rs"];
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        if public.contains(&name.as_str()) && !module {
            faults.push(format!("{name}: a public module without an example"));
        }
    }
    assert!(items > 100, "{items} items were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
