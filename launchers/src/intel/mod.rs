//! Intel MPI: a line of its `mpiexec.hydra`, a Hydra with words, host files and pins of its own. Source: `lines/intel/spec.md`.

// Versions that are told apart.
mod version;
// Its words.
mod words;
// What a line says.
mod said;
// The nodes and their turns.
mod hosts;
// What variables say of pins.
mod pins;
// A node and its levels.
mod node;
// Default pins and domains.
mod layout;
// What each local rank is pinned to.
mod bound;
// A line as a whole.
mod lay;

use crate::line::LineAsked;
pub use lay::lay;

/// A variable as every program sees it: the last `-genv`, else the environment. An empty one is not set.
fn variable<'a>(asked: &LineAsked<'a>, said: &'a said::Said, name: &str) -> Option<&'a str> {
    let mut last = said.variables.iter().rev();
    let own = last.find(|(known, _)| known == name);
    let value = own.map(|(_, value)| value.as_str());
    value
        .or_else(|| asked.variable(name))
        .filter(|value| !value.is_empty())
}
