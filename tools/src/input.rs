//! Bodies of the fuzz targets whose readers are the command's own: command lines and spawn requests in JSON.

use stowplan_engine::error::SpecError;
use stowplan_engine::spawn::intake::Taken;
use stowplan_job::args::map_args;
use stowplan_job::request::read_request;

/// A command line: arguments separated by newlines.
pub fn argv(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let args: Vec<String> = text.split('\n').map(str::to_owned).collect();
    match map_args(&args) {
        Ok(asked) => relayed(asked.taken),
        Err(error) => refused(&error),
    }
}

/// A spawn request in JSON.
pub fn request(bytes: &[u8]) {
    match read_request("r", bytes) {
        Ok(request) => relayed(request.taken),
        Err(error) => refused(&error),
    }
}

/// Relays a request that was understood. It must be the same on the other side.
fn relayed(taken: Taken) {
    let packed = taken
        .request
        .pack()
        .expect("no larger than what it was read from");
    let relayed = taken.relay().expect("what was understood can be relayed");
    let again = relayed.request.pack().expect("as large as before");
    assert_eq!(again, packed);
}

fn refused(error: &SpecError) {
    assert!(!error.class().is_empty() && !error.to_string().is_empty());
}
