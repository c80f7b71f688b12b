//! Threads in the cells of a picture.

use stowplan::answers::picture::draw::{SIGNS, folded};

#[test]
fn threads_that_have_no_room_are_counted() {
    for ranks in [1, 12, 123_456] {
        for many in 1..40 {
            let names: Vec<String> = (0..many)
                .map(|thread| format!("{ranks}.{thread}"))
                .collect();
            let told = folded(&names);
            assert!(told.len() <= SIGNS, "{told}");
            let named = told
                .strip_prefix('t')
                .map(|list| list.split(" +").next().unwrap_or(""));
            let named = named.map_or(0, |list| list.split(',').count());
            let more = told
                .split_once(" +")
                .map_or(0, |(_, more)| more.parse().unwrap());
            let all = told.strip_suffix(" thr.").map(|all| all.parse().unwrap());
            assert_eq!(all.unwrap_or(named + more), many, "{told}");
        }
    }
}
