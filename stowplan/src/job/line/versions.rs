//! Which changes of a launcher's rules move the ranks of a line from one version to another.

use super::place::as_asked;
use crate::job::args::map_args;
use crate::job::error::JobError;
use crate::job::machine;
use crate::job::outside::Outside;
use crate::launchers::line::Launcher;
use crate::launchers::slurm;
pub use crate::launchers::slurm::RuleChange;

/// The changes between two jobs that are one line of srun, read by the rules of two versions; empty for other jobs.
///
/// # Errors
/// As for placing the jobs.
///
/// Cost: the line is placed once for each change between the versions.
pub fn between(
    a: &[String],
    b: &[String],
    outside: &dyn Outside,
) -> Result<Vec<RuleChange>, JobError> {
    let (a, b) = (map_args(a)?.job, map_args(b)?.job);
    let (Some(one), Some(other)) = (&a.line, &b.line) else {
        return Ok(Vec::new());
    };
    let slurm = |line: &super::LineArgs| line.launcher == Launcher::Slurm;
    if !slurm(one) || !slurm(other) || one.words != other.words || one.version == other.version {
        return Ok(Vec::new());
    }
    let (machine, _) = machine::read(&a, outside)?;
    as_asked(&machine, &a, one, outside, |asked| {
        slurm::changes(asked, one.version.as_deref(), other.version.as_deref())
    })
}
