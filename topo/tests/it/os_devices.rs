//! GPUs among the devices of a file.

use stowplan_engine::devices::DeviceClass;
use stowplan_engine::table::topologies::Device;
use stowplan_topo::classes::Plugged;
use stowplan_topo::os_devices::gpus;

fn device(name: &str, pus: std::ops::Range<u32>) -> Device {
    Device {
        name: name.to_owned(),
        subtype: "-".to_owned(),
        pus: std::iter::once(pus).collect(),
        class: DeviceClass::Other,
        turn: None,
    }
}

fn found(devices: &[Device]) -> Vec<(u32, String)> {
    let plugged = vec![Plugged(None); devices.len()];
    let gpus = gpus(devices, &plugged);
    gpus.into_iter()
        .map(|gpu| (gpu.visible, gpu.name))
        .collect()
}

#[test]
fn one_family_is_taken_and_a_display_is_no_gpu() {
    let names = [
        "card0",
        "opencl0d3",
        "nvml1",
        "cuda1",
        "renderD128",
        "cuda0",
    ];
    let devices: Vec<Device> = names.iter().map(|name| device(name, 0..4)).collect();
    let expected = [(0, "cuda0".to_owned()), (1, "cuda1".to_owned())];
    assert_eq!(found(&devices), expected);
    assert_eq!(found(&devices[..2]), [(3, "opencl0d3".to_owned())]);
    assert_eq!(found(&devices[..1]), []);
}

#[test]
fn tiles_stand_in_place_of_their_card() {
    let names = ["ze0", "ze0.1", "ze0.0", "ze1", "ze2", "ze2.0"];
    let devices: Vec<Device> = names.iter().map(|name| device(name, 0..4)).collect();
    let names = found(&devices);
    let expected = [(0, "ze0.0"), (1, "ze0.1"), (2, "ze1"), (3, "ze2.0")];
    assert_eq!(names, expected.map(|(flat, name)| (flat, name.to_owned())));
}

#[test]
fn what_is_near_few_cpus_comes_before_what_is_near_more() {
    let near = [
        device("rsmi0", 0..8),
        device("rsmi1", 4..8),
        device("rsmi2", 0..4),
    ];
    let numbers: Vec<u32> = found(&near).into_iter().map(|(number, _)| number).collect();
    assert_eq!(numbers, [2, 1, 0]);
}
