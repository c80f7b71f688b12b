//! Sets of nodes in dumps.

use std::collections::BTreeSet;
use stowplan_session::inside::{DumpSets, Said, Wrong, changed};

/// All sets of four places, each with all others added and then taken out.
#[test]
fn a_changed_set_is_what_a_plain_set_is() {
    let of = |bits: u32| -> Vec<u32> { (0..4).filter(|at| bits & (1 << at) != 0).collect() };
    for bits in 0..1 << 12 {
        let (base, also, without) = (of(bits), of(bits >> 4), of(bits >> 8));
        let runs = changed(&changed(&[], &base, &[]), &also, &without);
        let mut plain: BTreeSet<u32> = base.into_iter().chain(also).collect();
        without.iter().for_each(|at| _ = plain.remove(at));
        let nodes = runs.iter().flat_map(|&(first, more)| first..=first + more);
        assert!(nodes.eq(plain), "{bits:b}");
        assert!(
            runs.windows(2)
                .all(|pair| pair[0].0 + pair[0].1 + 1 < pair[1].0)
        );
    }
}

/// Equal sets are kept once, but looking at a large set again and again is bounded as well.
#[test]
fn many_changes_of_a_set_with_many_runs_are_refused() {
    let every_second = (0..1 << 14).map(|at| 2 * at).collect();
    let row = |other, also| Said {
        other,
        also,
        without: Vec::new(),
    };
    let mut said = vec![row(None, every_second)];
    said.extend((0..100).map(|_| row(Some(0), vec![1])));
    assert_eq!(DumpSets::of(&said).unwrap().list.len(), 2);
    said.extend((0..1000).map(|_| row(Some(0), vec![1])));
    assert!(matches!(DumpSets::of(&said), Err(Wrong::TooLarge)));
}
