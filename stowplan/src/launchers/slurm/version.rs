//! The versions of Slurm whose rules differ.

use super::refusals;
use crate::launchers::line::LineRefused;

/// A version, by its rules. The order is that of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Version {
    V22_05,
    V23_02,
    V23_11,
    V24_05,
    V24_11,
    V26_05,
}

impl Version {
    const ALL: [(Self, (u32, u32), &'static str); 6] = [
        (Self::V22_05, (22, 5), "22.05"),
        (Self::V23_02, (23, 2), "23.02"),
        (Self::V23_11, (23, 11), "23.11"),
        (Self::V24_05, (24, 5), "24.05"),
        (Self::V24_11, (24, 11), "24.11"),
        (Self::V26_05, (26, 5), "26.05"),
    ];

    /// As people write it.
    pub(super) fn text(self) -> &'static str {
        let row = Self::ALL.iter().find(|(own, ..)| *own == self);
        row.map_or("24.11", |(.., text)| text)
    }

    /// The version of `--as slurm@V`: the nearest one below whose rules are known. The second is a note, if it is not the one asked for.
    pub fn read(asked: Option<&str>) -> Result<(Self, Option<String>), LineRefused> {
        let Some(asked) = asked else {
            return Ok((Self::V24_11, None));
        };
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 4);
        let mut parts = asked.split('.');
        let pair = (parts.next().and_then(number), parts.next().and_then(number));
        let rest = parts.all(|part| number(part).is_some());
        let (Some(year), Some(month), true) = (pair.0, pair.1, rest) else {
            return Err(refusals::value(format!(
                "--as slurm@{asked}: this is no version of Slurm, such as 24.11"
            )));
        };
        let below = Self::ALL.iter().rev();
        let mut below = below.filter(|(_, known, _)| *known <= (year, month));
        match below.next() {
            None => Err(refusals::not_modelled(format!(
                "slurm@{asked}: rules are known from Slurm 22.05 on"
            ))),
            Some((version, known, _)) if *known == (year, month) => Ok((*version, None)),
            Some((version, _, text)) => {
                let note = format!(
                    "Slurm {asked} is placed by the rules of {text}, the nearest version below that is known"
                );
                Ok((*version, Some(note)))
            }
        }
    }
}
