//! The `stowplan` command.

use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|arg| arg.to_string_lossy().into_owned())
        .collect();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let status = stowplan::run(&args, &mut out, &mut std::io::stderr().lock());
    match out.flush() {
        Ok(()) => ExitCode::from(status),
        // A closed pipe ends quietly.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}
