//! Which placements leave less of a pattern's traffic: the answers of `stowplan advise`, and their words.

// The policies that can place the job.
pub mod policies;
// Levels of a network.
pub mod above;
// Scores and answers as JSON.
pub mod json;

use crate::job::error::{JobError, told};
use crate::score::advise::on_network::{By, advise_on};
use crate::score::advise::{Advice, Answer, Chosen, Policy};
use crate::score::error::ScoreError;
use crate::score::figures::Matrices;
use crate::score::network::OnNetwork;
use crate::score::pattern::Part;
use policies::Tried;
use stowplan_engine::text::digits::number;

/// The refusal for an error of the score.
#[must_use]
pub fn refused(error: &ScoreError) -> JobError {
    told(error.class(), error.to_string())
}

/// The file name of an order that has not been written.
pub const UNWRITTEN: &str = "ORDER";

/// An answer, with the words that ask for it.
pub struct Said<'a> {
    /// The answer.
    pub answer: &'a Answer,
    /// Map, rank, bind and order words.
    pub words: Vec<String>,
    /// The word of the order.
    pub order: Option<String>,
    /// Whether it is the job as asked.
    pub asked: bool,
}

/// `--distances`: within a node, then by the level of the network at which nodes meet, from the lowest.
///
/// # Errors
/// `bad-option` without a network; `bad-value`.
pub fn distances(text: Option<&str>, on: Option<&OnNetwork>) -> Result<Option<Vec<u32>>, JobError> {
    let Some(text) = text else {
        return Ok(None);
    };
    let Some(on) = on else {
        let sentence = "distances go by the levels of a network, and no network is given";
        return Err(told("bad-option", sentence));
    };
    let found: Option<Vec<u32>> = text.split(':').map(number).collect();
    let wanted = on.network().levels().len() + 2;
    match found {
        Some(found) if found.len() == wanted => Ok(Some(found)),
        Some(_) | None => Err(told(
            "bad-value",
            format!(
                "distances {text}: this takes {wanted} numbers with colons between: within a node, then by the level at which nodes meet, from the lowest"
            ),
        )),
    }
}

/// `--by`, with `--distances`.
///
/// # Errors
/// `bad-option` without a network, or J without distances; `bad-value`.
pub fn by(
    (word, numbers): (Option<&str>, Option<&str>),
    on: Option<&OnNetwork>,
) -> Result<By, JobError> {
    let found = distances(numbers, on)?;
    let Some(word) = word else {
        return Ok(By::Default);
    };
    let Some(on) = on else {
        let sentence =
            format!("by {word}: that goes by the levels of a network, and no network is given");
        return Err(told("bad-option", sentence));
    };
    let levels = on.network().levels();
    match (word, found) {
        ("sum", _) => Ok(By::Sum),
        ("pair", _) => Ok(By::Pair),
        ("J", Some(distances)) => Ok(By::J(distances)),
        ("J", None) => Err(told("bad-option", "by J: that needs distances")),
        ("node", _) => Ok(By::Level(levels.len())),
        (word, _) => {
            let level = levels.iter().position(|level| level.word == word);
            level.map(By::Level).ok_or_else(|| {
                let words: Vec<&str> = levels.iter().map(|level| level.word.as_str()).collect();
                told(
                    "bad-value",
                    format!(
                        "by {word}: that is none of: sum pair J {} node",
                        words.join(" ")
                    ),
                )
            })
        }
    }
}

/// The advice for a job and its policies; with a network if the job has one.
///
/// # Errors
/// `bad-pattern`, `job-too-large`.
pub fn found(
    tried: &[Tried],
    parts: &[Part],
    by: &By,
    matrices: &dyn Matrices,
) -> Result<Advice, JobError> {
    let policies: Vec<Policy> = tried.iter().map(|tried| tried.policy.clone()).collect();
    advise_on(&policies, parts, by, matrices).map_err(|error| refused(&error))
}

/// The words of an answer. `file`: the name of its order, if that has no word.
#[must_use]
pub fn say<'a>(answer: &'a Answer, tried: &Tried, file: &str) -> Said<'a> {
    let asked = answer.policy == 0 && answer.chosen == Chosen::Own;
    let with = |word: &str| {
        let mut words = tried.placing.clone();
        words.extend(["--rank-order".to_owned(), word.to_owned()]);
        words
    };
    let (words, order) = match &answer.chosen {
        Chosen::Own => {
            let given = tried.words.iter().position(|word| word == "--rank-order");
            let order = given.and_then(|at| tried.words.get(at + 1).cloned());
            (tried.words.clone(), order)
        }
        Chosen::Named(order) => (with(&order.word()), Some(order.word())),
        Chosen::Search => (with(&format!("file:{file}")), Some("search".to_owned())),
    };
    Said {
        answer,
        words,
        order,
        asked,
    }
}
