//! How much a second thread speeds up one plan, and how much it speeds up two independent plans. The second is the most that two
//! processors of this machine can give at that hour.
//!
//! `pair [NAME] [TIMES]`: one plan on one thread, one plan on two threads, two plans at once on a thread each; alternately, with
//! the median of each.

use std::io::{self, Write as _};
use std::process::ExitCode;
use stowplan_bench::measure::{least, middle, pool};
use stowplan_engine::map::map_resolved;
use stowplan_scale_tests::shapes::titled;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let name = args.first().map_or("hetero-worst", String::as_str);
    let times = args
        .get(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(21_usize);
    let Some(shape) = titled(name, 1) else {
        let _ = writeln!(io::stderr(), "pair: there is no shape {name}");
        return ExitCode::from(2);
    };
    let input = || (shape.resolved.clone(), shape.machine.clone());
    let plan = || {
        least(1, input, |(resolved, machine)| {
            map_resolved(resolved, machine)
        })
    };
    let (one, other, both) = (pool(1), pool(1), pool(2));
    let mut took = [const { Vec::new() }; 3];
    for _ in 0..times.max(1) {
        took[0].push(one.install(plan));
        took[1].push(both.install(plan));
        // Each plan has its own clock; the longer time counts.
        let times = std::thread::scope(|scope| {
            let second = scope.spawn(|| other.install(plan));
            let first = one.install(plan);
            (first, second.join().unwrap_or(u64::MAX))
        });
        took[2].push(times.0.max(times.1));
    }
    // In microseconds.
    let [one, two, pair] = took.map(|times| (middle(times) / 1000).max(1));
    let hundredths = |times: u64| format!("{}.{:02}", times / 100, times % 100);
    let _ = writeln!(
        io::stdout(),
        "{name}: {one} us on one thread, {two} on two: {} times as fast; two plans at once {pair}: {} times; {} % of that",
        hundredths(100 * one / two),
        hundredths(200 * one / pair),
        50 * pair / two,
    );
    ExitCode::SUCCESS
}
