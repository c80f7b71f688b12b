//! Words of a job without a node.

use stowplan_scale_tests::lost::{entries, lines};

#[test]
fn entries_lose_a_node() {
    let left = |text| entries(text, "n9");
    assert_eq!(left("n8:2,n9:3,+n1").as_deref(), Some("n8:2,+n1"));
    assert_eq!(left("n[8-11]:2").as_deref(), Some("n8:2,n10:2,n11:2"));
    assert_eq!(left("n[10-11],9").as_deref(), Some("n[10-11]"));
    assert_eq!(left("n9:*,n[9-9]"), None);
    let left = lines("n8\nrank 0=n9\nn9 slots=2\n^n9\n", "n9");
    assert_eq!(left.as_deref(), Some("n8\n^n9\n"));
}
