//! Counts of GPUs.

use stowplan::launchers::slurm::gpu_count::{GpuCount, Gres, Tres};

fn kinds(text: &str) -> Vec<(Option<String>, u64)> {
    GpuCount::read("--gpus", text).unwrap().parts
}

#[test]
fn counts_have_types() {
    let of = |kind: &str, count| (Some(kind.to_owned()), count);
    assert_eq!(kinds("4"), [(None, 4)]);
    assert_eq!(kinds("0"), [(None, 0)]);
    assert_eq!(kinds("a100:1,l4:2"), [of("a100", 1), of("l4", 2)]);
    assert_eq!(kinds("L4"), [of("L4", 1)]);
    assert_eq!(kinds("1g.10gb:2"), [of("1g.10gb", 2)]);
    for bad in ["", "4x", ":2", "a100:", "a100:x", "a:b:1", "-1", "1,,2"] {
        assert!(GpuCount::read("--gpus", bad).is_err(), "{bad}");
    }
}

#[test]
fn gres_names_resources() {
    let gres = Gres::read("gpu:L40,nvme:200").unwrap();
    assert_eq!(gres.others, ["nvme"]);
    assert_eq!(gres.gpus.unwrap().parts, kinds("L40"));
    assert_eq!(Gres::read("gpu").unwrap().gpus, Some(GpuCount::of_any(1)));
    assert_eq!(Gres::read("none").unwrap().gpus.unwrap().total(), 0);
    assert_eq!(Gres::read("shard:2").unwrap_err().class, "not-modelled");
    assert_eq!(Gres::read("gpu:").unwrap_err().class, "launcher-refuses");
}

#[test]
fn a_task_has_cpus_and_gpus() {
    for text in ["gres/gpu:1", "gres/gpu=1", "gres:gpu:1", "gres/gpu"] {
        let tres = Tres::read(text, "cpu=").unwrap();
        assert_eq!(tres.gpus, Some(GpuCount::of_any(1)), "{text}");
    }
    let tres = Tres::read("cpu=2,gres/gpu:l4=2", "cpu=").unwrap();
    assert_eq!(tres.cpus, Some(2));
    assert_eq!(tres.gpus.unwrap().parts, kinds("l4:2"));
    assert!(Tres::read("cpu:2", "cpu=").is_err());
    assert_eq!(
        Tres::read("gres/nvme:1", "cpu=").unwrap_err().class,
        "not-modelled"
    );
}
