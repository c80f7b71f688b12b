//! How an option is spelled.

use stowplan::job::options::spelled;

fn check(word: &str, name: &str, value: Option<&str>) {
    let read = spelled(word);
    assert_eq!((read.name, read.value), (name, value), "{word}");
}

#[test]
fn values_stand_in_the_same_word_as_getopt_reads_them() {
    check("-n4", "n", Some("4"));
    check("-np=4", "np", Some("4"));
    check("--np=4", "np", Some("4"));
    check("-N16", "N", Some("16"));
    check("-xOMP_NUM_THREADS=4", "x", Some("OMP_NUM_THREADS=4"));
    check("-np", "np", None);
    check("-nodes", "nodes", None);
    check("--n4", "n4", None);
    check("-oversubscribe", "oversubscribe", None);
}
