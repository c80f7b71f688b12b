//! Rows of numbers and sets as series.

use stowplan_cli::format::text::series::{CpuList, numbers, sets};

fn check(row: &[u32], text: &str) {
    assert_eq!(numbers(row), text, "{row:?}");
}

#[test]
fn numbers_are_written_as_runs_in_their_order() {
    check(&[], "");
    check(&[7], "7");
    check(&[0, 1], "0-1");
    check(&[0, 1, 2, 3], "0-3");
    check(&[0, 50, 100, 150], "0-150:50");
    check(&[0, 4, 1, 5, 2, 6, 3, 7], "0-3|4-7");
    check(&[3, 9], "3,9");
    check(&[9, 3], "9,3");
    check(&[0, 1, 2, 3, 9, 11, 13], "0-3,9-13:2");
    check(&[5, 5, 5], "5,5,5");
}

#[test]
fn different_rows_are_different_texts() {
    let mut seen = std::collections::HashMap::new();
    // All rows of four numbers below 5.
    for code in 0..625_u32 {
        let row: Vec<u32> = (0..4).map(|place| code / 5_u32.pow(place) % 5).collect();
        let text = numbers(&row);
        assert_eq!(
            seen.insert(text.clone(), row.clone()),
            None,
            "{text}: {row:?}"
        );
    }
}

#[test]
fn sets_are_written_as_runs_of_places() {
    let cores: Vec<CpuList> = (0..4).map(|core| [core, core + 8].into()).collect();
    assert_eq!(sets(0, &cores), "0-3: 0,8 +1");
    let packages: [CpuList; 2] = [[0, 1, 2, 3].into(), [4, 5, 6, 7].into()];
    let dealt: Vec<CpuList> = packages.iter().cycle().take(6).cloned().collect();
    assert_eq!(sets(2, &dealt), "2-7: 0-3|4-7");
    let unbound: CpuList = [].into();
    assert_eq!(sets(0, &[unbound.clone(), unbound.clone()]), "0-1: unbound");
    assert_eq!(
        sets(0, &[[5].into(), [1].into(), unbound]),
        "0-1: 5 -4 · 2: unbound"
    );
}
