//! The `stowplan` command as a library.

use std::io::Write;

// The options of the command line, as one table.
pub mod options;
// argv -> what it says.
pub mod args;
// One subcommand each.
pub mod command;
// The journal on disk.
pub mod journal_file;
// A journal or a dump -> a state to map on.
pub mod session_state;
// One plan in, one text out.
pub mod format;

/// Runs the command with these arguments (the program's name is not among them). Gives the exit status.
pub fn run(args: &[String], out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    match args.split_first() {
        Some((word, rest)) if word == "topo" => command::topo::run(rest, out, err),
        Some((word, rest)) if word == "taskmap" => {
            command::taskmap::run(rest, &mut std::io::stdin().lock(), out, err)
        }
        Some((word, rest)) if word == "session" => {
            command::session::run(rest, &mut std::io::stdin().lock(), out, err)
        }
        Some(_) | None => {
            // The worst that can happen to a message is that nobody reads it.
            let _ = writeln!(err, "error[bad-option]: there is no such subcommand");
            2
        }
    }
}
