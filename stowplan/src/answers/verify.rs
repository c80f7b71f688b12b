//! Whether a plan keeps its promises: the judge looks at what it has, and the rules place its job again.

use stowplan_engine::error::MapError;
use stowplan_engine::map_again::{Again, map_again};
use stowplan_engine::plan::Plan;
use stowplan_judge::{Fault, check, check_places};

/// Why a plan is not sound.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[expect(clippy::large_enum_variant, reason = "one is made for each plan")]
pub enum Unsound {
    /// It breaks promises.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Faults(Vec<Fault>),
    /// The nodes cannot honor the job, and yet it has places.
    #[error("the plan's own job is refused on these nodes: {0}")]
    Refused(MapError),
    /// No request has such options.
    #[error("an app has options that no request can have together")]
    Incoherent,
    /// It is older than the section of claims, and its apps named some of the nodes.
    #[error(
        "its places are not those of apps that may use every node, and a plan of this version does not tell which nodes its apps named: save it again"
    )]
    Untold,
}

impl Unsound {
    /// The class that scripts match on.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Faults(_) | Self::Refused(_) | Self::Incoherent => "plan-fault",
            Self::Untold => "bad-plan",
        }
    }
}

/// Verifies a plan: by its promises, and by placing its job again on the nodes as it found them.
///
/// # Errors
/// An [`Unsound`].
///
/// Cost: that of [`check`], and of placing the job.
pub fn verify(plan: &Plan) -> Result<(), Unsound> {
    check(plan).map_err(Unsound::Faults)?;
    match map_again(plan) {
        Ok(Again::Plan(again)) => check_places(plan, &again).map_err(Unsound::Faults),
        Ok(Again::Supposed(again)) => {
            let same = again.is_some_and(|again| check_places(plan, &again).is_ok());
            same.then_some(()).ok_or(Unsound::Untold)
        }
        Ok(Again::Elsewhere) => Ok(()),
        Ok(Again::Incoherent) => Err(Unsound::Incoherent),
        Err(error) => Err(Unsound::Refused(error)),
    }
}
