//! How costs grow: exponents fitted over several sizes, with the error of the fit.

use crate::child::{Cost, cost};
use stowplan_scale_tests::size::is_long;

/// The exponent of y over x, and its standard error, from the logarithms.
#[expect(clippy::float_arithmetic, reason = "a fit is made of fractions")]
fn exponent(points: &[(f64, f64)]) -> (f64, f64) {
    let logs: Vec<(f64, f64)> = points.iter().map(|&(x, y)| (x.ln(), y.ln())).collect();
    let count = f64::from(u32::try_from(logs.len()).unwrap());
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let spread: f64 = logs.iter().map(|log| (log.0 - x).powi(2)).sum();
    let slope = logs
        .iter()
        .map(|log| (log.0 - x) * (log.1 - y))
        .sum::<f64>()
        / spread;
    let rest: f64 = logs
        .iter()
        .map(|log| (log.1 - y - slope * (log.0 - x)).powi(2))
        .sum();
    (slope, (rest / (count - 2.0) / spread).sqrt())
}

fn fitted(what: &str, jobs: &[(f64, String)], of: fn(&Cost) -> u64) -> (f64, f64) {
    let points: Vec<(f64, f64)> = jobs
        .iter()
        .map(|(size, job)| {
            let value = u32::try_from(of(&cost(job))).unwrap_or(u32::MAX);
            (*size, f64::from(value.max(1)))
        })
        .collect();
    let (slope, error) = exponent(&points);
    println!(
        "{what}: exponent {slope:.3} ± {error:.3} over {} sizes",
        points.len()
    );
    (slope, error)
}

#[test]
fn the_fit_finds_an_exponent() {
    let points: Vec<(f64, f64)> = (1..8)
        .map(|x| (f64::from(x), 3.0 * f64::from(x).powf(1.5)))
        .collect();
    let (slope, error) = exponent(&points);
    assert!((slope - 1.5).abs() < 1e-9 && error < 1e-9);
}

/// Ranks from 2^10 to 2^30 on equal nodes: allocations do not grow with them. The long check prints time.
#[test]
fn plans_do_not_grow_with_ranks() {
    for map in ["core", "slot", "node", "package:span"] {
        let jobs: Vec<(f64, String)> = (2..=22)
            .step_by(4)
            .map(|log| {
                let nodes = 1_u32 << log;
                let ranks = f64::from(nodes) * 256.0;
                (ranks, format!("package:2 core:128 pu:1|{nodes}|256|{map}"))
            })
            .collect();
        let (bytes, error) = fitted(&format!("{map}: bytes"), &jobs, |cost| cost.bytes);
        assert!(
            bytes <= 0.1 + error,
            "{map}: bytes grow with exponent {bytes} ± {error}"
        );
        let (allocations, error) = fitted(&format!("{map}: allocations"), &jobs, |cost| cost.count);
        assert!(
            allocations <= 0.1 + error,
            "{map}: allocations grow with exponent {allocations} ± {error}"
        );
        if is_long() {
            fitted(&format!("{map}: time"), &jobs, |cost| cost.nanos);
        }
    }
}

/// The cost of distinct nodes is at most proportional to their number.
#[test]
fn distinct_nodes_cost_in_proportion() {
    let jobs: Vec<(f64, String)> = [256, 128, 64, 32, 16]
        .into_iter()
        .map(|divisor| {
            (
                16_384.0 / f64::from(divisor),
                format!("hetero-worst|{divisor}"),
            )
        })
        .collect();
    let (bytes, error) = fitted("hetero-worst: bytes", &jobs, |cost| cost.bytes);
    assert!(
        bytes <= 1.1 + error,
        "bytes grow with exponent {bytes} ± {error}"
    );
}
