//! The `stowplan` command.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use stowplan_cli::Console;
use stowplan_cli::disk::Disk;
use stowplan_cli::format::screen::Screen;
use stowplan_cli::progress::Audience;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let args: Result<Vec<String>, _> = std::env::args_os()
        .skip(1)
        .zip(1..)
        .map(|(arg, number)| arg.into_string().map_err(|arg| (number, arg)))
        .collect();
    let args = match args {
        Ok(args) => args,
        Err((number, arg)) => return refuse(number, &arg),
    };
    stowplan_cli::interrupt::listen();
    let audience = if std::io::stderr().is_terminal() {
        Audience::Terminal
    } else {
        Audience::Nobody
    };
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let status = stowplan_cli::run_on(
        &args,
        &mut Console {
            out: &mut out,
            err: &mut std::io::stderr().lock(),
            files: &Disk,
            screen: Screen::of_stdout(),
            audience,
        },
    );
    match out.flush() {
        Ok(()) => ExitCode::from(status),
        // A closed pipe is no reason for a message.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

/// Refuses an argument that is not UTF-8: names that differ only in such bytes would become equal, and the wrong file would be
/// written.
fn refuse(number: usize, arg: &std::ffi::OsStr) -> ExitCode {
    let refused = stowplan_cli::report::Refused::Told {
        class: "bad-value",
        sentence: format!("argument {number} is not UTF-8: {arg:?}"),
    };
    ExitCode::from(refused.print(&mut std::io::stderr().lock()))
}
