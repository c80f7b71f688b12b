//! Cpus that nodes were granted.

use stowplan::launchers::line::granted::read;

#[test]
fn numbers_belong_to_the_name_before_them() {
    let read = |text| read(text).map(|granted| granted.len());
    assert_eq!(read("n[0-3,7]=0-7,12,n4=0"), Ok(3));
    for bad in ["", "n0", "n0=x", "=", "n0=1,n1"] {
        assert!(read(bad).is_err(), "{bad}");
    }
}
