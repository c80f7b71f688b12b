//! The first frame of a journal.

use crate::config::Config;
use crate::state::Initial;
use serde::{Deserialize, Serialize};

/// The version of the payload layout. It goes up by one with each change; other versions are refused.
pub(crate) const LAYOUT: u32 = 2;

#[derive(Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) layout: u32,
    pub(super) config: Config,
    pub(super) initial: Initial,
}
