//! `--cpu-bind`.

use stowplan::launchers::slurm::cpu_bind::{CpuBind, Kind, Level};
use stowplan::launchers::slurm::rules::Rules;
use stowplan::launchers::slurm::version::Version;

#[test]
fn lists_keep_their_commas() {
    let read = |text| CpuBind::read(text, Rules::of(Version::V24_11));
    let both = read("v,mask_cpu:0x3,f*2,cores").unwrap();
    assert_eq!(both.level, Some(Level::Cores));
    let Some(Kind::Masks(masks)) = both.kind else {
        panic!("a list of masks")
    };
    let cpus: Vec<_> = masks
        .iter()
        .map(|mask| mask.iter().collect::<Vec<_>>())
        .collect();
    assert_eq!(cpus, [vec![0, 1], vec![0, 1, 2, 3], vec![0, 1, 2, 3]]);
    for bad in ["map_cpu:0x1,2", "map_cpu:", "mask_cpu:g", "core,x", ""] {
        assert_eq!(read(bad).unwrap_err().class, "launcher-refuses", "{bad}");
    }
    assert_eq!(read("rank").unwrap(), CpuBind::default());
    assert!(
        CpuBind::read("rank", Rules::of(Version::V23_11))
            .unwrap()
            .kind
            .is_some()
    );
}
