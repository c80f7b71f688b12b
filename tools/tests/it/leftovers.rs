//! However the command ends, it leaves no partial file: the file under its name is the old one or the complete new one.

#![cfg(unix)]

use crate::folder::Folder;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A job whose rows take long to write, with a task map as well.
const LONG: &[&str] = &[
    "map",
    "--topo",
    "core:64 pu:1",
    "-H",
    "n[0-249999]:64",
    "-n",
    "16000000",
    "--map-by",
    "node",
];

/// The command with the default action for every signal. The process that started the tests may ignore some of them, and the
/// command would then ignore them too.
fn command(words: &[&str], rest: &[&Path]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal", env!("CARGO_BIN_EXE_stowplan")]);
    command.args(words).args(rest);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Every signal that a user or a scheduler sends, while every long format is written, with and without a plan beside it.
#[test]
fn no_signal_leaves_a_part_behind() {
    let signals = [
        (&[Signal::SIGTERM][..], 128 + 15),
        (&[Signal::SIGHUP], 128 + 1),
        (&[Signal::SIGQUIT], 128 + 3),
        (&[Signal::SIGINT], 130),
        (&[Signal::SIGINT, Signal::SIGINT, Signal::SIGINT], 130),
        (&[Signal::SIGINT, Signal::SIGTERM], 130),
    ];
    for format in ["tsv", "map", "raw"] {
        for (sent, status) in signals {
            for save in [None, Some("plan")] {
                let folder = Folder::new("signals");
                let target = folder.path().join("answer");
                std::fs::write(&target, b"before").unwrap();
                let mut command = command(
                    LONG,
                    &["--format".as_ref(), format.as_ref(), "-o".as_ref(), &target],
                );
                if let Some(save) = save {
                    command.arg("--save").arg(folder.path().join(save));
                }
                let mut child = command.spawn().unwrap();
                // The output is being written once there is a partial file.
                let part = |name: &String| name.starts_with('.');
                let begun = Instant::now();
                while !folder.names().iter().any(part) && child.try_wait().unwrap().is_none() {
                    assert!(
                        begun.elapsed() < Duration::from_secs(300),
                        "{format}: no part appears"
                    );
                    std::thread::sleep(Duration::from_millis(1));
                }
                let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
                for signal in sent {
                    let _ = kill(pid, *signal);
                }
                let ended = child.wait().unwrap();
                let told = ended
                    .code()
                    .or_else(|| ended.signal().map(|signal| 128 + signal));
                let names = folder.names();
                assert!(
                    !names.iter().any(part),
                    "{format} {sent:?} {save:?}: {names:?}"
                );
                if told == Some(0) {
                    continue; // It was quicker than the signal.
                }
                let one_of = [status, 128 + 15];
                assert!(
                    told.is_some_and(|told| one_of.contains(&told)),
                    "{format} {sent:?}: {told:?}"
                );
                let kept = std::fs::read(&target).unwrap();
                assert_eq!(kept, b"before", "{format} {sent:?} {save:?}");
            }
        }
    }
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_no_part_is_left() {
    for format in ["tsv", "raw", "map"] {
        let folder = Folder::new("xfsz");
        let target = folder.path().join("answer");
        let script = format!(
            "ulimit -c 0; ulimit -f 16; exec '{}' map --topo 'core:64 pu:1' -H 'n[0-999]:64' --map-by node --format {format} -o '{}' 2>/dev/null",
            env!("CARGO_BIN_EXE_stowplan"),
            target.display()
        );
        let ended = Command::new("sh").args(["-c", &script]).status().unwrap();
        assert_eq!(
            (ended.code(), folder.names()),
            (Some(2), Vec::new()),
            "{format}"
        );
    }
}

const SHORT: &[&str] = &[
    "map",
    "--topo",
    "core:2 pu:1",
    "-H",
    "a:2",
    "--format",
    "tsv",
    "-o",
];

#[test]
fn names_and_links_are_what_the_shell_makes_of_them() {
    let folder = Folder::new("names");
    let long = folder.path().join("n".repeat(255));
    assert!(command(SHORT, &[&long]).status().unwrap().success());
    assert!(std::fs::metadata(&long).unwrap().len() > 0);
    // A link to a file that does not exist yet stays a link.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("deep", &link).unwrap();
    assert!(command(SHORT, &[&link]).status().unwrap().success());
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("deep"));
    assert!(std::fs::metadata(folder.path().join("deep")).unwrap().len() > 0);
    let circle = folder.path().join("circle");
    std::os::unix::fs::symlink("circle", &circle).unwrap();
    assert_eq!(command(SHORT, &[&circle]).status().unwrap().code(), Some(2));
    assert_eq!(std::fs::read_link(&circle).unwrap(), Path::new("circle"));
}

#[test]
fn arguments_that_are_no_utf_8_are_refused_with_their_place() {
    let folder = Folder::new("utf8");
    let target = folder.path().join(std::ffi::OsStr::from_bytes(b"out\xff"));
    let mut refused = command(SHORT, &[&target]);
    let said = refused.stderr(Stdio::piped()).output().unwrap();
    let err = String::from_utf8(said.stderr).unwrap();
    assert_eq!(said.status.code(), Some(2));
    assert!(
        err.starts_with("error[bad-value]: argument 9 is not UTF-8"),
        "{err}"
    );
    assert_eq!(folder.names(), Vec::<String>::new());
}

/// No row, no page and no message has a control character, wherever one is given.
#[test]
fn control_characters_are_refused_or_shown_as_others() {
    for sign in ['\t', '\n', '\r', '\u{1b}', '\u{7f}', '\u{9b}'] {
        let bad = format!("a{sign}b");
        for words in [
            &["map", "--topo", "pu:2", "-H", &bad][..],
            &["map", "--topo", "pu:2", "-H", &format!("n[0-3]{sign}:2")],
            &["map", "--topo", &format!("{bad}=pu:2"), "-H", "a"],
            &["map", "--topo", &bad, "-H", "a"],
            &["map", "--topo", "pu:2", "-H", "a", "--map-by", &bad],
            &[
                "map",
                "--topo",
                "pu:2",
                "-H",
                "a",
                "-o",
                &format!("/nowhere/{bad}"),
            ],
            &["map", "--topo", "pu:2", "--hostfile", &bad],
            &["map", "--topo", "pu:2", "-H", "a", &format!("--{bad}")],
            &["check", &bad],
            &["topo", "show", &bad],
            &["topo", &bad],
            &["taskmap", &bad],
            &["taskmap", "[[0,1,1,1]]", &format!("--{bad}")],
            &["session", "run", &bad],
            &["session", &bad],
            &["spawn", &bad],
            &[&bad],
        ] {
            for format in ["tsv", "map", "text", "json"] {
                let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                if words[0] == "map" {
                    args.splice(1..1, ["--format", format].map(String::from));
                }
                let (mut out, mut err) = (Vec::new(), Vec::new());
                let status = stowplan_cli::run(&args, &mut out, &mut err);
                assert_eq!((status, out.len()), (2, 0), "{args:?}");
                let told = String::from_utf8(err).unwrap();
                let shown = told.chars().all(|sign| sign == '\n' || !sign.is_control());
                assert!(shown, "{args:?}: {told:?}");
                assert!(told.starts_with("error["), "{args:?}: {told:?}");
            }
        }
    }
}
