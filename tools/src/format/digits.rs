//! Decimal digits, written two at a time.

/// The digits of 00 to 99.
const PAIRS: [[u8; 2]; 100] = pairs();

const fn pairs() -> [[u8; 2]; 100] {
    const DIGITS: &[u8; 10] = b"0123456789";
    let mut pairs = [[0; 2]; 100];
    let mut at = 0;
    while at < 100 {
        pairs[at] = [DIGITS[at / 10], DIGITS[at % 10]];
        at += 1;
    }
    pairs
}

/// Appends a number.
///
/// Cost: a division per two digits.
pub(super) fn push(buf: &mut Vec<u8>, number: u32) {
    push_padded(buf, u64::from(number), 1);
}

/// Appends a number with zeros in front, to `width` digits at least.
pub fn push_padded(buf: &mut Vec<u8>, number: u64, width: u8) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    let mut left = number;
    while left >= 10 {
        // The remainder of a division by 100 fits an index.
        let pair = PAIRS[usize::try_from(left % 100).unwrap_or(0)];
        first -= 2;
        digits[first..first + 2].copy_from_slice(&pair);
        left /= 100;
    }
    if left > 0 || first == digits.len() {
        first -= 1;
        digits[first] = PAIRS[usize::try_from(left).unwrap_or(0)][1];
    }
    let first = first.min(digits.len().saturating_sub(usize::from(width)));
    buf.extend_from_slice(&digits[first..]);
}
