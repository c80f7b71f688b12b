//! Places one shape several times, or asks its plan several times, and does nothing else. Profilers are run on this.
//!
//! `place NAME [DIVISOR] [TIMES] [again|plan|lose|check|expand|bytes|ask]`: `again` runs the stages with the tables they kept,
//! `plan` also makes a plan, `lose` plans without some processes and loses a node before each further plan.

use std::hint::black_box;
use std::io::{self, Write as _};
use std::process::ExitCode;
use stowplan_bench::measure::{ask, on, with_room};
use stowplan_engine::map::map_resolved;
use stowplan_engine::plan::Plan;
use stowplan_engine::plan::ProcTable;
use stowplan_engine::planner::Planner;
use stowplan_judge::check;
use stowplan_scale_tests::shapes::titled;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| args.get(at).and_then(|word| word.parse::<u32>().ok());
    let name = args.first().map_or("elcap-1M", String::as_str);
    let Some(mut shape) = titled(name, number(1).unwrap_or(1).max(1)) else {
        let _ = writeln!(io::stderr(), "place: there is no shape {name}");
        return ExitCode::from(2);
    };
    if args.get(3).is_some_and(|what| what == "lose") {
        shape = with_room(shape);
    }
    let place = || {
        let (resolved, machine) = (shape.resolved.clone(), shape.machine.clone());
        map_resolved(resolved, machine)
            .ok()
            .map(|mapped| mapped.plan)
    };
    let times = number(2).unwrap_or(1);
    let Some(plan) = place() else {
        let _ = writeln!(io::stderr(), "place: {name} cannot be placed");
        return ExitCode::from(2);
    };
    match args.get(3) {
        Some(what) if ["again", "plan", "lose"].contains(&what.as_str()) => {
            let Ok(mut planner) = Planner::new(shape.resolved.clone(), shape.machine.clone())
            else {
                return ExitCode::from(2);
            };
            for time in 0..times {
                match what.as_str() {
                    "again" => drop(black_box(planner.place().is_ok())),
                    "lose" if time > 0 => lose(&mut planner, time),
                    _ => drop(black_box(planner.plan().is_ok())),
                }
            }
        }
        Some(what) => on(1, || again(&plan, what, times)),
        None => (1..times).for_each(|_| drop(black_box(place()))),
    }
    ExitCode::SUCCESS
}

/// Loses a node near the front, and plans the job again.
fn lose(planner: &mut Planner, time: u32) {
    black_box(planner.lose(&format!("n{}", 76 + time))).ok();
    black_box(planner.plan().is_ok());
}

fn again(plan: &Plan, what: &str, times: u32) {
    let mut table = ProcTable::default();
    for _ in 0..times {
        match what {
            "check" => drop(black_box(check(plan))),
            "expand" => plan.expand_into(black_box(&mut table)),
            "ask" => ask(plan),
            _ => drop(black_box(plan.broadcast_bytes())),
        }
    }
}
