//! Lines of programs that say where their threads are.

use stowplan::answers::openmp::witness::{Says, take};

#[test]
fn lines_of_three_programs_are_read_behind_labels_and_without() {
    let text = "stow 3 n1 5 6,70\n2: stow 2 n1 0 1-2\n[1,2]<stderr>:stow 4 n2 1 7\nMPI 003 - OMP 005 - HWT 006 - Node n1 - RT_GPU_ID 0\nHello from rank 3, thread 5, on n1. (core affinity = 6,70)\nstowaway\n0\tn1\t0-3\t-\ta,b,c,d\n";
    let taken = take(text.as_bytes()).unwrap();
    let told: Vec<_> = { taken.witnesses.iter() }
        .map(|own| {
            (
                own.process,
                own.host.as_str(),
                own.thread.as_str(),
                own.cpus.len(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (3, "n1", "5", 2),
            (2, "n1", "0", 2),
            (4, "n2", "1", 1),
            (3, "n1", "5", 1),
            (3, "n1", "5", 2)
        ]
    );
    assert_eq!(taken.witnesses[3].says, Says::Moment);
    assert_eq!(taken.rest, b"stowaway\n0\tn1\t0-3\t-\ta,b,c,d\n");
    for broken in [
        "stow 3 n1 5",
        "stow x n1 5 6",
        "stow 3 n1 x 6",
        "stow 3 n1 5 6-",
    ] {
        assert!(take(broken.as_bytes()).is_err(), "{broken}");
    }
}
