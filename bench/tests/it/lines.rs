//! Lines in a circle.

use stowplan_bench::lines::Lines;

#[test]
fn every_line_is_read_once_in_a_circle() {
    let mut lines = Lines::new(1000);
    let mut seen: Vec<u32> = (0..1024).map(|_| lines.step()).collect();
    assert_eq!(seen.last(), Some(&0));
    seen.sort_unstable();
    assert!(seen.iter().copied().eq(0..1024));
}
