//! Reading up to a limit.

use std::io::{self, Read as _};
use stowplan_cli::bounded::{Unread, bounded};

#[test]
fn what_is_read_is_bounded() {
    let read = |bytes: usize, limit| bounded(io::repeat(7).take(bytes as u64), limit, 0);
    assert_eq!(read(300_000, 300_000).unwrap().len(), 300_000);
    assert!(matches!(read(300_001, 300_000), Err(Unread::TooLong)));
    assert_eq!(read(0, 0).unwrap().len(), 0);
    let endless = bounded(io::repeat(7), 1 << 20, 0);
    assert!(matches!(endless, Err(Unread::TooLong)));
}
