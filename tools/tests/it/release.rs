//! Published crates: each says what a registry requires, and, as far as manifests tell, builds with the oldest Rust that we support.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The crates that are published, together and with one version: docs/versions.md.
const PUBLISHED: &[&str] = &[
    "stowplan-engine",
    "stowplan-judge",
    "stowplan-session",
    "stowplan-topo",
    "stowplan",
    "stowplan-cli",
];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn cargo(words: &[&str]) -> String {
    let done = Command::new(env!("CARGO"))
        .args(words)
        .args(["--locked", "--offline"])
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "cargo {words:?}: {said}");
    String::from_utf8(done.stdout).unwrap()
}

fn host() -> String {
    let told = Command::new("rustc").arg("-vV").output().unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    let line = told.lines().find_map(|line| line.strip_prefix("host: "));
    line.unwrap().to_owned()
}

fn metadata() -> Value {
    let words = [
        "metadata",
        "--format-version",
        "1",
        "--filter-platform",
        &host(),
    ];
    serde_json::from_str(&cargo(&words)).unwrap()
}

fn version(text: &str) -> Vec<u32> {
    let parts = text.split('.').map(|part| part.parse().unwrap());
    let mut parts: Vec<u32> = parts.collect();
    parts.resize(3, 0);
    parts
}

#[test]
fn each_crate_says_what_a_registry_asks_for() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    for package in packages {
        let name = package["name"].as_str().unwrap();
        if package["source"] != Value::Null {
            continue;
        }
        let published = PUBLISHED.contains(&name);
        // `[]`: to no registry; null: to any.
        assert_eq!(package["publish"] == Value::Null, published, "{name}");
        if !published {
            continue;
        }
        for key in [
            "license",
            "description",
            "repository",
            "readme",
            "rust_version",
        ] {
            assert!(package[key].is_string(), "{name}: {key}");
        }
        for key in ["keywords", "categories"] {
            let words = package[key].as_array().unwrap();
            assert!((1..=5).contains(&words.len()), "{name}: {key}");
        }
        assert!(package["metadata"]["docs"]["rs"].is_object(), "{name}");
        let own = format!("={}", package["version"].as_str().unwrap());
        for need in package["dependencies"].as_array().unwrap() {
            let ours = need["name"].as_str().unwrap().starts_with("stowplan");
            if ours && need["kind"] != "dev" {
                assert_eq!(need["req"], own.as_str(), "{name}: {}", need["name"]);
            }
        }
    }
}

#[test]
fn no_test_is_published_and_licences_are() {
    for name in PUBLISHED {
        let listed = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
        let files: Vec<&str> = listed.lines().collect();
        for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.toml"] {
            assert!(files.contains(&file), "{name}: {file} is not there");
        }
        let left_out = |file: &&&str| file.starts_with("tests/") || file.contains("proptest");
        assert_eq!(files.iter().find(left_out), None, "{name}");
    }
}

/// The lint `incompatible_msrv` checks the methods that we call; this test checks our dependencies.
#[test]
fn nothing_that_we_depend_on_needs_a_younger_rust() {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().unwrap();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let of = |id: &Value| {
        packages
            .iter()
            .find(|package| package["id"] == *id)
            .unwrap()
    };
    let is_published = |package: &Value| PUBLISHED.contains(&package["name"].as_str().unwrap());
    let mut queue: Vec<&Value> = nodes.iter().map(|node| &node["id"]).collect();
    queue.retain(|id| is_published(of(id)));
    let oldest = of(queue[0])["rust_version"].as_str().unwrap();
    let mut seen: Vec<&Value> = Vec::new();
    while let Some(id) = queue.pop() {
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let package = of(id);
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(
                version(needed) <= version(oldest),
                "{} {} needs Rust {needed}, we promise {oldest}",
                package["name"],
                package["version"]
            );
        }
        let node = nodes.iter().find(|node| node["id"] == *id).unwrap();
        for need in node["deps"].as_array().unwrap() {
            let kinds = need["dep_kinds"].as_array().unwrap();
            if kinds.iter().any(|kind| kind["kind"] != "dev") {
                queue.push(&need["pkg"]);
            }
        }
    }
    assert!(seen.len() > 40, "{} packages", seen.len());
}
