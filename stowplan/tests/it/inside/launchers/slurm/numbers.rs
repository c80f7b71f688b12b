//! Numbers as srun reads them.

use stowplan::launchers::slurm::numbers::{counts, positive, ranges};

#[test]
fn numbers_are_decimal_and_bounded() {
    assert_eq!(positive("12"), Some(12));
    for bad in [
        "",
        "0",
        "x",
        "1k",
        "-1",
        "0x1",
        "4294967296",
        "99999999999999999999",
    ] {
        assert_eq!(positive(bad), None, "{bad}");
    }
    assert_eq!(ranges("0-3,8"), Some(vec![(0, 3), (8, 8)]));
    assert_eq!(ranges("3-0"), None);
    assert_eq!(counts("16(x4),8"), Some(vec![(16, 4), (8, 1)]));
    assert_eq!(counts("16(x,8"), None);
}
