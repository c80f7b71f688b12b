//! Classes of devices, and their order.

use stowplan_engine::table::topologies::Device;
use stowplan_topo::classes::{KnownAs, Plugged, number};

fn device(name: &str, known: KnownAs) -> Device {
    Device {
        name: name.to_owned(),
        subtype: "-".to_owned(),
        pus: Vec::new(),
        class: known.class(),
        turn: None,
    }
}

#[test]
fn a_card_with_two_names_is_one_and_addresses_give_the_order() {
    use KnownAs::{Block, Network, OpenFabrics, Other};
    let rows = [
        ("ib1", Network, Some(9)),
        ("mlx5_1", OpenFabrics, Some(9)),
        ("eth1", Network, None),
        ("sda", Block, Some(3)),
        ("eth0", Network, None),
        ("card0", Other, Some(1)),
        ("hsn0", Network, Some(2)),
    ];
    let mut devices: Vec<Device> = rows.iter().map(|row| device(row.0, row.1)).collect();
    let plugged: Vec<Plugged> = rows.iter().map(|row| Plugged(row.2)).collect();
    let known: Vec<KnownAs> = rows.iter().map(|row| row.1).collect();
    number(&mut devices, &plugged, &known);
    let turns: Vec<Option<u32>> = devices.iter().map(|device| device.turn).collect();
    let expected = [None, Some(1), Some(3), Some(0), Some(2), None, Some(0)];
    assert_eq!(turns, expected);
}
