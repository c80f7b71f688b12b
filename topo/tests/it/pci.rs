//! GPUs and network cards from the files of a Linux machine.

use std::collections::BTreeMap;
use stowplan_topo::sys::parse_with;

/// A machine with two NUMA nodes of four cpus each, and these files.
fn read(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
    let mut tree: BTreeMap<String, String> = BTreeMap::new();
    let sys = "/sys/devices/system";
    tree.insert(format!("{sys}/cpu/online"), "0-7\n".to_owned());
    tree.insert(format!("{sys}/node/online"), "0-1\n".to_owned());
    tree.insert(format!("{sys}/node/node0/cpulist"), "0-3\n".to_owned());
    tree.insert(format!("{sys}/node/node1/cpulist"), "4-7\n".to_owned());
    for (path, text) in files {
        tree.insert((*path).to_owned(), format!("{text}\n"));
    }
    let names = |folder: &str| {
        let head = format!("{folder}/");
        let below = tree.keys().filter_map(|path| path.strip_prefix(&head));
        let mut names: Vec<String> = below
            .map(|path| path.split('/').next().unwrap_or_default().to_owned())
            .collect();
        names.dedup();
        names
    };
    let draft = parse_with(&|path| tree.get(path).cloned(), &names).unwrap();
    let gpus = draft.gpus.iter().map(|gpu| {
        let near: Vec<u32> = gpu
            .pus
            .iter()
            .cloned()
            .flatten()
            .map(|at| draft.pus_os[at as usize])
            .collect();
        format!("{} {} {near:?}", gpu.visible, gpu.name)
    });
    let nics = draft.nics.iter().map(|nic| nic.name.clone());
    (gpus.collect(), nics.collect())
}

#[test]
fn nvidia_in_the_order_of_addresses_and_a_display_is_no_gpu() {
    let (gpus, nics) = read(&[
        ("/sys/bus/pci/devices/0000:03:00.0/class", "0x030000"),
        ("/sys/bus/pci/devices/0000:03:00.0/vendor", "0x1a03"),
        ("/sys/bus/pci/devices/0000:c1:00.0/class", "0x030200"),
        ("/sys/bus/pci/devices/0000:c1:00.0/vendor", "0x10de"),
        ("/sys/bus/pci/devices/0000:c1:00.0/local_cpulist", "0-3"),
        ("/proc/driver/nvidia/gpus/0000:c1:00.0/information", "x"),
        ("/sys/bus/pci/devices/0000:41:00.0/class", "0x030200"),
        ("/sys/bus/pci/devices/0000:41:00.0/vendor", "0x10de"),
        ("/sys/bus/pci/devices/0000:41:00.0/numa_node", "1"),
        ("/proc/driver/nvidia/gpus/0000:41:00.0/information", "x"),
        ("/sys/bus/pci/devices/0000:42:00.0/class", "0x020700"),
        ("/sys/bus/pci/devices/0000:42:00.0/local_cpulist", "4-7"),
        ("/sys/bus/pci/devices/0000:42:00.0/infiniband/mlx5_0/x", ""),
        ("/sys/bus/pci/devices/0000:42:00.0/net/eth0/x", ""),
    ]);
    assert_eq!(gpus, ["1 nvml1 [0, 1, 2, 3]", "0 nvml0 [4, 5, 6, 7]"]);
    assert_eq!(nics, ["mlx5_0"]);
}

#[test]
fn amd_in_the_order_of_its_driver_with_partitions() {
    let kfd = "/sys/class/kfd/kfd/topology/nodes";
    let own = |node: u32| format!("{kfd}/{node}/properties");
    let node = [own(0), own(1), own(2), own(10)];
    let (gpus, _) = read(&[
        (&node[0], "cpu_cores_count 8\nsimd_count 0"),
        (&node[1], "simd_count 440\nlocation_id 49408\ndomain 0"),
        (&node[2], "simd_count 440\nlocation_id 49409\ndomain 0"),
        (&node[3], "simd_count 440\nlocation_id 256\ndomain 0"),
        ("/sys/bus/pci/devices/0000:c1:00.0/local_cpulist", "4-7"),
        ("/sys/bus/pci/devices/0000:01:00.0/local_cpulist", "0-3"),
    ]);
    let expected = [
        "2 rsmi2 [0, 1, 2, 3]",
        "0 rsmi0 [4, 5, 6, 7]",
        "1 rsmi1 [4, 5, 6, 7]",
    ];
    assert_eq!(gpus, expected);
}

#[test]
fn intel_by_tiles_and_what_is_near_nothing_is_near_all() {
    let card = "/sys/bus/pci/devices/0000:18:00.0";
    let file = |name: &str| format!("{card}/{name}");
    let (class, vendor, drm) = (file("class"), file("vendor"), file("drm/card0/dev"));
    let (one, two) = (file("tile0/x"), file("tile1/x"));
    let files = [
        (class.as_str(), "0x038000"),
        (vendor.as_str(), "0x8086"),
        (drm.as_str(), "226:0"),
        (one.as_str(), ""),
        (two.as_str(), ""),
    ];
    let (gpus, _) = read(&files);
    let all = "[0, 1, 2, 3, 4, 5, 6, 7]";
    assert_eq!(gpus, [format!("0 ze0.0 {all}"), format!("1 ze0.1 {all}")]);
    assert_eq!(read(&files[..3]).0, [format!("0 ze0 {all}")]);
    assert_eq!(read(&files[..2]).0, [""; 0]);
}
