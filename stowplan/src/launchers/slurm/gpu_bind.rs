//! `--gpu-bind`: which GPUs of the step a rank sees.

use super::numbers::{number, positive};
use super::refusals;
use crate::launchers::line::LineRefused;

/// Entries of a list of GPUs, repetitions counted.
const LIST_MAX: u64 = 1 << 16;

/// Which GPUs a rank sees.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GpuBind {
    /// All of the step.
    None,
    /// Those near its cpus.
    Closest,
    /// So many of its own.
    PerTask(u64),
    /// One, which so many ranks share.
    Single(u64),
    /// An entry for each local rank, over and over.
    Listed(Vec<Vec<u32>>),
}

impl GpuBind {
    /// Reads the value.
    pub(super) fn read(text: &str) -> Result<Self, LineRefused> {
        let small = text.to_ascii_lowercase();
        let words = ["verbose,", "v,", "quiet,", "q,"];
        let bare = words.iter().find_map(|word| small.strip_prefix(word));
        let bare = bare.unwrap_or(&small);
        let (word, list) = bare.split_once(':').unwrap_or((bare, ""));
        let bind = match word {
            "none" | "verbose" | "quiet" => Some(Self::None),
            "closest" => Some(Self::Closest),
            "per_task" => positive(list).map(Self::PerTask),
            "single" => positive(list).map(Self::Single),
            "map_gpu" => listed(list, |text| Some(vec![u32::try_from(number(text)?).ok()?])),
            "mask_gpu" => listed(list, bits),
            _ => None,
        };
        bind.ok_or_else(|| {
            refusals::refuses(format!(
                "--gpu-bind={text}: this is none of none, closest, per_task:N, single:N, map_gpu:LIST, mask_gpu:LIST"
            ))
        })
    }
}

fn listed(list: &str, read: impl Fn(&str) -> Option<Vec<u32>>) -> Option<GpuBind> {
    let mut all = Vec::new();
    for entry in list.split(',') {
        let (value, times) = entry.split_once('*').unwrap_or((entry, "1"));
        let (gpus, times) = (read(value)?, positive(times)?);
        if all.len() as u64 + times > LIST_MAX {
            return None;
        }
        all.extend((0..times).map(|_| gpus.clone()));
    }
    Some(GpuBind::Listed(all))
}

fn bits(text: &str) -> Option<Vec<u32>> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 256 {
        return None;
    }
    let mut gpus = Vec::new();
    for (place, digit) in (0_u32..).zip(digits.chars().rev()) {
        let bits = digit.to_digit(16)?;
        gpus.extend(
            (0..4)
                .filter(|bit| bits >> bit & 1 == 1)
                .map(|bit| 4 * place + bit),
        );
    }
    Some(gpus)
}
