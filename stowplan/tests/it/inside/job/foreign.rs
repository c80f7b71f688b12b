//! Words of other launchers.

use stowplan::job::args::foreign::help;

fn check(name: &str, value: Option<&str>, words: Option<&str>) {
    let words = words.map(|words| format!("did you mean {words}?"));
    assert_eq!(help(name, value), words, "{name} {value:?}");
}

#[test]
fn words_of_other_launchers_have_ours() {
    check("ntasks-per-node", Some("4"), Some("--map-by ppr:4:node"));
    check("cpus-per-task", Some("8"), Some("--map-by :pe=8"));
    check("cpu-bind", Some("cores"), Some("--bind-to core"));
    check("cpu-bind", Some("verbose,none"), Some("--bind-to none"));
    check(
        "cpu-bind",
        Some("map_cpu:0,4"),
        Some("--map-by pe-list=0,4:ordered"),
    );
    check(
        "m",
        Some("block:cyclic"),
        Some("--map-by package --rank-by slot"),
    );
    check("N4", None, Some("--map-by ppr:4:node"));
    check("ppn", Some("16"), Some("--map-by ppr:16:node"));
    check("depth", None, Some("--map-by :pe=N"));
    check("depth", Some("./x"), Some("--map-by :pe=N"));
    check("w", Some("n[1-2]"), Some("-H n[1-2]"));
    check("cc", Some("0,4"), Some("--map-by pe-list=0,4:ordered"));
    check("cc", Some("depth"), Some("--bind-to core"));
    check("bind", Some("packed:7"), Some("--map-by :pe=7"));
    check("n64", None, Some("-n 64"));
    check("map-bi", None, None);
    check("", None, None);
}
