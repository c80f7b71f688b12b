//! `--granted n0=0-7,n[1-3]=0-3`: what of each node a job was given, in words.

use crate::launchers::cpus::read_stepped;
use roaring::RoaringBitmap;
use stowplan_engine::limit::PUS_MAX;
use stowplan_engine::table::names::NameRange;
use stowplan_engine::text::hostlist::read_host_names;

/// Nodes, and the numbers that were given of each.
pub type Granted = Vec<(NameRange, RoaringBitmap)>;

/// Whether a value of `--granted` is words and not the name of a file.
#[must_use]
pub fn is_words(text: &str) -> bool {
    text.contains('=') && !text.trim_start().starts_with('{')
}

/// Reads the words, in their order.
///
/// # Errors
/// What is wrong, in words.
pub fn read(text: &str) -> Result<Granted, String> {
    let mut granted = Granted::new();
    for part in parts(text) {
        let (hosts, list) = part
            .split_once('=')
            .ok_or_else(|| format!("{part} is no NODE=NUMBERS"))?;
        let list =
            read_stepped(list, PUS_MAX).ok_or_else(|| format!("{part} has no list of numbers"))?;
        let names = read_host_names(hosts).map_err(|_| format!("{hosts} is no host list"))?;
        granted.extend(names.into_iter().map(|range| (range, list.clone())));
    }
    Ok(granted)
}

/// Cuts `n[0-3]=0-7,12,n4=0` at the commas before a name with `=`.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut comma) = (0, None);
    let mut depth = 0_u32;
    for (at, sign) in text.char_indices() {
        match sign {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => comma = Some(at),
            '=' => {
                if let Some(cut) = comma.take().filter(|cut| *cut >= start) {
                    parts.push(&text[start..cut]);
                    start = cut + 1;
                }
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}
