//! Slot lists of rankfiles and sequence files: `0-2`, `p0`, `1:0-2`, `0;1:2`. Source: `semantics` 4.6.

use super::cursor::{Cursor, whole_ranges};
use crate::table::listings::{NumberRanges, SlotPart};

/// Reads the parts of a slot list; `None` when it does not parse.
///
/// ```
/// use stowplan_engine::text::slotlist::read_slot_list;
/// assert_eq!(read_slot_list("p0;1:0-2").unwrap().len(), 2);
/// assert_eq!(read_slot_list("1:foo"), None);
/// ```
#[must_use]
pub fn read_slot_list(text: &str) -> Option<Vec<SlotPart>> {
    let mut parts = Vec::new();
    for part in text.split(';') {
        read_part(&mut parts, part)?;
    }
    Some(parts)
}

/// What a slot list is read as, where other launchers read it as something else.
#[must_use]
pub fn remark(text: &str) -> Option<String> {
    for part in text.split(';') {
        let first = part.split(':').next().unwrap_or(part);
        if part.matches(':').count() > 1 && part.contains(',') {
            let entries = part.split(',').collect::<Vec<_>>().join(";");
            return Some(format!(
                "slot={text} is read as cores of package {first} alone; a core of each package is slot={entries}"
            ));
        }
        if let Some(number) = part.strip_prefix(['p', 'P'])
            && number.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Some(format!(
                "slot={text}: {part} is read as package {number}, as prterun reads it; Open MPI 1 to 4 meant the physical cpu"
            ));
        }
    }
    None
}

fn read_part(parts: &mut Vec<SlotPart>, part: &str) -> Option<()> {
    let bare = part.strip_prefix(['p', 'P', 's', 'S']);
    let list = bare.unwrap_or(part);
    if bare.is_some() && list == "*" {
        parts.push(SlotPart::Machine);
        return Some(());
    }
    match list.split_once(':') {
        Some((package, cores)) => {
            let mut number = Cursor::new(package);
            let package = number.number().filter(|_| number.is_done())?;
            for one in cores.split(':') {
                parts.push(SlotPart::CoresOf {
                    package,
                    cores: read_cores(one)?,
                });
            }
        }
        None => {
            let ranges = whole_ranges(list)?;
            parts.push(match bare {
                Some(_) => SlotPart::Packages(ranges),
                None => SlotPart::Cpus(ranges),
            });
        }
    }
    Some(())
}

/// Cores inside a package: the outer `None` is a syntax error, the inner one means all of them.
#[expect(
    clippy::option_option,
    reason = "SlotPart::CoresOf spells all cores as None, and a part may not parse"
)]
fn read_cores(text: &str) -> Option<Option<NumberRanges>> {
    let list = text.strip_prefix('c').unwrap_or(text);
    if list == "*" {
        return Some(None);
    }
    let ranges = whole_ranges(list)?;
    let one_range_or_numbers =
        ranges.len() == 1 || ranges.iter().all(|(first, last)| first == last);
    one_range_or_numbers.then_some(Some(ranges))
}
