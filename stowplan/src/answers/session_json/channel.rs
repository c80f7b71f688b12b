//! Sessions kept in memory: a line of JSON in, a line out, and the bytes of the journal for the caller to keep.

use super::malformed::Fault;
use super::{beginning, event_json, keys, outcome_json, reason};
use serde_json::{Map, Value as Json};
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use stowplan_session::{
    Effects, Event, Initial, Journal, JournalError, ReplayError, State, Status, Store, restore,
};

/// Why sessions are not begun, continued or changed.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// The line is none of the language.
    #[error("{0}")]
    Line(String),
    /// The bytes are no journal, or a damaged one.
    #[error(transparent)]
    Journal(#[from] ReplayError),
    /// The journal ends before it says what the DVM begins with.
    #[error("the journal ends before it says what the DVM begins with")]
    Empty,
}

impl ChannelError {
    /// The class of the error (`docs/errors.md`).
    #[must_use]
    pub fn class(&self) -> &'static str {
        match self {
            Self::Line(_) => "scenario",
            Self::Journal(error) => error.class(),
            Self::Empty => "journal",
        }
    }
}

/// The answer to an event, as `session serve` writes it: `state` is the state after it.
#[must_use]
pub fn answer(
    state: &State,
    event: &Event<'_>,
    number: usize,
    (status, effects): (Status, &Effects),
) -> Map<String, Json> {
    let told = outcome_json::effects(state, effects, outcome_json::Named::First);
    let mut answer = outcome_json::step("", number, event.name(), status, told);
    if let Some(reason) = reason::reason(event, status, effects) {
        answer.insert("reason".to_owned(), Json::String(reason));
    }
    answer
}

/// Bytes of a journal that the caller has not kept yet.
#[derive(Clone, Default, Debug)]
struct Waiting(Arc<Mutex<Vec<u8>>>);

impl Waiting {
    fn with<R>(&self, work: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store for Waiting {
    type Error = Infallible;
    fn append(&mut self, bytes: &[u8]) -> Result<(), Infallible> {
        self.with(|waiting| waiting.extend_from_slice(bytes));
        Ok(())
    }
    fn sync(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

/// Sessions that are kept in memory. The caller keeps the journal: an answer may leave when the bytes that waited before it are
/// safe.
///
/// ```
/// use stowplan::answers::session_json::channel::Channel;
/// let mut channel = Channel::begin(r#"{"initial":{"nodes":["n0","n1"]}}"#)?;
/// let answer = channel.answer(r#"{"event":"node_down","node":"n1"}"#)?;
/// assert!(answer.contains(r#""status":"PMIX_SUCCESS""#), "{answer}");
/// let again = Channel::resume(&channel.journal())?;
/// assert_eq!(again.compact()?, channel.compact()?);
/// # Ok::<(), stowplan::answers::session_json::channel::ChannelError>(())
/// ```
#[derive(Debug)]
pub struct Channel {
    state: State,
    initial: Initial,
    journal: Journal<Waiting>,
    waiting: Waiting,
    steps: usize,
}

fn object(line: &str) -> Result<Map<String, Json>, ChannelError> {
    let wrong = |what: String| ChannelError::Line(what);
    match beginning::json(line.as_bytes()).map_err(|error| wrong(error.to_string()))? {
        Json::Object(object) => Ok(object),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Err(wrong("no JSON object".to_owned()))
        }
    }
}

impl Channel {
    /// Begins sessions. `first`: what the DVM begins with, the first line of `session serve`.
    ///
    /// # Errors
    /// [`ChannelError::Line`].
    pub fn begin(first: &str) -> Result<Channel, ChannelError> {
        let said = object(first)?;
        let wrong = |fault: Fault| ChannelError::Line(fault.to_string());
        keys::judge(&said, beginning::FIRST_KEYS).map_err(wrong)?;
        let (config, initial) = beginning::beginning(&said).map_err(wrong)?;
        let state =
            State::new(config, &initial).map_err(|error| ChannelError::Line(error.to_string()))?;
        let waiting = Waiting::default();
        let journal = Journal::begin(waiting.clone(), &config, &initial)
            .map_err(|error| too_large(&error))?;
        Ok(Self {
            state,
            initial,
            journal,
            waiting,
            steps: 0,
        })
    }

    /// Goes on where a journal ends. A last frame that was cut off is passed over: nothing of it waits.
    ///
    /// # Errors
    /// [`ChannelError::Journal`], [`ChannelError::Empty`].
    ///
    /// Cost: a replay from the last snapshot.
    pub fn resume(bytes: &[u8]) -> Result<Channel, ChannelError> {
        let found = restore(bytes)?;
        if found.next_seq == 0 {
            return Err(ChannelError::Empty);
        }
        let waiting = Waiting::default();
        let journal = Journal::resume(waiting.clone(), &found);
        Ok(Self {
            state: found.state,
            initial: found.initial,
            journal,
            waiting,
            steps: 0,
        })
    }

    /// Judges an event and applies it. Returns its answer, a line of JSON without its end; a refused event has one too.
    ///
    /// # Errors
    /// [`ChannelError::Line`] when the line is no event. Nothing changes then.
    pub fn answer(&mut self, line: &str) -> Result<String, ChannelError> {
        let json = Json::Object(object(line)?);
        let event =
            event_json::event(&json).map_err(|error| ChannelError::Line(error.to_string()))?;
        let outcome = self.journal.submit(&mut self.state, &event);
        let (status, effects) = outcome.map_err(|error| too_large(&error))?;
        self.journal.commit().map_err(|error| too_large(&error))?;
        self.steps += 1;
        let answer = answer(&self.state, &event, self.steps, (status, &effects));
        Ok(Json::Object(answer).to_string())
    }

    /// The state.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The bytes of the journal that wait to be kept. All that ever waited, one behind the other, is the journal.
    #[must_use]
    pub fn journal(&self) -> Vec<u8> {
        self.waiting.with(|waiting| waiting.clone())
    }

    /// Says that the bytes that waited are safe.
    pub fn kept(&mut self) {
        self.waiting.with(Vec::clear);
    }

    /// A short journal that leads to the same state, in place of the one kept so far.
    ///
    /// # Errors
    /// [`ChannelError::Line`] for a state that is larger than a frame may be.
    pub fn compact(&self) -> Result<Vec<u8>, ChannelError> {
        let events = self.journal.events();
        let journal = Journal::compact(Vec::new(), &self.initial, &self.state, events);
        Ok(journal.map_err(|error| too_large(&error))?.into_store())
    }
}

fn too_large(error: &JournalError<Infallible>) -> ChannelError {
    ChannelError::Line(error.to_string())
}
