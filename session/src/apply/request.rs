//! Puts waiting requests into the table and takes them out, together with their ties.

use crate::state::State;
use crate::tables::Request;

pub(super) fn ask(state: &mut State, request: Box<Request>) -> u64 {
    let number = state.next_request;
    state.next_request += 1;
    let target = state.target(&request);
    state.ties.targets.extend(target.map(|ns| (ns, number)));
    state.pending.add(number, request);
    number
}

/// Takes a request out of the table.
pub(super) fn forget(state: &mut State, number: u64) -> Option<Box<Request>> {
    let request = state.pending.remove(number)?;
    if let Some(target) = state.target(&request) {
        state.ties.targets.remove(&(target, number));
    }
    Some(request)
}
