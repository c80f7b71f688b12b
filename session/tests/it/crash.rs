//! A journal that is cut anywhere, or has any bit flipped, gives an earlier state or an error that says what is wrong.

use super::journal::{replay, written};
use stowplan_session::{Config, Initial, Mode, ReplayError, State, Tail};

#[test]
fn cut_at_every_byte_a_journal_recovers_a_prefix() {
    for (seed, every) in [(1, 5), (2, u64::MAX)] {
        let (bytes, states) = written(seed, 60, every);
        let empty = State::new(Config::default(), &Initial::default())
            .unwrap()
            .canonical();
        let mut before = 0;
        for cut in 0..=bytes.len() {
            let recovered =
                replay(&bytes[..cut], Mode::Fast).expect("a cut journal never refuses to start");
            let events = usize::try_from(recovered.events).unwrap();
            assert!(events >= before, "what is recovered grows with the cut");
            before = events;
            assert!(
                matches!(recovered.tail, Tail::Clean | Tail::Torn),
                "a cut is not damage, at {cut}"
            );
            assert_eq!(recovered.end + recovered.discarded, cut);
            let state = recovered.state.canonical();
            let expected = if recovered.next_seq == 0 {
                &empty
            } else {
                &states[events]
            };
            assert_eq!(&state, expected, "cut at {cut}");
        }
        assert_eq!(before + 1, states.len());
    }
}

#[test]
fn a_flipped_bit_never_gives_a_state_that_was_not() {
    let (bytes, states) = written(6, 25, 8);
    for at in 0..bytes.len() {
        // The last frame differs from the others: no frame comes after it.
        let bits = if at + 200 > bytes.len() { 0..8 } else { 3..4 };
        for bit in bits {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            match replay(&flipped, Mode::Fast) {
                Err(ReplayError::Foreign) => assert!(at < 8, "only the magic makes a file foreign"),
                Err(error) => panic!("byte {at}: {error}"),
                Ok(recovered) => {
                    let damaged =
                        matches!(recovered.tail, Tail::Damaged { offset } if offset <= at);
                    assert!(damaged, "byte {at} bit {bit}: {:?}", recovered.tail);
                    if recovered.next_seq > 0 {
                        let events = usize::try_from(recovered.events).unwrap();
                        assert_eq!(recovered.state.canonical(), states[events]);
                    }
                }
            }
        }
    }
}

#[test]
fn the_torn_tail_of_any_bytes_is_not_read() {
    let (bytes, states) = written(7, 30, 10);
    for tail in [
        &b"\0"[..],
        &[0; 40],
        &[255; 100],
        b"STOWJRN\x01",
        &bytes[8..60],
    ] {
        let mut longer = bytes.clone();
        longer.extend_from_slice(tail);
        let recovered = replay(&longer, Mode::Fast).unwrap();
        assert_eq!(
            (recovered.tail, recovered.discarded),
            (Tail::Torn, tail.len())
        );
        assert_eq!(Some(&recovered.state.canonical()), states.last());
    }
}

/// Bytes that were written but not synced may come back as sectors of zeros. That is a crash, not damage.
#[test]
fn sectors_that_never_came_are_a_torn_tail() {
    let (bytes, states) = written(8, 60, u64::MAX);
    for from in (512..bytes.len()).step_by(512) {
        let mut zeroed = bytes.clone();
        zeroed[from..].fill(0);
        let recovered = replay(&zeroed, Mode::Fast).unwrap();
        // Zeros at the end of a payload may belong to the payload.
        assert!(
            matches!(recovered.tail, Tail::Torn | Tail::Clean),
            "zeros from {from}: {:?}",
            recovered.tail
        );
        let events = usize::try_from(recovered.events).unwrap();
        if recovered.next_seq > 0 {
            assert_eq!(recovered.state.canonical(), states[events]);
        }
    }
}

#[test]
fn another_magic_or_version_is_foreign() {
    let (bytes, _) = written(7, 5, 10);
    for at in 0..8 {
        let mut other = bytes.clone();
        other[at] = other[at].wrapping_add(1);
        assert!(matches!(
            replay(&other, Mode::Fast),
            Err(ReplayError::Foreign)
        ));
    }
}
