//! Lists of GPUs.

use stowplan::launchers::gpus::{GpuList, period, read};
use stowplan_engine::table::gpus::{Gpu, GpuFamily};

#[test]
fn values_of_variables_are_read() {
    let tile = |visible, name: &str| Gpu {
        visible,
        name: name.to_owned(),
        family: GpuFamily::Ze,
        pus: Vec::new(),
    };
    let there = [tile(0, "ze0.0"), tile(1, "ze0.1")];
    assert_eq!(read("5,4", &there), Some(vec![4, 5]));
    assert_eq!(read("0.1,0.0", &there), Some(vec![0, 1]));
    assert_eq!(read("", &there), Some(Vec::new()));
    assert_eq!(read("GPU-0123", &there), None);
    assert_eq!(read("2.1", &there), None);
}

#[test]
fn the_shortest_period() {
    let of = |gpus: &[u32]| {
        let list: GpuList = gpus.iter().map(|&gpu| vec![gpu]).collect();
        period(&list).len()
    };
    assert_eq!(of(&[4, 5, 4, 5, 4]), 2);
    assert_eq!(of(&[4, 4, 5]), 3);
    assert_eq!(of(&[4, 4]), 1);
    assert_eq!(of(&[4]), 1);
}
