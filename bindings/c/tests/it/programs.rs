//! C programs, compiled as users compile them, against the shared and the static library.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(crate) fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The library that cargo built for these tests.
pub(crate) fn library(end: &str) -> PathBuf {
    let own = std::env::current_exe().expect("a test has a path");
    let built = own
        .parent()
        .expect("in a folder")
        .join(format!("libstowplan_c.{end}"));
    assert!(
        built.is_file(),
        "{} is built with the tests",
        built.display()
    );
    built
}

pub(crate) fn run(command: &mut Command) -> String {
    let done = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (out, err) = (
        String::from_utf8_lossy(&done.stdout),
        String::from_utf8_lossy(&done.stderr),
    );
    assert!(
        done.status.success(),
        "{command:?}: {}\n{out}\n{err}",
        done.status
    );
    out.into_owned()
}

fn has(program: &str) -> bool {
    Command::new(program)
        .arg("--version")
        .output()
        .is_ok_and(|done| done.status.success())
}

/// The libraries that a static library needs, as rustc reports them.
const PRIVATE: &str = "-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc";

/// A folder as `tools/install` makes it.
pub(crate) fn installed(name: &str) -> PathBuf {
    let prefix = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&prefix);
    fs::create_dir_all(prefix.join("lib/pkgconfig")).expect("a folder");
    fs::create_dir_all(prefix.join("include")).expect("a folder");
    fs::copy(
        folder().join("include/stowplan.h"),
        prefix.join("include/stowplan.h"),
    )
    .expect("a copy");
    // Links: the static library has a hundred megabytes.
    for (end, name) in [
        ("so", "libstowplan.so.1"),
        ("so", "libstowplan.so"),
        ("a", "libstowplan.a"),
    ] {
        let place = prefix.join("lib").join(name);
        std::os::unix::fs::symlink(library(end), place).expect("a link");
    }
    let pc = fs::read_to_string(folder().join("stowplan.pc.in")).expect("it is committed");
    let pc = pc.replace("@PREFIX@", &prefix.to_string_lossy());
    let pc = pc
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@PRIVATE@", PRIVATE);
    fs::write(prefix.join("lib/pkgconfig/stowplan.pc"), pc).expect("written");
    prefix
}

pub(crate) fn flags(prefix: &Path, more: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"))
        .args(["--cflags", "--libs"])
        .args(more)
        .arg("stowplan");
    run(&mut command)
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}

const STRICT: &[&str] = &["-std=c11", "-Wall", "-Wextra", "-Werror", "-g"];

/// Compiles a program against both libraries, and returns its output, which must be the same.
fn said(name: &str, source: &str) -> String {
    let prefix = installed(name);
    let source = folder().join(source);
    let shared = prefix.join("shared");
    run(Command::new("cc")
        .args(STRICT)
        .arg(&source)
        .args(flags(&prefix, &[]))
        .arg("-lpthread")
        .arg("-o")
        .arg(&shared));
    let by_shared = run(Command::new(&shared).env("LD_LIBRARY_PATH", prefix.join("lib")));
    let fixed = prefix.join("static");
    let libs = flags(&prefix, &["--static"]);
    let archive = prefix.join("lib/libstowplan.a");
    let libs: Vec<String> = libs
        .into_iter()
        .map(|flag| {
            if flag == "-lstowplan" {
                archive.to_string_lossy().into_owned()
            } else {
                flag
            }
        })
        .collect();
    run(Command::new("cc")
        .args(STRICT)
        // Without what no program calls: it is linked and started in half the time.
        .arg("-Wl,--gc-sections")
        .arg(&source)
        .args(libs)
        .arg("-o")
        .arg(&fixed));
    assert_eq!(run(&mut Command::new(&fixed)), by_shared);
    if has("valgrind") && name != "threads" {
        let check = [
            "-q",
            "--leak-check=full",
            "--show-leak-kinds=definite,indirect",
            "--errors-for-leak-kinds=definite,indirect",
            "--error-exitcode=9",
        ];
        run(Command::new("valgrind").args(check).arg(&fixed));
    } else {
        eprintln!("skipped: {name} without valgrind");
    }
    by_shared
}

#[test]
fn a_launcher_of_two_apps_hands_out_slices_and_takes_a_second_job() {
    let out = said("launcher", "examples/launcher.c");
    assert!(out.contains("3 daemons did well"), "{out}");
    assert!(
        out.contains("n0: rank 0 of 12, app 0, core:0, cpus 0-1"),
        "{out}"
    );
    assert!(out.contains("second: {\"version\":1,"), "{out}");
    assert!(out.contains("released twice: no-such-job"), "{out}");
    assert_eq!(out.matches(": rank ").count(), 12, "{out}");
}

#[test]
fn every_function_answers_wrong_arguments() {
    assert_eq!(said("arguments", "tests/c/arguments.c"), "0 faults\n");
}

#[test]
fn plans_answer_people_and_daemons() {
    assert_eq!(said("answers", "tests/c/answers.c"), "0 faults\n");
}

#[test]
fn clusters_follow_their_nodes_and_plans_go_where_hosts_were_granted() {
    assert_eq!(said("cluster", "tests/c/cluster.c"), "0 faults\n");
}

#[test]
fn components_look_place_pass_and_refuse() {
    assert_eq!(said("components", "tests/c/components.c"), "0 faults\n");
}

#[test]
fn threads_read_and_children_call() {
    assert_eq!(said("threads", "tests/c/threads.c"), "0\n");
    // In a namespace of its own the program is process 1, and so is its child in the next one.
    let words = ["--user", "--map-root-user", "--fork", "--pid"];
    let apart = Command::new("unshare").args(words).arg("true").status();
    if !apart.is_ok_and(|status| status.success()) {
        eprintln!(
            "skipped: a child in a new namespace of process ids: unshare may not make one here"
        );
        return;
    }
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads/static");
    let told = run(Command::new("unshare")
        .args(words)
        .arg(program)
        .arg("apart"));
    assert_eq!(told, "0\n");
}

#[test]
fn the_header_serves_cpp() {
    if !has("c++") {
        eprintln!("skipped: there is no C++ compiler");
        return;
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header.cpp");
    fs::write(
        &source,
        "#include <stowplan.h>\nint main() { return stow_api_version() == 0; }\n",
    )
    .expect("written");
    let include = folder().join("include");
    run(Command::new("c++")
        .args([
            "-std=c++11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(include)
        .arg(source));
}
