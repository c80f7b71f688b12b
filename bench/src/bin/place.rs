//! Places one named shape some times and does nothing else: what profilers are run on.
//!
//! `place NAME [DIVISOR] [TIMES] [check|expand|bytes]`

use std::hint::black_box;
use std::io::{self, Write as _};
use std::process::ExitCode;
use stowplan_engine::check::check;
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::named;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|word| word.parse::<u32>().ok());
    let name = args.first().map_or("elcap-1M", String::as_str);
    let Some(shape) = named(name, number(1).unwrap_or(1).max(1)) else {
        let _ = writeln!(io::stderr(), "place: there is no shape {name}");
        return ExitCode::from(2);
    };
    for _ in 0..number(2).unwrap_or(1) {
        let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
        let Ok(mapped) = map_resolved(resolved, machine) else {
            let _ = writeln!(io::stderr(), "place: {name} cannot be placed");
            return ExitCode::from(2);
        };
        match args.get(3).map(String::as_str) {
            Some("check") => {
                black_box(check(&mapped.plan)).ok();
            }
            Some("expand") => {
                black_box(mapped.plan.expand());
            }
            Some("bytes") => {
                black_box(mapped.plan.broadcast_bytes());
            }
            Some(_) | None => {
                black_box(mapped);
            }
        }
    }
    ExitCode::SUCCESS
}
