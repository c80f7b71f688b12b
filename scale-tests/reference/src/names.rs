//! Names of nodes: cuts them at the first dot, expands ranges, finds the number at the end of a name.

use std::net::IpAddr;
use stowplan_engine::text::host_types::NameRange;

/// The name up to its first dot, unless it is an IP address.
pub(crate) fn short(name: &str) -> String {
    match name.split_once('.') {
        Some((short, _)) if !short.is_empty() && name.parse::<IpAddr>().is_err() => {
            short.to_owned()
        }
        _ => name.to_owned(),
    }
}

/// Every name of a range, in order.
pub(crate) fn expand(range: &NameRange) -> Vec<String> {
    if range.width == 0 {
        return vec![format!("{}{}", range.prefix, range.suffix)];
    }
    let width = usize::from(range.width);
    (0..u64::from(range.count))
        .map(|i| {
            format!(
                "{}{:0width$}{}",
                range.prefix,
                range.first + i,
                range.suffix
            )
        })
        .collect()
}

/// The value of a name that has only digits.
pub(crate) fn number(name: &str) -> Option<u64> {
    name.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| name.parse().ok())?
}

/// The number at the end of a name.
pub(crate) fn last_number(name: &str) -> Option<u64> {
    name[name.trim_end_matches(|c: char| c.is_ascii_digit()).len()..]
        .parse()
        .ok()
}
