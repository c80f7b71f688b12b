//! Policies as numbers.

use stowplan_engine::spawn::policy::{BindPolicy, MapPolicy, RankPolicy};

#[test]
fn numbers_are_read_back_and_strange_ones_refused() {
    for bits in 0..=u16::MAX {
        if let Some(policy) = MapPolicy::of_bits(bits) {
            assert_eq!(policy.bits(), bits);
        }
        if let Some(policy) = BindPolicy::of_bits(bits) {
            assert_eq!(policy.bits(), bits);
        }
        if let Some(policy) = RankPolicy::of_bits(bits) {
            assert_eq!(policy.bits(), bits);
        }
    }
    for strange in [15, 0x4000, 9, 0x8009, 0x4200 | 9] {
        assert_eq!(MapPolicy::of_bits(strange), None, "{strange:#x}");
    }
}
