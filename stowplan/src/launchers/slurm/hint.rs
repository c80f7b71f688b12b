//! `--hint`: a program's nature, which Slurm turns into threads per core and a level.

use super::refusals;
use crate::launchers::line::LineRefused;

/// A word of `--hint`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum HintWord {
    ComputeBound,
    MemoryBound,
    Multithread,
    NoMultithread,
}

/// `--hint`, as a list of words in their order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Hint {
    pub(super) words: Vec<HintWord>,
}

impl Hint {
    /// Reads the value.
    pub(super) fn read(text: &str) -> Result<Self, LineRefused> {
        let mut words = Vec::new();
        for part in text.split(',') {
            words.push(match part.to_ascii_lowercase().as_str() {
                "compute_bound" => HintWord::ComputeBound,
                "memory_bound" => HintWord::MemoryBound,
                "multithread" => HintWord::Multithread,
                "nomultithread" => HintWord::NoMultithread,
                "help" => {
                    return Err(refusals::refuses(
                        "--hint=help prints words and places nothing",
                    ));
                }
                _ => {
                    return Err(refusals::refuses(format!(
                        "unrecognized --hint argument {part:?}: compute_bound, memory_bound, multithread and nomultithread are known"
                    )));
                }
            });
            if words.len() > 64 {
                return Err(refusals::refuses("--hint: more than 64 words"));
            }
        }
        Ok(Self { words })
    }

    /// Whether a word is in it.
    pub(super) fn has(&self, word: HintWord) -> bool {
        self.words.contains(&word)
    }

    /// The threads per core that a job with this hint has.
    pub(super) fn job_threads(&self) -> Option<u64> {
        let one = [
            HintWord::ComputeBound,
            HintWord::MemoryBound,
            HintWord::NoMultithread,
        ];
        one.iter().any(|&word| self.has(word)).then_some(1)
    }
}
