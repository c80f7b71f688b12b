//! What a seed decides.

use stowplan_scale_tests::choices::Choices;

#[test]
fn a_seed_decides_alike_everywhere() {
    let mut choices = Choices::seeded(1);
    let drawn: Vec<u32> = (0..6).map(|_| choices.below(1000)).collect();
    assert_eq!(drawn, [566, 745, 971, 444, 444, 762]);
    assert_eq!(Choices::from_bytes(&[]).below(7), 0);
}
