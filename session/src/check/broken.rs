//! An invariant that does not hold.

use crate::name::Name;

/// An invariant that does not hold: always our fault, or a forged state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{invariant} {what}: {name:?}")]
pub struct Broken {
    /// Its number, `I-04`, or `index` for a derived column.
    pub invariant: &'static str,
    /// What is wrong.
    pub what: &'static str,
    /// Where: a node, namespace, record or request.
    pub name: Name,
}

/// Whether a state holds to the invariants, or which one it breaks.
pub(crate) type Held = Result<(), Broken>;

/// Reports a broken invariant unless it holds. `told`: its number, and what is wrong.
#[expect(
    clippy::fn_params_excessive_bools,
    reason = "the one question a judge asks; an enum would only spell it again"
)]
pub(crate) fn hold(holds: bool, told: &'static str, name: &Name) -> Held {
    if holds {
        Ok(())
    } else {
        let (invariant, what) = told.split_once(' ').unwrap_or(("index", told));
        Err(Broken {
            invariant,
            what,
            name: name.clone(),
        })
    }
}
