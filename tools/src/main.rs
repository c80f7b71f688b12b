//! The `stowplan` command.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use stowplan_cli::Console;
use stowplan_cli::disk::Disk;
use stowplan_cli::format::screen::Screen;
use stowplan_cli::progress::Audience;
use stowplan_cli::report::{Refused, UNWRITTEN, told};
use stowplan_engine::error::Class;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(internal));
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
            // Not locked as a whole: a panic of another thread must be able to say so.
            err: &mut std::io::stderr(),
            files: &Disk,
            screen: Screen::of_stdout(),
            audience,
        },
    );
    match out.flush() {
        Ok(()) => ExitCode::from(status),
        // A closed pipe is no reason for a message.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(status),
        Err(error) => {
            // A subcommand that wrote at once has said so.
            if status != UNWRITTEN {
                Refused::unwritten(error).print(&mut std::io::stderr().lock());
            }
            ExitCode::from(UNWRITTEN)
        }
    }
}

/// Ends the process when something in it is wrong: with one line, no backtrace, and no draft left behind.
fn internal(panic: &std::panic::PanicHookInfo<'_>) {
    let payload = panic.payload();
    let what = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no reason is known");
    let at = panic.location().map_or_else(String::new, |at| {
        format!(", at {}:{}", at.file(), at.line())
    });
    let sentence = stowplan::job::error::one_line(&format!(
        "a fault in stowplan: {what}{at}. Please report it with the command and its files"
    ));
    // The worst that can happen to a message is that nobody reads it.
    let _ = writeln!(std::io::stderr(), "error[internal]: {sentence}");
    stowplan::answers::file_draft::end_without(|| {
        std::process::exit(Class::Internal.exit_status().into())
    });
}

/// Refuses an argument that is not UTF-8: names that differ only in such bytes would become equal, and the wrong file would be
/// written.
fn refuse(number: usize, arg: &std::ffi::OsStr) -> ExitCode {
    let sentence = format!("argument {number} is not UTF-8: {arg:?}");
    let refused = told("bad-value", sentence);
    ExitCode::from(refused.print(&mut std::io::stderr().lock()))
}
