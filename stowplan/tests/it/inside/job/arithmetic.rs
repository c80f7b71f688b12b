//! Sums of a shell.

use stowplan::job::script::arithmetic::evaluate;

#[test]
fn sums_are_those_of_a_shell() {
    let number = |name: &str| match name {
        "NODES" => Ok(4),
        _ => Err(format!("{name} is not known")),
    };
    let of = |text| evaluate(text, &number);
    assert_eq!(of("NODES * 32"), Ok(128));
    assert_eq!(of("(NODES + 1) * 2 - 7 / 2"), Ok(7));
    assert_eq!(of("2 ** 3 ** 2 % 100"), Ok(12));
    assert_eq!(of("-NODES + 1 << 2"), Ok(-12));
    assert_eq!(of("0x10 + 010"), Ok(24));
    for bad in [
        "",
        "1 / 0",
        "9223372036854775807 + 1",
        "NP",
        "1 2",
        "(1",
        "a++",
        "1 ? 2 : 3",
    ] {
        assert!(of(bad).is_err(), "{bad}");
    }
    let deep = "(".repeat(1000);
    assert!(of(&deep).is_err());
}
