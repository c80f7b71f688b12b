//! The decisions, in the order of the data: words become resolved apps, apps get nodes, and processes get places on each node.
//! Each module imports only from modules above it.

// The words of components.
pub mod map_word;
// Which component takes an app.
pub mod component;
// Work on many different items, shared among threads.
pub(crate) mod map_all;
// A relayed request -> one row per app.
pub mod resolve;
// One node alone.
pub(crate) mod node;
// Which nodes there are, in which state.
pub(crate) mod alloc;
// How many processes go to each node, policy by policy, and the states that they leave.
pub(crate) mod place;
// All apps of a job: process counts, and which apps compete.
pub(crate) mod job;

#[doc(hidden)]
pub mod inside {
    //! For the tests in `engine/tests/it/` alone, which are another crate: nothing else names these.

    pub use crate::stage::job::groups::united;
    pub use crate::stage::node::bits::{Bits, There, count_of, first, first_of, has_all, ones};
    pub use crate::stage::node::units::{Hardware, Units, shared};
    pub use crate::stage::node::window::Window;
    pub use crate::stage::place::share::{RoundRobin, RunShare, dealt, even, fill, round_robin};
}
