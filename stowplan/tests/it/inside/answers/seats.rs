//! The places of teams of threads.

use stowplan::answers::openmp::runtime::Family;
use stowplan::answers::openmp::seats::{Bind, Seat, team};

#[test]
fn the_examples_of_the_rules_hold() {
    let places = |family, bind, threads, own| -> Vec<usize> {
        let seats = team(family, bind, threads, Seat::of_program(own), own);
        seats.iter().map(|seat| seat.place).collect()
    };
    let (gnu, llvm) = (Family::Gnu, Family::Llvm);
    assert_eq!(
        places(gnu, Bind::Close, 10, 8),
        [0, 1, 2, 3, 4, 5, 6, 7, 0, 1]
    );
    assert_eq!(places(gnu, Bind::Spread, 5, 8), [0, 2, 4, 6, 7]);
    assert_eq!(
        places(llvm, Bind::Close, 10, 8),
        [0, 0, 1, 2, 3, 4, 4, 5, 6, 7]
    );
    assert_eq!(places(llvm, Bind::Spread, 5, 8), [0, 1, 3, 5, 7]);
    assert_eq!(places(llvm, Bind::Primary, 3, 8), [0, 0, 0]);
}
