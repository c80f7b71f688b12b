//! `-m`.

use stowplan::launchers::slurm::distribution::{Distribution, First, Packing};

#[test]
fn stars_have_a_meaning_and_words_are_not_cut() {
    let read = |text| Distribution::read(text, None);
    let block = read("*:*:*,Pack").unwrap();
    assert_eq!(block.text(), "block:cyclic,pack");
    assert_eq!(read("cyclic").unwrap().second, None);
    assert_eq!(read("nopack").unwrap().packing, Some(Packing::NoPack));
    assert_eq!(read("PLANE=3").unwrap().first, First::Plane(3));
    for bad in [
        "cyc",
        "foo",
        "plane",
        "plane=0",
        "block:x",
        "block:block:block:block",
        "block,x",
        "",
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
    let sized = Distribution::read("plane", Some(2)).unwrap();
    assert_eq!(sized.first, First::Plane(2));
}
