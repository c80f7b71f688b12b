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
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
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
        // A closed pipe ends quietly.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}
