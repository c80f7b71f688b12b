//! Cpu sets as launchers write them, by OS number, and as prterun counts them, by core.

use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::policy::ObjKind;
use stowplan_engine::text::digits::number;

/// A mask, `0x101`; `0x0` for no cpu. Cost: the words up to the highest cpu.
///
/// ```
/// use stowplan::launchers::cpus::mask;
/// assert_eq!(mask(&[0, 8].into_iter().collect()), "0x101");
/// assert_eq!(mask(&[1, 100].into_iter().collect()), "0x10000000000000000000000002");
/// ```
#[must_use]
pub fn mask(set: &RoaringBitmap) -> String {
    let Some(highest) = set.max() else {
        return "0x0".to_owned();
    };
    let mut digits = vec![0_u8; highest as usize / 4 + 1];
    for cpu in set {
        digits[cpu as usize / 4] |= 1 << (cpu % 4);
    }
    let mut text = String::with_capacity(digits.len() + 2);
    text.push_str("0x");
    let digits = digits.into_iter().rev();
    text.extend(digits.filter_map(|digit| char::from_digit(digit.into(), 16)));
    text
}

/// Ranges separated by `between`: `0-3,8` or `0-3+8`.
#[must_use]
pub fn ranges(set: &RoaringBitmap, between: char) -> String {
    let list = stowplan_engine::table::cpusets::list_form(set);
    list.replace(',', between.encode_utf8(&mut [0; 4]))
}

/// Reads a list such as `0-3,8`, with numbers up to `highest`; `None` if `text` is not such a list.
#[must_use]
pub fn read_list(text: &str, highest: u32) -> Option<RoaringBitmap> {
    let mut set = RoaringBitmap::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number::<u32>(first)?, number::<u32>(last)?);
        if first > last || last > highest {
            return None;
        }
        set.insert_range(first..=last);
    }
    Some(set)
}

/// Reads a mask as [`mask`] writes it, with or without `0x`; `None` if `text` is no mask, or one of more cpus than a node has.
#[must_use]
pub fn read_mask(text: &str) -> Option<RoaringBitmap> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > PUS_MAX as usize / 4 {
        return None;
    }
    let mut set = RoaringBitmap::new();
    for (place, digit) in (0..).zip(digits.chars().rev()) {
        let value = digit.to_digit(16)?;
        let bits = (0..4).filter(|bit| value >> bit & 1 == 1);
        set.extend(bits.map(|bit| place * 4 + bit));
    }
    Some(set)
}

/// Reads a list as [`read_list`] does, also with steps: `0-127/4`, `0-31:2/4`.
#[must_use]
pub fn read_stepped(text: &str, highest: u32) -> Option<RoaringBitmap> {
    let mut set = RoaringBitmap::new();
    for (first, last) in stowplan_engine::text::cursor::whole_ranges(text)? {
        if last > highest {
            return None;
        }
        set.insert_range(first..=last);
    }
    Some(set)
}

/// The unit in which prterun counts cpus.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Unit {
    /// Whole cores.
    Core,
    /// Hardware threads.
    Hwthread,
}

impl Unit {
    pub(super) const fn kind(self) -> ObjKind {
        match self {
            Self::Core => ObjKind::Core,
            Self::Hwthread => ObjKind::Hwthread,
        }
    }
}
