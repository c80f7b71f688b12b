//! The table of keys.

use stowplan_engine::spawn::keys::{KEYS, key, key_named};

#[test]
fn keys_ascend_by_number() {
    assert!(KEYS.is_sorted_by(|a, b| a.number < b.number));
    assert!(
        KEYS.iter()
            .all(|known| key(known.number) == Some(known) && key_named(known.name) == Some(known))
    );
}
