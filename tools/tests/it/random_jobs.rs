//! Random jobs, as command lines.

/// Whether the long check asks for many more.
pub(crate) fn long() -> bool {
    std::env::var_os("STOWPLAN_LONG").is_some()
}

/// A number from a seed, below `sides`.
pub(crate) fn roll(seed: &mut u64, sides: usize) -> usize {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap() % sides
}

/// A random job. Most of them can be placed.
pub(crate) fn job(seed: &mut u64) -> String {
    let topos = [
        "package:2 core:4 pu:2",
        "core:4 pu:1",
        "package:2 l3:2 core:2 pu:2",
        "core:1 pu:1",
    ];
    let hosts = [
        "n[0-3]:8",
        "a:4,b:2,c:4",
        "n[00-20]:2",
        "a:9",
        "z:3,y:3,x:1",
    ];
    let maps = [
        "",
        "--map-by slot",
        "--map-by node",
        "--map-by core",
        "--map-by package",
        "--map-by ppr:1:node",
        "--map-by slot:pe=2",
        "--map-by node:oversubscribe",
        "--map-by package:span",
        "--map-by pe-list=0,2",
        "-N 1",
        "--bynode",
    ];
    let ranks = [
        "",
        "",
        "--rank-by slot",
        "--rank-by node",
        "--rank-by fill",
        "--rank-by span",
    ];
    let binds = [
        "",
        "",
        "--bind-to none",
        "--bind-to core",
        "--bind-to core:overload-allowed",
    ];
    let mut line = format!(
        "--topo '{}' -H {}",
        topos[roll(seed, 4)],
        hosts[roll(seed, 5)]
    );
    for app in 0..=usize::from(roll(seed, 4) == 0) {
        let more = ["", " :"][app];
        line += &format!(
            "{more} -n {} {} {} {} ./app{app}",
            1 + roll(seed, 9),
            maps[roll(seed, maps.len())],
            ranks[roll(seed, ranks.len())],
            binds[roll(seed, binds.len())]
        );
    }
    line
}
