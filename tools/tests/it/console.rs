//! Runs the command inside the test: its arguments, its files, its output.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use stowplan_cli::Console;
use stowplan_cli::disk::Disk;
use stowplan_cli::format::screen::Screen;
use stowplan_cli::progress::Audience;
use stowplan_cli::report::Refused;
use stowplan_engine::stage::resolve::Files;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the folder with the contract's data; `STOWPLAN_SHARED` names the folder.
pub(crate) fn shared(name: &str) -> PathBuf {
    let folder = std::env::var_os("STOWPLAN_SHARED");
    folder
        .map_or_else(|| root().join("../shared"), PathBuf::from)
        .join(name)
}

/// Files that a test made up. All other files are read from the workspace.
#[derive(Clone, Debug, Default)]
pub(crate) struct MadeUp {
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Files for MadeUp {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.files.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => Disk.read(&root().join(path).to_string_lossy()),
        }
    }
}

/// The output of the command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Said {
    pub(crate) status: u8,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Runs the command.
pub(crate) fn stowplan(args: &[String], files: &dyn Files) -> Said {
    stowplan_on(args, files, Screen::page())
}

/// Runs the command with its output on a screen.
pub(crate) fn stowplan_on(args: &[String], files: &dyn Files, screen: Screen) -> Said {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let status = stowplan_cli::run_on(
        args,
        &mut Console {
            out: &mut out,
            err: &mut err,
            files,
            screen,
            audience: Audience::Nobody,
        },
    );
    let text = |bytes| String::from_utf8(bytes).expect("what the command says is UTF-8");
    Said {
        status,
        out: text(out),
        err: text(err),
    }
}

/// Runs a part of the command on a console of its own. Returns the exit status.
pub(crate) fn on_console(
    out: &mut dyn Write,
    err: &mut dyn Write,
    run: impl FnOnce(&mut Console<'_>) -> Result<u8, Refused>,
) -> u8 {
    let mut console = Console {
        out,
        err,
        files: &Disk,
        screen: Screen::page(),
        audience: Audience::Nobody,
    };
    run(&mut console).unwrap_or_else(|refused| refused.print(console.err))
}

/// The words of a shell line, split at spaces that are neither quoted nor escaped.
pub(crate) fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (Some(open), sign) if open == sign => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(signs.next()),
            (_, sign) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    words
}

#[test]
fn words_are_those_of_a_shell() {
    let line = r#"map --topo 'package:2 pu:1' -H "a b" '' c\ d"#;
    let expected = ["map", "--topo", "package:2 pu:1", "-H", "a b", "", "c d"];
    assert_eq!(words(line), expected);
}

/// Prints that a test has nothing to compare with here.
pub(crate) fn skipped(what: &str) {
    use std::io::Write as _;
    let told = writeln!(
        std::io::stderr(),
        "skipped: {what}: STOWPLAN_SHARED names no folder that has it"
    );
    // It does not matter whether anybody reads it.
    drop(told);
}
