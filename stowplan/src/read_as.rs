//! By whose rules a plan was made.

use stowplan_engine::plan::bytes::ReadingRemark;
use stowplan_job::line::launched::our_own;

/// Whose rules placed a job, and what the launcher derived.
///
/// ```
/// use stowplan::{Line, Machine, Topology};
/// let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
/// let plan = Line::new(["mpiexec.hydra", "-n", "2", "./a"]).hosts("a,b").place(&machine)?;
/// let launcher = plan.launcher();
/// assert_eq!((launcher.name(), launcher.by()), ("hydra", "word"));
/// # Ok::<(), stowplan::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadAs {
    remark: ReadingRemark,
}

impl ReadAs {
    pub(crate) fn of(remark: Option<&ReadingRemark>) -> Self {
        Self {
            remark: remark.cloned().unwrap_or_else(our_own),
        }
    }

    /// The launcher: `prte` (also for jobs in our own words), `hydra`, `intel`, `slurm`, `flux`, `pals`, `aprun` or `jsrun`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.remark.rules
    }

    /// The version whose rules were used.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.remark.version
    }

    /// How it is known whose line it is: `asked`, `word` or `sign`.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.remark.by.0
    }

    /// The word or variable of the line that says whose it is; empty unless it is known by a sign.
    #[must_use]
    pub fn sign(&self) -> &str {
        &self.remark.by.1
    }

    /// What the launcher derived, each with the word, variable or rule that it comes from: `("distribution block:cyclic", "-m")`.
    pub fn derived(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let derived = self.remark.derived.iter();
        derived.map(|(what, origin)| (what.as_str(), origin.as_str()))
    }
}
