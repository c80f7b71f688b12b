//! Compares the header with the code, type by type: a C compiler reads the header, followed by the declarations that cbindgen
//! makes from the code.
//!
//! A function that is declared twice with different types does not compile. Static assertions compare constants and the struct's
//! fields.

use crate::programs::{folder, run};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The opaque types: their names in Rust and in C.
const HANDLES: &[(&str, &str)] = &[
    ("StowTopology", "stow_topology"),
    ("StowMachine", "stow_machine"),
    ("StowJob", "stow_job"),
    ("StowPlan", "stow_plan"),
    ("StowSlice", "stow_slice"),
    ("StowCluster", "stow_cluster"),
    ("StowWaiting", "stow_waiting"),
    ("StowPlanner", "stow_planner"),
    ("StowSession", "stow_session"),
    ("StowTaskmap", "stow_taskmap"),
    ("StowThreads", "stow_threads"),
    ("StowComponents", "stow_components"),
    ("StowAsked", "stow_asked"),
    ("StowExplanation", "stow_explanation"),
    ("StowDifference", "stow_difference"),
    ("StowRefused", "stow_refused"),
    ("StowError", "stow_error"),
];

/// The declarations that cbindgen makes from the code: handles have the header's names, everything else has the prefix `CODE_`.
fn of_code() -> String {
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        style: cbindgen::Style::Both,
        no_includes: true,
        documentation: false,
        usize_is_size_t: true,
        ..cbindgen::Config::default()
    };
    config.export.prefix = Some("CODE_".to_owned());
    config.export.renaming_overrides_prefixing = true;
    let handles = HANDLES.iter();
    let renamed = handles.map(|&(rust, c)| (rust.to_owned(), c.to_owned()));
    config.export.rename = renamed.collect();
    let builder = cbindgen::Builder::new()
        .with_config(config)
        .with_src(folder().join("src/lib.rs"));
    let mut out = Vec::new();
    builder
        .generate()
        .expect("it reads the code")
        .write(&mut out);
    let text = String::from_utf8(out).expect("it writes text");
    // Functions take the header's struct. Assertions below check that ours is the same.
    text.replace("struct CODE_StowProc *", "struct stow_proc *")
}

fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    let behind = parts.filter_map(|part| part.split_once("*/"));
    behind.fold(first, |out, (_, rest)| out + rest)
}

/// The names in C text that begin with `begin`.
fn names(text: &str, begin: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !(sign.is_ascii_alphanumeric() || sign == '_'));
    let found = words.filter(|word| word.starts_with(begin));
    found.map(str::to_owned).collect()
}

/// The fields of the one struct that is not opaque, with their types.
fn fields(header: &str) -> Vec<(String, String)> {
    let (_, behind) = header
        .split_once("typedef struct stow_proc {")
        .expect("it is there");
    let (body, _) = behind.split_once('}').expect("it ends");
    let mut fields = Vec::new();
    for line in body
        .split(';')
        .map(str::trim)
        .filter(|line| !line.is_empty())
    {
        let (kind, names) = line.split_once(' ').expect("a type and names");
        let own = names
            .split(',')
            .map(|name| (kind.to_owned(), name.trim().to_owned()));
        fields.extend(own);
    }
    fields
}

#[test]
fn the_header_has_the_types_and_numbers_of_the_code() {
    let text = fs::read_to_string(folder().join("include/stowplan.h")).expect("it is committed");
    let header = without_comments(&text);
    let code = of_code();
    let functions = names(&header, "stow_");
    let missing: Vec<&String> = functions
        .iter()
        .filter(|name| header.contains(&format!("{name}(")) && !code.contains(&format!("{name}(")))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());

    let constants: BTreeSet<String> = names(&header, "STOW_");
    let in_code: BTreeSet<String> = names(&code, "CODE_STOW_")
        .iter()
        .map(|name| name["CODE_".len()..].to_owned())
        .collect();
    assert_eq!(constants, in_code);
    assert!(constants.len() > 30, "{} constants", constants.len());

    let mut program = format!("#include <stowplan.h>\n{code}\n");
    for name in &constants {
        writeln!(
            program,
            "_Static_assert({name} == CODE_{name}, \"{name}\");"
        )
        .expect("written");
    }
    let fields = fields(&header);
    assert_eq!(fields.len(), 9);
    for (kind, field) in &fields {
        for (what, ours) in [
            ("sizeof(stow_proc)", "sizeof(CODE_StowProc)".to_owned()),
            (
                &*format!("offsetof(stow_proc, {field})"),
                format!("offsetof(CODE_StowProc, {field})"),
            ),
            (
                &*format!("_Generic(((stow_proc *)0)->{field}, {kind}: 1, default: 0)"),
                format!("_Generic(((CODE_StowProc *)0)->{field}, {kind}: 1, default: 0)"),
            ),
        ] {
            writeln!(program, "_Static_assert({what} == {ours}, \"{field}\");").expect("written");
        }
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("types.c");
    fs::write(&file, &program).expect("written");
    let compile = |file: &Path| {
        let mut command = Command::new("cc");
        command
            .args([
                "-std=c11",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                "-I",
            ])
            .arg(folder().join("include"))
            .arg(file);
        command
    };
    run(&mut compile(&file));

    // The check can fail: for one type and for one number.
    for (from, to) in [
        (
            "stow_plan_column(const struct stow_plan",
            "stow_plan_column(struct stow_plan",
        ),
        ("CODE_STOW_OBJECT_GPU 12", "CODE_STOW_OBJECT_GPU 13"),
    ] {
        assert!(program.contains(from), "{program}");
        fs::write(&file, program.replace(from, to)).expect("written");
        let done = compile(&file).output().expect("it runs");
        assert!(!done.status.success(), "{to}");
    }
}
