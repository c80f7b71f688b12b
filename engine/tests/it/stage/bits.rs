//! Sets of PUs or units of a node.

use stowplan_engine::stage::inside::{Bits, There, count_of, first, first_of, has_all, ones};

#[test]
fn stretches_across_words_are_seen_whole() {
    let mut set = Bits::none(200);
    set.fill((60, 130), There::Yes);
    set.put(64, There::No);
    assert_eq!(set.count(), 69);
    assert_eq!(count_of(set.words(), &[(0, 61), (64, 66), (129, 200)]), 3);
    assert_eq!(first(set.words(), (61, 61)), None);
    assert_eq!(first_of(set.words(), &[(0, 60), (64, 200)]), Some(65));
    assert!(has_all(set.words(), (65, 130)) && !has_all(set.words(), (63, 66)));
    assert!(has_all(set.words(), (128, 128)), "of nothing, all is there");
    let mut other = Bits::none(200);
    other.copy((62, 68), set.words());
    let found: Vec<u32> = ones(other.words(), &[(0, 200)]).collect();
    assert_eq!(found, [62, 63, 65, 66, 67]);
    other.intersect(&[u64::MAX, 0, 0, 0]);
    assert_eq!(other.count(), 2);
}
