//! Lists of hosts.

use stowplan_engine::table::names::range_names;
use stowplan_engine::text::hostlist::read_host_names;

#[test]
fn the_largest_number_may_stand_before_another_bracket() {
    let names = read_host_names("n[18446744073709551614-18446744073709551615]m[0-1]").unwrap();
    let each: Vec<String> = names.iter().flat_map(range_names).collect();
    let ends = ["4m0", "4m1", "5m0", "5m1"].map(|end| format!("n1844674407370955161{end}"));
    assert_eq!(each, ends);
}
