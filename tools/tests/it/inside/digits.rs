//! Numbers as digits.

use stowplan_cli::format::digits::push_padded;

#[test]
fn numbers_are_written_as_the_standard_library_writes_them() {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    for number in powers
        .flat_map(|power| [power - 1, power, power + 1, power * 2 - 1])
        .chain([u64::MAX])
    {
        for width in [1, 3, 7, 18] {
            let mut buf = Vec::new();
            push_padded(&mut buf, number, width);
            let expected = format!("{number:0width$}", width = usize::from(width));
            assert_eq!(String::from_utf8(buf).unwrap(), expected);
        }
    }
}
