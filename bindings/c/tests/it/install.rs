//! Tests `tools/install`: which files it installs, and a program that is built with only `cc` and `pkg-config`.

use crate::programs::{folder, library, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PLACES: &[&str] = &[
    "bin/stowplan",
    "lib/libstowplan.a",
    "lib/libstowplan.so",
    "lib/libstowplan.so.1",
    "include/stowplan.h",
    "lib/pkgconfig/stowplan.pc",
    "share/man/man1/stowplan.1",
    "share/man/man3/libstowplan.3",
    "share/man/man3/stow_plan_new.3",
    "share/doc/stowplan/LICENSE-MIT",
    "share/doc/stowplan/THIRD-PARTY.md",
    "share/bash-completion/completions/stowplan",
    "share/zsh/site-functions/_stowplan",
    "share/fish/vendor_completions.d/stowplan.fish",
];

#[test]
fn an_installed_prefix_is_all_that_a_program_needs() {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prefix");
    let _ = fs::remove_dir_all(&prefix);
    let script = folder().join("../../tools/install");
    let built = built();
    // Twice, because the installation may be repeated.
    for _ in 0..2 {
        let mut install = Command::new(&script);
        install.arg("--built").arg(&built).arg(&prefix);
        let said = run(&mut install);
        assert!(said.starts_with("installed stowplan "), "{said}");
    }
    for place in PLACES {
        assert!(
            prefix
                .join(place)
                .metadata()
                .is_ok_and(|about| about.len() > 0),
            "{place}"
        );
    }
    cited(&prefix);
    let program = prefix.join("launcher");
    let line = format!(
        "cc -std=c11 -Wall -Wextra -Werror '{}' $(pkg-config --cflags --libs stowplan) -o '{}'",
        folder().join("examples/launcher.c").display(),
        program.display()
    );
    run(Command::new("sh")
        .arg("-c")
        .arg(line)
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    let said = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix.join("lib")));
    assert!(said.contains("3 daemons did well"), "{said}");
    let said = run(Command::new(prefix.join("bin/stowplan")).args(["topo", "list"]));
    assert!(said.contains("frontier"), "{said}");
    alone(&script, &built);
    for wrong in [
        vec![],
        vec!["--nope"],
        vec!["a", "b"],
        vec!["--only", "rust", "a"],
        vec!["--built", "/no/such/folder", "a"],
    ] {
        let done = Command::new(&script)
            .args(&wrong)
            .output()
            .expect("it runs");
        assert_eq!(
            (done.status.code(), done.stdout.len()),
            (Some(2), 0),
            "{wrong:?}"
        );
    }
}

/// A folder with what cargo built for these tests, as it leaves it when it builds without tests. The command is there when the whole
/// workspace was built.
fn built() -> PathBuf {
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("built");
    let _ = fs::remove_dir_all(&made);
    fs::create_dir_all(&made).expect("a folder");
    let own = std::env::current_exe().expect("a test has a path");
    let out = own.ancestors().nth(2).expect("in a folder of its profile");
    let command = out.join("stowplan");
    if !command.is_file() {
        let profile = match out.file_name().and_then(|name| name.to_str()) {
            Some("debug") | None => "dev",
            Some(name) => name,
        };
        run(Command::new(env!("CARGO")).args([
            "build",
            "-p",
            "stowplan-cli",
            "--profile",
            profile,
        ]));
    }
    for (from, name) in [
        (command, "stowplan"),
        (library("so"), "libstowplan_c.so"),
        (library("a"), "libstowplan_c.a"),
    ] {
        std::os::unix::fs::symlink(from, made.join(name)).expect("a link");
    }
    made
}

/// What the header cites is installed.
fn cited(prefix: &Path) {
    let header = fs::read_to_string(prefix.join("include/stowplan.h")).expect("it is installed");
    let cited = header.split("docs/").skip(1).map(|rest| {
        let end = rest.find(|sign: char| !(sign.is_ascii_alphanumeric() || ".-_".contains(sign)));
        rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
    });
    let cited: Vec<&str> = cited.collect();
    assert!(cited.len() > 2, "{cited:?}");
    for document in cited {
        let place = prefix.join("share/doc/stowplan").join(document);
        assert!(place.is_file(), "{document}");
    }
}

/// The libraries alone.
fn alone(script: &Path, built: &Path) {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prefix-c");
    let _ = fs::remove_dir_all(&prefix);
    run(Command::new(script)
        .args(["--only", "c", "--built"])
        .arg(built)
        .arg(&prefix));
    assert!(prefix.join("lib/libstowplan.so.1").is_file() && !prefix.join("bin").exists());
    assert!(!prefix.join("share/man/man1").exists());
}
