//! Puts waiting requests into the table and takes them out, together with their ties.

use crate::state::State;
use crate::tables::{Request, Tie};

pub(super) fn ask(state: &mut State, request: Box<Request>) -> u64 {
    let number = state.next_request;
    state.next_request += 1;
    state.ties.add_request(request.from.ns, Tie::Asked, number);
    if let Some(target) = state.target(&request) {
        state.ties.add_request(target, Tie::Target, number);
    }
    state.pending.add(number, request);
    number
}

/// Takes a request out of the table.
pub(super) fn forget(state: &mut State, number: u64) -> Option<Box<Request>> {
    let request = state.pending.remove(number)?;
    state
        .ties
        .remove_request(request.from.ns, Tie::Asked, number);
    if let Some(target) = state.target(&request) {
        state.ties.remove_request(target, Tie::Target, number);
    }
    Some(request)
}
