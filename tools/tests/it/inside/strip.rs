//! Signs of processes in a strip.

use std::collections::BTreeSet;
use stowplan_cli::format::text::strip::{AGAIN, sign};

#[test]
fn sixty_two_signs_stand_before_one_comes_again() {
    let first: BTreeSet<char> = (0..AGAIN).map(sign).collect();
    assert_eq!(first.len(), 62);
    let shown = [0, 9, 10, 19, 20, 269, 270, 529, 530, 540].map(sign);
    assert_eq!(shown, ['0', '9', 'a', 'a', 'b', 'z', 'A', 'Z', '0', 'a']);
}
