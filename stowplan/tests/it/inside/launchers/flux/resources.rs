//! What an instance of Flux has.

use stowplan::launchers::flux::resources::read;

#[test]
fn hosts_pair_with_ranks_as_these_rise() {
    let text = r#"{"version":1,"execution":{"R_lite":[
        {"rank":"0,4","children":{"core":"0-7"}},
        {"rank":"2","children":{"core":"2-4","gpu":"0"}},
        {"rank":"5","children":{"core":"3-6"}}],"nodelist":["n[0,2,4-5]"]}}"#;
    let found = read(text.as_bytes()).unwrap();
    let cores: Vec<_> = found
        .entries
        .iter()
        .map(|entry| entry.cores.min())
        .collect();
    assert_eq!(cores, [Some(0), Some(2), Some(0), Some(3)]);
    let names: Vec<_> = found.names.iter().map(|range| range.first).collect();
    assert_eq!(names, [0, 2, 4], "n4 and n5 are one range");
    for bad in [
        "",
        "{}",
        r#"{"execution":{"nodelist":["a"],"R_lite":[]}}"#,
        r#"{"execution":{"nodelist":["a"],"R_lite":[{"rank":"0","children":{"core":"x"}}]}}"#,
    ] {
        assert!(read(bad.as_bytes()).is_err(), "{bad}");
    }
}
