//! Long outputs: what a terminal shows meanwhile, and how an interrupt ends them. The command runs as a process, on a
//! pseudo-terminal where the terminal matters.

use crate::contract::command;
use crate::folder::Folder;
use nix::pty::openpty;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::Read as _;
use std::process::{Child, Command, Stdio};

/// 2^30 rows: no machine writes them in the second that the command waits before it reports anything.
const ENDLESS: [&str; 9] = [
    "map",
    "--topo",
    "package:2 core:128 pu:1",
    "-H",
    "n[0-4194303]:256",
    "-n",
    "1073741824",
    "--format",
    "tsv",
];

/// The command with interrupts enabled, as on a terminal. The process that started the tests may ignore interrupts, and the command
/// would then ignore them too.
fn interruptible(args: &[&str]) -> Command {
    let plain = command(args);
    let mut command = Command::new("env");
    command
        .arg("--default-signal=INT")
        .arg(plain.get_program())
        .args(plain.get_args())
        .stdin(Stdio::null());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    if let Some(folder) = plain.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

fn interrupt(child: &Child) {
    let id = i32::try_from(child.id()).expect("a process's number");
    kill(Pid::from_raw(id), Signal::SIGINT).expect("it is running");
}

#[test]
fn a_terminal_is_told_how_far_a_long_output_is_and_an_interrupt_ends_it() {
    let terminal = openpty(None, None).expect("a pseudo-terminal");
    let mut child = interruptible(&ENDLESS)
        .stdout(Stdio::null())
        .stderr(Stdio::from(terminal.slave))
        .spawn()
        .expect("the command runs");
    let mut screen = File::from(terminal.master);
    let mut seen = Vec::new();
    let mut read = |seen: &mut Vec<u8>| {
        let mut block = [0; 256];
        // When the last writer closes, this side of a pseudo-terminal gets an error.
        let got = screen.read(&mut block).unwrap_or(0);
        seen.extend_from_slice(&block[..got]);
        got
    };
    while !seen.ends_with(b" ranks") && read(&mut seen) > 0 {}
    let told = String::from_utf8_lossy(&seen).into_owned();
    let line = told.rsplit('\r').next().unwrap_or_default();
    let (percent, rest) = line.split_once("%  ").expect(&told);
    assert!(
        percent
            .trim()
            .parse::<u8>()
            .is_ok_and(|percent| percent < 100),
        "{told}"
    );
    let (done, _) = rest.split_once(" of 1,073,741,824 ranks").expect(&told);
    assert!(
        done.replace(',', "")
            .parse::<u32>()
            .is_ok_and(|done| done > 0),
        "{told}"
    );

    interrupt(&child);
    while read(&mut seen) > 0 {}
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let left = String::from_utf8_lossy(&seen).into_owned();
    let (_, erased) = left.rsplit_once(" ranks").expect("the line was there");
    assert!(
        erased.starts_with('\r') && erased.ends_with('\r') && erased.trim().is_empty(),
        "the line is taken back: {left:?}"
    );
}

#[test]
fn an_interrupted_file_is_not_there_and_a_pipe_is_told_nothing() {
    let folder = Folder::new("interrupted");
    let file = folder.file("rows.tsv");
    let mut child = interruptible(&ENDLESS)
        .args(["-o", &file])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command runs");
    // The command is writing as soon as its draft exists.
    while folder.names().is_empty() && matches!(child.try_wait(), Ok(None)) {
        std::thread::yield_now();
    }
    assert!(matches!(child.try_wait(), Ok(None)), "it was still writing");
    interrupt(&child);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert!(output.stderr.is_empty());
    assert!(
        folder.names().is_empty(),
        "neither the file nor its draft is left"
    );
}
