//! Reads `device=CLASS` or `device=NAME` with its options, and writes them canonically. Source: `lines/prte/spec.md` 2.

use super::directive::{DirectiveError, DirectiveFault, Part};
use super::words::{DEVICE_CLASSES, NEAR_OBJECTS, find_word};
use crate::error::spec::WordFault;
use crate::limit::GPUS_MAX;
use crate::policy::{DeviceMap, DeviceName, Devices, DevicesEach, ObjKind, Sharing};
use std::fmt::Write as _;

/// Reads the class or name behind `device=`. Any text that is no class names a device: only a topology can tell whether it is there.
///
/// # Errors
/// Nothing there, or a name that no device can have.
pub(super) fn devices(first: Part<'_>, value: Option<Part<'_>>) -> Result<Devices, DirectiveError> {
    let form = "device=network";
    let Some(value) = value.filter(|value| !value.text.is_empty()) else {
        return first.fail(DirectiveFault::Directive(WordFault::MissingValue { form }));
    };
    if let Ok(class) = find_word(DEVICE_CLASSES, value.text) {
        return Ok(class);
    }
    match DeviceName::new(value.text) {
        Some(name) => Ok(Devices::Named(name)),
        None => value.fail(DirectiveFault::Value(
            "class (gpu network block), or a name of up to 32 bytes",
        )),
    }
}

/// Takes an option of `device=` from a part behind it. `None`: the part is none.
///
/// # Errors
/// A wrong value.
pub(super) fn option(
    options: DeviceMap,
    part: Part<'_>,
) -> Result<Option<DeviceMap>, DirectiveError> {
    let (word, value) = match part.text.split_once('=') {
        Some((word, value)) => (word, Some(value)),
        None => (part.text, None),
    };
    let wrong = |form| part.fail(DirectiveFault::Value(form));
    match word.to_ascii_lowercase().as_str() {
        "shared" => match value.map(str::to_ascii_lowercase).as_deref() {
            None | Some("1" | "true" | "yes" | "y" | "t" | "on") => Ok(Some(DeviceMap {
                sharing: Sharing::Shared,
                ..options
            })),
            Some("0" | "false" | "no" | "n" | "f" | "off") => Ok(Some(DeviceMap {
                sharing: Sharing::One,
                ..options
            })),
            Some(_) => wrong("word of: true false"),
        },
        "interleave" => {
            let level = match value {
                None => Ok(ObjKind::Package),
                Some(level) => find_word(NEAR_OBJECTS, level),
            };
            match level {
                Ok(
                    level @ (ObjKind::Package
                    | ObjKind::Numa
                    | ObjKind::L3
                    | ObjKind::L2
                    | ObjKind::L1),
                ) => Ok(Some(DeviceMap {
                    interleave: Some(level),
                    ..options
                })),
                Ok(_) | Err(_) => {
                    wrong("level of: package numa l3cache l2cache l1cache (over nodes it is span)")
                }
            }
        }
        "ndev" => {
            let digits = value.filter(|value| value.bytes().all(|byte| byte.is_ascii_digit()));
            let count = digits.and_then(|digits| digits.parse::<u16>().ok());
            let count = count.filter(|count| u32::from(*count) <= GPUS_MAX);
            match count.and_then(DevicesEach::new) {
                Some(each) => Ok(Some(DeviceMap { each, ..options })),
                None => wrong("number of devices of a process: 1 to 1024"),
            }
        }
        _ => Ok(None),
    }
}

/// The canonical spelling behind `device=`: `gpu:interleave=package:shared`.
#[must_use]
pub fn device_text(options: DeviceMap) -> String {
    let mut text = options.of.word().to_owned();
    if let Some(level) = options.interleave {
        // A String takes every character.
        let _ = write!(text, ":interleave={}", level.word());
    }
    if options.sharing == Sharing::Shared {
        text += ":shared";
    }
    if options.each != DevicesEach::ONE {
        // A String takes every character.
        let _ = write!(text, ":ndev={}", options.each.count());
    }
    text
}

/// Reads a canonical spelling again. `row`: the row of the text.
///
/// # Errors
/// As for a directive.
#[doc(hidden)]
pub fn read_device(text: &str, row: u32) -> Result<DeviceMap, DirectiveError> {
    let whole = Part::whole(text, row);
    let mut parts = whole.parts();
    let first = parts.next();
    let mut options = DeviceMap::on(devices(whole, first)?);
    for part in parts {
        match option(options, part)? {
            Some(more) => options = more,
            None => return part.fail(DirectiveFault::Qualifier(WordFault::UnwantedValue)),
        }
    }
    Ok(options)
}
