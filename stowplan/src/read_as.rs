//! By whose rules a plan was made.

use crate::job::line::launched::our_own;
use stowplan_engine::plan::bytes::ReadingRemark;

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
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Line::new(["aprun", "-n", "2", "./a"]).hosts("a").place(&machine)?;
    /// assert_eq!(plan.launcher().name(), "aprun");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn name(&self) -> &str {
        &self.remark.rules
    }

    /// The version whose rules were used.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let line = Line::new(["srun", "-n", "2", "./a"]).hosts("a").rules("slurm@23.11");
    /// assert_eq!(line.place(&machine)?.launcher().version(), "23.11");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn version(&self) -> &str {
        &self.remark.version
    }

    /// How it is known whose line it is: `asked`, `word` or `sign`.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let line = Line::new(["mpiexec", "-n", "2", "./a"]).hosts("a").rules("hydra");
    /// assert_eq!(line.place(&machine)?.launcher().by(), "asked");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn by(&self) -> &str {
        &self.remark.by.0
    }

    /// The word or variable of the line that says whose it is; empty unless it is known by a sign.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let line = Line::new(["mpirun", "-n", "2", "./a"]).hosts("a").env("I_MPI_PIN", "1");
    /// assert_eq!(line.place(&machine)?.launcher().sign(), "I_MPI_PIN");
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    #[must_use]
    pub fn sign(&self) -> &str {
        &self.remark.by.1
    }

    /// What the launcher derived, each with the word, variable or rule that it comes from: `("distribution block:cyclic", "-m")`.
    /// ```
    /// # use stowplan::{Line, Machine, Topology};
    /// # let machine = Machine::uniform(Topology::parse("core:4 pu:1")?);
    /// let plan = Line::new("mpiexec.hydra -n 2 -bind-to core ./a".split(' ')).hosts("a").place(&machine)?;
    /// assert!(plan.launcher().derived().any(|(what, origin)| (what, origin) == ("binding core", "-bind-to")));
    /// # Ok::<(), stowplan::Error>(())
    /// ```
    pub fn derived(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let derived = self.remark.derived.iter();
        derived.map(|(what, origin)| (what.as_str(), origin.as_str()))
    }
}
