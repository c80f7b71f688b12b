//! The simulator of nodes.

use stowplan::job::parameters::simulator::groups;

#[test]
fn groups_have_letters_and_numbers_as_wide_as_their_count() {
    let given = [
        ("ras_simulator_num_nodes", "10,2"),
        ("ras_simulator_slots", "4"),
        ("ras_simulator_max_slots", "0,8"),
    ];
    let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let groups = groups(&given).unwrap();
    assert_eq!(groups[0].hosts(), "nodeA[00-09]");
    let mut lines = String::new();
    groups[1].write(&mut lines);
    assert_eq!(
        lines,
        "nodeB0 slots=4 max_slots=8\nnodeB1 slots=4 max_slots=8\n"
    );
}
